/** The cost of the name index in round trips and capacity units (decision 0004). */
import { beforeAll, describe, expect, it } from "vitest";
import { layout } from "#core/database/table/name-index/items.ts";
import { foldName } from "#core/kernel/fold.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { seeded } from "#tests/support/hostile-database.ts";
import {
  freshKeys,
  letters,
  load,
  named,
  type OpenIndex,
  openIndex,
  released,
  renamed,
  user,
} from "./name-index.support.ts";

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

describe("the cost of the name index", () => {
  const size = 6_000;
  let metered: OpenIndex;
  let names: string[] = [];
  beforeAll(async () => {
    const random = seeded(7);
    const pick = () => letters[Math.floor(random() * 26)] ?? "";
    const made = Array.from({ length: size * 1.01 }, () =>
      foldName(`${pick()}${pick()}${pick()}.${pick().repeat(5)}${Math.floor(random() * 1e8)}`),
    );
    names = [
      ...new Set([...made, ...Array.from({ length: 2_000 }, (_, at) => `dan.ovabel${String(at).padStart(6, "0")}`)]),
    ].sort();
    const keys = freshKeys();
    await load(
      table,
      layout(
        keys,
        names.map((key) => ({ key, id: `00000000-0000-7000-8000-${key.slice(0, 12).padStart(12, "0")}` })),
      ),
    );
    metered = openIndex(table, {}, keys);
  });

  it("stays within the budget for every read", async () => {
    const { index, costOf } = metered;
    const window = { offset: 0, limit: 100 };
    const half = { offset: names.length / 2, limit: 100 };
    expect(await costOf(() => index.find(names[5] ?? ""))).toMatchObject({ roundTrips: 1, readUnits: 1 });
    expect(await costOf(() => index.total())).toMatchObject({ roundTrips: 1, readUnits: 1 });
    expect(await costOf(() => index.page(window))).toMatchObject({ roundTrips: 2 });
    // Directory 1; up to a range (about 175 entries) and a page of about 84 bytes each.
    expect((await costOf(() => index.page(half))).readUnits).toBeLessThanOrEqual(1 + 7);
    expect((await costOf(() => index.page({ ...half, consistent: false }))).readUnits).toBeLessThanOrEqual(4);
    expect(await costOf(() => index.page({ ...half, backwards: true }))).toMatchObject({ roundTrips: 2 });
    expect(await costOf(() => index.after("m", 100))).toMatchObject({ roundTrips: 1, readUnits: 2 });
    expect(await costOf(() => index.rank("m"))).toMatchObject({ roundTrips: 2, readUnits: 2 });
    expect(await costOf(() => index.startsWith("abc", window))).toMatchObject({ roundTrips: 1, readUnits: 1 });
    const many = await costOf(() => index.startsWith("dan.", window));
    expect(many.roundTrips).toBe(3);
    // 1,000 entries, directory, two leaves.
    expect(many.readUnits).toBeLessThanOrEqual(21 + 1 + 2);
    const deep = await costOf(() => index.startsWith("dan.", { offset: 1_500, limit: 100 }));
    expect(deep.roundTrips).toBe(2);
    expect(deep.readUnits).toBeLessThanOrEqual(1 + 2 + 11);
    const search = await costOf(() => index.search((key) => key.includes("xx"), { ...window, consistent: false }));
    expect(search.roundTrips).toBe(3);
    // Half a unit per range, directory, and half a unit per entry shown.
    expect(search.readUnits).toBeLessThanOrEqual(names.length / 150 / 2 + 1 + 50);
    expect(
      (await costOf(() => index.search(() => true, { offset: 0, limit: 0, prefix: "abc" }))).readUnits,
    ).toBeLessThanOrEqual(3);
  });

  it("stays within the budget for every write", async () => {
    const { index, costOf } = metered;
    const create = await costOf(() => index.create(named("cost.new1", "cost-1", [user("cost-1")])));
    expect(create.roundTrips).toBe(2);
    expect(create.readUnits).toBe(0.5);
    expect(create.writeUnits).toBeLessThanOrEqual(14);
    const within = await costOf(() => index.rename(renamed("cost.new1", "cost.new2", "cost-1")));
    expect(within.roundTrips).toBe(3);
    expect(within.writeUnits).toBeLessThanOrEqual(15);
    const near = await index.locate("cost.new3");
    expect(
      (await costOf(() => index.rename({ ...renamed("cost.new2", "cost.new3", "cost-1"), near }))).roundTrips,
    ).toBe(2);
    const across = await costOf(() => index.rename(renamed("cost.new3", "zz.new4", "cost-1")));
    expect(across.roundTrips).toBe(2);
    expect(across.writeUnits).toBeLessThanOrEqual(24);
    const remove = await costOf(() => index.remove(released("zz.new4", "cost-1")));
    expect(remove.roundTrips).toBe(2);
    expect(remove.writeUnits).toBeLessThanOrEqual(13);
    const bulk = Array.from({ length: 49 }, (_, at) => named(`cost.bulk${at}`, `bulk-${at}`, [user(`bulk-${at}`)]));
    const many = await costOf(() => index.createMany(bulk));
    expect(many.roundTrips).toBe(2);
    expect(many.writeUnits / 49).toBeLessThanOrEqual(4.3);
    expect(await index.audit()).toEqual([]);
  });
});
