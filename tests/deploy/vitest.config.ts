/** `npm run test:deploy`: what would be made on AWS, evaluated on this machine. It needs SST's platform (`npm run sst:install`). */
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
