/**
 * The overlay against the embedded engine: random transactions run on a table and on an overlay of another table with
 * the same items. Every outcome and everything that can be read must be equal. A failure names its seed.
 */
import { isDeepStrictEqual } from "node:util";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TransactionCancelled } from "#core/database/table/client/errors.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { overlay } from "#core/database/table/overlay.ts";
import { stale, whileStale } from "#core/database/table/stale.ts";
import type { Item, Key, RangeQuery, Step, Table, When } from "#core/database/table/table.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { seeded } from "#tests/support/hostile-database.ts";

const SEEDS = 10;
const OPERATIONS = 50;
const SORT_KEYS = ["a", "b", "c", "c\u0000", "d", "e😀", "e\uffee", "f", "g"];

class Refused extends Error {}
const refused = (why: string) => () => new Refused(why);

let made: TestTable;
let below: TestTable;
beforeAll(async () => {
  [made, below] = [await testTable(), await testTable()];
});

let partitions = 0;
let PK = "";
let meter = newMeter();
let real: Table;
beforeEach(() => {
  partitions += 1;
  PK = `partition-${partitions}`;
  meter = newMeter();
  real = made.open(meter);
});

const at = (SK: string): Key => ({ PK, SK });
const put = (item: Item | Key, when: When = "absent"): Step => ({
  put: { ...item },
  when,
  otherwise: refused(item.SK),
});

/** What a call returns or throws, for comparison. */
const outcomeOf = async (call: () => Promise<unknown>): Promise<unknown> => {
  try {
    return { returned: await call() };
  } catch (error) {
    if (error instanceof TransactionCancelled) return { cancelled: error.reasons.map(({ Code }) => Code) };
    return error instanceof Error ? { name: error.name, thrown: error instanceof Refused ? error.message : "" } : error;
  }
};

/** What can be read of a partition: all of it, and two of the other ways to read. */
const visible = async (table: Table, random: ReturnType<typeof generator>): Promise<unknown> => {
  const keys = random.shuffled(SORT_KEYS).map(at);
  const [a, b] = [random.of(SORT_KEYS), random.of(SORT_KEYS)];
  const range: RangeQuery = {
    PK,
    limit: random.below(4) + 1,
    backwards: random.below(2) === 0,
    ...(random.below(2) === 0 && { from: a, to: b }),
  };
  const ways: readonly (() => Promise<unknown>)[] = [
    () => table.getMany([...keys, ...keys]),
    () => table.snapshot(keys),
    () => Promise.all(keys.slice(0, 3).map((key) => table.get(key))),
    () => table.get(at(a), { keyOnly: true }),
    () => pages(table, range),
    () => pages(table, range),
    () => table.queryAll(range, 3),
    () => table.queryAll({ PK, limit: 2, after: at(a) }),
  ];
  const read = random.shuffled(ways).slice(0, 2);
  return Promise.all([table.queryAll({ PK, limit: 100 }), ...read.map((way) => way())]);
};

/** The items of a range, page by page. */
const pages = async (table: Table, range: RangeQuery): Promise<Item[]> => {
  const items: Item[] = [];
  for (let after: Key | undefined; ; ) {
    const page = await table.query({ ...range, ...(after && { after }) });
    expect(page.items.length).toBeLessThanOrEqual(range.limit);
    items.push(...page.items);
    if (!page.next) return items;
    after = page.next;
  }
};

/** Random operations; the same for the same seed. */
const generator = (seed: number) => {
  const random = seeded(seed);
  const below = (most: number) => Math.floor(random() * most);
  const of = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const shuffled = <T>(values: readonly T[]): T[] =>
    values
      .map((value) => ({ value, place: random() }))
      .sort((one, other) => one.place - other.place)
      .map(({ value }) => value);
  const letters = () => new Set(shuffled(["x", "y", "z"]).slice(0, 1 + below(3)));
  const bytes = () => of([new Uint8Array([1, below(2)]), Buffer.from([1, below(2)])]);
  const attributes = () => ({
    ...(below(3) > 0 && { n: of([1, 2, -7, 0.1, 2.5]) }),
    ...(below(3) > 0 && { s: of(["", "é", "k", "😀", "\uffee"]) }),
    ...(below(3) > 0 && { k: letters() }),
    ...(below(4) === 0 && { map: { list: [below(2), "b", { deep: null }], yes: true }, bytes: bytes() }),
    ...(below(40) === 0 && { gone: undefined, big: "x".repeat(220_000) }),
  });
  const when = (): When =>
    of<() => When>([
      () => "absent",
      () => "present",
      () => "present",
      () => "any",
      () => "any",
      () => "any",
      () => ({}),
      () => ({ equal: { n: of([1, 2]) } }),
      () => ({ equal: { k: letters() } }),
      () => ({ equal: { map: { list: [below(2), "b", { deep: null }], yes: true }, bytes: bytes() } }),
      () => ({ equal: { s: of(["", 1, "é"]) }, lacking: ["map"] }),
      () => ({ above: { s: of(["", "j", "\uffee"]) } }),
      () => ({ above: { n: "0" } }),
      () => ({ lacking: [of(["n", "s", "k"])] }),
      () => ({ unlike: { s: of(["", "é", "k"]), [of(["p0", "p1", "n"])]: of(["", "1", "2"]) } }),
    ])();
  const step = (key: Key): Step => {
    const common = { when: when(), otherwise: below(5) === 0 ? () => "applied" as const : refused(key.SK) };
    switch (below(6)) {
      case 0:
        return { ...common, remove: key };
      case 1:
        return { ...common, check: key, when: common.when === "any" ? "present" : common.when };
      case 2:
        return { ...common, put: { ...attributes(), ...key } };
      default:
        return {
          ...common,
          change: key,
          set: { other: below(9), ...(below(30) === 0 && { more: "x".repeat(220_000) }) },
          ...of([
            { add: { n: of([1, -1, 0.2]), ...(below(2) === 0 && { k: letters() }) } },
            { add: { [of(["s", "fresh"])]: 1 } },
            { take: { [of(["k", "k", "absent", "n"])]: letters() } },
            {},
          ]),
          ...(below(4) === 0 && { clear: [of(["bytes", "map", "none"])] }),
          ...(below(5) === 0 && {
            push: { value: of(["1", "2"]), through: of([["p0"], ["p0", "p1"], ["p1", "p0", "p2"]]) },
          }),
        };
    }
  };
  const operation = (): ((table: Table) => Promise<unknown>) => {
    const keys = shuffled(SORT_KEYS).map(at);
    switch (below(12)) {
      case 0:
        return (table) => table.forget(keys[0] ?? at("a"));
      case 1:
        return (table) => table.count(keys[0] ?? at("a"), { counted: 2 }, { until: 5 });
      case 2: {
        const twice = [...keys.slice(0, 2), ...keys.slice(0, 1)].map(step);
        return (table) => table.write(...twice);
      }
      default: {
        const steps = keys.slice(0, of([1, 1, 2, 2, 3, 5])).map(step);
        return (table) => table.write(...steps);
      }
    }
  };
  return { below, of, shuffled, attributes, operation };
};

describe("random transactions", () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
    "have the outcomes of the engine: seed %d",
    async (seed) => {
      const random = generator(seed);
      const under = below.open(newMeter());
      for (const SK of SORT_KEYS.filter(() => random.below(2) === 0)) {
        const seedling = put({ ...random.attributes(), ...at(SK) });
        await Promise.all([real.write(seedling), under.write(seedling)]);
      }
      const untouched = await under.queryAll({ PK, limit: 100 });
      const spent = newMeter();
      const tried = overlay(below.open(spent));
      for (let number = 0; number < OPERATIONS; number += 1) {
        const operation = random.operation();
        const [expected, outcome] = [await outcomeOf(() => operation(real)), await outcomeOf(() => operation(tried))];
        expect(outcome, `operation ${number}`).toEqual(expected);
        const reading = random.below(1_000_000);
        const [shown, stored] = await Promise.all([tried, real].map((table) => visible(table, generator(reading))));
        // Much faster than the comparison that explains.
        if (!isDeepStrictEqual(shown, stored)) expect(shown, `after ${number}`).toEqual(stored);
      }
      expect(tried.pending().length).toBeGreaterThan(OPERATIONS / 5);
      expect(tried.pending().length).toBeLessThan(OPERATIONS);
      expect(spent.cost.writeUnits).toBe(0);
      expect(await under.queryAll({ PK, limit: 100 })).toEqual(untouched);

      await tried.flush();
      expect(tried.pending()).toEqual([]);
      expect(await under.queryAll({ PK, limit: 100 })).toEqual(await real.queryAll({ PK, limit: 100 }));
    },
  );
});

describe("the limits of a transaction", () => {
  const text = (bytes: number) => "x".repeat(bytes);
  /** So many bytes that the item is the largest one. */
  const LARGEST = 409_600 - "PKSK".length - "partition-000".length - 1;
  const calls: readonly [string, (table: Table) => Promise<unknown>][] = [
    ["no step", (table) => table.write()],
    ["101 steps", (table) => table.write(...Array.from({ length: 101 }, (_, id) => put(at(`${id}`))))],
    ["100 steps", (table) => table.write(...Array.from({ length: 100 }, (_, id) => put(at(`${id}`))))],
    ["a key twice", (table) => table.write(put(at("z")), { check: at("z"), when: "absent", otherwise: refused("z") })],
    ["a check without a condition", (table) => table.write({ check: at("z"), when: "any", otherwise: refused("z") })],
    ["an empty sort key", (table) => table.write(put(at("")))],
    ["an empty set", (table) => table.write(put({ ...at("z"), k: new Set<string>() }))],
    ["an item over 400 KB", (table) => table.write(put({ ...at("z"), x: text(409_600) }))],
    ["one without a condition", (table) => table.write(put({ ...at("z"), x: text(409_600) }, "any"))],
    ["one that a condition refuses", (table) => table.write(put({ ...at("z"), x: text(409_600) }, "present"))],
    ["the largest item", (table) => table.write(put({ PK: "partition-000", SK: "z", x: text(LARGEST - 1) }, "any"))],
    ["a byte more", (table) => table.write(put({ PK: "partition-000", SK: "z", x: text(LARGEST) }, "any"))],
    [
      "more than 4 MB",
      (table) => table.write(...Array.from({ length: 11 }, (_, id) => put({ ...at(`${id}`), x: text(400_000) }))),
    ],
    [
      "a change to more than 400 KB",
      async (table) => {
        await table.write(put({ ...at("y"), x: text(300_000) }));
        await table.write({ change: at("y"), set: { z: text(200_000) }, when: "present", otherwise: refused("y") });
      },
    ],
    [
      "a change of another type",
      async (table) => {
        await table.write(put({ ...at("y"), x: "text" }));
        await table.write({ change: at("y"), add: { x: 1 }, when: "present", otherwise: refused("y") }, put(at("z")));
      },
    ],
  ];
  it.each(calls)("are those of the engine: %s", async (_, call) => {
    expect(await outcomeOf(() => call(overlay(below.open(newMeter()))))).toEqual(await outcomeOf(() => call(real)));
  });
});

describe("an overlay", () => {
  it("reads the items of a transaction at one instant, in one round trip, and uses no write units", async () => {
    await real.write(put(at("a")), put(at("b")));
    const before = { ...meter.cost };
    const tried = overlay(real);
    await tried.write({ remove: at("a"), when: "present", otherwise: refused("a") }, put(at("c")));
    await tried.write(put(at("a")), put(at("c"), "present"));
    expect(meter.cost).toMatchObject({
      calls: before.calls + 1,
      roundTrips: before.roundTrips + 1,
      writeUnits: before.writeUnits,
    });
  });

  it("reads nothing for what has no condition, and the key alone of a password hash", async () => {
    const tried = overlay(real);
    await tried.write(put(at("a"), "any"), { remove: at("b"), when: "any", otherwise: refused("b") });
    expect(meter.cost.calls).toBe(0);
    const secret = { PK: "T#a.example#CRED#id", SK: "A" };
    await real.write(put({ ...secret, passwordHash: "hash" }));
    const found: unknown[] = [];
    const otherwise = (item: Item | undefined) => {
      found.push(item);
      return new Refused();
    };
    await expect(tried.write({ ...put(secret), otherwise })).rejects.toThrow(Refused);
    expect(found).toEqual([secret]);
  });

  it("lets the table compare what it may not read, and writes nothing", async () => {
    const secret = { PK: "T#a.example#CRED#former", SK: "A" };
    await real.write(put({ ...secret, p0: "digest" }));
    const change = (value: string): Step => ({
      change: secret,
      push: { value, through: ["p0", "p1"] },
      when: { unlike: { p0: value, p1: value } },
      otherwise: refused("former"),
    });
    const tried = overlay(real);
    await expect(tried.write(change("digest"))).rejects.toThrow("former");
    await tried.write(change("another"));
    // What it has written itself, it knows.
    await expect(tried.write(change("another"))).rejects.toThrow("former");
    expect(await real.get(secret)).toEqual({ ...secret, p0: "digest" });
    await tried.flush();
    expect(await real.get(secret)).toEqual({ ...secret, p0: "another", p1: "digest" });
  });

  it("tries concurrent writes one after the other", async () => {
    const tried = overlay(real);
    const writes = Array.from({ length: 20 }, (_, id) => tried.write(put({ ...at("a"), id })));
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(tried.pending()).toHaveLength(1);
    await Promise.all(Array.from({ length: 20 }, () => tried.count(at("n"), { n: 1 })));
    expect(await tried.get(at("n"))).toEqual({ ...at("n"), n: 20 });
  });

  it("forgets what it kept", async () => {
    const tried = overlay(real);
    await tried.write(put(at("a")));
    tried.discard();
    expect(await tried.get(at("a"))).toBeUndefined();
    await tried.flush();
    expect(await real.get(at("a"))).toBeUndefined();
  });

  it("writes what it kept with further steps in the last transaction, or with these alone", async () => {
    const tried = overlay(real);
    await tried.write(put(at("a")));
    await tried.write(put(at("b")));
    const calls = meter.cost.calls;
    await tried.flush([put(at("record"))]);
    expect(meter.cost.calls - calls).toBe(2);
    await tried.flush([put(at("another"))]);
    expect(meter.cost.calls - calls).toBe(3);
    const found = (await real.queryAll({ PK, limit: 9 })).map(({ SK }) => SK);
    expect(found).toEqual(["a", "another", "b", "record"]);
  });

  it("keeps what another writer made impossible, and writes nothing of that transaction", async () => {
    const tried = overlay(real);
    await tried.write(put(at("a")));
    await tried.write(put(at("b")));
    await tried.write(put(at("c")));
    await real.write(put({ ...at("b"), of: "another" }));
    await expect(tried.flush([put(at("record"))])).rejects.toThrow("b");
    expect(tried.pending()).toHaveLength(2);
    expect((await real.queryAll({ PK, limit: 9 })).map(({ SK }) => SK)).toEqual(["a", "b"]);
  });

  it("shows a change of another writer to an attempt that was stale", async () => {
    await real.write(put({ ...at("a"), ver: 1 }));
    const tried = overlay(real);
    const seen: unknown[] = [];
    await whileStale(async (before) => {
      const ver = Number((await tried.get(at("a")))?.ver);
      seen.push(ver);
      if (before === 0) await real.write(put({ ...at("a"), ver: 2 }, "present"));
      await tried.write({ change: at("a"), set: { ver: ver + 1 }, when: { equal: { ver } }, otherwise: stale });
    });
    expect(seen).toEqual([1, 2]);
    expect(await tried.get(at("a"))).toEqual({ ...at("a"), ver: 3 });
  });
});
