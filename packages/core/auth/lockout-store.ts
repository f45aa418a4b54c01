/**
 * Failed sign-ins per user name, whether such a user exists or not. After ten failures within 15 minutes the name is
 * locked: first for 15 minutes, then twice as long each time, at most a day. A lock ends by itself, and with a change
 * of the password: it holds only for the password that was guessed at.
 */

import type { QualifiedName } from "../domain/username.ts";
import { foldName } from "../platform/fold.ts";
import { keys } from "../table/keys.ts";
import { number, optional, rowCodec, text, withDefault } from "../table/row.ts";
import type { Item, Key, Step, Table } from "../table/table.ts";

/** When names are locked. */
export interface LockoutPolicy {
  readonly failuresMax: number;
  readonly windowMs: number;
  readonly lockMs: number;
  readonly lockMaxMs: number;
}

export const defaultLockoutPolicy: LockoutPolicy = {
  failuresMax: 10,
  windowMs: 15 * 60_000,
  lockMs: 15 * 60_000,
  lockMaxMs: 24 * 60 * 60_000,
};

/** How long the row of a name stays after its last failure or lock. */
const KEPT_MS = 2 * 24 * 60 * 60_000;

/** A lock, and the password that it holds for. */
interface Lock {
  readonly lockedUntilMs: number;
  /** The version of the password that was guessed at; empty for a name without one, `undefined` for any password. */
  readonly lockedFor: string | undefined;
}

/** The failures of one name. */
export interface LockState extends Lock {
  readonly exists: boolean;
  /** True when a successful sign-in has failures to clear. */
  readonly hasFailures: boolean;
  readonly windowStartedMs: number;
}

/** The failures of all names. */
export interface LockoutStore {
  /** One round trip. */
  find(name: QualifiedName, nowMs: number): Promise<LockState>;
  /** Counts a failure, and locks the name at the limit. `version` is that of the password that was compared. */
  fail(name: QualifiedName, before: LockState, nowMs: number, version: string | undefined): Promise<void>;
  /** Counts an attempt on a locked name. It does not prolong the lock, and takes as long as counting a failure. */
  refuse(name: QualifiedName): Promise<void>;
  /** Clears the failures in `before` after a successful sign-in. Failures that were counted since then stay. */
  clear(name: QualifiedName, before: LockState): Promise<void>;
}

interface LockRow extends Lock {
  readonly failures: number;
  readonly lockouts: number;
  readonly windowStartedMs: number;
  readonly expiresAtSeconds: number;
}

const count = withDefault(number, 0);
const rows = rowCodec<LockRow>("sign-in lock", {
  failures: count,
  lockouts: count,
  windowStartedMs: count,
  lockedUntilMs: count,
  lockedFor: optional(text),
  expiresAtSeconds: count,
});

/** Another sign-in changed the row first. */
class Conflict extends Error {}

/** Whether a lock holds for the password of that version; `undefined` means a name without a password. */
export function isLocked({ lockedUntilMs, lockedFor }: Lock, version: string | undefined, nowMs: number): boolean {
  return lockedUntilMs > nowMs && (lockedFor === undefined || version === undefined || lockedFor === version);
}

/** Opens the store on the table of one request. */
export function lockoutStore(table: Table, policy: LockoutPolicy): LockoutStore {
  const keyOf = ({ tenant, userStore, name }: QualifiedName) => keys.lock(tenant, userStore, foldName(name));

  /** Writes one step; false when another sign-in changed the row first. */
  const wrote = async (step: Step): Promise<boolean> => {
    try {
      await table.write(step);
      return true;
    } catch (error) {
      if (error instanceof Conflict) return false;
      throw error;
    }
  };

  return {
    async find(name, nowMs) {
      const item = await table.get(keyOf(name));
      const { lockedUntilMs, lockedFor, windowStartedMs, expiresAtSeconds } = read(item);
      return {
        lockedUntilMs,
        lockedFor,
        exists: item !== undefined,
        // Expired rows do not count, even before DynamoDB has removed them.
        hasFailures: expiresAtSeconds * 1_000 > nowMs,
        windowStartedMs,
      };
    },

    async fail(name, before, nowMs, version) {
      const key = keyOf(name);
      const expiresAtSeconds = seconds(nowMs + KEPT_MS);
      const isOver = nowMs - before.windowStartedMs > policy.windowMs;
      const first = { failures: 1, windowStartedMs: nowMs, expiresAtSeconds };
      // Where another failure started the window first, this one is counted in it.
      if (isOver && (await wrote(startingWindow(key, before, first)))) return;
      const after = rows.read(await table.count(key, { failures: 1 }, { expiresAtSeconds }));
      const isDue = after.failures >= policy.failuresMax && !isLocked(after, version, nowMs);
      // Of concurrent failures one locks the name: for the others the counted window has ended.
      const lockMs = Math.min(policy.lockMaxMs, policy.lockMs * 2 ** after.lockouts);
      if (isDue) await wrote(locking(key, after, nowMs + lockMs, version ?? ""));
    },

    async refuse(name) {
      await table.count(keyOf(name), { refused: 1 });
    },

    async clear(name, before) {
      await wrote({ remove: keyOf(name), when: { equal: versionOf(before) }, otherwise: conflict });
    },
  };
}

/** Starts a new window with one failure. */
function startingWindow(key: Key, before: LockState, first: Readonly<Record<string, number>>): Step {
  if (!before.exists) return { put: { ...key, lockouts: 0, ...first }, when: "absent", otherwise: conflict };
  return {
    change: key,
    // Resets an earlier lock, also one for another password: it must not count as a lock of the new window.
    set: { ...first, lockedUntilMs: 0, ...(!before.hasFailures && { lockouts: 0 }) },
    when: { equal: versionOf(before) },
    otherwise: conflict,
  };
}

/** Locks the name, and ends the window, so that the first failure after the lock starts a new one. */
function locking(key: Key, counted: LockRow, lockedUntilMs: number, lockedFor: string): Step {
  const { lockouts, windowStartedMs } = counted;
  const expiresAtSeconds = seconds(lockedUntilMs + KEPT_MS);
  return {
    change: key,
    set: { lockouts: lockouts + 1, lockedUntilMs, lockedFor, windowStartedMs: 0, expiresAtSeconds },
    when: { equal: { lockouts, windowStartedMs } },
    otherwise: conflict,
  };
}

function conflict(): Error {
  return new Conflict();
}

/** A name without a row has no failures. */
function read(item: Item | undefined): LockRow {
  return rows.read(item ?? { PK: "", SK: "" });
}

/** The attributes that change when another sign-in starts a window or locks the name. */
function versionOf({ windowStartedMs, lockedUntilMs }: LockState): Readonly<Record<string, number>> {
  return { windowStartedMs, ...(lockedUntilMs > 0 && { lockedUntilMs }) };
}

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1_000);
}
