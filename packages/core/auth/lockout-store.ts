/**
 * Failed sign-ins by user name, whether such a user exists or not (decision 0065). Two rows count them: one for the
 * name and the source of the request, and one for the name and all sources together without a successful sign-in
 * under that name lately. So guesses from elsewhere do not lock out a user at a known source.
 */

import { createHash } from "node:crypto";
import type { QualifiedName } from "../domain/username.ts";
import { foldName } from "../platform/fold.ts";
import { keys } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import {
  countFailure,
  countNothing,
  forgetSuccess,
  type GuessPolicy,
  type GuessState,
  guessState,
  isLocked,
  rememberSuccess,
} from "./guess-rows.ts";
import { sourceOf } from "./source.ts";

/** When names are locked. */
export interface LockoutPolicy {
  /** For one name and one source. */
  readonly source: GuessPolicy;
  /** For one name and all unknown sources. */
  readonly name: GuessPolicy;
  /** A known source is written again after this time, not with every sign-in. */
  readonly refreshMs: number;
}

const DAY_MS = 24 * 60 * 60_000;

export const defaultLockoutPolicy: LockoutPolicy = {
  source: { failuresMax: 10, windowMs: 15 * 60_000, lockMs: 15 * 60_000, lockMaxMs: DAY_MS },
  name: { failuresMax: 100, windowMs: DAY_MS, lockMs: 60 * 60_000, lockMaxMs: DAY_MS },
  refreshMs: DAY_MS,
};

/** A name, and the address that the request came from, as the gateway saw it. */
export interface Guesser {
  readonly name: QualifiedName;
  readonly sourceIp: string;
}

/** The failures of one name at one source. */
export interface LockState {
  /** Read for unknown sources only. */
  readonly name: GuessState;
  readonly source: GuessState;
  /** True where the name signed in from the source within 30 days: guesses at other sources do not lock it. */
  readonly isKnown: boolean;
}

/** The failures of all names. */
export interface LockoutStore {
  /** One round trip for a known source, otherwise two: no more than finding the user takes. */
  find(guesser: Guesser, nowMs: number): Promise<LockState>;
  /** The same in one round trip, at the price of an unknown source. */
  findBoth(guesser: Guesser, nowMs: number): Promise<LockState>;
  /** What can lock this attempt now, after `before` was read. One round trip. */
  findAgain(guesser: Guesser, before: LockState, nowMs: number): Promise<LockState>;
  /** Counts a failure, and locks at the limit. `version` is that of the password that was compared. */
  fail(guesser: Guesser, before: LockState, nowMs: number, version: string): Promise<void>;
  /** Counts an attempt without effect, after the work of a failure. It does not prolong a lock. */
  refuse(guesser: Guesser, before: LockState | undefined, nowMs: number): Promise<void>;
  /** True where a success must be written: there are failures to clear, or the source is not known, or for long. */
  isDue(state: LockState, nowMs: number): boolean;
  /** Clears the failures in `before` after a successful sign-in, and remembers the source. One round trip. */
  succeed(guesser: Guesser, before: LockState, nowMs: number): Promise<void>;
  /**
   * Takes back `succeed`: the name was locked meanwhile. A source that was known before stays known, after the same
   * work. One round trip.
   */
  takeBack(guesser: Guesser, before: LockState, nowMs: number): Promise<void>;
}

/** Whether a lock holds for the password of that version. */
export function isSignInLocked({ name, source, isKnown }: LockState, version: string, nowMs: number): boolean {
  return isLocked(source, version, nowMs) || (!isKnown && isLocked(name, version, nowMs));
}

/** Opens the store on the table of one request. */
export function lockoutStore(table: Table, policy: LockoutPolicy): LockoutStore {
  const nameKey = ({ name: { tenant, userStore, name } }: Guesser) => keys.lock(tenant, userStore, foldName(name));
  const sourceKey = (guesser: Guesser) => {
    const { tenant, userStore, name } = guesser.name;
    return keys.sourceLock(tenant, userStore, foldName(name), digestOf(guesser));
  };

  return {
    async find(guesser, nowMs) {
      const source = guessState(await table.get(sourceKey(guesser)), policy.source, nowMs);
      const isKnown = source.knownFromMs > 0;
      const ofName = isKnown ? undefined : await table.get(nameKey(guesser));
      return { name: guessState(ofName, policy.name, nowMs), source, isKnown };
    },

    async findBoth(guesser, nowMs) {
      const [ofSource, ofName] = await table.getMany([sourceKey(guesser), nameKey(guesser)]);
      const source = guessState(ofSource, policy.source, nowMs);
      const isKnown = source.knownFromMs > 0;
      return { name: guessState(isKnown ? undefined : ofName, policy.name, nowMs), source, isKnown };
    },

    async findAgain(guesser, before, nowMs) {
      const needed = before.isKnown ? [sourceKey(guesser)] : [sourceKey(guesser), nameKey(guesser)];
      const [ofSource, ofName] = await table.getMany(needed);
      const [source, name] = [guessState(ofSource, policy.source, nowMs), guessState(ofName, policy.name, nowMs)];
      // The success that is being decided must not make its own source a known one.
      return { source, name, isKnown: before.isKnown };
    },

    async fail(guesser, before, nowMs, version) {
      const source = { table, key: sourceKey(guesser), policy: policy.source };
      const name = { table, key: nameKey(guesser), policy: policy.name };
      await Promise.all([
        countFailure(source, before.source, nowMs, version),
        before.isKnown
          ? countNothing(table, name.key, before.name, nowMs)
          : countFailure(name, before.name, nowMs, version),
      ]);
    },

    async refuse(guesser, before, nowMs) {
      await Promise.all([
        countNothing(table, sourceKey(guesser), before?.source, nowMs),
        countNothing(table, nameKey(guesser), before?.name, nowMs),
      ]);
    },

    isDue: ({ source }, nowMs) => source.hasFailures || nowMs - source.knownFromMs > policy.refreshMs,

    succeed: (guesser, before, nowMs) => rememberSuccess(table, sourceKey(guesser), before.source, nowMs),

    takeBack: (guesser, before, nowMs) =>
      before.isKnown
        ? countNothing(table, sourceKey(guesser), before.source, nowMs)
        : forgetSuccess(table, sourceKey(guesser)),
  };
}

/** Stands for the source in keys: a different one for each name, so that keys do not show who shares an address. */
function digestOf({ name: { tenant, userStore, name }, sourceIp }: Guesser): string {
  return createHash("sha256")
    .update(`${tenant}/${userStore}/${foldName(name)}\n${sourceOf(sourceIp)}`, "utf8")
    .digest("base64url")
    .slice(0, 22);
}
