/**
 * `npm run migrate`: brings stored rows to the versions that this release writes (decision 0072). With TABLE_NAME in
 * the environment it works on a deployment, while it serves requests; otherwise on the data directory of the local
 * service, which must be stopped. Continues where an earlier run ended. Exit codes: 0 every row is of the version of
 * this release, 1 refused or failed (run it again to continue), 2 done, but the named rows have to be looked at.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { systemClock } from "#core/platform/clock.ts";
import { Fault } from "#core/platform/faults.ts";
import { openTable, type TableConfig } from "#core/table/dynamo.ts";
import { newMeter } from "#core/table/meter.ts";
import { tableConfig } from "#functions/env.ts";
import { openLocalData } from "../local-data.ts";
import { type VersionedKind, versionedKinds } from "./kinds.ts";
import { migrate } from "./migrate.ts";
import { openRows } from "./rows.ts";

const TIMEOUTS = { callMs: 20_000, requestMs: 0, attemptMs: 10_000 };
const RATE = 200;
const SEGMENTS = 4;
const MOST = { rate: 100_000, segments: 64 } as const;

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
    complain(error instanceof Fault ? error.description : error instanceof Error ? error.message : String(error));
    return 1;
  }
}

async function placeOf(environment: NodeJS.ProcessEnv): Promise<{ config: TableConfig; close: () => Promise<void> }> {
  if (environment.TABLE_NAME) {
    const { requestDeadlineMs: _, ...config } = tableConfig(TIMEOUTS, environment);
    return { config, close: async () => undefined };
  }
  const { config, close } = await openLocalData(environment);
  return { config: { ...config, deadlineMs: TIMEOUTS.callMs }, close };
}

function optionsOf(words: readonly string[]) {
  const { "dry-run": isDry = false, rate, segments } = parsed(words);
  return { isDry, rate: countOf("rate", rate, RATE), segments: countOf("segments", segments, SEGMENTS) };
}

function parsed(words: readonly string[]) {
  try {
    const options = {
      "dry-run": { type: "boolean" },
      rate: { type: "string" },
      segments: { type: "string" },
    } as const;
    return parseArgs({ args: [...words], options }).values;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

function countOf(name: keyof typeof MOST, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const count = /^[1-9]\d*$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MOST[name]) return count;
  throw new Error(`--${name} must be a number from 1 to ${MOST[name]}, not "${text}".\n\n${USAGE}`);
}
