/**
 * Indexes behind a log that is changed and moved on between any two reads of a list or of a holder. DynamoDB reads the
 * items of a Query one after the other, and the Queries of one round trip at different times.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { readSnapshot } from "#core/database/table/logged-index/reading.ts";
import type { LoggedLimits } from "#core/database/table/logged-index/rows.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Item, Table } from "#core/database/table/table.ts";
import type { Pair } from "#core/database/table/value-index/model.ts";
import { comparePairs } from "#core/database/table/value-index/pair.ts";
import { newId } from "#core/kernel/ids.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { CALM, hostileDatabase } from "#tests/support/hostile-database.ts";
import { type Random, randomOf } from "#tests/support/random.ts";
import {
  calmly,
  change,
  changeOf,
  contextOf,
  EAGER,
  expectPairs,
  indexOn,
  keysOf,
  pairAt,
} from "#tests/unit/table/logged-index.support.ts";

/** Nothing moves entries on. */
const STILL: Partial<LoggedLimits> = { every: 1_000_000 };
const LONG = { timeout: 120_000 };
const ALL = { intervals: [{}], test: () => true };
const WHOLE = { offset: 0, limit: 1_000_000 };

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});
const calm = () => calmly(table);

/** The owners of an index, whose values grow with each change. */
const ownersOf = (attribute: string, count: number) => {
  const ids = Array.from({ length: count }, () => newId());
  const held = new Map<string, Pair>();
  let clock = 0;
  const turn = async (id: string, limits: Partial<LoggedLimits>, opened = calm()) => {
    clock += 1;
    const after = pairAt(id, clock);
    await change(opened, attribute, changeOf(held.get(id), after), limits);
    held.set(id, after);
  };
  const remove = async (id: string, limits: Partial<LoggedLimits>) => {
    await change(calm(), attribute, changeOf(held.get(id), undefined), limits);
    held.delete(id);
  };
  const sorted = () => [...held.values()].sort(comparePairs);
  return { ids, held, turn, remove, sorted };
};

/** A table whose Queries of a log read one item after the other, with something between two of them. */
const readingOneByOne = (attribute: string, between: () => Promise<void>): Table => {
  const opened = calm();
  const logs = new Set([0, 1, 2, 3].map((lane) => keysOf(attribute).log(lane)));
  return {
    ...opened,
    async queryAll(range, most) {
      if (!logs.has(range.PK)) return opened.queryAll(range, most);
      const items: Item[] = [];
      for (let after = range.after; ; ) {
        const page = await opened.query({ ...range, limit: 1, ...(after && { after }) });
        items.push(...page.items);
        if (!page.next) return items;
        after = page.next;
        await between();
      }
    },
  };
};

describe("entries of an owner that come while a log is read", () => {
  const busy = async (attribute: string, seed: number) => {
    const random = randomOf(seed);
    const owners = ownersOf(attribute, 24);
    for (const id of owners.ids) await owners.turn(id, STILL);
    let turns = 0;
    let last = Promise.resolve();
    // Two changes of one owner, one after the other.
    const slow = readingOneByOne(attribute, () => {
      last = last.then(async () => {
        const id = random.of(owners.ids.slice(1));
        for (const _ of [1, 2]) await owners.turn(id, STILL);
        turns += 1;
      });
      return last;
    });
    return { owners, slow, turns: () => turns };
  };

  test.each([1, 2, 3])("give a list each owner once: seed %i", LONG, async (seed) => {
    const attribute = `read-${seed}`;
    const { owners, slow, turns } = await busy(attribute, seed);
    const before = new Map(owners.held);
    const directory = await indexOn(slow, attribute, STILL).open();
    expect(turns()).toBeGreaterThan(10);
    const pairs = await (await directory.matches(ALL)).window(WHOLE);
    expect(pairs.map(({ id }) => id).sort()).toEqual([...owners.ids].sort());
    expect(directory.total).toBe(owners.ids.length);
    for (const { id, value } of pairs) expect(value >= (before.get(id)?.value ?? "")).toBe(true);
  });

  test.each([1, 2, 3])("are moved on in their order: seed %i", LONG, async (seed) => {
    const attribute = `moved-${seed}`;
    const { owners, slow, turns } = await busy(attribute, seed);
    for (const _ of [1, 2, 3]) {
      await owners.turn(owners.ids[0] ?? "", EAGER, slow);
      await expectPairs(calm(), attribute, owners.sorted());
    }
    expect(turns()).toBeGreaterThan(10);
    // All of them, into new packs.
    for (const id of owners.ids) await owners.turn(id, EAGER);
    await expectPairs(calm(), attribute, owners.sorted());
  });
});

test("entries that come into blocks before those that they follow leave nothing behind", LONG, async () => {
  // As where the clocks of two containers differ: the log has the later entry, and the earlier one comes after it.
  const attribute = "crossed";
  const owners = ownersOf(attribute, 30);
  for (const id of owners.ids) await owners.turn(id, EAGER);
  const [id = ""] = owners.ids;
  const [first, second, third] = [owners.held.get(id), pairAt(id, 1_000), pairAt(id, 1_001)];
  await change(calm(), attribute, changeOf(second, third), STILL);
  await change(calm(), attribute, changeOf(undefined, pairAt(newId(), 2_000)), EAGER);
  await owners.turn(owners.ids[1] ?? "", EAGER);
  await change(calm(), attribute, changeOf(first, second), STILL);
  owners.held.set(id, third as Pair);
  for (const other of owners.ids.slice(1)) await owners.turn(other, EAGER);
  const directory = await indexOn(calm(), attribute).open();
  const pairs = await (await directory.matches(ALL)).window(WHOLE);
  expect(pairs.slice(0, -1)).toEqual(owners.sorted().filter(({ value }) => value < "002000"));
  expect([directory.total, pairs.length]).toEqual([31, 31]);
});

describe("ranges that move after a list was opened", () => {
  test.each([1, 2, 3])("are read as they were: seed %i", LONG, async (seed) => {
    const attribute = `opened-${seed}`;
    const random = randomOf(seed);
    const owners = ownersOf(attribute, 60);
    const kept = { ...EAGER, graceMs: 60_000 };
    for (const id of owners.ids) await owners.turn(id, kept);
    for (let turn = 0; turn < 20; turn += 1) await owners.turn(random.of(owners.ids), random.of([kept, STILL]));
    const directory = await indexOn(calm(), attribute).open();
    const then = owners.sorted();
    for (let turn = 0; turn < 60; turn += 1) await owners.turn(random.of(owners.ids), kept);
    for (const id of owners.ids.slice(0, 20)) await owners.remove(id, kept);
    const matches = await directory.matches(ALL);
    expect([directory.total, matches.total]).toEqual([then.length, then.length]);
    expect(await matches.window(WHOLE)).toEqual(then);
    expect((await matches.owners()).size).toBe(then.length);
    await expectPairs(calm(), attribute, owners.sorted());
  });

  test("are not read once the blocks since are gone", LONG, async () => {
    const attribute = "late";
    const owners = ownersOf(attribute, 30);
    for (const id of owners.ids) await owners.turn(id, EAGER);
    const directory = await indexOn(calm(), attribute).open();
    for (const id of owners.ids) await owners.turn(id, EAGER);
    await expect(directory.matches(ALL)).rejects.toMatchObject({ fault: "service.unavailable" });
  });
});

test("blocks that are removed between the reads of a list make it read again", LONG, async () => {
  const attribute = "removed";
  const owners = ownersOf(attribute, 30);
  for (const id of owners.ids.slice(0, 20)) await owners.turn(id, EAGER);
  for (const id of owners.ids) await owners.turn(id, STILL);
  const opened = calm();
  let moves = 0;
  const late: Table = {
    ...opened,
    async queryAll(range, most) {
      if (range.PK === keysOf(attribute).blocks && moves === 0) {
        for (; moves < 6; moves += 1) await owners.turn(owners.ids[moves] ?? "", EAGER);
      }
      return opened.queryAll(range, most);
    },
  };
  const directory = await indexOn(late, attribute).open();
  expect(moves).toBe(6);
  expect(directory.total).toBe(30);
  expect(await (await directory.matches(ALL)).window(WHOLE)).toEqual(owners.sorted());
});

test("a holder that takes the token when the one before it has just ended goes on from there", LONG, async () => {
  const attribute = "successor";
  const owners = ownersOf(attribute, 12);
  const eager = { ...EAGER, graceMs: 60_000 };
  for (const id of owners.ids.slice(0, 6)) await owners.turn(id, eager);
  const opened = () => ({ ...calm() });
  const ended = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  let next: Promise<void> | undefined;
  const [first, second] = [opened(), opened()];
  const { block: before } = (await readSnapshot(contextOf(calm(), attribute))).state;
  let isFirst = true;
  const successor: Table = {
    ...second,
    async write(...steps) {
      // Takes the token: what it has read of the state is from before the end of the other.
      if (isFirst) {
        isFirst = false;
        ready.resolve();
        await ended.promise;
      }
      await second.write(...steps);
    },
  };
  const holder: Table = {
    ...first,
    async write(...steps) {
      if (steps.length > 1 && !next) {
        next = owners.turn(owners.ids[7] ?? "", eager, successor);
        await ready.promise;
      }
      await first.write(...steps);
      if (next) ended.resolve();
    },
  };
  await owners.turn(owners.ids[6] ?? "", eager, holder);
  await next;
  for (const id of owners.ids.slice(8)) await owners.turn(id, eager);
  const { state, log } = await readSnapshot(contextOf(calm(), attribute));
  expect(state.block).toBeGreaterThanOrEqual(before + 5);
  expect(log.length).toBeLessThan(3);
  await expectPairs(calm(), attribute, owners.sorted());
});

/** Calls that take different times. */
const uneven = (opened: Table, random: Random): Table => {
  const wait = () => new Promise<void>((resolve) => setTimeout(resolve, random.upTo(12)));
  return {
    ...opened,
    queryAll: async (range, most) => {
      await wait();
      const items = await opened.queryAll(range, most);
      await wait();
      return items;
    },
    getMany: async (keys, options) => {
      await wait();
      return opened.getMany(keys, options);
    },
    forget: async (key) => {
      await wait();
      await opened.forget(key);
    },
  };
};

test.each([1, 2, 3, 4])("lists are exact on a database with failures and delays: seed %i", LONG, async (seed) => {
  const attribute = `hostile-${seed}`;
  const odds = { ...CALM, conflict: 0.03, throttle: 0.02, lost: 0.03, heldMs: 4 };
  const hostile = hostileDatabase(seed, odds);
  const open = table.reopen({ deadlineMs: 20_000, client: { transport: hostile.transport } });
  const random = randomOf(seed);
  const opened = () => uneven(open(newMeter()), random);
  const owners = ownersOf(attribute, 36);
  let ended = false;
  const writing = Promise.all(
    Array.from({ length: 12 }, async (_, lane) => {
      const own = owners.ids.filter((_, at) => at % 12 === lane);
      for (let turn = 0; turn < 40; turn += 1) await owners.turn(random.of(own), {}, opened());
    }),
  ).finally(() => {
    ended = true;
  });
  let reads = 0;
  while (!ended) {
    const before = new Map(owners.held);
    const directory = await indexOn(opened(), attribute).open();
    const matches = await directory.matches(ALL);
    const pairs = await matches.window(WHOLE);
    expect([directory.total, matches.total]).toEqual([pairs.length, pairs.length]);
    const byOwner = new Map(pairs.map((pair) => [pair.id, pair]));
    expect(byOwner.size).toBe(pairs.length);
    for (const [id, { value }] of before) expect((byOwner.get(id)?.value ?? "") >= value).toBe(true);
    reads += 1;
  }
  await writing;
  expect(reads).toBeGreaterThan(3);
  expect(hostile.counts.lost).toBeGreaterThan(0);
  await expectPairs(calm(), attribute, owners.sorted());
});
