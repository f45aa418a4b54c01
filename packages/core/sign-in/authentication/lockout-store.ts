/**
 * Failed sign-ins by user name, whether such a user exists or not (decision 0065). Two rows count them: one for the
 * name and the source of the request, and one for the name and all sources together without a successful sign-in
 * under that name lately. So guesses from elsewhere do not lock out a user at a known source. A third row counts the
 * names at one source (decision 0147).
 */

import { createHash } from "node:crypto";
import { keys } from "../../database/table/keys.ts";
import type { Item, Table } from "../../database/table/table.ts";
import type { QualifiedName } from "../../kernel/domain/username.ts";
import { foldName } from "../../kernel/fold.ts";
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
import { type NamesState, type SourceNamesPolicy, sourceNames } from "./source-names-store.ts";

/** When names are locked. */
export interface LockoutPolicy {
  /** For one name and one source. */
  readonly source: GuessPolicy;
  /** For one name and all unknown sources. */
  readonly name: GuessPolicy;
  /** For different names at one source. */
  readonly names: SourceNamesPolicy;
  /** A known source is written again after this time, not with every sign-in. */
  readonly refreshMs: number;
}

const DAY_MS = 24 * 60 * 60_000;

/** As deployed, without what an operator sets. */
export const defaultLockoutPolicy: LockoutPolicy = {
  source: { failuresMax: 10, windowMs: 15 * 60_000, lockMs: 15 * 60_000, lockMaxMs: DAY_MS },
  name: { failuresMax: 100, windowMs: DAY_MS, lockMs: 60 * 60_000, lockMaxMs: DAY_MS },
  names: { ofTenantMax: 30 },
  refreshMs: DAY_MS,
};

/** A name, and the address that the request came from, as the gateway saw it. */
export interface Guesser {
  readonly name: QualifiedName;
  readonly sourceIp: string;
  /** The likeliest reading of what was entered, whichever tenants there are: it counts at the source. Or `name`. */
  readonly entered?: QualifiedName | undefined;
}

/** The failures of one name at one source. */
export interface LockState {
  /** Read for unknown sources only. */
  readonly name: GuessState;
  readonly source: GuessState;
  /** True where the name signed in from the source within 30 days: guesses at other sources do not lock it. */
  readonly isKnown: boolean;
  /** How many names failed at the source. Read for unknown sources only, which alone are held up by it. */
  readonly names?: NamesState | undefined;
}

/** The failures of all names. */
export type LockoutStore = ReturnType<typeof lockoutStore>;

/** Whether a lock holds for the password of that version, or the source is held up. */
export function isSignInLocked({ name, source, isKnown, names }: LockState, version: string, nowMs: number): boolean {
  if (isLocked(source, version, nowMs)) return true;
  return !isKnown && (names?.isFull === true || isLocked(name, version, nowMs));
}

/** Opens the store on the table of one request. */
export function lockoutStore(table: Table, policy: LockoutPolicy) {
  const nameKey = ({ name: { tenant, userStore, name } }: Guesser) => keys.lock(tenant, userStore, foldName(name));
  const sourceKey = (guesser: Guesser) => {
    const { tenant, userStore, name } = guesser.name;
    return keys.sourceLock(tenant, userStore, foldName(name), digestOf(guesser));
  };

  const names = sourceNames(table, policy.names);
  const enteredOf = ({ name, sourceIp, entered = name }: Guesser) => ({ name: entered, sourceIp });
  /** The rows that hold up unknown sources alone. */
  const othersOf = (guesser: Guesser, nowMs: number) => [nameKey(guesser), names.keyOf(enteredOf(guesser), nowMs)];
  const stateOf = (
    guesser: Guesser,
    { source, isKnown, others: [ofName, ofNames] = [] }: ReadRows,
    nowMs: number,
  ): LockState =>
    isKnown
      ? { name: guessState(undefined, policy.name, nowMs), source, isKnown }
      : {
          name: guessState(ofName, policy.name, nowMs),
          source,
          isKnown,
          names: names.read(ofNames, enteredOf(guesser)),
        };

  return {
    /** One round trip for a known source, otherwise two: no more than finding the user takes. */
    async find(guesser: Guesser, nowMs: number): Promise<LockState> {
      const source = guessState(await table.get(sourceKey(guesser)), policy.source, nowMs);
      const isKnown = source.knownFromMs > 0;
      const others = isKnown ? undefined : await table.getMany(othersOf(guesser, nowMs));
      return stateOf(guesser, { source, isKnown, others }, nowMs);
    },

    /** The same in one round trip, at the price of an unknown source. */
    async findBoth(guesser: Guesser, nowMs: number): Promise<LockState> {
      const [ofSource, ...others] = await table.getMany([sourceKey(guesser), ...othersOf(guesser, nowMs)]);
      const source = guessState(ofSource, policy.source, nowMs);
      return stateOf(guesser, { source, isKnown: source.knownFromMs > 0, others }, nowMs);
    },

    /** What can lock this attempt now, after `before` was read. One round trip. */
    async findAgain(guesser: Guesser, { isKnown }: LockState, nowMs: number): Promise<LockState> {
      const needed = isKnown ? [sourceKey(guesser)] : [sourceKey(guesser), ...othersOf(guesser, nowMs)];
      const [ofSource, ...others] = await table.getMany(needed);
      // The success that is being decided must not make its own source a known one.
      return stateOf(guesser, { source: guessState(ofSource, policy.source, nowMs), isKnown, others }, nowMs);
    },

    /**
     * Counts a failure, and locks at the limit. `version` is that of the password that was compared. Returns whether
     * the source was held up before: known after the work alone where it is a known one.
     */
    async fail(guesser: Guesser, before: LockState, nowMs: number, version: string): Promise<boolean> {
      const source = { table, key: sourceKey(guesser), policy: policy.source };
      const name = { table, key: nameKey(guesser), policy: policy.name };
      const [isHeldUp] = await Promise.all([
        names.add(enteredOf(guesser), before.names, nowMs),
        countFailure(source, before.source, nowMs, version),
        before.isKnown
          ? countNothing(table, name.key, before.name, nowMs)
          : countFailure(name, before.name, nowMs, version),
      ]);
      return isHeldUp;
    },

    /**
     * Counts an attempt without effect on locks, after the work of a failure; its name counts at the source. `names`:
     * what was read of the source, where the rest of `before` is that of another name. Returns what `fail` returns.
     */
    async refuse(
      guesser: Guesser,
      before: LockState | undefined,
      nowMs: number,
      ofSource: NamesState | undefined = before?.names,
    ): Promise<boolean> {
      const [isHeldUp] = await Promise.all([
        names.add(enteredOf(guesser), ofSource, nowMs),
        countNothing(table, sourceKey(guesser), before?.source, nowMs),
        countNothing(table, nameKey(guesser), before?.name, nowMs),
      ]);
      return isHeldUp;
    },

    /** True where a success must be written: there are failures to clear, or the source is not known, or for long. */
    isDue: ({ source }: LockState, nowMs: number): boolean =>
      source.hasFailures || nowMs - source.knownFromMs > policy.refreshMs,

    /** Clears the failures in `before` after a successful sign-in, and remembers the source. One round trip. */
    async succeed(guesser: Guesser, before: LockState, nowMs: number): Promise<void> {
      await Promise.all([
        rememberSuccess(table, sourceKey(guesser), before.source, nowMs),
        before.names?.isCounted ? names.take(enteredOf(guesser), nowMs) : undefined,
      ]);
    },

    /**
     * Takes back `succeed`: the name was locked meanwhile. A source that was known before stays known, after the same
     * work. One round trip.
     */
    takeBack: (guesser: Guesser, before: LockState, nowMs: number): Promise<void> =>
      before.isKnown
        ? countNothing(table, sourceKey(guesser), before.source, nowMs)
        : forgetSuccess(table, sourceKey(guesser)),
  };
}

interface ReadRows {
  readonly source: GuessState;
  readonly isKnown: boolean;
  readonly others?: readonly (Item | undefined)[] | undefined;
}

/** Stands for the source in keys: a different one for each name, so that keys do not show who shares an address. */
function digestOf({ name: { tenant, userStore, name }, sourceIp }: Guesser): string {
  return createHash("sha256")
    .update(`${tenant}/${userStore}/${foldName(name)}\n${sourceOf(sourceIp)}`, "utf8")
    .digest("base64url")
    .slice(0, 22);
}
