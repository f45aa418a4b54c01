/**
 * Where people sign in: the authorization endpoint, its pages, and claims about users. With the authorizer and the
 * token endpoint the only function that verifies passwords; the only one that reads sessions and secrets of one-time
 * codes. It signs nothing.
 */
import { apiResourceStore } from "#core/applications/apis/store.ts";
import { oidcScopeStore } from "#core/applications/oidc-scopes/store.ts";
import { clientStore } from "#core/applications/registry/client-store.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { recordedTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { credentialStore } from "#core/directory/credentials/store.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { lambda } from "#core/http/lambda.ts";
import { newObserver } from "#core/http/observe.ts";
import { sentRequest } from "#core/http/request.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { later } from "#core/kernel/later.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { emailSection } from "#core/service/settings/email.ts";
import { indexSection } from "#core/service/settings/indexes.ts";
import { oauthSection } from "#core/service/settings/oauth.ts";
import { passwordSection } from "#core/service/settings/password.ts";
import { registrationSection } from "#core/service/settings/registration.ts";
import { scim2Section } from "#core/service/settings/scim2.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { signInSection } from "#core/service/settings/sign-in.ts";
import { userStoreSection } from "#core/service/settings/user-stores.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/sign-in/authentication/lockout-store.ts";
import { refusalLog } from "#core/sign-in/authentication/refusals.ts";
import { newSignIn } from "#core/sign-in/authentication/sign-in.ts";
import { newTokenReader } from "#core/sign-in/authentication/token-reader.ts";
import { newRevocationCache } from "#core/sign-in/authentication/token-validity.ts";
import type { SignInTools } from "#core/sign-in/flow/context.ts";
import { signInOperations } from "#core/sign-in/flow/contract.ts";
import { signInHandlers } from "#core/sign-in/flow/handlers.ts";
import { readSector } from "#core/sign-in/flow/sectors.ts";
import { newPairwiseSubjects } from "#core/sign-in/openid/pairwise-store.ts";
import { newRemoteDocuments } from "#core/tokens/remote-documents.ts";
import { baseUrl, deploymentFile, localAdministrator, tableConfig } from "./env.ts";
import { openAddresses, openKeySets } from "./key-sets.ts";
import { sendsMails } from "./mails.ts";
import { openProofs } from "./proofs.ts";
import { factorSeal, formSeal } from "./seals.ts";
import { openUserStores } from "./user-stores.ts";

const deployment = sectionsFromFile(deploymentFile(), [
  changesSection,
  emailSection,
  indexSection,
  oauthSection,
  passwordSection,
  registrationSection,
  scim2Section,
  signInSection,
  userStoreSection,
]);
const recordedBy = recordedTables(deployment.changes);
const lockouts = { ...defaultLockoutPolicy, names: deployment.sourceNames };
const { userStoresOf, usersIn, groupsIn } = await openUserStores("sign-in", deployment, false);
const observer = newObserver("sign-in");
const origin = baseUrl();

const tools: SignInTools = {
  settings: deployment.signIn,
  passwords: deployment.passwords,
  localAdministrator: localAdministrator(),
  recovers: sendsMails(deployment),
  mailLimits: deployment.mail.limits,
  registers: (tenant) => sendsMails(deployment) && deployment.registrationOf(tenant) !== undefined,
  limits: deployment.clients,
  signIn: newSignIn(systemClock),
  seal: formSeal(),
  factorSeal: factorSeal(),
  reader: newTokenReader(userStoresOf, newRevocationCache(observer.damagedRow)),
  pairwise: newPairwiseSubjects(),
  sectors: newRemoteDocuments(openAddresses(), systemClock, readSector),
  proofs: openProofs(),
  keySets: openKeySets(),
  refusals: (attempt) => refusalLog(observer, attempt),
};
const { faultPage } = later(() => import("#core/sign-in/pages/fault-page.ts"), "faultPage");

export const operations = signInOperations;

export const handler = lambda({
  service: "sign-in",
  operations,
  handlers: signInHandlers,
  faultPage,
  baseUrl: origin,
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })),
  stores: (table, { event, caused }) => {
    return {
      identitiesAs: (principal) => {
        const caller = { ...caused.caller, principal, signIn: "password" } as const;
        const recorded = recordedBy(table, { ...caused, caller });
        return {
          users: usersIn(recorded),
          groups: groupsIn(recorded),
          roles: roleStore(recorded),
          tenants: tenantStore(recorded),
          userStores: userStoresOf(principal.tenant),
          passwords: deployment.passwords,
          sendsMail: sendsMails(deployment),
        };
      },
      table,
      tools,
      sent: sentRequest(event, origin),
      cookies: event.cookies ?? [],
      clients: clientStore(table),
      applications: applicationStore(table),
      oidcScopes: oidcScopeStore(table),
      apiResources: apiResourceStore(table),
      tenants: tenantStore(table),
      users: usersIn(table),
      groups: groupsIn(table),
      roles: roleStore(table),
      credentials: credentialStore(table),
      lockouts: lockoutStore(table, lockouts),
    };
  },
});
