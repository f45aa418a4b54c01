/** Indexes behind a log in tests: small, written as stores do, and compared with lists in memory. */
import { expect } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { inspectLogged } from "#core/database/table/logged-index/inspect.ts";
import { loggedIndex } from "#core/database/table/logged-index/logged-index.ts";
import { type LoggedContext, type LoggedLimits, loggedLimitsOf } from "#core/database/table/logged-index/rows.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { stale, whileStale } from "#core/database/table/stale.ts";
import type { Step, Table } from "#core/database/table/table.ts";
import type { Pair, PairChange } from "#core/database/table/value-index/model.ts";
import { comparePairs, pairText } from "#core/database/table/value-index/pair.ts";
import type { ValueIndex } from "#core/database/table/value-index/value-index.ts";
import type { TestTable } from "#tests/support/engine.ts";

/** Small, so that blocks, changes, packs, splits and joins all take part. */
export const LIMITS: LoggedLimits = {
  every: 3,
  sealAt: 6,
  readMost: 1_000,
  blockedMost: 12,
  changesMost: 4,
  pairsMost: 20,
  joinBelow: 14,
  // Longer than any read of these tests.
  graceMs: 5_000,
  leaseMs: 2_000,
};

/** Every change moves entries on, and nothing is kept. */
export const EAGER: Partial<LoggedLimits> = {
  every: 1,
  sealAt: 1,
  leaseMs: 0,
  graceMs: 0,
  blockedMost: 0,
  changesMost: 0,
};

export const keysOf = (attribute: string) => keys.userValues("t", "PRIMARY", attribute);

export const indexOn = (opened: Table, attribute: string, limits: Partial<LoggedLimits> = {}): ValueIndex =>
  loggedIndex(opened, keysOf(attribute), { ...LIMITS, ...limits });

export const contextOf = (opened: Table, attribute: string): LoggedContext => ({
  table: opened,
  keys: keysOf(attribute),
  limits: loggedLimitsOf(LIMITS),
});

/** The table without failures, for one request. */
export const calmly = (table: TestTable): Table => table.open(newMeter());

/** Changes an index as a store does: in one transaction with a row of its owner. */
export const change = async (
  opened: Table,
  attribute: string,
  wanted: PairChange,
  limits?: Partial<LoggedLimits>,
): Promise<void> => {
  const owner = (wanted.added[0] ?? wanted.removed[0])?.id ?? "";
  await whileStale(async () => {
    const steps = await indexOn(opened, attribute, limits).steps(wanted, stale);
    const own: Step = { change: keys.user("t", owner), add: { n: 1 }, when: "any", otherwise: stale };
    await opened.write(own, ...steps);
  });
};

export const pairAt = (id: string, value: number): Pair => ({ value: String(value).padStart(6, "0"), facet: "", id });

export const changeOf = (before: Pair | undefined, after: Pair | undefined): PairChange => ({
  added: after ? [after] : [],
  removed: before ? [before] : [],
  several: 0,
});

/** All pairs by every way, against what they should be. */
export const expectPairs = async (opened: Table, attribute: string, pairs: readonly Pair[]): Promise<void> => {
  const sorted = [...pairs].sort(comparePairs);
  const directory = await indexOn(opened, attribute).open();
  expect(directory.total).toBe(sorted.length);
  const matches = await directory.matches({ intervals: [{}], test: () => true });
  expect(await matches.window({ offset: 0, limit: 1_000_000 })).toEqual(sorted);
  const texts: string[] = [];
  for await (const { low, texts: own, problem } of inspectLogged(opened, keysOf(attribute))) {
    expect([low, problem]).toEqual([low, undefined]);
    texts.push(...own);
  }
  expect(texts).toEqual(sorted.map(pairText));
};
