/**
 * `npm run migrate`: brings stored rows to the versions that this release writes (decision 0072). With TABLE_NAME in
 * the environment it works on a deployment, while it serves requests; otherwise on the data directory of the local
 * service, which must be stopped. Continues where an earlier run ended. Exit codes: 0 every row is of the version of
 * this release, 1 refused or failed (run it again to continue), 2 done, but the named rows have to be looked at.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "#core/platform/clock.ts";
import { openTable } from "#core/table/dynamo.ts";
import { newMeter } from "#core/table/meter.ts";
import { asksForHelp, failureText, parsedWords, placeOf, wholeNumber } from "../command-line.ts";
import { type VersionedKind, versionedKinds } from "./kinds.ts";
import { migrate } from "./migrate.ts";
import { openRows } from "./rows.ts";

const RATE = 200;
const SEGMENTS = 4;
const RATE_MAX = 100_000;
const SEGMENTS_MAX = 64;

const USAGE = `npm run migrate -- [--dry-run] [--rate <rows>] [--segments <number>]

  --dry-run            count the rows of each version, and write nothing
  --rate <rows>        rows per second that are read and at most rewritten; default ${RATE}
  --segments <number>  parts of the table that are read at the same time; default ${SEGMENTS}

Set TABLE_NAME to the table of a deployment, or DATA_DIR to the data directory of a local service that is stopped.`;

if (import.meta.main) {
  process.exitCode = await run(process.argv.slice(2), process.env, console.log, console.error);
}

/** Executes the command. Returns the exit code. */
export async function run(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  print: (line: string) => void,
  complain: (line: string) => void,
  kinds: readonly VersionedKind[] = versionedKinds,
): Promise<0 | 1 | 2> {
  if (asksForHelp(words)) {
    print(USAGE);
    return 0;
  }
  try {
    const options = optionsOf(words);
    const { config, close } = await placeOf(environment);
    const rows = openRows(config);
    try {
      const wait = (ms: number): Promise<void> => sleep(ms);
      const table = openTable(config)(newMeter());
      return (await migrate({ ...options, table, rows, kinds, now: systemClock.now, wait, print })) ? 0 : 2;
    } finally {
      rows.close();
      await close();
    }
  } catch (error) {
    complain(failureText(error));
    return 1;
  }
}

function optionsOf(words: readonly string[]) {
  const { values } = parsedWords(words, USAGE, {
    "dry-run": { type: "boolean" },
    rate: { type: "string" },
    segments: { type: "string" },
  });
  return {
    isDry: values["dry-run"] ?? false,
    rate: wholeNumber("rate", values.rate, { fallback: RATE, most: RATE_MAX, usage: USAGE }),
    segments: wholeNumber("segments", values.segments, { fallback: SEGMENTS, most: SEGMENTS_MAX, usage: USAGE }),
  };
}
