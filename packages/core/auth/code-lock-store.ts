/**
 * Attempts at one-time codes, one counter for each user (decision 0122). Who gets that far has the right password, so
 * that strangers lock no user out. An attempt is counted before its code is compared: of many at once, no more are
 * compared than the limit allows.
 */
import { keys } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { countFailure, type GuessPolicy, type GuessState, guessState, isLocked } from "./guess-rows.ts";

const HOUR_MS = 60 * 60_000;

/** Of a million codes three count at a time: twenty attempts a day find one in a day with a chance of 1 to 16,000. */
export const codePolicy: GuessPolicy = {
  failuresMax: 20,
  windowMs: 24 * HOUR_MS,
  lockMs: HOUR_MS,
  lockMaxMs: 24 * HOUR_MS,
};

/** The attempts of one user. */
export interface CodeLock {
  /** The attempts so far. One round trip. */
  find(nowMs: number): Promise<GuessState>;
  /**
   * Counts an attempt at the codes of that version. False where it must not be compared: the user is locked, or this
   * attempt locks the user. One round trip; two for the attempt that locks.
   */
  admits(before: GuessState, version: string, nowMs: number): Promise<boolean>;
  /** Takes the attempt of a right code back. One round trip. */
  takeBack(): Promise<void>;
}

/** Opens the counter of a user on the table of one request. */
export function codeLock(table: Table, tenant: string, userId: string): CodeLock {
  const key = keys.codeLock(tenant, userId);
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
