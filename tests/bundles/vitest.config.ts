/**
 * `npm run test:bundles`: the HTTP tests against the functions as they are deployed, each behind its rights on the
 * table.
 */
import { defineConfig } from "vitest/config";
import { shard, shared } from "../../vitest.config.ts";
import { repetitive } from "../long.ts";
import { directory } from "./directory.ts";

/** They repeat for many inputs what the other files call too. A shard (`SHARD`) leaves them out. */
const repeated = process.env.SHARD ? repetitive : [];

export default defineConfig({
  test: {
    ...shared,
    ...shard,
    include: ["tests/http/**/*.test.ts", "tests/bundles/**/*.test.ts"],
    // It replaces modules, which bundles contain.
    exclude: ["tests/http/access/equal-work.test.ts", ...repeated],
    globalSetup: "tests/bundles/setup.ts",
    env: { ...shared.env, FUNCTIONS_DIR: directory },
    // Bundles are loaded as Lambda loads them, not through the test runner.
    server: { deps: { external: [/\/\.build\/functions\//] } },
  },
});
