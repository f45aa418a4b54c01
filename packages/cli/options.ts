/** Reads the command line of `npm run applications`. */
import { CALLER_USAGE, type Caller, callerOf, callerOptions, UsageError, wordsOf } from "./caller.ts";

export const USAGE = `npm run applications -- export --out <folder> [--secrets]
npm run applications -- import <folder> [--update]

  --out <folder>   target folder: empty, or the folder of an interrupted export
  --secrets        include client secrets and confidential values; needs a scope for secrets
  --update         replace existing applications; without it, they are skipped
                   (authorized APIs are only added, never removed)
${CALLER_USAGE}`;

/** The task of a run. */
type Task =
  | { readonly kind: "export"; readonly folder: string; readonly hasSecrets: boolean }
  | { readonly kind: "import"; readonly folder: string; readonly replaces: boolean };

/** The options from the command line and the environment. */
export interface Options extends Caller {
  readonly task: Task;
}

/** Reads the command line. Throws `UsageError`. */
export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): Options {
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
