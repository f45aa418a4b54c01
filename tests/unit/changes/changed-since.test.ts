/** Which resources were changed since a time, by records on the engine. */
import { beforeAll, describe, expect, test } from "vitest";
import { changeIdOf, digestOfResource } from "#core/database/changes/change-id.ts";
import { changedSince } from "#core/database/changes/changed-since.ts";
import type { ResourceType } from "#core/database/changes/model.ts";
import { recordItems } from "#core/database/changes/record-rows.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Item } from "#core/database/table/table.ts";
import { newId } from "#core/kernel/ids.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { loadInto } from "#tests/support/load.ts";

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const HOUR = 3_600_000;

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

const recordAt = (tenant: string, atMs: number, id: string, type: ResourceType = "user"): Item =>
  recordItems(
    {
      id: changeIdOf(atMs, digestOfResource(type, id)),
      atMs,
      tenant,
      actor: { type: "user", id: newId(), name: "admin", signIn: "password" },
      sourceIp: "192.0.2.7",
      operation: "patchUser",
      resource: { type, id, name: `name of ${id}` },
      changes: [{ op: "replace", path: "/name/familyName", value: "Cherry", from: "Miller" }],
      traceId: newId(),
    },
    [],
    Math.floor(NOW / 1_000) + 400 * 86_400,
  ).item;

const write = (items: readonly Item[]) => loadInto(table, items);

const ask = async (tenant: string, sinceMs: number, recordDays = 400) => {
  const meter = newMeter();
  const ids = await changedSince(table.open(meter), { tenant, type: "user", sinceMs, nowMs: NOW, recordDays });
  return { ids: ids?.toSorted(), cost: meter.cost };
};

describe("changedSince", () => {
  test("finds each resource of the type once, however often it was changed", async () => {
    await write([
      recordAt("some", NOW - 9 * DAY, "old"),
      ...Array.from({ length: 300 }, (_, at) => recordAt("some", NOW - HOUR + at, `u${at % 120}`)),
      recordAt("some", NOW - HOUR, "g1", "group"),
    ]);
    const { ids, cost } = await ask("some", NOW - HOUR);
    expect(ids).toEqual(Array.from({ length: 120 }, (_, at) => `u${at}`).toSorted());
    expect(cost.roundTrips).toBe(1);
    expect((await ask("some", NOW - 8 * DAY)).ids).toHaveLength(120);
    expect((await ask("some", NOW)).ids).toEqual([]);
    expect((await ask("some", NOW + DAY)).ids).toEqual([]);
  });

  test("reads a thousand changes in one round trip", async () => {
    const items = Array.from({ length: 1_000 }, (_, at) => recordAt("thousand", NOW - HOUR + at, newId()));
    await write([recordAt("thousand", NOW - DAY, "old"), ...items]);
    const { ids, cost } = await ask("thousand", NOW - HOUR);
    expect([ids?.length, cost.roundTrips]).toEqual([1_000, 1]);
    expect(cost.readUnits).toBeLessThanOrEqual(140);
  });

  test("allows for clocks that differ by a minute", async () => {
    await write([recordAt("skew", NOW - DAY, "old"), recordAt("skew", NOW - HOUR, "late")]);
    expect((await ask("skew", NOW - HOUR + 59_000)).ids).toEqual(["late"]);
    expect((await ask("skew", NOW - HOUR + 61_000)).ids).toEqual([]);
  });

  test("does not answer for a time before the records, or before they are kept", async () => {
    await write([recordAt("young", NOW - 9 * DAY, "a"), recordAt("young", NOW - HOUR, "b")]);
    expect((await ask("young", NOW - 10 * DAY)).ids).toBeUndefined();
    expect((await ask("young", NOW - 8 * DAY)).ids).toEqual(["b"]);
    expect((await ask("young", NOW - 8 * DAY, 7)).ids).toBeUndefined();
    expect((await ask("empty", NOW - DAY)).ids).toBeUndefined();
  });

  test("does not answer for more records than it reads, and knows it early where they are many", async () => {
    const item = (at: number) => recordAt("many", NOW - 40 * DAY + at * 60_000, `u${at % 9_000}`);
    await write(Array.from({ length: 40_000 }, (_, at) => item(at)));
    const whole = await ask("many", NOW - 39 * DAY);
    expect(whole.ids).toBeUndefined();
    expect(whole.cost.roundTrips).toBe(1);
    const day = await ask("many", NOW - 40 * DAY + 35_000 * 60_000);
    expect(day.ids).toHaveLength(5_000 + 1);
    expect(day.cost.roundTrips).toBeLessThanOrEqual(3);
  }, 60_000);
});
