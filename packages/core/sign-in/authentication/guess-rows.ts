/**
 * Counters of wrong guesses: one row for each subject and window. Ten failures in a window (or another number) lock the
 * row for a while, and each further lock lasts twice as long. A lock holds for the secret that was guessed at only.
 */

import { number, optional, rowCodec, text, withDefault } from "../../database/table/row.ts";
import type { Item, Key, Step, Table, Value } from "../../database/table/table.ts";

/** When a row is locked. */
export interface GuessPolicy {
  readonly failuresMax: number;
  readonly windowMs: number;
  /** The first lock. */
  readonly lockMs: number;
  readonly lockMaxMs: number;
}

/** The failures in one row. */
export interface GuessState {
  readonly exists: boolean;
  /** True when a success has failures to clear. */
  readonly hasFailures: boolean;
  readonly failures: number;
  readonly windowStartedMs: number;
  readonly lockouts: number;
  readonly lockedFromMs: number;
  readonly lockedUntilMs: number;
  /** The version of the secret that was guessed at; `undefined` without a lock. */
  readonly lockedFor: string | undefined;
  /** When the right secret was last sent from this source; 0 for never, or for a time that has passed. */
  readonly knownFromMs: number;
}

/** How long the failures of a row count after the last failure or lock. */
const KEPT_MS = 2 * 24 * 60 * 60_000;
/** How long a source is known after a success. */
export const KNOWN_MS = 30 * 24 * 60 * 60_000;
/** How much the clocks of containers may differ. A time further ahead is from a wrong clock: it does not count. */
const CLOCKS_DIFFER_MS = 60_000;

interface GuessRow {
  readonly failures: number;
  readonly lockouts: number;
  readonly windowStartedMs: number;
  readonly lockedFromMs: number;
  readonly lockedUntilMs: number;
  readonly lockedFor: string | undefined;
  readonly knownFromMs: number;
  readonly failuresUntilSeconds: number;
  readonly expiresAtSeconds: number;
}

const count = withDefault(number, 0);
const rows = rowCodec<GuessRow>("sign-in lock", {
  failures: count,
  lockouts: count,
  windowStartedMs: count,
  lockedFromMs: count,
  lockedUntilMs: count,
  lockedFor: optional(text),
  knownFromMs: count,
  failuresUntilSeconds: count,
  expiresAtSeconds: count,
});

/** Another request changed the row first. */
class Conflict extends Error {}

/** What a row says; a subject without a row has no failures. */
export function guessState(item: Item | undefined, policy: GuessPolicy, nowMs: number): GuessState {
  const row = rows.read(item ?? { PK: "", SK: "" });
  const { failuresUntilSeconds, windowStartedMs, lockouts, knownFromMs } = row;
  const isRecent = isWithin(nowMs, failuresUntilSeconds * 1_000, KEPT_MS + policy.lockMaxMs);
  return {
    exists: item !== undefined,
    // Expired rows do not count, even before DynamoDB has removed them.
    hasFailures: isRecent && (row.failures > 0 || lockouts > 0 || row.lockedUntilMs > 0),
    failures: row.failures,
    windowStartedMs,
    lockouts,
    lockedFromMs: row.lockedFromMs,
    lockedUntilMs: isWithin(nowMs, row.lockedUntilMs, policy.lockMaxMs) ? row.lockedUntilMs : 0,
    lockedFor: row.lockedFor,
    knownFromMs: isWithin(nowMs, knownFromMs + KNOWN_MS, KNOWN_MS) ? knownFromMs : 0,
  };
}

/** Whether a lock holds now for the secret of that version. A lock that begins in the future was dated wrongly. */
export function isLocked(state: GuessState, version: string, nowMs: number): boolean {
  const { lockedFromMs, lockedUntilMs, lockedFor } = state;
  return lockedUntilMs > nowMs && lockedFromMs <= nowMs + CLOCKS_DIFFER_MS && lockedFor === version;
}

/**
 * Counts a failure, and locks the row at the limit. `version` is that of the secret that was compared. Returns how many
 * there are in the window, this one included. One round trip; one more for the failure that locks, and where another
 * request started the window first.
 */
export async function countFailure(
  { table, key, policy }: { readonly table: Table; readonly key: Key; readonly policy: GuessPolicy },
  before: GuessState,
  nowMs: number,
  version: string,
): Promise<number> {
  const started = before.windowStartedMs;
  const isOver = nowMs - started > policy.windowMs || started > nowMs + CLOCKS_DIFFER_MS;
  const times = keptFrom(before, nowMs);
  // Where another failure started the window first, this one is counted in it.
  if (isOver && (await wrote(table, startingWindow(key, before, nowMs, times)))) return 1;
  const after = guessState(await table.count(key, { failures: 1, ...NOTHING }, times), policy, nowMs);
  if (after.failures < policy.failuresMax || isLocked(after, version, nowMs)) return after.failures;
  const lockMs = Math.min(policy.lockMaxMs, policy.lockMs * 2 ** after.lockouts);
  // Of concurrent failures one locks the row: for the others the counted window has ended.
  await wrote(table, locking(key, after, nowMs, { untilMs: nowMs + lockMs, version }));
  return after.failures;
}

/**
 * Counts an attempt that is no failure, or a failure while the row is locked: without effect, after the work of a
 * failure. One round trip.
 */
export async function countNothing(table: Table, key: Key, before: GuessState | undefined, nowMs: number) {
  await table.count(key, { refused: 1, failures: 0, ...NOTHING }, { expiresAtSeconds: endOf(before, nowMs) });
}

/**
 * Remembers that the right secret was sent from the source of the row, and clears the failures in `before`; those of a
 * window or lock that began since stay. One round trip.
 */
export async function rememberSuccess(table: Table, key: Key, before: GuessState, nowMs: number): Promise<void> {
  const known = { knownFromMs: nowMs, expiresAtSeconds: seconds(nowMs + KNOWN_MS) };
  if (!before.hasFailures) {
    await table.count(key, { failures: 0, ...NOTHING }, known);
    return;
  }
  const row = { failures: 0, ...NOTHING, ...known, failuresUntilSeconds: 0 };
  await wrote(table, { put: { ...key, ...row }, when: { equal: versionOf(before) }, otherwise: conflict });
}

/** Takes `rememberSuccess` back, and counts an attempt without effect. One round trip. */
export async function forgetSuccess(table: Table, key: Key): Promise<void> {
  await table.count(key, { refused: 1, failures: 0, ...NOTHING }, { knownFromMs: 0 });
}

/** Creates what conditions compare, where a row does not have it. */
const NOTHING = { lockouts: 0, windowStartedMs: 0 } as const;

/** Whether a time is still to come, and not further ahead than a right clock can have written it. */
function isWithin(nowMs: number, untilMs: number, mostMs: number): boolean {
  return untilMs > nowMs && untilMs <= nowMs + mostMs + CLOCKS_DIFFER_MS;
}

/** When failures of now stop to count, and when the row expires. */
function keptFrom(before: GuessState, nowMs: number) {
  return { failuresUntilSeconds: seconds(nowMs + KEPT_MS), expiresAtSeconds: endOf(before, nowMs) };
}

/** A row expires when neither its failures nor its source count any more. */
function endOf(before: GuessState | undefined, nowMs: number): number {
  const knownUntilMs = before && before.knownFromMs > 0 ? before.knownFromMs + KNOWN_MS : 0;
  return seconds(Math.max(nowMs + KEPT_MS, knownUntilMs));
}

/** Starts a new window with one failure. */
function startingWindow(key: Key, before: GuessState, nowMs: number, times: Readonly<Record<string, Value>>): Step {
  const first = { failures: 1, windowStartedMs: nowMs, ...times };
  if (!before.exists) return { put: { ...key, lockouts: 0, ...first }, when: "absent", otherwise: conflict };
  return {
    change: key,
    // Resets an earlier lock, also one for another secret: it must not count as a lock of the new window.
    set: { ...first, lockedFromMs: 0, lockedUntilMs: 0, ...(!before.hasFailures && { lockouts: 0 }) },
    when: { equal: versionOf(before) },
    otherwise: conflict,
  };
}

/** Locks the row, and ends the window, so that the first failure after the lock starts a new one. */
function locking(
  key: Key,
  counted: GuessState,
  nowMs: number,
  { untilMs, version }: { readonly untilMs: number; readonly version: string },
): Step {
  const { lockouts } = counted;
  const times = keptFrom(counted, untilMs);
  return {
    change: key,
    set: {
      lockouts: lockouts + 1,
      lockedFromMs: nowMs,
      lockedUntilMs: untilMs,
      lockedFor: version,
      windowStartedMs: 0,
      ...times,
    },
    when: { equal: versionOf(counted) },
    otherwise: conflict,
  };
}

/** Writes one step; false when another request changed the row first. */
async function wrote(table: Table, step: Step): Promise<boolean> {
  try {
    await table.write(step);
    return true;
  } catch (error) {
    if (error instanceof Conflict) return false;
    throw error;
  }
}

function conflict(): Error {
  return new Conflict();
}

/** The attributes that change when another request starts a window or locks the row. */
function versionOf({ windowStartedMs, lockouts }: GuessState): Readonly<Record<string, number>> {
  return { windowStartedMs, lockouts };
}

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1_000);
}
