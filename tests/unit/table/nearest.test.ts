/** The ranges that cover keys, read together by what a container remembers of them. */
import { describe, expect, test } from "vitest";
import { NearestMemory, nearestOn } from "#core/database/table/nearest.ts";
import type { Item, Key, NearestQuery, RangeQuery } from "#core/database/table/table.ts";

const range = (PK: string, low: string, high: string): Item => ({ PK, SK: `.${low}`, hi: high });
const at = (PK: string, text: string): NearestQuery => ({ PK, from: ".", to: `.${text}` });
const covering = (text: string) => (item: Item) => String(item.hi) > text;

/** Rows that a test changes, and the calls that read them. */
const database = (...rows: Item[]) => {
  const calls: string[] = [];
  const memory = new NearestMemory();
  const open = () =>
    nearestOn(
      {
        async getMany(keys: readonly Key[], options) {
          calls.push(`get ${keys.map(({ PK, SK }) => PK + SK).join(" ")} ${options?.consistent}`);
          return keys.map(({ PK, SK }) => rows.find((row) => row.PK === PK && row.SK === SK));
        },
        async query({ PK, to = "", consistent }: RangeQuery) {
          calls.push(`query ${PK}${to} ${consistent}`);
          const found = rows.filter((row) => row.PK === PK && row.SK <= to).sort((a, b) => (a.SK < b.SK ? 1 : -1));
          return { items: found.slice(0, 1) };
        },
      },
      memory,
    );
  return { rows, calls, open };
};

describe("the range of a key", () => {
  test("is searched once, and then read by its key, with those of other partitions in one call", async () => {
    const { calls, open } = database(range("A", "", "m"), range("A", "m", "~"), range("B", "", "~"));
    for (const [PK, text] of [
      ["A", "x"],
      ["A", "c"],
      ["B", "c"],
    ] as const) {
      await open()(at(PK, text), covering(text));
    }
    expect(calls).toEqual(["query A.x false", "query A.c false", "query B.c false"]);
    calls.length = 0;
    const nearest = open();
    const found = await Promise.all([nearest(at("A", "z"), covering("z")), nearest(at("B", "q"), covering("q"))]);
    expect(found.map((item) => item?.SK)).toEqual([".m", "."]);
    expect(calls).toEqual(["get A.m B. false"]);
  });

  test("is searched again where the range was split since, and then remembered", async () => {
    const { rows, calls, open } = database(range("A", "", "~"));
    await open()(at("A", "x"), covering("x"));
    rows.splice(0, 1, range("A", "", "m"), range("A", "m", "~"));
    expect((await open()(at("A", "x"), covering("x")))?.SK).toBe(".m");
    expect((await open()(at("A", "x"), covering("x")))?.SK).toBe(".m");
    expect(calls.slice(1)).toEqual(["get A. false", "query A.x false", "get A.m false"]);
  });

  test("is searched at once where the container knows only others", async () => {
    const { calls, open } = database(range("A", "", "m"), range("A", "m", "~"));
    await open()(at("A", "c"), covering("c"));
    expect((await open()(at("A", "x"), covering("x")))?.SK).toBe(".m");
    expect(calls).toEqual(["query A.c false", "query A.x false"]);
  });

  test("is searched again where the range was joined with another, which is forgotten", async () => {
    const { rows, calls, open } = database(range("A", "", "m"), range("A", "m", "~"));
    await open()(at("A", "x"), covering("x"));
    rows.splice(0, 2, range("A", "", "~"));
    expect((await open()(at("A", "x"), covering("x")))?.SK).toBe(".");
    expect((await open()(at("A", "x"), covering("x")))?.SK).toBe(".");
    expect(calls.slice(1)).toEqual(["get A.m false", "query A.x false", "get A. false"]);
  });

  test("is never taken from the memory where the read must be consistent", async () => {
    const { calls, open } = database(range("A", "", "~"));
    await open()(at("A", "x"), covering("x"));
    await open()(at("A", "x"), covering("x"), { consistent: true });
    expect(calls).toEqual(["query A.x false", "query A.x true"]);
  });

  test("is nothing in an empty partition", async () => {
    const { open } = database();
    expect(await open()(at("A", "x"), covering("x"))).toBeUndefined();
  });
});

test("a container remembers a bounded number of ranges, and forgets the partitions that it did not use", () => {
  const memory = new NearestMemory(4);
  for (const [PK, low] of [
    ["A", "a"],
    ["A", "b"],
    ["B", "a"],
    ["B", "b"],
    ["A", "c"],
  ] as const) {
    memory.note({ PK, SK: `.${low}` });
  }
  expect(memory.guess(at("B", "z"))).toBeUndefined();
  expect(memory.guess(at("A", "bb"))?.SK).toBe(".b");
  expect(memory.guess(at("A", "z"))?.SK).toBe(".c");
  memory.drop({ PK: "A", SK: ".b" });
  expect(memory.guess(at("A", "bb"))?.SK).toBe(".a");
  expect(memory.guess({ PK: "A", from: ".b", to: ".bb" })).toBeUndefined();
});
