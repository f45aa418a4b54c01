/**
 * Failed sign-ins per user name, whether such a user exists or not: after ten failures within a quarter of an hour the
 * name is locked, at first for a quarter of an hour, then twice as long each time, at most a day. A lock ends by itself.
 */
import { keys } from "../table/keys.ts";
import type { Item, Key, Step, Table } from "../table/table.ts";
import type { QualifiedName } from "../users/username.ts";

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
  /** True when a successful sign-in has something to clear. */
  readonly hasFailures: boolean;
  readonly windowStartedMs: number;
}

/** The failures of all names. */
export interface LockoutStore {
  find(name: QualifiedName): Promise<LockState>;
  /** Counts a failure, and locks the name when it was one too many. */
  fail(name: QualifiedName, before: LockState, nowMs: number): Promise<void>;
  /** Forgets the failures after a successful sign-in. */
  clear(name: QualifiedName): Promise<void>;
}

const numberOf = (item: Item | undefined, attribute: string): number =>
  typeof item?.[attribute] === "number" ? (item[attribute] as number) : 0;

const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1_000);

/** Another failure of the name was faster. */
class BegunAlready extends Error {}

/** Opens the store on the table of one request. */
export const lockoutStore = (table: Table, policy: LockoutPolicy): LockoutStore => {
  const keyOf = ({ tenant, userStore, name }: QualifiedName) => keys.lock(tenant, userStore, name.toLowerCase());

  /** Begins a new window with one failure; false when another failure began it in between, which makes this one count. */
  const beginWindow = async (
    key: Key,
    before: LockState,
    first: Readonly<Record<string, number>>,
  ): Promise<boolean> => {
    const otherwise = () => new BegunAlready();
    const step: Step = before.hasFailures
      ? { change: key, set: first, when: { equal: { windowStartedMs: before.windowStartedMs } }, otherwise }
      : { put: { ...key, lockouts: 0, ...first }, when: "absent", otherwise };
    try {
      await table.write(step);
      return true;
    } catch (error) {
      if (error instanceof BegunAlready) return false;
      throw error;
    }
  };

  return {
    async find(name) {
      const item = await table.get(keyOf(name));
      return {
        lockedUntilMs: numberOf(item, "lockedUntilMs"),
        hasFailures: item !== undefined,
        windowStartedMs: numberOf(item, "windowStartedMs"),
      };
    },

    async fail(name, before, nowMs) {
      const key = keyOf(name);
      const expiresAtSeconds = seconds(nowMs + REMEMBERED_MS);
      const isOver = nowMs - before.windowStartedMs > policy.windowMs;
      if (isOver && (await beginWindow(key, before, { failures: 1, windowStartedMs: nowMs, expiresAtSeconds }))) return;
      const after = await table.count(key, { failures: 1 }, { expiresAtSeconds });
      // Counting is atomic, so exactly one of many failures at once sees the number that locks.
      if (numberOf(after, "failures") !== policy.failuresMax) return;
      const duration = Math.min(policy.lockMaxMs, policy.lockMs * 2 ** numberOf(after, "lockouts"));
      // The count stays, so that failures still under way do not lock again; the window ends, so that the next one begins anew.
      const lockedUntilMs = nowMs + duration;
      const rememberedUntil = seconds(lockedUntilMs + REMEMBERED_MS);
      await table.count(key, { lockouts: 1 }, { lockedUntilMs, windowStartedMs: 0, expiresAtSeconds: rememberedUntil });
    },

    clear: (name) => table.forget(keyOf(name)),
  };
};
