/**
 * Attempts at second factors: of each user one counter for one-time codes (decision 0122), and one for passkeys (0135).
 * Who gets that far has the right password, so that strangers lock no user out. An attempt is counted before it is
 * compared: of many at once, no more are compared than the limit allows.
 */
import { keys } from "../../database/table/keys.ts";
import type { Key, Table } from "../../database/table/table.ts";
import { countFailure, type GuessPolicy, type GuessState, guessState, isLocked } from "./guess-rows.ts";

const HOUR_MS = 60 * 60_000;

/** Of a million codes three count at a time: twenty attempts a day find one in a day with a chance of 1 to 16,000. */
export const codePolicy: GuessPolicy = {
  failuresMax: 20,
  windowMs: 24 * HOUR_MS,
  lockMs: HOUR_MS,
  lockMaxMs: 24 * HOUR_MS,
};

/** The attempts of one user at one factor. */
export interface FactorLock {
  /** The attempts so far. One round trip. */
  find(nowMs: number): Promise<GuessState>;
  /**
   * Counts an attempt at the factor of that version. False where it must not be compared: the user is locked, or this
   * attempt locks the user. One round trip; two for the attempt that locks.
   */
  admits(before: GuessState, version: string, nowMs: number): Promise<boolean>;
  /** Takes an attempt that was right back. One round trip. */
  takeBack(): Promise<void>;
}

/** Opens the counter for the codes of a user on the table of one request. */
export function codeLock(table: Table, tenant: string, userId: string): FactorLock {
  return lockAt(table, keys.codeLock(tenant, userId));
}

/** The same for the passkeys of a user. */
export function passkeyLock(table: Table, tenant: string, userId: string): FactorLock {
  return lockAt(table, keys.passkeyLock(tenant, userId));
}

function lockAt(table: Table, key: Key): FactorLock {
  return {
    async find(nowMs) {
      return guessState(await table.get(key), codePolicy, nowMs);
    },
    async admits(before, version, nowMs) {
      if (isLocked(before, version, nowMs)) return false;
      return (await countFailure({ table, key, policy: codePolicy }, before, nowMs, version)) < codePolicy.failuresMax;
    },
    async takeBack() {
      await table.count(key, { failures: -1 });
    },
  };
}
