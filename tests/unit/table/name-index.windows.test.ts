/** Windows that are returned before they are counted, and lists that are too long to be returned. */
import { beforeAll, expect, test } from "vitest";
import { layout } from "#core/database/table/name-index/items.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { freshKeys, keysIn, load, type OpenIndex, openIndex } from "./name-index.support.ts";

const MATCHES = 1_300;
const names = [
  ...Array.from({ length: MATCHES }, (_, at) => `taxi.${String(at).padStart(5, "0")}`),
  ...Array.from({ length: 40 }, (_, at) => `uncle.${String(at).padStart(2, "0")}`),
];

let table: TestTable;
let opened: OpenIndex;
beforeAll(async () => {
  table = await testTable();
  const keys = freshKeys();
  await load(
    table,
    layout(
      keys,
      names.map((key) => ({ key, id: `id ${key}` })),
    ),
  );
  opened = openIndex(table, {}, keys);
});

test("returns the entries of a prefix before it has counted more than 1,000 matches", async () => {
  const { index, costOf } = opened;
  const window = { offset: 5, limit: 10 };
  let counting: Promise<number> | undefined;
  const first = await costOf(async () => {
    const { entries, total } = await index.startingWith("taxi.", window);
    expect(keysIn(entries)).toEqual(names.slice(5, 15));
    counting = total;
  });
  expect(first.roundTrips).toBeLessThanOrEqual(2);
  expect(await counting).toBe(MATCHES);
  expect(await costOf(() => index.startsWith("taxi.", window))).toMatchObject({ roundTrips: 3 });
});

test("returns the same with both reads of a prefix", async () => {
  const { index } = opened;
  for (const prefix of ["", "taxi.", "taxi.0000", "uncle.", "u", "nobody", "\ud83d"]) {
    for (const window of [
      { offset: 0, limit: 7 },
      { offset: 3, limit: 2_000 },
      { offset: 1_100, limit: 50, backwards: true },
      { offset: 0, limit: 0 },
    ]) {
      const { entries, total } = await index.startingWith(prefix, window);
      expect({ entries, total: await total }).toEqual(await index.startsWith(prefix, window));
    }
  }
});

test("returns only the length of a list that is too long", async () => {
  const { index, costOf } = opened;
  const window = { offset: 0, limit: 2_000 };
  const everyone = (key: string) => key !== "";
  for (const most of [MATCHES - 1, 10]) {
    expect(await index.page({ ...window, most })).toEqual({ entries: [], total: names.length });
    expect(await index.startsWith("taxi.", { ...window, most })).toEqual({ entries: [], total: MATCHES });
    expect(await index.search(everyone, { ...window, most })).toEqual({ entries: [], total: names.length });
  }
  expect((await index.page({ ...window, most: names.length })).entries).toHaveLength(names.length);
  expect((await index.startsWith("taxi.", { ...window, most: MATCHES })).entries).toHaveLength(MATCHES);
  expect((await index.search(everyone, { ...window, most: names.length })).entries).toHaveLength(names.length);
  // The directory, and no entries.
  expect((await costOf(() => index.page({ ...window, most: 10 }))).readUnits).toBe(1);
  expect((await costOf(() => index.startsWith("taxi.", { ...window, most: 10 }))).readUnits).toBe(3);
});
