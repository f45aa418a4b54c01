/** Rows that are held between a read and the transaction that is based on it, on the embedded engine. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { newRowWatch, type RowWatch } from "#core/database/table/row-watch.ts";
import { stale, whileStale } from "#core/database/table/stale.ts";
import type { Item, Key, Step, Table, When } from "#core/database/table/table.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";

let made: TestTable;
/** The table of another request. */
let other: Table;
let meter = newMeter();
let watch: RowWatch;
let table: Table;
let PK = "";
let partitions = 0;
beforeAll(async () => {
  made = await testTable();
  other = made.open(newMeter());
});
beforeEach(async () => {
  partitions += 1;
  PK = `partition-${partitions}`;
  meter = newMeter();
  watch = newRowWatch();
  table = made.open({ ...meter, wrap: watch.wrap });
  await other.write(put({ ...at("versioned"), ver: 1, text: "a" }), put({ ...at("plain"), isActive: true, text: "a" }));
});

class Changed extends Error {}
const changed = () => new Changed();
const at = (SK: string): Key => ({ PK, SK });
const put = (item: Item, when: When = "any"): Step => ({ put: item, when, otherwise: stale });
const versioned = (ver: number, text: string, when: When = "any") => put({ ...at("versioned"), ver, text }, when);
const textOf = async (SK: string) => (await other.get(at(SK)))?.text;

test("without hold, the table is as it was", async () => {
  await table.get(at("versioned"));
  await other.write(versioned(2, "b"));
  await table.write(versioned(3, "c"));
  expect(await textOf("versioned")).toBe("c");
});

test("the next read of a row costs nothing, the one after it reads again", async () => {
  const before = await table.get(at("versioned"));
  expect(await table.get(at("absent"))).toBeUndefined();
  watch.hold(changed);
  const calls = meter.cost.calls;
  expect(await table.get(at("versioned"))).toEqual(before);
  expect(await table.get(at("absent"))).toBeUndefined();
  expect(meter.cost.calls).toBe(calls);
  expect(await table.get(at("versioned"))).toEqual(before);
  expect(meter.cost.calls).toBe(calls + 1);
});

describe("a row that another request has changed since", () => {
  test.each<[string, string, () => Promise<void>]>([
    ["a new version", "versioned", () => other.write(versioned(2, "b"))],
    [
      "other attributes, without a version",
      "plain",
      () => other.write(put({ ...at("plain"), isActive: false, text: "b" })),
    ],
    ["removed", "plain", () => other.forget(at("plain"))],
    ["created", "absent", () => other.write(put({ ...at("absent"), text: "b" }))],
  ])("%s: no transaction writes to it, whatever its condition", async (_, SK, change) => {
    for (const when of ["any", "present", "absent", { equal: {} }] as const) {
      const own = newRowWatch();
      const mine = made.open({ ...newMeter(), wrap: own.wrap });
      await mine.get(at(SK));
      own.hold(changed);
      await change();
      const now = await other.get(at(SK));
      await expect(mine.write({ change: at(SK), set: { text: "mine" }, when, otherwise: changed })).rejects.toThrow(
        Changed,
      );
      expect(await other.get(at(SK))).toEqual(now);
      // As it was, for the next condition.
      await other.forget(at("absent"));
      await other.write(versioned(1, "a"), put({ ...at("plain"), isActive: true, text: "a" }));
    }
  });
  test.each(["get", "getMany", "snapshot", "query", "queryAll"] as const)("%s throws", async (read) => {
    const reads = {
      get: () => table.get(at("versioned")),
      getMany: () => table.getMany([at("versioned")]),
      snapshot: () => table.snapshot([at("versioned")]),
      query: () => table.query({ PK, limit: 10 }),
      queryAll: () => table.queryAll({ PK, limit: 10 }),
    };
    await reads[read]();
    watch.hold(changed);
    await other.write(versioned(2, "b"));
    // What was read by its key is returned once more, from before the change.
    if (read !== "query" && read !== "queryAll") await table.get(at("versioned"));
    await expect(reads[read]()).rejects.toThrow(Changed);
  });
  test("a store that decides again on the current state does not get to do so", async () => {
    await table.get(at("versioned"));
    watch.hold(changed);
    const attempts: unknown[] = [];
    const update = whileStale(async () => {
      const found = await table.get(at("versioned"));
      attempts.push(found?.ver);
      await other.write(versioned(2, "b"));
      await table.write(versioned(Number(found?.ver) + 1, "mine", { equal: { ver: Number(found?.ver) } }));
    });
    await expect(update).rejects.toThrow(Changed);
    expect([attempts, await textOf("versioned")]).toEqual([[1], "b"]);
  });
});

describe("a row that is as it was", () => {
  test("is written, and then no longer held", async () => {
    await table.get(at("versioned"));
    await table.get(at("plain"));
    watch.hold(changed);
    await table.write(versioned(2, "mine", "present"), { check: at("plain"), when: "present", otherwise: changed });
    await other.write(versioned(3, "b"));
    expect((await table.get(at("versioned")))?.text).toBe("b");
  });
  test("stays held while the request writes other rows", async () => {
    await table.get(at("versioned"));
    watch.hold(changed);
    await table.write(put({ ...at("another"), text: "x" }));
    await other.write(versioned(2, "b"));
    await expect(table.write(versioned(3, "mine"))).rejects.toThrow(Changed);
  });
  test("keeps the errors of the other conditions of its steps", async () => {
    await table.get(at("versioned"));
    watch.hold(changed);
    const own = new Error("own");
    const step: Step = {
      change: at("versioned"),
      set: { text: "x" },
      when: { equal: { text: "z" } },
      otherwise: () => own,
    };
    await expect(table.write(step)).rejects.toBe(own);
    const applied: Step = { ...step, otherwise: () => "applied" };
    await expect(table.write(applied)).resolves.toBeUndefined();
  });
  test("rows that were not read are not held", async () => {
    await table.get(at("versioned"), { consistent: false });
    await table.getMany([at("versioned")], { consistent: false });
    await table.query({ PK, limit: 10, consistent: false });
    await table.get(at("versioned"), { keyOnly: true });
    watch.hold(changed);
    await other.write(versioned(2, "b"));
    await table.write(versioned(3, "c"));
    expect(await textOf("versioned")).toBe("c");
  });
});

test("refuse: nothing is written", async () => {
  watch.refuse(changed);
  await expect(table.write(versioned(2, "b"))).rejects.toThrow(Changed);
  expect(await textOf("versioned")).toBe("a");
});
