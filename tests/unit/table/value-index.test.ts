/** Indexes of values: random changes by many writers, read in every way, against a list in memory. */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { type Meter, newMeter } from "#core/database/table/meter.ts";
import { stale, whileStale } from "#core/database/table/stale.ts";
import type { Step, Table } from "#core/database/table/table.ts";
import { idSetOf } from "#core/database/table/value-index/id-set.ts";
import { layout } from "#core/database/table/value-index/layout.ts";
import type { Interval, Pair, PairChange, ValueMatch } from "#core/database/table/value-index/model.ts";
import { comparePairs, indexedText, isCut, pairOf, pairText } from "#core/database/table/value-index/pair.ts";
import type { ValueIndexLimits } from "#core/database/table/value-index/range-rows.ts";
import { type ValueIndex, valueIndex } from "#core/database/table/value-index/value-index.ts";
import { newId } from "#core/kernel/ids.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { CALM, hostileDatabase } from "#tests/support/hostile-database.ts";
import { type Random, randomOf } from "#tests/support/random.ts";
import { checkIndex, memoryIndex } from "#tests/support/value-index.ts";
import { dyingTable, Killed } from "#tests/unit/identities/killed.support.ts";

const LIMITS = { foldBytes: 600, splitAt: () => 40 };

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

const open = (attribute: string, meter: Meter = newMeter()): { readonly index: ValueIndex; readonly table: Table } => {
  const opened = table.open(meter);
  return { index: valueIndex(opened, keys.userValues("t", "PRIMARY", attribute), LIMITS), table: opened };
};

const rangesOf = (attribute: string) =>
  table.open(newMeter()).queryAll({ PK: keys.userValues("t", "PRIMARY", attribute).ranges, limit: 1_000 });

/** Changes an index as a store does: in one transaction with a row of its owner. */
const change = async (attribute: string, owner: string, wanted: PairChange): Promise<void> => {
  const { index, table } = open(attribute);
  await whileStale(async () => {
    const steps = await index.steps(wanted, stale);
    const own: Step = { change: keys.user("t", owner), add: { n: 1 }, when: "any", otherwise: stale };
    await table.write(own, ...steps);
  });
};

const LETTERS = ["a", "B", "é", "z", "𝒳", "\u0000", "\u0001", "\u{10FFFF}", "\u{10FFFE}", "\u{FFFD}"];
const valueFrom = (random: Random): string =>
  random.chance(0.1) ? "" : Array.from({ length: random.upTo(3) }, () => random.of(LETTERS)).join("") || "a";

/** Applies random changes of the values of some owners, each by one writer at a time. */
const populate = async (
  attribute: string,
  random: Random,
  { owners, writers, most }: { owners: number; writers: number; most: number },
): Promise<readonly Pair[]> => {
  const lanes = Array.from({ length: writers }, async () => {
    const kept: Pair[] = [];
    for (let turn = 0; turn < owners / writers; turn += 1) {
      const id = newId();
      let own: Pair[] = [];
      for (let time = 0; time <= random.upTo(3); time += 1) {
        const wanted = new Map(
          Array.from({ length: random.upTo(most + 1) }, () => {
            const pair: Pair = { value: valueFrom(random), facet: random.of(["", "work"]), id };
            return [pairText(pair), pair] as const;
          }),
        );
        const next = [...wanted.values()];
        const added = next.filter((pair) => !own.some((one) => comparePairs(one, pair) === 0));
        const removed = own.filter((pair) => !next.some((one) => comparePairs(one, pair) === 0));
        const several = (Number(next.length > 1) - Number(own.length > 1)) as -1 | 0 | 1;
        if (added.length + removed.length > 0) await change(attribute, id, { added, removed, several });
        own = next;
      }
      kept.push(...own);
    }
    return kept;
  });
  return (await Promise.all(lanes)).flat();
};

const matchFrom = (random: Random, pairs: readonly Pair[]): ValueMatch => {
  const bounds = Array.from({ length: 4 }, () => ({
    value: pairs.length > 0 && random.chance(0.7) ? random.of(pairs).value : valueFrom(random),
    side: random.of(["before", "after"] as const),
  })).sort((a, b) =>
    comparePairs(
      { ...a, facet: a.side === "after" ? "\u{10FFFF}" : "", id: ZERO },
      { ...b, facet: b.side === "after" ? "\u{10FFFF}" : "", id: ZERO },
    ),
  );
  const [a, b, c, d] = bounds;
  const intervals: readonly Interval[] = random.of([
    [{}],
    [{ from: a }],
    [{ to: b }],
    [{ from: a, to: b }],
    [
      { from: a, to: b },
      { from: c, to: d },
    ],
    [{ to: a }, { from: b }],
  ]);
  const letter = random.of(LETTERS);
  return { intervals, ...(random.chance(0.4) && { test: (value, facet) => value.includes(letter) && facet === "" }) };
};
const ZERO = "00000000-0000-0000-0000-000000000000";

describe("a random index", () => {
  test.each([
    { seed: 1, owners: 300, writers: 8, most: 1 },
    { seed: 2, owners: 300, writers: 8, most: 3 },
    { seed: 3, owners: 12, writers: 1, most: 2 },
    // INDEX_MODEL=20000: as many owners.
    { seed: 4, owners: Number(process.env.INDEX_MODEL ?? 480), writers: 16, most: 1 },
  ])("answers as a list does: $seed", { timeout: 3_600_000 }, async ({ seed, ...size }) => {
    const random = randomOf(seed);
    const attribute = `random${seed}`;
    const pairs = await populate(attribute, random, size);
    const expected = await memoryIndex(pairs).open();
    const found = await open(attribute).index.open();
    expect([found.total, found.owningSeveral]).toEqual([expected.total, expected.owningSeveral]);
    // The limits are small, so that packs, changes since and several ranges take part.
    const ranges = await rangesOf(attribute);
    expect(ranges.length > 1 && ranges.every(({ f }) => Number(f) > 0)).toBe(size.owners > 100);
    for (let turn = 0; turn < 60; turn += 1) {
      const match = matchFrom(random, pairs);
      const [some, all] = await Promise.all([found.matches(match), expected.matches(match)]);
      expect(some.total).toBe(all.total);
      const window = { offset: random.upTo(all.total + 2), limit: 1 + random.upTo(60), backwards: random.chance(0.5) };
      expect(await some.window(window)).toEqual(await all.window(window));
      const start = pairs.length > 0 && random.chance(0.8) ? random.of(pairs) : undefined;
      expect(await some.after(start, window.limit, window.backwards)).toEqual(
        await all.after(start, window.limit, window.backwards),
      );
      const [ids, others] = await Promise.all([some.owners(), all.owners()]);
      expect(ids.slice(0, ids.size)).toEqual(others.slice(0, others.size));
      const owners = idSetOf(others.slice(0, others.size).filter(() => random.chance(0.5)));
      const [kept, those] = await Promise.all([some.keptFor(owners), all.keptFor(owners)]);
      expect(kept.total).toBe(those.total);
      expect(await kept.window(window)).toEqual(await those.window(window));
      expect(await kept.after(start, window.limit, window.backwards)).toEqual(
        await those.after(start, window.limit, window.backwards),
      );
    }
  });

  test("loses nothing while transactions are seen half done", { timeout: 120_000 }, async () => {
    const random = randomOf(8);
    const odds = { ...CALM, conflict: 0.03, half: 0.5, halfMs: 60, heldMs: 2 };
    const hostile = hostileDatabase(8, odds, "requests");
    const opened = table.reopen({ deadlineMs: Number.POSITIVE_INFINITY, client: { transport: hostile.transport } })(
      newMeter(),
    );
    const own = keys.userValues("t", "PRIMARY", "hostile");
    const index = valueIndex(opened, own, LIMITS);
    const pairs: Pair[] = [];
    const lanes = Array.from({ length: 10 }, async () => {
      for (let turn = 0; turn < 40; turn += 1) {
        const pair: Pair = { value: valueFrom(random), facet: "", id: newId() };
        const write = (added: readonly Pair[], removed: readonly Pair[]) =>
          whileStale(async () => opened.write(...(await index.steps({ added, removed, several: 0 }, stale))));
        await write([pair], []);
        if (random.chance(0.3)) await write([], [pair]);
        else pairs.push(pair);
      }
    });
    await Promise.all(lanes);
    hostile.set(CALM);
    hostile.settle();
    expect(hostile.counts.halves).toBeGreaterThan(100);
    const expected = [...pairs].sort(comparePairs);
    expect(await checkIndex(table.open(newMeter()), own)).toEqual({ pairs: expected, several: 0, problems: [] });
  });

  test("stays exact while others change it", async () => {
    const random = randomOf(7);
    let ended = false;
    const writing = populate("busy", random, { owners: 240, writers: 12, most: 2 }).finally(() => {
      ended = true;
    });
    let reads = 0;
    while (!ended) {
      const directory = await open("busy").index.open();
      const matches = await directory.matches({ intervals: [{}], test: () => true });
      const pairs = await matches.window({ offset: 0, limit: 1_000_000 });
      const texts = pairs.map(pairText);
      expect(new Set(texts).size).toBe(texts.length);
      expect([...pairs].sort(comparePairs)).toEqual(pairs);
      reads += 1;
    }
    expect(reads).toBeGreaterThan(1);
    const all = await memoryIndex(await writing).open();
    const matches = await (await open("busy").index.open()).matches({ intervals: [{}] });
    expect(await matches.window({ offset: 0, limit: 100_000 })).toEqual(
      await (await all.matches({ intervals: [{}] })).window({ offset: 0, limit: 100_000 }),
    );
  });
});

describe("a fold that ends after a write", () => {
  test.each([1, 2, 3, 4])("leaves an index that is complete and folded later: after %i", async (most) => {
    const attribute = `killed${most}`;
    const folding: ValueIndexLimits = { foldBytes: 1, splitAt: () => 6 };
    const indexOn = (opened: Table) => valueIndex(opened, keys.userValues("t", "PRIMARY", attribute), folding);
    const pairs: Pair[] = [];
    for (let turn = 0; turn < 24; turn += 1) {
      const pair: Pair = { value: `v${turn % 5}`, facet: "", id: newId() };
      const adding: PairChange = { added: [pair], removed: [], several: 0 };
      const dying = dyingTable(table.open(newMeter()), turn % 3 === 0 ? most - 1 : 1_000);
      const add = async (opened: Table) => opened.write(...(await indexOn(opened).steps(adding, stale)));
      await whileStale(() => add(dying.table)).catch((error: unknown) => {
        expect(error).toBeInstanceOf(Killed);
        return whileStale(() => add(table.open(newMeter())));
      });
      pairs.push(pair);
      const [found, expected] = await Promise.all([indexOn(table.open(newMeter())).open(), memoryIndex(pairs).open()]);
      const everything = { offset: 0, limit: 100 };
      expect(await (await found.matches({ intervals: [{}] })).window(everything)).toEqual(
        await (await expected.matches({ intervals: [{}] })).window(everything),
      );
    }
    expect((await rangesOf(attribute)).length).toBeGreaterThan(1);
  });
});

describe("the rows of a whole index", () => {
  test("are read, checked and changed as others are", async () => {
    const random = randomOf(21);
    const own = keys.userValues("t", "PRIMARY", "loaded");
    const pairs = Array.from({ length: 5_000 }, () => ({ value: valueFrom(random), facet: "", id: newId() }));
    const opened = table.open(newMeter());
    for (const item of layout(own, pairs.sort(comparePairs), 3)) {
      await opened.write({ put: item, when: "absent", otherwise: stale });
    }
    expect(await checkIndex(opened, own)).toEqual({ pairs, several: 3, problems: [] });
    const [first] = pairs;
    if (!first) throw new Error("no pairs");
    await opened.write(...(await valueIndex(opened, own).steps({ added: [], removed: [first], several: -1 }, stale)));
    expect(await checkIndex(opened, own)).toEqual({ pairs: pairs.slice(1), several: 2, problems: [] });
    await opened.write({ change: { PK: own.ranges, SK: "." }, add: { n: 1 }, when: "present", otherwise: stale });
    expect((await checkIndex(opened, own)).problems).toEqual([expect.stringMatching(/counts \d+ pairs and has \d+/)]);
  });
});

describe("a pair", () => {
  test("has a text in the order of pairs, and is read from it", () => {
    const random = randomOf(11);
    const pairs = Array.from({ length: 2_000 }, () => ({
      value: valueFrom(random),
      facet: random.of(["", "a", "\u0000", "home"]),
      id: newId(),
    }));
    for (const pair of pairs) expect(pairOf(pairText(pair))).toEqual(pair);
    const byText = [...pairs].sort((a, b) => Buffer.compare(Buffer.from(pairText(a)), Buffer.from(pairText(b))));
    expect(byText).toEqual([...pairs].sort(comparePairs));
  });
  test("has the beginning of a long value, which is marked", () => {
    expect(isCut(indexedText("é".repeat(345)))).toBe(false);
    expect(isCut(indexedText("é".repeat(346)))).toBe(true);
    expect(Buffer.byteLength(indexedText("é".repeat(900)))).toBe(694);
  });
});

describe("an index that is empty", () => {
  test("has no matches", async () => {
    const directory = await open("empty").index.open();
    const matches = await directory.matches({ intervals: [{}] });
    expect([directory.total, matches.total]).toEqual([0, 0]);
    expect(await matches.window({ offset: 0, limit: 10 })).toEqual([]);
    expect(await matches.after(undefined, 10)).toEqual({ pairs: [], more: false });
    expect((await matches.owners()).size).toBe(0);
  });
});

describe("a fold", () => {
  const deltasOf = async (attribute: string) => {
    const items = await Promise.all(
      [0, 1].map((at) => table.open(newMeter()).get(keys.userValues("t", "PRIMARY", attribute).delta("", at))),
    );
    return items.flatMap((item) => Object.keys(item ?? {}).filter((name) => name.startsWith("+")));
  };
  const opened = (attribute: string, foldBytes: number) =>
    valueIndex(table.open(newMeter()), keys.userValues("t", "PRIMARY", attribute), { foldBytes, splitAt: () => 5_000 });
  const checked = (attribute: string) => checkIndex(table.open(newMeter()), keys.userValues("t", "PRIMARY", attribute));

  test("removes what came and went again from the deltas", async () => {
    const write = async (wanted: PairChange): Promise<void> => {
      await table.open(newMeter()).write(...(await opened("toggled", 600).steps(wanted, stale)));
    };
    for (let turn = 0; turn < 60; turn += 1) {
      const pair = { value: `value ${turn}`, facet: "", id: newId() };
      await write({ added: [pair], removed: [], several: 0 });
      if (turn % 2 === 1) await write({ added: [], removed: [pair], several: 0 });
    }
    const { pairs, problems } = await checked("toggled");
    expect([pairs.length, problems]).toEqual([30, []]);
    // 600 bytes of changes, of about 40 each.
    expect((await deltasOf("toggled")).length).toBeLessThan(18);
  });

  test("takes many changes in several turns, and readers see all of them in between", async () => {
    const attribute = "overflowing";
    const pairs = Array.from({ length: 400 }, (_, at) => ({ value: `v${at}`, facet: "", id: newId() }));
    for (const pair of pairs) {
      const steps = await opened(attribute, 1_000_000).steps({ added: [pair], removed: [], several: 0 }, stale);
      await table.open(newMeter()).write(...steps);
    }
    expect(await deltasOf(attribute)).toHaveLength(400);
    const last = { value: "last", facet: "", id: newId() };
    const steps = await opened(attribute, 8_000).steps({ added: [last], removed: [], several: 0 }, stale);
    const left = (await deltasOf(attribute)).length;
    expect([left > 0, left < 400 - 120]).toEqual([true, true]);
    expect((await checked(attribute)).pairs).toEqual([...pairs].sort(comparePairs));
    const found = await opened(attribute, 8_000).open();
    expect((await found.matches({ intervals: [{}], test: (value) => value !== "v1" })).total).toBe(399);
    await table.open(newMeter()).write(...steps);
    expect(await checked(attribute)).toEqual({ pairs: [...pairs, last].sort(comparePairs), several: 0, problems: [] });
  });
});

test("many writers of one range let one of them fold and split it", async () => {
  const attribute = "contended";
  const meter = newMeter();
  const write = async (at: number): Promise<void> => {
    const { index, table } = open(attribute, meter);
    const pair = { value: `value ${at}`, facet: "", id: newId() };
    await whileStale(async () => {
      await table.write(...(await index.steps({ added: [pair], removed: [], several: 0 }, stale)));
    });
  };
  const lanes = Array.from({ length: 16 }, async (_, lane) => {
    for (let at = lane; at < 480; at += 16) await write(at);
  });
  await Promise.all(lanes);
  expect((await rangesOf(attribute)).length).toBeGreaterThan(10);
  expect((await checkIndex(open(attribute).table, keys.userValues("t", "PRIMARY", attribute))).pairs).toHaveLength(480);
  // Four for each value, and folds: about 8 with small ranges.
  expect(meter.cost.writeUnits / 480).toBeLessThan(12);
});
