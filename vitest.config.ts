import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    // What is deployed has commands of its own: `npm run test:deploy` and `npm run test:bundles`.
    exclude: ["tests/deploy/**", "tests/bundles/**"],
    // The functions write their log to the console; the tests that look at it take it from there.
    env: { POWERTOOLS_DEV: "true", POWERTOOLS_METRICS_DISABLED: "false" },
    // The tests wait for the engine beside them as often as they compute: a processor for each file is not kept free.
    maxWorkers: "100%",
    onConsoleLog: () => false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
