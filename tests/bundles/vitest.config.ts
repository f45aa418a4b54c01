/** `npm run test:bundles`: the HTTP tests against the functions as they are deployed, each behind its rights on the table. */
import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";
import { directory } from "./directory.ts";

export default defineConfig({
  test: {
    ...base.test,
    include: ["tests/http/**/*.test.ts", "tests/bundles/**/*.test.ts"],
    exclude: [],
    globalSetup: "tests/bundles/setup.ts",
    env: { ...base.test?.env, FUNCTIONS_DIR: directory },
    // Bundles are loaded as Lambda loads them, not through the test runner.
    server: { deps: { external: [/\/\.build\/functions\//] } },
  },
});
