/**
 * `npm run test:faults`: runs the fault tests.
 *
 *     npm run test:faults                   a few seeds
 *     npm run test:faults -- --seeds 100    the seeds 1 to 100
 *     SEED=7 npm run test:faults            one seed (or --seed 7)
 *
 * Further arguments go to vitest.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const VITEST = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
const variables: Readonly<Record<string, string>> = { "--seed": "SEED", "--seeds": "SEEDS" };

const environment: NodeJS.ProcessEnv = { ...process.env };
const rest: string[] = [];
const args = process.argv.slice(2);
for (let at = 0; at < args.length; at += 1) {
  const [name = "", value = args[at + 1]] = (args[at] ?? "").split("=", 2);
  const variable = variables[name];
  if (variable === undefined) {
    rest.push(args[at] ?? "");
    continue;
  }
  environment[variable] = value;
  if (!args[at]?.includes("=")) at += 1;
}

spawn(process.execPath, [VITEST, "run", "--config", "tests/faults/vitest.config.ts", ...rest], {
  cwd: fileURLToPath(new URL("../..", import.meta.url)),
  env: environment,
  stdio: "inherit",
}).once("exit", (code) => process.exit(code ?? 1));
