/** Indexes of values of 1,000,000 owners: what each read and each change of them costs, in round trips and units. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { stale, whileStale } from "#core/database/table/stale.ts";
import { idSetOf } from "#core/database/table/value-index/id-set.ts";
import { layout } from "#core/database/table/value-index/layout.ts";
import type { Interval, Pair, ValueMatch } from "#core/database/table/value-index/model.ts";
import { pairText } from "#core/database/table/value-index/pair.ts";
import { valueIndex } from "#core/database/table/value-index/value-index.ts";
import { listPage } from "#core/scim/listing/list.ts";
import type { Source } from "#core/scim/listing/source.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { type Random, randomOf } from "#tests/support/random.ts";
import { type Ask, queryOf } from "#tests/unit/listing/values.support.ts";

const OWNERS = 1_000_000;
const CHANGES = 3_000;
const LOADERS = 8;
const SYLLABLES = "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu".split(
  " ",
);

const word = (random: Random, syllables: number): string =>
  Array.from({ length: syllables }, () => random.of(SYLLABLES)).join("");

/** An id as those of users are: of a time, and random in its second half. */
const idAt = (random: Random, number: number): string => {
  const hex = (digits: number) =>
    random
      .upTo(16 ** digits)
      .toString(16)
      .padStart(digits, "0");
  const time = (Date.UTC(2024, 0) + number * 60_000).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`;
};

const attributeValues: Readonly<Record<string, (random: Random) => string>> = {
  // 20,000 names, some of them frequent.
  familyName: (random) => (random.chance(0.05) ? "jones" : word(random, 2 + random.upTo(3))),
  email: (random) =>
    `${word(random, 3)}.${word(random, 4)}${random.upTo(1_000)}@${random.chance(0.6) ? "acme.com" : `${word(random, 2)}.org`}`,
};
const attributes = Object.keys(attributeValues);

const indexKeys = (attribute: string) => keys.userValues("t", "PRIMARY", attribute);

let table: TestTable;
let pairsOf: ReadonlyMap<string, readonly Pair[]>;
beforeAll(async () => {
  table = await testTable();
  const random = randomOf(5);
  const ids = Array.from({ length: OWNERS }, (_, at) => idAt(random, at));
  pairsOf = new Map(
    attributes.map((attribute) => {
      const value = attributeValues[attribute] ?? (() => "");
      const texts = new Map<string, Pair>();
      for (const id of ids) {
        const pair = { value: value(random), facet: "", id };
        texts.set(pairText(pair), pair);
      }
      return [attribute, [...texts.keys()].sort().flatMap((text) => texts.get(text) ?? [])] as const;
    }),
  );
  const opened = table.open(newMeter());
  const items = [...pairsOf].flatMap(([attribute, pairs]) => [...layout(indexKeys(attribute), pairs, 0)]).values();
  await Promise.all(
    Array.from({ length: LOADERS }, async () => {
      // As if each range had changed since its last fold, so that its deltas are read.
      for (const item of items) {
        const put = item.p === 0 ? { ...item, p: 40 } : item;
        await opened.write({ put, when: "any", otherwise: stale });
      }
    }),
  );
}, 900_000);

/** What was measured, for decision 0095: printed with `FIGURES=1`. */
const figures: string[] = [];
afterAll(() => {
  if (process.env.FIGURES) process.stdout.write(`${figures.join("\n")}\n`);
});

/** The cost of a read by eventually consistent units. */
const costOf = async <R>(attribute: string, read: (index: ReturnType<typeof valueIndex>) => Promise<R>) => {
  const meter = newMeter();
  const result = await read(valueIndex(table.open(meter), indexKeys(attribute)));
  return { result, cost: meter.cost };
};
const page = (match: ValueMatch, offset: number) => (index: ReturnType<typeof valueIndex>) =>
  index.open({ consistent: false }).then(async (directory) => {
    const matches = await directory.matches(match);
    return { total: matches.total, pairs: await matches.window({ offset, limit: 100 }) };
  });
const prefix = (value: string): Interval => ({
  from: { value, side: "before" },
  to: { value: `${value}\u{10FFFF}`, side: "after" },
});
const exactly = (value: string): Interval => ({ from: { value, side: "before" }, to: { value, side: "after" } });

describe("1,000,000 values", () => {
  test.each([
    ["familyName", 0],
    ["familyName", 499_990],
    ["email", 999_900],
    ["email", 123_456],
  ])("a page in the order of %s at %i: 2 round trips and 20 units", async (attribute, offset) => {
    const { result, cost } = await costOf(attribute, page({ intervals: [{}] }, offset));
    const all = pairsOf.get(attribute) ?? [];
    expect(result).toEqual({ total: OWNERS, pairs: all.slice(offset, offset + 100) });
    expect(cost.roundTrips).toBeLessThanOrEqual(2);
    expect(cost.readUnits).toBeLessThanOrEqual(20);
  });

  test.each([
    ["familyName", exactly("jones")],
    ["familyName", prefix("ba")],
    ["familyName", { from: { value: "k", side: "after" } } as Interval],
    ["email", prefix("bababa")],
    ["email", { to: { value: "m", side: "before" } } as Interval],
  ])("a part of %s: 3 round trips and 30 units, however many match", async (attribute, interval) => {
    const { result, cost } = await costOf(attribute, page({ intervals: [interval] }, 0));
    const { from, to } = interval;
    const expected = (pairsOf.get(attribute) ?? []).filter(
      ({ value }) =>
        (!from || value > from.value || (value === from.value && from.side === "before")) &&
        (!to || value < to.value || (value === to.value && to.side === "after")),
    );
    expect(result).toEqual({ total: expected.length, pairs: expected.slice(0, 100) });
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    expect(cost.readUnits).toBeLessThanOrEqual(30);
  });

  test.each([
    ["familyName", "kula", 950],
    ["email", "@acme", 1_500],
  ])("a search within %s: 3 round trips and 1,500 units", async (attribute, text, most) => {
    const match: ValueMatch = { intervals: [{}], test: (value) => value.includes(text) };
    const { result, cost } = await costOf(attribute, page(match, 50));
    const expected = (pairsOf.get(attribute) ?? []).filter(({ value }) => value.includes(text));
    expect(result).toEqual({ total: expected.length, pairs: expected.slice(50, 150) });
    expect(cost.roundTrips).toBeLessThanOrEqual(4);
    expect(cost.readUnits).toBeLessThanOrEqual(most);
    figures.push(`search ${attribute}: ${cost.roundTrips} round trips, ${cost.readUnits} units`);
  });

  test("the owners of two searches, and what they share", { timeout: 120_000 }, async () => {
    const owners = (text: string) => async (index: ReturnType<typeof valueIndex>) => {
      const directory = await index.open({ consistent: false });
      return (await directory.matches({ intervals: [{}], test: (value) => value.includes(text) })).owners();
    };
    const families = await costOf("familyName", owners("kula"));
    const emails = await costOf("email", owners("@acme"));
    const both = families.result.and(emails.result);
    const named = (attribute: string, text: string) =>
      new Set((pairsOf.get(attribute) ?? []).flatMap(({ value, id }) => (value.includes(text) ? [id] : [])));
    const [a, b] = [named("familyName", "kula"), named("email", "@acme")];
    const shared = [...a].filter((id) => b.has(id)).sort();
    expect(both.slice(0, both.size)).toEqual(shared);
    figures.push(`two searches: ${families.cost.readUnits} and ${emails.cost.readUnits} units`);
    expect(families.cost.readUnits + emails.cost.readUnits).toBeLessThanOrEqual(6_500);
    expect(Math.max(families.cost.roundTrips, emails.cost.roundTrips)).toBeLessThanOrEqual(6);
  });
});

test("a page in the order of one attribute of what another has: 3 round trips, 2,600 units", async () => {
  const shared = (pairsOf.get("email") ?? []).filter(({ value }) => value.includes("@acme"));
  const owners = idSetOf(shared.map(({ id }) => id));
  const { result, cost } = await costOf("familyName", async (index) => {
    const matches = await (await index.open({ consistent: false })).matches({ intervals: [{}] });
    const kept = await matches.keptFor(owners);
    return { total: kept.total, pairs: await kept.window({ offset: 250_000, limit: 100 }) };
  });
  const ids = new Set(shared.map(({ id }) => id));
  const expected = (pairsOf.get("familyName") ?? []).filter(({ id }) => ids.has(id));
  expect(result).toEqual({ total: expected.length, pairs: expected.slice(250_000, 250_100) });
  figures.push(`sorted and filtered: ${cost.roundTrips} round trips, ${cost.readUnits} units`);
  expect(cost.roundTrips).toBeLessThanOrEqual(3);
  expect(cost.readUnits).toBeLessThanOrEqual(2_600);
}, 60_000);

/** A list of all owners, over indexes of attributes, and its cost. */
const listed = async (attributeOf: ReadonlyMap<string, string>, ask: Ask, offset: number) => {
  const meter = newMeter();
  const on = table.open(meter);
  const unasked = () => Promise.reject(new Error("the list does not read names"));
  const reads = ["find", "rank", "page", "after", "startsWith", "startingWith", "all", "search"];
  const source: Source<string> = {
    nameAttribute: "userName",
    index: {
      ...Object.fromEntries(reads.map((name) => [name, unasked])),
      total: async () => OWNERS,
    } as unknown as Source<string>["index"],
    indexes: {
      declared: [...attributeOf.keys()],
      ready: async () => new Set(attributeOf.keys()),
      open: (name, options) => valueIndex(on, indexKeys(attributeOf.get(name) ?? "")).open(options),
    },
    readMany: async (ids) => ids,
    keyOf: (id) => id,
    resourcesOf: async (ids) => ids.map((id) => ({ id })),
    canLookUp: () => false,
    lookUp: async () => [],
  };
  const found = await listPage([source], queryOf(ask), { offset, limit: 100 });
  return { ...found, cost: meter.cost };
};
const ownersOf = (attribute: string, text: string): ReadonlySet<string> =>
  new Set((pairsOf.get(attribute) ?? []).filter(({ value }) => value.includes(text)).map(({ id }) => id));

test.each([
  // E-mail addresses stand for names too: both are some 25 bytes, and hardly two are equal.
  ["by another attribute", "name.familyName", "familyName"],
  ["by name, which has an index of values", "userName", "email"],
] as const)(
  "such a page as a list, sorted %s: 8 round trips and 6,000 units, the users apart",
  async (_, sortBy, own) => {
    const attributeOf = new Map([
      ["emails.value", "email"],
      [sortBy, own],
    ]);
    const ask = { filter: 'emails.value co "@acme"', sortBy, sortOrder: "descending" };
    const { items, total, cost } = await listed(attributeOf, ask, 300_000);
    const owners = ownersOf("email", "@acme");
    const expected = (pairsOf.get(own) ?? []).filter(({ id }) => owners.has(id)).reverse();
    expect(total).toBe(expected.length);
    expect(items).toEqual(expected.slice(300_000, 300_100).map(({ id }) => id));
    figures.push(`list, sorted by ${sortBy} and filtered: ${cost.roundTrips} round trips, ${cost.readUnits} units`);
    // Reading the users is one more.
    expect(cost.roundTrips).toBeLessThanOrEqual(7);
    expect(cost.readUnits).toBeLessThanOrEqual(6_000);
  },
  300_000,
);

test("two searches with an order: 6,000 units where the order is that of one of them", async () => {
  const attributeOf = new Map([
    ["emails.value", "email"],
    ["name.familyName", "familyName"],
  ]);
  const filter = 'emails.value co "@acme" and name.familyName co "k"';
  const { items, total, cost } = await listed(attributeOf, { filter, sortBy: "name.familyName" }, 100_000);
  const [emails, families] = [ownersOf("email", "@acme"), ownersOf("familyName", "k")];
  const expected = (pairsOf.get("familyName") ?? []).filter(({ id }) => emails.has(id) && families.has(id));
  expect(total).toBe(expected.length);
  expect(items).toEqual(expected.slice(100_000, 100_100).map(({ id }) => id));
  figures.push(`list, two searches, sorted by one of them: ${cost.roundTrips} round trips, ${cost.readUnits} units`);
  expect(cost.roundTrips).toBeLessThanOrEqual(7);
  expect(cost.readUnits).toBeLessThanOrEqual(6_000);
}, 300_000);

describe("changes of them", () => {
  test.each(attributes)(
    "a new value of %s: at most 6 write units on average, with its share of folds",
    async (attribute) => {
      const random = randomOf(9);
      const meter = newMeter();
      const opened = table.open(meter);
      const index = valueIndex(opened, indexKeys(attribute));
      // New values of one part of the index, so that its ranges are folded and split as often as in the long run.
      for (let at = 0; at < CHANGES; at += 1) {
        const value = `${attribute === "email" ? "baba" : "ba"}${attributeValues[attribute]?.(random)}`;
        const added = [{ value, facet: "", id: idAt(random, OWNERS + at) }];
        await whileStale(async () => opened.write(...(await index.steps({ added, removed: [], several: 0 }, stale))));
      }
      figures.push(
        `change ${attribute}: ${meter.cost.writeUnits / CHANGES} units, and ${meter.cost.readUnits / CHANGES} read`,
      );
      expect(meter.cost.writeUnits / CHANGES).toBeLessThanOrEqual(6);
    },
  );
});
