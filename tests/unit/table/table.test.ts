/** The contract of the table, on the embedded engine. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { FIRST, type Item, type Key, LAST, type Step, type Table, type When } from "#core/database/table/table.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";

let made: TestTable;
let table: Table;
let meter = newMeter();
beforeAll(async () => {
  made = await testTable();
});

let partitions = 0;
let PK = "";
beforeEach(() => {
  partitions += 1;
  PK = `partition-${partitions}`;
  meter = newMeter();
  table = made.open(meter);
});

class Refused extends Error {}
const refused = (why: string) => () => new Refused(why);
const at = (SK: string): Key => ({ PK, SK });
const put = (item: Item | Key, when: When = "absent", why = item.SK): Step => ({
  put: { ...item },
  when,
  otherwise: refused(why),
});
const many = async (count: number, from = 0): Promise<void> => {
  for (let start = 0; start < count; start += 100) {
    const size = Math.min(100, count - start);
    await table.write(
      ...Array.from({ length: size }, (_, index) => put(at(String(from + start + index).padStart(4, "0")))),
    );
  }
};

describe("get", () => {
  it("returns an item with every kind of value, or undefined", async () => {
    const item = {
      ...at("a"),
      text: "é😀",
      empty: "",
      number: 1.5,
      yes: true,
      nothing: null,
      bytes: new Uint8Array([1, 2]),
      set: new Set(["x", "y"]),
      list: [1, "a", { b: 2 }],
      map: { deep: { deeper: "v" } },
    };
    await table.write(put({ ...item, left: undefined }));
    expect(await table.get(at("a"))).toEqual(item);
    expect(await table.get(at("a"), { consistent: false })).toEqual(item);
    expect(await table.get(at("b"))).toBeUndefined();
  });
  it("makes a call for each item, also at the same moment: a batch promises less (decision 0141)", async () => {
    await table.write(put({ ...at("a"), text: "x".repeat(5_000) }), put({ ...at("b"), number: 2 }));
    const [calls, units] = [meter.cost.calls, meter.cost.readUnits];
    const found = await Promise.all([at("b"), at("a"), at("none"), at("b")].map((key) => table.get(key)));
    expect(found.map((item) => item?.SK)).toEqual(["b", "a", undefined, "b"]);
    expect(meter.cost).toMatchObject({ calls: calls + 4, roundTrips: 2, readUnits: units + 2 + 1 + 1 + 1 });
  });
  it("reads wholes, halves and keys at the same moment", async () => {
    await table.write(put({ ...at("a"), number: 1 }));
    const { calls } = meter.cost;
    const [whole, half, key] = await Promise.all([
      table.get(at("a")),
      table.get(at("a"), { consistent: false }),
      table.get(at("a"), { keyOnly: true }),
    ]);
    expect([whole, half, key]).toEqual([{ ...at("a"), number: 1 }, { ...at("a"), number: 1 }, at("a")]);
    expect(meter.cost).toMatchObject({ calls: calls + 3, roundTrips: 2 });
  });
  it("refuses a wrong key without the others", async () => {
    await table.write(put({ ...at("a"), number: 1 }));
    const [wrong, right] = await Promise.allSettled([table.get({ PK, SK: "" }), table.get(at("a"))]);
    expect([wrong.status, right.status]).toEqual(["rejected", "fulfilled"]);
  });
});

describe("keys", () => {
  it.each([
    ["an empty sort key", { PK: "p", SK: "" }],
    ["an empty partition key", { PK: "", SK: "s" }],
    ["a sort key over 1,024 bytes", { PK: "p", SK: "é".repeat(513) }],
    ["a partition key over 2,048 bytes", { PK: "x".repeat(2_049), SK: "s" }],
    ["half an emoji", { PK: "p", SK: "\ud83d" }],
  ])("rejects %s in every method", async (_, key) => {
    const otherwise = refused("");
    const calls = [
      () => table.get(key),
      () => table.getMany([key]),
      () => table.snapshot([key]),
      () => table.write({ put: { ...key }, when: "absent", otherwise }),
      () => table.write({ change: key, set: { a: 1 }, when: "present", otherwise }),
      () => table.write({ remove: key, when: "present", otherwise }),
      () => table.write({ check: key, when: "present", otherwise }),
      () => table.count(key, { n: 1 }),
      () => table.forget(key),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow(RangeError);
    expect(meter.cost.calls).toBe(0);
  });

  it("accepts the longest keys", async () => {
    const longest = { PK: "x".repeat(2_048), SK: "é".repeat(512) };
    await table.write(put(longest));
    expect(await table.get(longest)).toEqual(longest);
    await table.forget(longest);
  });
});

describe("getMany", () => {
  it("returns items in the order of the keys, with gaps and repetitions, in one round trip", async () => {
    await many(250);
    const before = { ...meter.cost };
    const numbers = Array.from({ length: 250 }, (_, index) => (index * 7) % 300);
    const keys = [...numbers, 3, 3].map((number) => at(String(number).padStart(4, "0")));
    const items = await table.getMany(keys);
    expect(items).toEqual(keys.map((key) => (Number(key.SK) < 250 ? key : undefined)));
    expect(meter.cost.calls - before.calls).toBe(3);
    expect(meter.cost.roundTrips - before.roundTrips).toBe(1);
    expect(await table.getMany([])).toEqual([]);
  });

  it("requests again what DynamoDB leaves out of a response over 16 MB", async () => {
    const big = "x".repeat(390_000);
    for (let number = 0; number < 50; number += 1) await table.write(put({ ...at(String(number)), big }));
    const items = await table.getMany(Array.from({ length: 50 }, (_, number) => at(String(number))));
    expect(items.map((item) => item?.SK)).toEqual(Array.from({ length: 50 }, (_, number) => String(number)));
  }, 20_000);
});

describe("snapshot", () => {
  it("returns up to 100 items in the order of the keys", async () => {
    await many(2);
    expect(await table.snapshot([at("0001"), at("nobody"), at("0000")])).toEqual([at("0001"), undefined, at("0000")]);
    await expect(table.snapshot(Array.from({ length: 101 }, () => at("a")))).rejects.toThrow(RangeError);
  });
});

describe("query", () => {
  const sortKeys = async (range: Omit<Parameters<Table["query"]>[0], "PK">) => {
    const { items, next } = await table.query({ PK, ...range });
    return { keys: items.map(({ SK }) => SK), next: next?.SK };
  };

  it("returns ranges with both ends, in either direction, page by page", async () => {
    await many(6);
    expect((await sortKeys({ limit: 10 })).keys).toEqual(["0000", "0001", "0002", "0003", "0004", "0005"]);
    expect(await sortKeys({ from: "0001", to: "0003", limit: 10 })).toEqual({
      keys: ["0001", "0002", "0003"],
      next: undefined,
    });
    expect(await sortKeys({ from: "0001", limit: 2, backwards: true })).toEqual({
      keys: ["0005", "0004"],
      next: "0004",
    });
    expect((await sortKeys({ from: "0001", limit: 9, backwards: true, after: at("0004") })).keys).toEqual([
      "0003",
      "0002",
      "0001",
    ]);
    expect((await sortKeys({ limit: 9, after: at("0004"), consistent: false })).keys).toEqual(["0005"]);
    expect((await sortKeys({ limit: 9, after: at("00035") })).keys).toEqual(["0004", "0005"]);
    expect(await sortKeys({ from: "2", to: "1", limit: 9 })).toEqual({ keys: [], next: undefined });
  });

  it("orders by UTF-8 bytes and finds every key with a prefix", async () => {
    const names = ["A", "Z", "a", "ab", `a${FIRST}`, "a😀", "a\uff21", "b", "é"];
    await table.write(...names.map((name) => put(at(name))));
    expect((await sortKeys({ limit: 99 })).keys).toEqual([
      "A",
      "Z",
      "a",
      `a${FIRST}`,
      "ab",
      "a\uff21",
      "a😀",
      "b",
      "é",
    ]);
    expect((await sortKeys({ from: "a", to: `a${LAST}`, limit: 99 })).keys).toEqual([
      "a",
      `a${FIRST}`,
      "ab",
      "a\uff21",
      "a😀",
    ]);
  });

  it.each([0, -1, 10_001, Number.NaN])("rejects limit %d", async (limit) => {
    await expect(table.query({ PK, limit })).rejects.toThrow(RangeError);
  });

  it("rejects a key outside the range to continue after", async () => {
    const range = { PK, from: "b", to: "d", limit: 1 };
    for (const after of [at("a"), at("e"), { PK: "other", SK: "c" }]) {
      await expect(table.query({ ...range, after })).rejects.toThrow(RangeError);
    }
  });

  it("reads the whole range, or its first items, page after page", async () => {
    await many(25);
    const items = await table.queryAll({ PK, limit: 10 });
    expect(items.map(({ SK }) => Number(SK))).toEqual(Array.from({ length: 25 }, (_, index) => index));
    expect(await table.queryAll({ PK, limit: 10, after: at("0019"), to: "0022" })).toHaveLength(3);
    const calls = meter.cost.calls;
    expect((await table.queryAll({ PK, limit: 10 }, 15)).map(({ SK }) => SK)).toEqual(
      items.slice(0, 15).map(({ SK }) => SK),
    );
    expect(meter.cost.calls - calls).toBe(2);
    expect(await table.queryAll({ PK, limit: 10 }, 0)).toEqual([]);
  });
});

describe("write", () => {
  const holds = (when: When) => table.write({ check: at("a"), when, otherwise: refused("it does not hold") });

  it("checks each kind of condition against the current item", async () => {
    await expect(holds("present")).rejects.toThrow(Refused);
    await expect(holds({})).rejects.toThrow(Refused);
    await holds("absent");
    await table.write(put({ ...at("a"), id: "1", v: 3, hi: "m" }));
    await expect(holds("absent")).rejects.toThrow(Refused);
    await holds("present");
    await holds({ equal: { id: "1", v: 3 }, above: { hi: "k" } });
    await expect(holds({ equal: { id: "2" } })).rejects.toThrow(Refused);
    await expect(holds({ equal: { id: "1", v: 4 } })).rejects.toThrow(Refused);
    await expect(holds({ equal: { other: "1" } })).rejects.toThrow(Refused);
    await expect(holds({ above: { hi: "m" } })).rejects.toThrow(Refused);
    await holds({ above: { hi: "lé😀" } });
  });

  it("has no condition with `any`: replaces an item, removes a missing one", async () => {
    const otherwise = refused("asked");
    for (const value of [1, 2]) await table.write({ put: { ...at("a"), value }, when: "any", otherwise });
    await table.write({ change: at("a"), set: { more: true }, when: "any", otherwise });
    expect(await table.get(at("a"))).toEqual({ ...at("a"), value: 2, more: true });
    for (let again = 0; again < 2; again += 1) await table.write({ remove: at("a"), when: "any", otherwise });
    expect(await table.get(at("a"))).toBeUndefined();
    await expect(table.write({ check: at("a"), when: "any", otherwise })).rejects.toThrow("a check needs a condition");
  });

  it("sets, adds, takes, clears and removes", async () => {
    await table.write(put({ ...at("a"), n: 1, k: new Set(["x"]), old: "o", name: "reserved word" }));
    const otherwise = refused("");
    const sets = { k: new Set(["y", "z"]) };
    await table.write({
      change: at("a"),
      set: { name: "n", status: "s" },
      add: { n: 2, ...sets },
      clear: ["old"],
      when: "present",
      otherwise,
    });
    expect(await table.get(at("a"))).toEqual({ ...at("a"), n: 3, k: new Set(["x", "y", "z"]), name: "n", status: "s" });
    await table.write({ change: at("a"), take: { k: new Set(["x", "y", "z", "never"]) }, when: "present", otherwise });
    expect(await table.get(at("a"))).toEqual({ ...at("a"), n: 3, name: "n", status: "s" });
    await table.write({ remove: at("a"), when: { equal: { n: 3 } }, otherwise });
    expect(await table.get(at("a"))).toBeUndefined();
  });

  it("uses one attribute in condition and change", async () => {
    await table.write(put({ ...at("a"), v: 1 }));
    const change = (v: number): Step => ({
      change: at("a"),
      set: { v },
      when: { equal: { v: v - 1 } },
      otherwise: refused("v"),
    });
    await table.write(change(2));
    await expect(table.write(change(2))).rejects.toThrow("v");
  });

  it("applies all steps or none, and the first failed step decides the error", async () => {
    await table.write(put(at("b")), put(at("c")));
    const steps = [put(at("a")), put(at("b"), "absent", "the first"), put(at("c"), "absent", "the second")];
    await expect(table.write(...steps)).rejects.toThrow("the first");
    expect(await table.get(at("a"))).toBeUndefined();
  });

  it("passes the current item to a failed step", async () => {
    const there = { ...at("a"), id: "1", n: 2, k: new Set(["x"]), map: { list: [1, "b"] } };
    await table.write(put(there));
    const found: (Item | undefined)[] = [];
    const tell = (item: Item | undefined) => {
      found.push(item);
      return new Refused();
    };
    await expect(table.write({ ...put(at("a")), otherwise: tell })).rejects.toThrow(Refused);
    await expect(table.write({ remove: at("nobody"), when: "present", otherwise: tell })).rejects.toThrow(Refused);
    expect(found).toEqual([there, undefined]);
  });

  it("succeeds when a step recognises that it was applied", async () => {
    await table.write(put({ ...at("a"), id: "1" }));
    await table.write({
      put: { ...at("a"), id: "1" },
      when: "absent",
      otherwise: (found) => (found?.id === "1" ? "applied" : new Refused()),
    });
  });

  it("accepts 1 to 100 steps", async () => {
    await expect(table.write()).rejects.toThrow(RangeError);
    await many(100);
    await expect(table.write(...Array.from({ length: 101 }, (_, step) => put(at(`x${step}`))))).rejects.toThrow(
      RangeError,
    );
    expect(await table.queryAll({ PK, limit: 200 })).toHaveLength(100);
  });

  it("lets exactly one of 50 writers create an item", async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, id) => table.write(put({ ...at("a"), id }))),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describe("count and forget", () => {
  it("counts from nothing, together with attributes", async () => {
    expect(await table.count(at("a"), { n: 2 })).toEqual({ ...at("a"), n: 2 });
    expect(await table.count(at("a"), { n: 3 }, { until: 9 })).toEqual({ ...at("a"), n: 5, until: 9 });
    await Promise.all(Array.from({ length: 20 }, () => table.count(at("a"), { n: 1 })));
    expect(await table.get(at("a"))).toMatchObject({ n: 25 });
  });

  it("removes an existing and a missing item", async () => {
    await many(1);
    await table.forget(at("0000"));
    await table.forget(at("0000"));
    expect(await table.get(at("0000"))).toBeUndefined();
  });
});

describe("the meter", () => {
  it("counts calls, units, and concurrent calls as one round trip", async () => {
    await table.write(put({ ...at("a"), text: "x".repeat(1_100) }));
    expect(meter.cost).toEqual({ calls: 1, roundTrips: 1, readUnits: 0, writeUnits: 4 });
    await Promise.all([table.get(at("a")), table.get(at("a"), { consistent: false }), table.query({ PK, limit: 5 })]);
    expect(meter.cost).toEqual({ calls: 4, roundTrips: 2, readUnits: 2.5, writeUnits: 4 });
    await table.snapshot([at("a"), at("b")]);
    expect(meter.cost).toEqual({ calls: 5, roundTrips: 3, readUnits: 6.5, writeUnits: 4 });
    await expect(table.write(put(at("a")))).rejects.toThrow(Refused);
    expect(meter.cost).toMatchObject({ calls: 6, roundTrips: 4 });
  });
});
