/**
 * Failed sign-ins per user name, whether such a user exists or not: after ten failures within a quarter of an hour the
 * name is locked, at first for a quarter of an hour, then twice as long each time, at most a day. A lock ends by itself, and
 * with the password that was guessed at: it holds for that one alone, so whoever sets another lets its owner in at once.
 */

import type { QualifiedName } from "../domain/username.ts";
import { foldName } from "../platform/fold.ts";
import { keys } from "../table/keys.ts";
import type { Item, Key, Step, Table } from "../table/table.ts";

/** When names are locked. */
export interface LockoutPolicy {
  readonly failuresMax: number;
  readonly windowMs: number;
  readonly lockMs: number;
  readonly lockMaxMs: number;
}

/** The policy where the operator sets none. */
export const defaultLockoutPolicy: LockoutPolicy = {
  failuresMax: 10,
  windowMs: 15 * 60_000,
  lockMs: 15 * 60_000,
  lockMaxMs: 24 * 60 * 60_000,
};

/** How long a name stays remembered after its last failure or lock. */
const REMEMBERED_MS = 2 * 24 * 60 * 60_000;

/** What is known of the failures of one name. */
export interface LockState {
  readonly lockedUntilMs: number;
  /** The version of the password that was guessed at; empty where there was none, `undefined` where nobody noted it. */
  readonly lockedFor: string | undefined;
  readonly isThere: boolean;
  /** True when a successful sign-in has something to clear. */
  readonly hasFailures: boolean;
  readonly windowStartedMs: number;
}

/** The failures of all names. */
export interface LockoutStore {
  find(name: QualifiedName, nowMs: number): Promise<LockState>;
  /** Counts a failure, and locks the name when it was one too many. `version` is that of the password it was held against. */
  fail(name: QualifiedName, before: LockState, nowMs: number, version: string | undefined): Promise<void>;
  /** Notes an attempt while the name is locked. It does not lengthen the lock; it takes as long as counting a failure. */
  refuse(name: QualifiedName): Promise<void>;
  /** Forgets the failures that were known when a sign-in succeeded; those that came in between stay. */
  clear(name: QualifiedName, before: LockState): Promise<void>;
}

/** Another failure of the name was faster. */
class Faster extends Error {}

/** Whether a lock keeps out who has the password of that version; `undefined` stands for a name without one. */
export function isLocked(
  { lockedUntilMs, lockedFor }: Pick<LockState, "lockedUntilMs" | "lockedFor">,
  version: string | undefined,
  nowMs: number,
): boolean {
  return lockedUntilMs > nowMs && (lockedFor === undefined || version === undefined || lockedFor === version);
}

/** Opens the store on the table of one request. */
export function lockoutStore(table: Table, policy: LockoutPolicy): LockoutStore {
  const keyOf = ({ tenant, userStore, name }: QualifiedName) => keys.lock(tenant, userStore, foldName(name));

  /** Writes one step; false when another failure of the name was faster. */
  const unlessFaster = async (step: Step): Promise<boolean> => {
    try {
      await table.write(step);
      return true;
    } catch (error) {
      if (error instanceof Faster) return false;
      throw error;
    }
  };

  /** Begins a new window with one failure; false when another failure began it in between, which makes this one count. */
  const beginWindow = (key: Key, before: LockState, first: Readonly<Record<string, number>>): Promise<boolean> => {
    if (!before.isThere) {
      return unlessFaster({ put: { ...key, lockouts: 0, ...first }, when: "absent", otherwise: faster });
    }
    return unlessFaster({
      change: key,
      // A lock that is over, be it by another password, must not be taken for one that the new failures brought about.
      set: { ...first, lockedUntilMs: 0, ...(!before.hasFailures && { lockouts: 0 }) },
      when: { equal: known(before) },
      otherwise: faster,
    });
  };

  /** Locks the name, unless another of many failures at once has done so: then the window is not the counted one any more. */
  const lock = async (key: Key, counted: Item, nowMs: number, version: string | undefined): Promise<void> => {
    const lockouts = numberOf(counted, "lockouts");
    const lockedUntilMs = nowMs + Math.min(policy.lockMaxMs, policy.lockMs * 2 ** lockouts);
    await unlessFaster({
      change: key,
      // The window ends, so that the first failure behind the lock begins anew.
      set: {
        lockouts: lockouts + 1,
        lockedUntilMs,
        lockedFor: version ?? "",
        windowStartedMs: 0,
        expiresAtSeconds: seconds(lockedUntilMs + REMEMBERED_MS),
      },
      when: { equal: { lockouts, windowStartedMs: numberOf(counted, "windowStartedMs") } },
      otherwise: faster,
    });
  };

  return {
    async find(name, nowMs) {
      const found = await table.get(keyOf(name));
      return {
        lockedUntilMs: numberOf(found, "lockedUntilMs"),
        lockedFor: lockedForIn(found),
        isThere: found !== undefined,
        // What expired counts no more, also while DynamoDB has not come to removing it.
        hasFailures: numberOf(found, "expiresAtSeconds") * 1_000 > nowMs,
        windowStartedMs: numberOf(found, "windowStartedMs"),
      };
    },

    async fail(name, before, nowMs, version) {
      const key = keyOf(name);
      const expiresAtSeconds = seconds(nowMs + REMEMBERED_MS);
      const isOver = nowMs - before.windowStartedMs > policy.windowMs;
      if (isOver && (await beginWindow(key, before, { failures: 1, windowStartedMs: nowMs, expiresAtSeconds }))) return;
      const after = await table.count(key, { failures: 1 }, { expiresAtSeconds });
      const state = { lockedUntilMs: numberOf(after, "lockedUntilMs"), lockedFor: lockedForIn(after) };
      const isDone = isLocked(state, version, nowMs);
      if (!isDone && numberOf(after, "failures") >= policy.failuresMax) await lock(key, after, nowMs, version);
    },

    async refuse(name) {
      await table.count(keyOf(name), { refused: 1 });
    },

    async clear(name, before) {
      await unlessFaster({ remove: keyOf(name), when: { equal: known(before) }, otherwise: faster });
    },
  };
}

function faster(): Error {
  return new Faster();
}

/** What an item still says while nobody else has begun a window, or locked the name. */
function known({ windowStartedMs, lockedUntilMs }: LockState): Readonly<Record<string, number>> {
  return {
    windowStartedMs,
    ...(lockedUntilMs > 0 && { lockedUntilMs }),
  };
}

function numberOf(item: Item | undefined, attribute: string): number {
  return typeof item?.[attribute] === "number" ? (item[attribute] as number) : 0;
}

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1_000);
}

function lockedForIn(item: Item | undefined): string | undefined {
  return typeof item?.lockedFor === "string" ? item.lockedFor : undefined;
}
