/** Reads the command line of `npm run users`. */
import { CALLER_USAGE, type Caller, callerOf, callerOptions, UsageError, wordsOf } from "../client.ts";
import type { ExportTask } from "./export.ts";
import type { ImportTask } from "./import.ts";
import { type Wso2Hash, wso2HashNames } from "./mapping.ts";
import { type SourceName, sourceOf, sources } from "./sources.ts";

const USAGE = `npm run users -- import <file> [--from <format>] [--map <field>=<attribute>]... [--dry-run]
npm run users -- export --out <file> [--filter <filter>] [--hashes]

import
  --from <format>  the format of the file (default: detected from its name and content):
${Object.entries(sources)
  .map(([name, what]) => `                     ${name.padEnd(9)} ${what}`)
  .join("\n")}
  --map <field>=<attribute>
                   which attribute a field is, such as --map mail=emails.work; "-" leaves the field out
  --wso2-hash <h>  how WSO2 Identity Server hashed passwords: ${wso2HashNames.join(", ")} (default: sha256)
  --dry-run        check everything and change nothing
  A run that was stopped goes on where it ended. What was refused is in <file>.refused.csv, with the reasons.

export
  --out <file>     .csv for a table; otherwise SCIM users, one per line
  --filter <f>     a SCIM filter, such as 'userName sw "k"'
  --hashes         with password hashes, from the table in TABLE_NAME; requires the right to read it

${CALLER_USAGE}`;

/** What a run does. */
export interface Options extends Caller {
  readonly task: ({ readonly kind: "import" } & ImportTask) | ({ readonly kind: "export" } & ExportTask);
}

/** Reads the command line. Throws `UsageError`. */
export async function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Options> {
  const { values, positionals } = wordsOf(args, USAGE, {
    ...callerOptions,
    from: { type: "string" },
    map: { type: "string", multiple: true },
    "wso2-hash": { type: "string" },
    "dry-run": { type: "boolean" },
    out: { type: "string" },
    filter: { type: "string" },
    hashes: { type: "boolean" },
  });
  const [kind, file, ...more] = positionals;
  const caller = callerOf(values, environment);
  if ((kind !== "import" && kind !== "export") || more.length > 0) throw new UsageError(USAGE);
  return { ...caller, task: await optionsOf(kind, file, values, environment) };
}

/** The options of a run, as they were given. */
interface Values {
  readonly from?: string | undefined;
  readonly map?: readonly string[] | undefined;
  readonly "wso2-hash"?: string | undefined;
  readonly "dry-run"?: boolean | undefined;
  readonly out?: string | undefined;
  readonly filter?: string | undefined;
  readonly hashes?: boolean | undefined;
}

/** What options and a file say. Throws `UsageError`. */
export async function optionsOf(
  kind: "import" | "export",
  file: string | undefined,
  values: Values,
  environment: NodeJS.ProcessEnv,
): Promise<Options["task"]> {
  if (kind === "import" && file && !values.out && !values.filter && !values.hashes) {
    return {
      kind,
      file,
      source: values.from === undefined ? await sourceOf(file) : named("from", values.from, sourceNames),
      map: Object.fromEntries((values.map ?? []).map(pairOf)),
      wso2Hash: named<Wso2Hash>("wso2-hash", values["wso2-hash"] ?? "sha256", wso2HashNames),
      isRehearsal: values["dry-run"] ?? false,
    };
  }
  const isImportOnly = values.from ?? values.map ?? values["wso2-hash"] ?? values["dry-run"];
  if (kind === "export" && file === undefined && values.out && isImportOnly === undefined) {
    const { out, filter, hashes = false } = values;
    if (hashes && !environment.TABLE_NAME) {
      throw new UsageError(
        "--hashes reads the table: set TABLE_NAME, and AWS credentials that are allowed to read it.",
      );
    }
    return { kind, file: out, filter, hasHashes: hashes, environment };
  }
  throw new UsageError(USAGE);
}

const sourceNames = Object.keys(sources) as SourceName[];

function named<N extends string>(option: string, given: string, names: readonly N[]): N {
  const found = names.find((name) => name === given.toLowerCase());
  if (found === undefined) throw new UsageError(`--${option} must be one of ${names.join(", ")}, not "${given}".`);
  return found;
}

/** A field can contain `=`; an attribute cannot. */
function pairOf(given: string): readonly [field: string, attribute: string] {
  const at = given.lastIndexOf("=");
  if (at < 1 || at === given.length - 1) {
    throw new UsageError(`--map is written as <field>=<attribute>, such as mail=emails.work, not "${given}".`);
  }
  return [given.slice(0, at), given.slice(at + 1)];
}
