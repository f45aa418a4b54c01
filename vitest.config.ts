import { defineConfig } from "vitest/config";

// `npx vitest` runs on the machine's Node, where tests would fail for lack of what newer versions have.
const NODE_LEAST = 24;
if (Number.parseInt(process.versions.node, 10) < NODE_LEAST) {
  process.stderr.write("Run `npm test`: it uses the Node version of this project (node_modules/node).\n");
  process.exit(1);
}

/** Files that replace modules by others: they need modules of their own. */
const alone = [
  "tests/http/access/equal-work.test.ts",
  "tests/unit/auth/{authenticate,guesses,known-sign-ins}.test.ts",
  "tests/unit/table/client/access.test.ts",
];

/**
 * Files that take long by their nature: seeded random runs, thousands of rows, every event of a token, processes that
 * are started and killed. `npm run test:load` runs them, so that `npm test` stays short.
 */
export const long = [
  "tests/durability/**/*.test.ts",
  "tests/http/access/rules.test.ts",
  "tests/http/access/role-changes.test.ts",
  "tests/http/oauth/{client-methods,exchange-attacks,exchange-ends,hostile-assertions,revocation-log}.test.ts",
  "tests/http/repeatable/{answers,catalogue,large}.test.ts",
  "tests/http/recovery/{continued,many}.test.ts",
  "tests/http/restored/restored.test.ts",
  "tests/http/tenants/captured-names.test.ts",
  "tests/http/access/{gains,gains-by-file}.test.ts",
  "tests/http/application-files/command*.test.ts",
  "tests/http/applications/index-operations.test.ts",
  "tests/http/dry-run/{operations,rehearsals}.test.ts",
  "tests/http/changes/{histories,listAuditEvents}.test.ts",
  "tests/http/application-files/roundTrip.test.ts",
  "tests/http/conditions/{every-operation,races}.test.ts",
  "tests/http/names/user-names.test.ts",
  "tests/http/signals/{push,streams}.test.ts",
  "tests/http/command-line/*.test.ts",
  "tests/http/tenant-folder/*.test.ts",
  "tests/http/moving-in/{iamctl,users-command}.test.ts",
  "tests/http/nulls/nulls.test.ts",
  "tests/http/oauth/events.test.ts",
  "tests/http/front/browser.test.ts",
  "tests/http/documents/guides.test.ts",
  "tests/http/scim1/large.test.ts",
  "tests/http/scim2/attribute-indexes.test.ts",
  "tests/http/sign-in/{back-channel,chromium,conformance,hostile-passkeys,pages,passkey-pages}.test.ts",
  "tests/http/scim2/hostile.test.ts",
  "tests/http/user-stores/ldap-down.test.ts",
  "tests/http/webhooks/delivery.test.ts",
  "tests/unit/{applications,identities,scim,templates}/*.random.test.ts",
  "tests/unit/api-resources/store.hostile.test.ts",
  "tests/unit/application-files/{exact,extremes,xml}.test.ts",
  "tests/unit/changes/{by-actor,changed-since,feed}.test.ts",
  "tests/unit/deploy/doctor-command.test.ts",
  "tests/unit/groups/large-groups.test.ts",
  "tests/unit/identities/{indexes,killed,large,races,staged,young-tenant}.test.ts",
  "tests/unit/local/{engine,start}.test.ts",
  "tests/unit/migrate/migrate.test.ts",
  "tests/unit/scim1/bulk.crash.test.ts",
  "tests/unit/table/{name-index*,logged-index*,overlay,value-index}.test.ts",
  "tests/unit/listing/{first-page,values.large,values.random}.test.ts",
  "tests/unit/tokens/bounded-log.test.ts",
  "tests/unit/traffic/shift.test.ts",
  "tests/unit/traffic/commands.test.ts",
];

/** `THIRD=2`: the second third of the files of a run, which saves time in CI. All files by default. */
export const third = process.env.THIRD ? { shard: `${process.env.THIRD}/3` } : {};

/** Settings of every kind of tests. */
export const shared = {
  // The functions write their log to the console; tests that inspect it read it there.
  env: {
    POWERTOOLS_DEV: "true",
    POWERTOOLS_METRICS_DISABLED: "false",
    POWERTOOLS_METRICS_NAMESPACE: "IdentityAdminApi/test",
  },
  // Tests wait for their engine as often as they compute: no processor is reserved for each file.
  maxWorkers: "100%",
  onConsoleLog: () => false,
  testTimeout: 30_000,
  hookTimeout: 30_000,
} as const;

export default defineConfig({
  test: {
    ...shared,
    projects: [
      { extends: true, test: { name: "alone", include: alone } },
      {
        extends: true,
        test: {
          name: "together",
          include: ["tests/**/*.test.ts"],
          // Each of these has its own command, `npm run test:load` and so on.
          exclude: [...alone, ...long, "tests/{deploy,bundles,load,faults}/**"],
          // Modules are loaded once for all of these files, not for each.
          isolate: false,
        },
      },
    ],
  },
});
