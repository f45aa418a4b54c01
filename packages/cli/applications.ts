/**
 * `npm run applications -- export|import ...`: exports all applications of a tenant to files, or imports them from
 * files, through the HTTP API (decision 0042). USAGE has the command line.
 *
 * Prints a table with one row per outcome and reason; progress and errors go to standard error. Exit codes: 0 all done,
 * 1 some application was refused or is incomplete or the run stopped early, 2 wrong command line.
 */
import {
  CALLER_USAGE,
  type Caller,
  callerOf,
  callerOptions,
  openApi,
  RunEnded,
  UsageError,
  wordsOf,
} from "./client.ts";
import { exportAll } from "./export.ts";
import { importAll } from "./import.ts";
import { type Outcome, type Result, reportLines } from "./report.ts";

const USAGE = `npm run applications -- export --out <folder> [--secrets]
npm run applications -- import <folder> [--update]

  --out <folder>   target folder: empty, or the folder of an interrupted export
  --secrets        include client secrets and confidential values; requires a scope for secrets
  --update         replace existing applications; without it, they are skipped
                   (authorized APIs and assignments are only added, never removed)
${CALLER_USAGE}`;

/** The task of a run. */
type Task =
  | { readonly kind: "export"; readonly folder: string; readonly hasSecrets: boolean }
  | { readonly kind: "import"; readonly folder: string; readonly replaces: boolean };

/** The options from the command line and the environment. */
interface Options extends Caller {
  readonly task: Task;
}

/** Reads the command line. Throws `UsageError`. */
function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): Options {
  const { values, positionals } = wordsOf(args, USAGE, {
    ...callerOptions,
    out: { type: "string" },
    secrets: { type: "boolean" },
    update: { type: "boolean" },
  });
  return { task: taskOf(positionals, values), ...callerOf(values, environment) };
}

interface TaskValues {
  readonly out?: string | undefined;
  readonly secrets?: boolean | undefined;
  readonly update?: boolean | undefined;
}

function taskOf(words: readonly string[], values: TaskValues): Task {
  const [kind, folder, ...more] = words;
  if (kind === "export" && folder === undefined && values.out && !values.update) {
    return { kind, folder: values.out, hasSecrets: values.secrets ?? false };
  }
  if (kind === "import" && folder && more.length === 0 && !values.out && !values.secrets) {
    return { kind, folder, replaces: values.update ?? false };
  }
  throw new UsageError(USAGE);
}

const outcomes: Readonly<Record<"export" | "import", readonly Outcome[]>> = {
  export: ["exported", "incomplete", "skipped", "refused"],
  import: ["created", "updated", "incomplete", "skipped", "refused"],
};

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    const results = await perform(options);
    for (const line of reportLines(results, outcomes[options.task.kind])) console.log(line);
    return results.some(({ outcome }) => outcome === "refused" || outcome === "incomplete") ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof RunEnded)) throw error;
    console.error(error.message);
    if (error instanceof RunEnded)
      console.error("Finished applications are safe. Run the same command again to continue.");
    return error instanceof UsageError ? 2 : 1;
  }
}

function perform({ task, url, authorization }: Options): Promise<readonly Result[]> {
  const api = openApi(url, authorization);
  return task.kind === "export"
    ? exportAll(api, { folder: task.folder, url, hasSecrets: task.hasSecrets })
    : importAll(api, task.folder, { replaces: task.replaces });
}
