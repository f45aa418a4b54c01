import { defineConfig } from "vitest/config";

// `npx vitest` runs on the machine's Node, where tests would fail for lack of what newer versions have.
const NODE_LEAST = 24;
if (Number.parseInt(process.versions.node, 10) < NODE_LEAST) {
  process.stderr.write("Run `npm test`: it uses the Node version of this project (node_modules/node).\n");
  process.exit(1);
}

/** Files that replace modules by others: they need modules of their own. */
const alone = ["tests/unit/auth/authenticate.test.ts"];

/** Settings of every kind of tests. */
export const shared = {
  // The functions write their log to the console; tests that inspect it read it there.
  env: { POWERTOOLS_DEV: "true", POWERTOOLS_METRICS_DISABLED: "false" },
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
          // These have commands of their own: `npm run test:deploy`, `npm run test:bundles`, `npm run test:load`,
          // `npm run test:faults`.
          exclude: [...alone, "tests/deploy/**", "tests/bundles/**", "tests/load/**", "tests/faults/**"],
          // Modules are loaded once for all of these files, not for each.
          isolate: false,
        },
      },
    ],
  },
});
