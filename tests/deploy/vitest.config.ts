/**
 * `npm run test:deploy`: evaluates on this machine what a deployment would create on AWS. Needs `npm run sst:install`.
 */
import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.config.ts";

export default defineConfig({
  test: {
    ...shared,
    include: ["tests/deploy/**/*.test.ts"],
    globalSetup: "tests/deploy/support/setup.ts",
    // An evaluation bundles every function.
    testTimeout: 120_000,
  },
});
