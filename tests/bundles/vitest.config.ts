/**
 * `npm run test:bundles`: the HTTP tests against the functions as they are deployed, each behind its rights on the
 * table.
 */
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.config.ts";
import { isProtecting, long, longAlone } from "../long.ts";
import { directory } from "./directory.ts";

const isOfProtection = process.env.PROTECTING === "1";
/**
 * `PROTECTING=1`: every operation once (operations.test.ts), and the files that protect. Those that take long run from
 * the sources in every run of CI: a bundle differs from them in its wiring, its rights and its size.
 */
const protecting = globSync("tests/http/**/*.test.ts", {
  cwd: fileURLToPath(new URL("../..", import.meta.url)),
}).filter(isProtecting);

export default defineConfig({
  test: {
    ...shared,
    include: [...(isOfProtection ? protecting : ["tests/http/**/*.test.ts"]), "tests/bundles/**/*.test.ts"],
    // They replace modules, which bundles contain.
    exclude: [...longAlone, ...(isOfProtection ? long : [])],
    globalSetup: "tests/bundles/setup.ts",
    env: { ...shared.env, FUNCTIONS_DIR: directory },
    // Bundles are loaded as Lambda loads them, not through the test runner.
    server: { deps: { external: [/\/\.build\/functions\//] } },
  },
});
