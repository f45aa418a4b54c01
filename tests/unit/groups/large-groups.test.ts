/** Reads of all members of a large group: each member is returned once, for all kinds of ids. */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { readAllMembers } from "#core/directory/memberships/all-members.ts";
import { memberRange, readMembers } from "#core/directory/memberships/membership.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { seeded } from "#tests/support/hostile-database.ts";
import { load } from "../table/name-index.support.ts";

const TENANT = "large";
/** Long names: a megabyte holds some 2,300 of these members. */
const name = "n".repeat(300);
const MEMBERS = 7_000;

const idAt = (ms: number, number: number): string => {
  const time = Math.floor(ms).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, "0")}`;
};
const random = seeded(3);
const began = Date.UTC(2026, 0, 1);
const year = 365 * 86_400_000;

const populations: Readonly<Record<string, (at: number) => string>> = {
  "created evenly over a year": (at) => idAt(began + (year * at) / MEMBERS, at),
  "created at random times": (at) => idAt(began + year * random() ** 3, at),
  "nearly all created within a second": (at) =>
    idAt(at < 20 ? began + (year * at) / 20 : began + year / 2 + at / 10, at),
  "all created within a millisecond": (at) => idAt(began, at),
  "whose ids hold no time": (at) => `person-${at}`,
};

let made: TestTable;
beforeAll(async () => {
  made = await testTable();
  await load(
    made,
    Object.entries(populations).flatMap(([groupId, idOf]) =>
      Array.from({ length: MEMBERS }, (_, at) => ({ ...keys.member(TENANT, groupId, idOf(at)), name })),
    ),
  );
  // Other items of the group's partition.
  await load(made, [{ ...keys.group(TENANT, "whose ids hold no time"), id: "x" }]);
}, 60_000);

describe.each(Object.keys(populations))("of users %s", (groupId) => {
  test("returns each member once, the same as the read in order", async () => {
    const meter = newMeter();
    const all = await readAllMembers(made.open(meter), TENANT, { groupId, count: MEMBERS, consistent: false });
    const ids = all.map(({ userId }) => userId);
    expect(ids).toHaveLength(MEMBERS);
    expect(new Set(ids).size).toBe(MEMBERS);
    expect(all.every((member) => member.name === name)).toBe(true);
    const inOrder = await readMembers(made.open(newMeter()), TENANT, groupId, MEMBERS * 2);
    expect(inOrder.map(({ userId }) => userId)).toEqual(ids.toSorted());
    // At half the price, and each read is rounded up: some 400 bytes each.
    expect(meter.cost.readUnits).toBeLessThan((MEMBERS * 440) / 4_096 / 2 + 40);
  });

  test("returns the same members if the expected count is wrong", async () => {
    for (const count of [0, 1, MEMBERS * 3]) {
      const all = await readAllMembers(made.open(newMeter()), TENANT, { groupId, count, consistent: true });
      expect(new Set(all.map(({ userId }) => userId)).size).toBe(MEMBERS);
    }
  });
});

test("reads members concurrently whose users were created evenly over time", async () => {
  const meter = newMeter();
  const call = { groupId: "created evenly over a year", count: MEMBERS, consistent: false };
  await readAllMembers(made.open(meter), TENANT, call);
  // Sequential reads would have only the first and the last concurrently.
  expect(meter.cost.roundTrips).toBeLessThan(meter.cost.calls - 1);
});

test("returns no members for a group without members", async () => {
  for (const count of [0, 20_000]) {
    expect(await readAllMembers(made.open(newMeter()), TENANT, { groupId: "none", count, consistent: true })).toEqual(
      [],
    );
  }
});

test("continues a part after any id, from either end", async () => {
  const groupId = "whose ids hold no time";
  const ids = Array.from({ length: MEMBERS }, (_, at) => `person-${at}`).sort();
  const part = async (range: Parameters<typeof memberRange>[3]) => {
    const { members, more } = await memberRange(made.open(newMeter()), TENANT, groupId, range);
    return [members.map(({ userId }) => userId), more];
  };
  expect(await part({ limit: 3 })).toEqual([ids.slice(0, 3), true]);
  expect(await part({ limit: 2, backwards: true })).toEqual([ids.slice(-2).reverse(), true]);
  expect(await part({ limit: 5, after: "person-5", backwards: false })).toEqual([
    ids.filter((id) => id > "person-5").slice(0, 5),
    true,
  ]);
  expect(await part({ limit: 5, after: "person-99999" })).toEqual([[], false]);
  expect(await part({ limit: 5, after: ids[1], backwards: true })).toEqual([ids.slice(0, 1), false]);
});
