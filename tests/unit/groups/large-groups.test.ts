/** Reading all members of a large group: whatever the ids look like, each member comes once. */
import { beforeAll, describe, expect, test } from "vitest";
import { readAllMembers } from "#core/identities/memberships/all-members.ts";
import { memberRange, readMembers } from "#core/identities/memberships/membership.ts";
import { keys } from "#core/table/keys.ts";
import { newMeter } from "#core/table/meter.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { seeded } from "#tests/support/hostile-database.ts";
import { load } from "../table/name-index.support.ts";

const TENANT = "roster";
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

const crowds: Readonly<Record<string, (at: number) => string>> = {
  "made evenly over a year": (at) => idAt(began + (year * at) / MEMBERS, at),
  "made by chance": (at) => idAt(began + year * random() ** 3, at),
  "nearly all made within a second": (at) => idAt(at < 20 ? began + (year * at) / 20 : began + year / 2 + at / 10, at),
  "all made within a millisecond": (at) => idAt(began, at),
  "whose ids tell no time": (at) => `person-${at}`,
};

let made: TestTable;
beforeAll(async () => {
  made = await testTable();
  await load(
    made,
    Object.entries(crowds).flatMap(([groupId, idOf]) =>
      Array.from({ length: MEMBERS }, (_, at) => ({ ...keys.member(TENANT, groupId, idOf(at)), name })),
    ),
  );
  // Neighbours in the table that are no members.
  await load(made, [{ ...keys.group(TENANT, "whose ids tell no time"), id: "x" }]);
}, 60_000);

describe.each(Object.keys(crowds))("of users %s", (groupId) => {
  test("each comes once, and the members in order are the same", async () => {
    const meter = newMeter();
    const all = await readAllMembers(made.open(meter), TENANT, { groupId, count: MEMBERS, consistent: false });
    const ids = all.map(({ userId }) => userId);
    expect(ids).toHaveLength(MEMBERS);
    expect(new Set(ids).size).toBe(MEMBERS);
    expect(all.every((member) => member.name === name)).toBe(true);
    const inOrder = await readMembers(made.open(newMeter()), TENANT, groupId, MEMBERS * 2);
    expect(inOrder.map(({ userId }) => userId)).toEqual(ids.toSorted());
    // At half the price, and what is cut off is rounded: some 400 bytes each.
    expect(meter.cost.readUnits).toBeLessThan((MEMBERS * 440) / 4_096 / 2 + 40);
  });

  test("a count that is wrong changes nothing but the way", async () => {
    for (const count of [0, 1, MEMBERS * 3]) {
      const all = await readAllMembers(made.open(newMeter()), TENANT, { groupId, count, consistent: true });
      expect(new Set(all.map(({ userId }) => userId)).size).toBe(MEMBERS);
    }
  });
});

test("those who were made evenly are read side by side", async () => {
  const meter = newMeter();
  const call = { groupId: "made evenly over a year", count: MEMBERS, consistent: false };
  await readAllMembers(made.open(meter), TENANT, call);
  // One after the other, only the first and the last would be read at once.
  expect(meter.cost.roundTrips).toBeLessThan(meter.cost.calls - 1);
});

test("nobody comes of a group that has none", async () => {
  for (const count of [0, 20_000]) {
    expect(await readAllMembers(made.open(newMeter()), TENANT, { groupId: "none", count, consistent: true })).toEqual(
      [],
    );
  }
});

test("a part goes on behind any id, from either end", async () => {
  const groupId = "whose ids tell no time";
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
