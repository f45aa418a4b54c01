import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * The files that `npm test` leaves out, so that it stays short, and that `npm run test:load` runs; these share their
 * modules. A file that takes more than two or three seconds belongs here: `npm test -- --reporter=json` tells.
 */
export const long = [
  "tests/durability/**/*.test.ts",
  "tests/http/access/{former-passwords,new-passwords,rules,spraying}.test.ts",
  "tests/http/sign-in/login-names{,-directory,.random}.test.ts",
  "tests/http/assignments/assignments.test.ts",
  "tests/http/sign-in/access.test.ts",
  "tests/http/account-recovery/*.test.ts",
  "tests/http/sign-in/ways-out.test.ts",
  "tests/unit/access/many-assignments.test.ts",
  "tests/http/access/role-changes.test.ts",
  "tests/http/oauth/{client-methods,exchange-attacks,exchange-ends,hostile-assertions,revocation-log}.test.ts",
  "tests/http/repeatable/{answers,catalogue,large}.test.ts",
  "tests/http/recovery/{continued,many}.test.ts",
  "tests/http/restored/restored.test.ts",
  "tests/http/tenants/{captured-names,partitions}.test.ts",
  "tests/http/access/{explain-tokens,gains,gains-by-file}.test.ts",
  "tests/http/application-files/command*.test.ts",
  "tests/http/applications/index-operations.test.ts",
  "tests/http/dry-run/{operations,rehearsals}.test.ts",
  "tests/http/changes/{every-operation,histories,listAuditEvents}.test.ts",
  "tests/http/application-files/roundTrip.test.ts",
  "tests/http/conditions/{every-operation,races}.test.ts",
  "tests/http/names/{every-kind,user-names}.test.ts",
  "tests/http/signals/{push,streams}.test.ts",
  "tests/http/command-line/*.test.ts",
  "tests/http/tenant-folder/*.test.ts",
  "tests/http/moving-in/{iamctl,users-command}.test.ts",
  "tests/http/nulls/nulls.test.ts",
  "tests/http/oauth/events.test.ts",
  "tests/http/front/browser.test.ts",
  "tests/http/documents/{commands,guides}.test.ts",
  "tests/http/scim1/large.test.ts",
  "tests/http/scim2/attribute-indexes.test.ts",
  "tests/http/sign-in/{account,account-directory,account-hostile,account-pages,back-channel,chromium,conformance,hostile-passkeys,late-pages,pages,passkey-pages,scopes-alone}.test.ts",
  "tests/http/scim2/{hostile,schemas}.test.ts",
  "tests/http/saml/others/*.test.ts",
  "tests/http/user-stores/ldap-down.test.ts",
  "tests/http/webhooks/delivery.test.ts",
  "tests/unit/{access,applications,identities,scim,templates}/*.random.test.ts",
  "tests/unit/access/families.test.ts",
  "tests/unit/api-resources/store.hostile.test.ts",
  "tests/unit/application-files/{exact,extremes,xml}.test.ts",
  "tests/unit/changes/{by-actor,changed-since,feed}.test.ts",
  "tests/unit/deploy/doctor-command.test.ts",
  "tests/unit/traffic/model.test.ts",
  "tests/http/traffic/trial.test.ts",
  "tests/unit/groups/large-groups.test.ts",
  "tests/unit/identities/{indexes,killed,large,races,staged}.test.ts",
  "tests/unit/local/{engine,start}.test.ts",
  "tests/unit/scim1/bulk.crash.test.ts",
  "tests/unit/table/{name-index*,logged-index*,overlay,value-index}.test.ts",
  "tests/unit/listing/{first-page,values.large,values.random}.test.ts",
  "tests/unit/tokens/bounded-log.test.ts",
  "tests/unit/traffic/shift.test.ts",
  "tests/unit/traffic/commands.test.ts",
  "tests/contract/{catalogue,document-loop}.test.ts",
  "tests/http/access/{basic,certificates,dpop,elevation,head,nearest-path,own-credentials,password,secrets}.test.ts",
  "tests/http/application-files/importApplication.test.ts",
  "tests/http/applications/settings.test.ts",
  "tests/http/authorized-apis/authorizeApi.test.ts",
  "tests/http/changes/{large,open-bulks,records,replay}.test.ts",
  "tests/http/client/client.test.ts",
  "tests/http/documents/{changes,readme,table,tokens}.test.ts",
  "tests/http/front/files.test.ts",
  "tests/http/mistakes/credentials.test.ts",
  "tests/http/names/{spellings,unknown-members,white-space}.test.ts",
  "tests/http/oauth/{certificates,client-costs,client-secrets,dpop,graceful-rotation,guesses,refresh,scopes,settings-of-tokens}.test.ts",
  "tests/http/oidc-scopes/oidc-scopes.test.ts",
  "tests/http/protocols/{addresses,client-authentication,client-secrets,limits,named-members}.test.ts",
  "tests/http/recovery/{again,histories,list,people,rehearsed,versions}.test.ts",
  "tests/http/releases/recorded.test.ts",
  "tests/http/scim1/{bulk,groups,http,me}.test.ts",
  "tests/http/scim2/{bulk,clients,details,imported-passwords,lists,me,okta,patch,roles-in-bulk,roles}.test.ts",
  "tests/http/scim2/{changed-since,costs,declared,role-costs,role-versions,searches,suite}.test.ts",
  "tests/http/sessions/{authorized-apps,sessions}.test.ts",
  "tests/http/sign-in/{attacks-on-the-whole,attacks-on-what-is-left,claims,claims-of-guests,clients,codes,demo,fapi}.test.ts",
  "tests/http/sign-in/{hostile-factors,hostile-requests,hostile-saas,hostile-tenants,hostile,new-password,passkeys}.test.ts",
  "tests/http/sign-in/{answers-with-tokens,costs,request-objects,saas-ends,saas,scripts,sign-out,stores,used-pages}.test.ts",
  "tests/http/signals/events.test.ts",
  "tests/http/sst/{application,providers}.test.ts",
  "tests/http/tenants/{isolation,owners}.test.ts",
  "tests/http/user-stores/{dynamodb,ldap,ldap-hostile,ldap-lists,names-in-filters,undeclared,user-stores-api}.test.ts",
  "tests/http/webhooks/{actors,limits,rights}.test.ts",
  "tests/unit/access/certificate.test.ts",
  "tests/unit/identities/damaged-member.test.ts",
  "tests/unit/indexes/{applications,command}.test.ts",
  "tests/unit/listing/{bounds,names,values,values.cost}.test.ts",
  "tests/unit/names/characters.test.ts",
  "tests/unit/local/{gateway-closing,platforms,start-damage}.test.ts",
  "tests/unit/platform/imported-hash.test.ts",
  "tests/unit/scim1/lossless.test.ts",
  "tests/unit/scim2/patch-steps.test.ts",
  "tests/unit/sign-in/concurrent.test.ts",
  "tests/unit/tokens/random-revocations.test.ts",
];

/** Those that replace modules by others, and need modules of their own. */
export const longAlone = [
  "tests/http/access/equal-work.test.ts",
  "tests/unit/auth/{addresses-elsewhere,authenticate,guesses,known-sign-ins}.test.ts",
];

/** Each promise of docs/security.md names the files that hold it. */
const promised: ReadonlySet<string> = new Set(
  [...readFileSync(new URL("../docs/security.md", import.meta.url), "utf8").matchAll(/`(tests\/[^`]+)`/g)].flatMap(
    ([, pattern = ""]) => globSync(pattern, { cwd: root }),
  ),
);

/**
 * Whether a file tests rights, tenants, attacks or faults, by its path, or a promise of docs/security.md: every run of
 * CI has all of these, and sign-outs in the software of others. `npm run check` has the others too.
 */
export const isProtecting = (path: string): boolean =>
  promised.has(path) ||
  /access|gains|attack|hostile|tenant|saas|guess|exchange|revocation|password|secret|credential|certificate/.test(
    path,
  ) ||
  /sign-ins|saml\/others|oauth\/(?:refresh|scopes)|account-directory/.test(path) ||
  /kill|races|concurrent|damage|-down|staged/.test(path) ||
  /scopes-alone|late-pages|used-pages|roles-in-bulk|crash|rights|rotation|catalogue|authenticat|authorized-apis/.test(
    path,
  );

/** The files of tests/load that protect. */
export const protectingLoads = globSync("tests/load/**/*.test.ts", { cwd: root }).filter(isProtecting);

/** The long files that protect. */
export const protecting = globSync([...long, ...longAlone], { cwd: root }).filter(
  (path) => isProtecting(path) && !path.startsWith("tests/http/tenant-folder/"),
);
