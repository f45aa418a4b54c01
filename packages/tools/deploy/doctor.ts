/**
 * `npm run doctor -- --stage <stage>`: says what is missing or wrong before `sst deploy` does. doctor-checks.ts has the
 * checks. Offline, unless `--aws` is given. Prints one line per finding; exit codes: 0 nothing is missing or wrong, 1
 * something is, 2 wrong command line. Works on the folder in which it runs; npm runs it in that of the project.
 */
import { parseArgs } from "node:util";
import { type Diagnosis, diagnose } from "./doctor-checks.ts";
import { secretsOnAws, tableFindings } from "./doctor-services.ts";
import { environmentFiles, merged, messageOf, wrong } from "./doctor-settings.ts";

const USAGE = `npm run doctor -- --stage <stage> [--aws] [--json]

  --stage <stage>  the stage to deploy: its settings are in .env.<stage> and the environment
  --aws            also read the secrets and a restored table from AWS, with the credentials of the shell
  --json           print the findings as JSON`;

/** Names that SST accepts; they are part of the names of files and resources. */
const STAGE = /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/;

interface Options {
  readonly stage: string;
  readonly asksAws: boolean;
  readonly isJson: boolean;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const options = optionsOf(process.argv.slice(2));
  if (typeof options === "string") {
    console.error(options);
    return 2;
  }
  const root = process.cwd();
  const lines = await examined(options, root);
  const isHealthy = lines.every(({ state }) => state === "ok" || state === "unchecked");
  if (options.isJson) console.log(JSON.stringify({ stage: options.stage, isHealthy, findings: lines }, undefined, 2));
  else for (const line of lines) console.log(lineOf(line));
  return isHealthy ? 0 : 1;
}

async function examined({ stage, asksAws }: Options, root: string): Promise<readonly Diagnosis[]> {
  const files = environmentFiles(root, stage);
  const patient = { stage, root, shell: process.env, files, nowMs: Date.now() };
  if (!asksAws) return diagnose({ ...patient, secrets: undefined });
  const environment = merged(process.env, files);
  const secrets = await secretsOnAws(root, stage, environment).catch((error: unknown) => messageOf(error));
  const lines = await diagnose({ ...patient, secrets: typeof secrets === "string" ? undefined : secrets });
  const { RESTORED_TABLE: table } = environment;
  const asked: Diagnosis[] = [
    ...(typeof secrets === "string" ? [{ check: "secrets", ...wrong(secrets) }] : []),
    ...(table ? (await tableFindings(table, environment)).map((one) => ({ check: "restored table", ...one })) : []),
  ];
  const answered = new Set(asked.map(({ check }) => check));
  return [...lines.filter(({ check, state }) => !(state === "unchecked" && answered.has(check))), ...asked];
}

function lineOf({ state, check, text, todo }: Diagnosis): string {
  return `${state.padEnd(9)}  ${check}: ${text}${todo === undefined ? "" : `. ${todo}`}`;
}

/** The options, or what is wrong with the command line. */
function optionsOf(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { stage: { type: "string" }, aws: { type: "boolean" }, json: { type: "boolean" } },
    });
    const { stage = "", aws = false, json = false } = values;
    if (!STAGE.test(stage)) return USAGE;
    return { stage, asksAws: aws, isJson: json };
  } catch (error) {
    return `${messageOf(error)}\n\n${USAGE}`;
  }
}
