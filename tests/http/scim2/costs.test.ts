/** The database cost of SCIM: the benchmark on a small tenant. Counts, not times. */
import { beforeAll, expect, test } from "vitest";
import { isWithin, type Row } from "#tools/bench/report.ts";
import { measureUsers } from "#tools/bench/users.ts";

const USERS = 2_000;

let rows: readonly Row[] = [];
beforeAll(async () => {
  rows = await measureUsers(USERS);
}, 60_000);

const roundTrips = (): Record<string, number> =>
  Object.fromEntries(rows.map(({ name, cost }) => [name, cost.roundTrips]));

test("stays within each budget", () => {
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter((row) => !isWithin(row)).map(({ name, cost }) => ({ name, cost }))).toEqual([]);
});

test("reads in the fewest possible round trips", () => {
  expect(roundTrips()).toMatchObject({
    "list, first page": 3,
    "list, startIndex in the middle": 3,
    "list, count 0": 1,
    'list, userName sw "taxi."': 2,
    'list, userName co ".zq."': 4,
    "read, without groups": 1,
    "read, with groups": 1,
    "read group, some 20 members": 1,
    "find group by name": 2,
    "find groups of a user": 2,
    "list users, of a group of 200": 3,
    "list users, of a group of 200, by name": 3,
    "list users, of a group of 200, and a name": 3,
    "cursor, all users, first page": 2,
    "cursor, all users, most expensive of 10 more": 2,
    "cursor, co, first page": 4,
  });
});

test("changes in two round trips, or three where a name, a value or the members of a response need one more", () => {
  expect(roundTrips()).toMatchObject({
    create: 2,
    // The family name and the external id change.
    replace: 3,
    patch: 2,
    "patch, nothing new": 1,
    "rename, near": 3,
    "rename, far": 3,
    delete: 3,
    "create group, 3 members": 3,
    "add a member to a group of 3": 3,
    "add an existing member": 2,
    "replace group, 4 members": 3,
    "delete group, 4 members": 3,
  });
});

/** Write units: one for each kilobyte, doubled in a transaction. */
test.each([
  // Entry 2, range 2, leaf up to 8, user of two kilobytes at most 4, two lookups 4, credential 2; 4 for each index, 2 where it stands behind a log.
  ["create", 50],
  // The user and the log of its times.
  ["patch", 6],
  ["patch, nothing new", 0],
  // The member and the group, and the user of a kilobyte.
  ["add a member to a group of 200", 8],
  ["add an existing member", 0],
  ["remove a member from a group of 200", 8],
])("%s costs at most %i write units", (name, most) => {
  const { writeUnits = Number.NaN } = rows.find((row) => row.name === name)?.cost ?? {};
  expect(writeUnits).toBeLessThanOrEqual(most);
});

test("reads for a page the directory of names, its entries, its users, and the version of names", () => {
  const units = (name: string) => rows.find((row) => row.name === name)?.cost.readUnits;
  // 100 users of less than 4 KB, 1 for the directory, 1 for the version of the names, entries of about 90 bytes each.
  expect(units("list, first page")).toBeLessThanOrEqual(100 + 1 + 1 + 3);
  expect(units("list, startIndex in the middle")).toBeLessThanOrEqual(100 + 1 + 1 + 8);
  // Only the users of the page are read; members are about 130 bytes each.
  expect(units("list users, of a group of 200, and a name")).toBeLessThanOrEqual(1 + 1 + 7 + 1);
});
