import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    // What is deployed has commands of its own: `npm run test:deploy` and `npm run test:bundles`.
    exclude: ["tests/deploy/**", "tests/bundles/**"],
    // The functions write their log to the console; the tests that look at it take it from there.
    env: { POWERTOOLS_DEV: "true", POWERTOOLS_METRICS_DISABLED: "false" },
    onConsoleLog: () => false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
