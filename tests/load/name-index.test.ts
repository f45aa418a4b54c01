/** An index of 1,000,000 names: what each read and change of it costs, in round trips and units (decision 0128). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { isWide, rangeOf } from "#core/database/table/name-index/items.ts";
import { type NameIndex, nameIndex } from "#core/database/table/name-index/name-index.ts";
import { wideLayout } from "#core/database/table/name-index/wide-layout.ts";
import { stale } from "#core/database/table/stale.ts";
import { layout } from "#core/database/table/value-index/layout.ts";
import { comparePairs } from "#core/database/table/value-index/pair.ts";
import { valueIndex } from "#core/database/table/value-index/value-index.ts";
import { newId } from "#core/kernel/ids.ts";
import { listPage } from "#core/scim/listing/list.ts";
import type { Source } from "#core/scim/listing/source.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { type Random, randomOf } from "#tests/support/random.ts";
import { queryOf } from "#tests/unit/listing/values.support.ts";

const NAMES = 1_000_000;
const PAGE = 100;
const CHANGES = 3_000;
const LOADERS = 8;
/** Entries are loaded where pages are read: the others are in counts and packs alone. */
const AROUND = 400;
const OFFSETS = [0, 123_456, 500_000, 777_777, NAMES - PAGE];
const SYLLABLES = "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu".split(
  " ",
);
const OWN = keys.userNames("carbon.super", "PRIMARY");

const word = (random: Random, syllables: number): string =>
  Array.from({ length: syllables }, () => random.of(SYLLABLES)).join("");

/** Names of 25 bytes on average, as those of people are who sign in by e-mail address. */
const nameOf = (random: Random): string =>
  `${word(random, 2 + random.upTo(3))}.${word(random, 3)}${random.upTo(1_000)}@${random.chance(0.6) ? "acme.com" : `${word(random, 2)}.org`}`;

let table: TestTable;
let names: readonly string[];
const withPrefix = (prefix: string): number => names.filter((name) => name.startsWith(prefix)).length;

beforeAll(async () => {
  table = await testTable();
  const random = randomOf(7);
  const made = new Set<string>();
  while (made.size < NAMES) made.add(nameOf(random));
  names = [...made].sort();
  const shown = new Set<string>();
  const first = (prefix: string) => names.findIndex((name) => name.startsWith(prefix));
  const places = [...OFFSETS, first("ka"), first("ka") + 20_000, first("kulala"), first("ka") + withPrefix("ka")];
  for (const place of places) {
    for (const name of names.slice(Math.max(0, place - AROUND), place + AROUND)) shown.add(name);
  }
  const opened = table.open(newMeter());
  const items = wideLayout(
    OWN,
    names.map((key) => ({ key, id: `id-${key}` })),
  );
  await Promise.all(
    Array.from({ length: LOADERS }, async () => {
      for (const item of items) {
        if (item.PK === OWN.entries && !shown.has(item.SK)) continue;
        // As if each range had changed since its last fold, so that its deltas are read.
        const put = item.p === 0 ? { ...item, p: 40 } : item;
        await opened.write({ put, when: "any", otherwise: stale });
      }
    }),
  );
}, 300_000);

/** What was measured, for decision 0128: printed with `FIGURES=1`. */
const figures: string[] = [];
afterAll(() => {
  if (process.env.FIGURES) process.stdout.write(`${figures.join("\n")}\n`);
});

/** The cost of reading an index, without that of the entries that are shown. */
const costOf = async <R>(title: string, read: (index: NameIndex) => Promise<R>, entries = 0) => {
  const meter = newMeter();
  const result = await read(nameIndex(table.open(meter), OWN));
  // Entries of some 90 bytes, 4 KB for each half unit.
  const { roundTrips, readUnits } = meter.cost;
  const ofIndex = readUnits - Math.ceil((entries * 90) / 4_096) / 2;
  figures.push(`${title}: ${roundTrips} round trips, ${readUnits} units, ${ofIndex} of the index`);
  return { result, roundTrips, ofIndex };
};
const keysIn = (entries: readonly { readonly key: string }[]): string[] => entries.map(({ key }) => key);

describe("1,000,000 names", () => {
  test("are in some 500 ranges", async () => {
    const items = await table.open(newMeter()).queryAll({ PK: OWN.ranges, limit: 10_000 });
    const ranges = items.map(rangeOf);
    expect(ranges.every(isWide)).toBe(true);
    expect(ranges.length).toBeLessThan(520);
  });

  test.each(OFFSETS)("a page at %i with the exact total: 3 round trips and 10 units of the index", async (offset) => {
    const { result, roundTrips, ofIndex } = await costOf(
      `page at ${offset}`,
      (index) => index.page({ offset, limit: PAGE, consistent: false }),
      PAGE,
    );
    expect(result.total).toBe(NAMES);
    expect(keysIn(result.entries)).toEqual(names.slice(offset, offset + PAGE));
    expect(roundTrips).toBeLessThanOrEqual(3);
    expect(ofIndex).toBeLessThanOrEqual(10);
  });

  test.each(OFFSETS)("the same from the end, %i", async (offset) => {
    const { result, roundTrips, ofIndex } = await costOf(
      `page at ${offset} from the end`,
      (index) => index.page({ offset: NAMES - offset - PAGE, limit: PAGE, backwards: true, consistent: false }),
      PAGE,
    );
    expect(keysIn(result.entries)).toEqual(names.slice(offset, offset + PAGE).reverse());
    expect(roundTrips).toBeLessThanOrEqual(3);
    expect(ofIndex).toBeLessThanOrEqual(10);
  });

  test("a page across two ranges costs no more", async () => {
    const items = await table.open(newMeter()).queryAll({ PK: OWN.ranges, limit: 10_000 });
    const ranges = items.map(rangeOf);
    // The range in which position 500,000 is.
    let end = 0;
    for (const { count } of ranges) {
      if (end > 500_000) break;
      end += count;
    }
    const offset = end - 50;
    const { result, ofIndex } = await costOf("page across ranges", (index) =>
      index.page({ offset, limit: PAGE, consistent: false }),
    );
    expect(result.total).toBe(NAMES);
    expect(ofIndex).toBeLessThanOrEqual(10);
  });

  test.each([
    ["ka", 20_000],
    ["ka", 0],
    ["kulala", 0],
  ])("names that begin with %s, from %i on: 3 round trips and 40 units", async (prefix, offset) => {
    const matching = names.filter((name) => name.startsWith(prefix));
    const { result, roundTrips, ofIndex } = await costOf(`sw ${prefix} at ${offset}`, (index) =>
      index.startsWith(prefix, { offset, limit: PAGE, consistent: false }),
    );
    // Of the first thousand, only those are loaded that are shown: they do not count as matches of fewer.
    expect(result.total === matching.length || result.total < 1_000).toBe(true);
    if (offset > 0) {
      expect(result.total).toBe(matching.length);
      expect(keysIn(result.entries)).toEqual(matching.slice(offset, offset + PAGE));
    }
    expect(roundTrips).toBeLessThanOrEqual(3);
    expect(ofIndex).toBeLessThanOrEqual(40);
  });

  test("the end of the names that begin with a prefix", async () => {
    const matching = names.filter((name) => name.startsWith("ka"));
    const { result, roundTrips } = await costOf("sw ka from the end", (index) =>
      index.startsWith("ka", { offset: 2_000, limit: 0, backwards: true, consistent: false }),
    );
    expect(result.total).toBe(matching.length);
    expect(roundTrips).toBeLessThanOrEqual(3);
  });

  test("a search within names: 2 round trips and 1,600 units", async () => {
    const { result, roundTrips, ofIndex } = await costOf("co kulama", (index) =>
      index.search((name) => name.includes("kulama"), { offset: 0, limit: 0, consistent: false }),
    );
    expect(result.total).toBe(names.filter((name) => name.includes("kulama")).length);
    expect(roundTrips).toBeLessThanOrEqual(2);
    expect(ofIndex).toBeLessThanOrEqual(1_600);
  });
});

describe("100,000 names with their entries", () => {
  const own = keys.userNames("carbon.super", "SECOND");
  const ofActive = keys.userValues("carbon.super", "SECOND", "active");
  const some = (): readonly string[] => names.filter((_, at) => at % 10 === 0);
  const isActive = (name: string): boolean => !name.includes("u");

  beforeAll(async () => {
    const opened = table.open(newMeter());
    const entries = some().map((key) => ({ key, id: newId() }));
    const pairs = entries.map(({ key, id }) => ({ value: String(isActive(key)), facet: "", id })).sort(comparePairs);
    const items = [...wideLayout(own, entries), ...layout(ofActive, pairs, 0)].values();
    await Promise.all(
      Array.from({ length: LOADERS }, async () => {
        for (const put of items) await opened.write({ put, when: "any", otherwise: stale });
      }),
    );
  }, 600_000);

  test.each([1, 7_000, -1])(
    "are filtered by an attribute in their order: 8 round trips and 1,300 units, at %i",
    async (at) => {
      const matching = some().filter(isActive);
      const meter = newMeter();
      const on = table.open(meter);
      const source: Source<string> = {
        nameAttribute: "userName",
        index: nameIndex(on, own),
        indexes: {
          declared: ["active"],
          ready: async () => new Set(["active"]),
          open: (_, options) => valueIndex(on, ofActive).open(options),
        },
        readMany: async (ids) => ids,
        keyOf: (id) => id,
        resourcesOf: async (ids) => ids.map((id) => ({ id })),
        canLookUp: () => false,
        lookUp: async () => [],
      };
      const offset = at < 0 ? matching.length >> 1 : at;
      const query = queryOf({ filter: "active eq true", sortBy: "userName" });
      const { items, total } = await listPage([source], query, { offset, limit: 100 });
      const { roundTrips, readUnits } = meter.cost;
      figures.push(
        `list at ${offset} of ${total}, by name and filtered: ${roundTrips} round trips, ${readUnits} units`,
      );
      const byKey = new Map(
        (await nameIndex(table.open(newMeter()), own).all("", 200_000))?.map((one) => [one.key, one.id]),
      );
      expect([total, items]).toEqual([
        matching.length,
        matching.slice(offset, offset + 100).map((key) => byKey.get(key)),
      ]);
      // Reading the users is one more.
      expect(roundTrips).toBeLessThanOrEqual(7);
      expect(readUnits).toBeLessThanOrEqual(1_300);
    },
  );

  test("are read with their ids at once: 3 round trips and 13 units for 1,000", async () => {
    const meter = newMeter();
    const entries = await nameIndex(table.open(meter), own).all("", 200_000, { consistent: false });
    expect(keysIn(entries ?? [])).toEqual(some());
    figures.push(`all names with ids: ${meter.cost.roundTrips} round trips, ${meter.cost.readUnits} units`);
    expect(meter.cost.roundTrips).toBeLessThanOrEqual(3);
    expect(meter.cost.readUnits).toBeLessThanOrEqual(1_300);
  });

  test("are not read where they are more than asked for", async () => {
    const meter = newMeter();
    expect(await nameIndex(table.open(meter), own).all("", 99_999, { consistent: false })).toBeUndefined();
    expect(meter.cost.roundTrips).toBe(1);
    expect(await nameIndex(table.open(newMeter()), own).all("kulala", 10_000)).toHaveLength(
      some().filter((name) => name.startsWith("kulala")).length,
    );
  });
});

describe("changes of them", () => {
  test("a new name: at most 8 write units on average, with its share of folds and splits", async () => {
    const random = randomOf(9);
    const meter = newMeter();
    const index = nameIndex(table.open(meter), OWN);
    const before = await index.total();
    // New names of one part of the index, so that its ranges are folded and split as often as in the long run.
    const added = new Set(Array.from({ length: CHANGES }, () => `baba${nameOf(random)}`));
    const { writeUnits, roundTrips } = meter.cost;
    for (const key of added) {
      const taken = () => new Error("taken");
      await index.create({ key, entry: { id: `new-${key}` }, steps: [], taken });
    }
    const [units, trips] = [meter.cost.writeUnits - writeUnits, meter.cost.roundTrips - roundTrips].map(
      (number) => number / added.size,
    );
    figures.push(`create: ${units} write units, ${trips} round trips, ${meter.cost.readUnits / added.size} read`);
    expect(units).toBeLessThanOrEqual(8);
    expect(trips).toBeLessThanOrEqual(2.3);
    expect(await index.total()).toBe(before + added.size);
  });
});
