/** A change that is held back until its response is known (decision 0086), on the embedded engine. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deferral } from "#core/database/table/deferral.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { isStale } from "#core/database/table/stale.ts";
import type { Item, Key, Step, Table } from "#core/database/table/table.ts";
import { early, leftToOthers } from "#core/database/table/timing.ts";
import { Fault } from "#core/kernel/faults.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";

class Taken extends Error {}
let made: TestTable;
beforeAll(async () => {
  made = await testTable();
});

let PK = "";
let tables = 0;
let meter = newMeter();
let table: Table;
beforeEach(() => {
  tables += 1;
  PK = `partition-${tables}`;
  meter = newMeter();
  table = made.open(meter);
});

const at = (SK: string): Key => ({ PK, SK });
const put = (SK: string, more: Partial<Item> = {}): Step => ({
  put: { ...at(SK), ...more },
  when: "absent",
  otherwise: () => new Taken(SK),
});
const ANSWER = "answer";
const answer = (): Step => put(ANSWER);
const stored = async (): Promise<string[]> =>
  (await made.open(newMeter()).queryAll({ PK, limit: 100 })).map(({ SK }) => SK);
const never = (defect: unknown) => {
  throw defect;
};

describe("a change", () => {
  test("is seen by its request, and stored with its answer only", async () => {
    const held = deferral(table);
    expect(held.hasChange()).toBe(false);
    await held.table.write(put("a"), put("b"));
    expect(await held.table.get(at("a"))).toEqual(at("a"));
    expect([held.hasChange(), await stored()]).toEqual([true, []]);
    expect(meter.cost.writeUnits).toBe(0);
    await held.commit(answer(), never);
    expect(await stored()).toEqual(["a", ANSWER, "b"]);
  });

  test("that fails is not stored, nor is its answer", async () => {
    await table.write(put("b"));
    const held = deferral(table);
    await expect(held.table.write(put("a"), put("b"))).rejects.toThrow(Taken);
    await held.table.write(put("c"));
    held.discard();
    await held.commit(answer(), never);
    expect(await stored()).toEqual([ANSWER, "b"]);
  });

  test("is stale where anything has changed since: nothing is stored, and it starts again", async () => {
    const held = deferral(table);
    await held.table.write(put("a"), put("b"));
    await table.write(put("b"));
    const error = await held.commit(answer(), never).catch((thrown: unknown) => thrown);
    expect(isStale(error)).toBe(true);
    expect(await stored()).toEqual(["b"]);
  });

  test("is not stored where another attempt has the key, whatever else fails", async () => {
    const held = deferral(table);
    await held.table.write(put("a"));
    await table.write(put("a"), answer());
    await expect(held.commit(answer(), never)).rejects.toThrow(ANSWER);
  });

  test("of no write at all stores its answer", async () => {
    await deferral(table).commit(answer(), never);
    expect(await stored()).toEqual([ANSWER]);
  });

  test("is the last transaction: what prepares it comes before, one by one", async () => {
    const held = deferral(table);
    await held.table.write(put("a1"));
    await held.table.write(put("b"));
    await table.write(put("b"));
    expect(isStale(await held.commit(answer(), never).catch((thrown: unknown) => thrown))).toBe(true);
    expect(await stored()).toEqual(["a1", "b"]);
  });
});

describe("a reservation", () => {
  test("takes effect at once", async () => {
    const held = deferral(table);
    await early(held.table).write(put("a"));
    expect([await stored(), held.hasChange()]).toEqual([["a"], false]);
    await held.table.write(put("b"));
    held.discard();
    expect(await stored()).toEqual(["a"]);
  });
});

describe("what is left to others", () => {
  test("comes after the change, in its order, and does not fail it", async () => {
    const held = deferral(table);
    await held.table.write(put("a"));
    const parts = leftToOthers(held.table);
    await Promise.all([parts.write(put("p1")), parts.write(put("p2")), parts.write(put("p3"))]);
    await leftToOthers(held.table).write(put("z"));
    // Somebody did one of the parts, with another result: the end must not be written.
    await table.write(put("p2"));
    const defects: unknown[] = [];
    await held.commit(answer(), (defect) => defects.push(defect));
    expect(defects).toEqual([expect.any(Taken)]);
    const all = await stored();
    expect(all).toEqual(expect.arrayContaining(["a", ANSWER, "p2"]));
    expect(all).not.toContain("z");
  });

  test("ends without a word where a fault of the service stops it", async () => {
    const held = deferral(table);
    await held.table.write(put("a"));
    const busy: Step = { ...put("p"), otherwise: () => new Fault("service.unavailable", "busy") };
    await leftToOthers(held.table).write(busy);
    await table.write(put("p"));
    await held.commit(answer(), never);
    expect(await stored()).toEqual(["a", ANSWER, "p"]);
  });

  test("is no change by itself", async () => {
    const held = deferral(table);
    await leftToOthers(held.table).write(put("p"));
    await held.table.forget(at("q"));
    expect(held.hasChange()).toBe(false);
    await held.commit(answer(), never);
    expect(await stored()).toEqual([ANSWER, "p"]);
  });
});
