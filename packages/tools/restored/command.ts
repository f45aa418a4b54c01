/**
 * `npm run restored -- <table>`: makes a table that was restored from a backup safe, before a stage uses it (decision
 * 0070). `USAGE` has the options.
 *
 * Reads SEAL_KEY and AWS_REGION, and DYNAMODB_ENDPOINT where the database is not AWS's. Continues where an earlier run
 * ended; a run on a table that is safe changes nothing. Prints what it found and did, and never a secret. Exit codes: 0
 * done, 1 refused or failed (run it again to continue), 2 done, but the named rows have to be looked at.
 */
import { systemClock } from "#core/kernel/clock.ts";
import { tableConfig } from "#functions/env.ts";
import { seal } from "#functions/seals.ts";
import { asksForHelp, COMMAND_TIMEOUTS, failureText, parsedWords } from "../command-line.ts";
import { type Kind, kinds, type Origin, type WholeTable, wholeTable } from "./findings.ts";
import { restore } from "./restore.ts";

/** AWS states the restored moment in whole seconds. */
const SAME_MOMENT_MS = 1_000;

const USAGE = `npm run restored -- <table> [options]

  --restored-to <time>   the moment that the table was restored to, such as 2026-01-31T12:00:00Z
  --from <old table>     the table that the backup was taken of: what has protected since is carried over from it
  --leave <kind>,...     kinds that are listed and not carried over
  --list                 list what has changed since, and write nothing
  --yes                  the table is a restored one, although AWS does not say so

Kinds, and what carrying over does:
${Object.entries(kinds)
  .map(([kind, does]) => `  ${kind.padEnd(22)} ${does}`)
  .join("\n")}`;

if (import.meta.main) {
  process.exitCode = await run(process.argv.slice(2), process.env, console.log, console.error);
}

/** Executes the command. Returns the exit code. */
export async function run(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  print: (line: string) => void,
  complain: (line: string) => void,
): Promise<0 | 1 | 2> {
  if (asksForHelp(words)) {
    print(USAGE);
    return 0;
  }
  const opened: WholeTable[] = [];
  const open = (name: string): WholeTable => {
    const { requestDeadlineMs: _, ...config } = tableConfig(COMMAND_TIMEOUTS, { ...environment, TABLE_NAME: name });
    const table = wholeTable(config);
    opened.push(table);
    return table;
  };
  try {
    const { name, from, leaving, isListing, isSure, restoredTo } = optionsOf(words);
    const [restored, old] = [open(name), from === undefined ? undefined : open(from)];
    const [origin] = await Promise.all([restored.origin(), old?.origin()]);
    const restoredToMs = momentOf(name, origin, restoredTo, isSure || isListing);
    const nowMs = systemClock.now();
    if (restoredToMs > nowMs) throw new Error("--restored-to is in the future.");
    const given = { restored, restoredToMs, old, leaving, isListing, nowMs, print, seal: seal(environment) };
    return (await restore(given)) ? 0 : 2;
  } catch (error) {
    complain(failureText(error));
    return 1;
  } finally {
    for (const table of opened) table.close();
  }
}

function optionsOf(words: readonly string[]) {
  const { values, positionals } = parsedWords(
    words,
    USAGE,
    {
      "restored-to": { type: "string" },
      from: { type: "string" },
      leave: { type: "string" },
      list: { type: "boolean" },
      yes: { type: "boolean" },
    },
    true,
  );
  const [name, ...more] = positionals;
  if (!name || more.length > 0) throw new Error(USAGE);
  if (values.from === name)
    throw new Error("--from names the restored table. Name the table that the backup was taken of.");
  if (values.list && values.from === undefined) throw new Error("--list needs --from: it compares two tables.");
  const leaving = (values.leave?.split(",") ?? []).map((kind) => kind.trim());
  const odd = leaving.find((kind) => !isKind(kind));
  if (odd !== undefined)
    throw new Error(`--leave: there is no kind "${odd}". Kinds: ${Object.keys(kinds).join(", ")}.`);
  const restoredTo = values["restored-to"];
  if (restoredTo !== undefined && !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(restoredTo)) {
    throw new Error(`--restored-to must be a time with its zone, such as 2026-01-31T12:00:00Z, not "${restoredTo}".`);
  }
  return {
    name,
    from: values.from,
    leaving: new Set(leaving.filter(isKind)),
    isListing: values.list ?? false,
    isSure: values.yes ?? false,
    restoredTo: restoredTo === undefined ? undefined : Date.parse(restoredTo),
  };
}

function isKind(text: string): text is Kind {
  return Object.hasOwn(kinds, text);
}

/**
 * The moment that a table was restored to. Throws an `Error` for people for a table that may be one in use, whose users
 * would all be signed out: only `isSure` admits a table that AWS does not call a restored one.
 */
export function momentOf(
  name: string,
  origin: Origin | undefined,
  restoredTo: number | undefined,
  isSure: boolean,
): number {
  if (origin?.isInProgress) throw new Error(`${name} is still being restored. Wait until it is active.`);
  if (origin && restoredTo !== undefined && Math.abs(origin.restoredToMs - restoredTo) > SAME_MOMENT_MS) {
    throw new Error(`${name} was restored to ${new Date(origin.restoredToMs).toISOString()}, says AWS.`);
  }
  if (origin) return origin.restoredToMs;
  if (restoredTo === undefined)
    throw new Error(`--restored-to is missing, and AWS does not say when ${name} was restored.`);
  if (isSure) return restoredTo;
  throw new Error(
    `${name} is not a restored table, says AWS. All tokens of its users would end. If it is a copy of a backup, add --yes.`,
  );
}
