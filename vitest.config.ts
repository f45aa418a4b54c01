import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { long, longAlone } from "./tests/long.ts";

// `npx vitest` runs on the machine's Node, where tests would fail for lack of what newer versions have.
const NODE_LEAST = 24;
if (Number.parseInt(process.versions.node, 10) < NODE_LEAST) {
  process.stderr.write("Run `npm test`: it uses the Node version of this project (node_modules/node).\n");
  process.exit(1);
}

/** Files that replace modules by others: they need modules of their own. */
const alone = ["tests/unit/table/client/access.test.ts"];

/** Files that test the table, with either of its clients. */
const onTable = ["tests/unit/table/*.test.ts"];

/** A module of tests/support that runs before each file. */
export const setupFile = (name: string): string => fileURLToPath(new URL(`tests/support/${name}.ts`, import.meta.url));

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
  setupFiles: [setupFile("silence"), setupFile("light-hashes")] as string[],
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
        // The same tests of the table on its second client (decision 0091).
        test: {
          name: "document client",
          include: onTable,
          exclude: long,
          env: { DATABASE_CLIENT: "document" },
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "together",
          include: ["tests/**/*.test.ts"],
          // Each of these has its own command, `npm run test:load` and so on.
          exclude: [...alone, ...long, ...longAlone, "tests/{deploy,bundles,load,faults}/**"],
          // Modules are loaded once for all of these files, not for each.
          isolate: false,
        },
      },
    ],
  },
});
