/** What lists over indexes cost on the table: sequential round trips, and read units apart from those of the users. */
import { beforeAll, describe, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { foldName } from "#core/kernel/fold.ts";
import { newId } from "#core/kernel/ids.ts";
import { listAfter, listPage } from "#core/scim/listing/list.ts";
import type { Source } from "#core/scim/listing/source.ts";
import { shippedIndexes } from "#core/service/settings/indexes.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { type Ask, queryOf } from "./values.support.ts";

const TENANT = "cost.test";
const COUNT = 360;
const declared = declaredIndexes(shippedIndexes);

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
  const users = userStore(table.open(newMeter()), { declared });
  const userAt = (at: number): User =>
    freshUser(newId(), `name.${(at * 7_919) % 9_973}`, at, {
      active: at % 10 !== 0,
      profile: {
        name: { familyName: `Family ${at % 3}`, ...(at % 4 !== 0 && { givenName: `Given ${at}` }) },
        displayName: `Shown ${at}`,
        emails: [{ value: `e${at}@${at % 2 === 0 ? "acme.com" : "example.org"}`, type: "work" }],
      },
    });
  await users.add(TENANT, userAt(0));
  const lane = async (start: number): Promise<void> => {
    for (let at = start; at < COUNT; at += 8) await users.add(TENANT, userAt(at));
  };
  await Promise.all(Array.from({ length: 8 }, (_, at) => lane(at + 1)));
}, 60_000);

/** A source as the API has it, and the cost of what is read from it. */
const opened = () => {
  const meter = newMeter();
  const users = userStore(table.open(meter), { declared });
  const source: Source<User> = {
    nameAttribute: "userName",
    index: users.names(TENANT, PRIMARY),
    indexes: users.indexes(TENANT, PRIMARY),
    readMany: (ids, options) => users.findMany(TENANT, ids, options),
    keyOf: ({ userName }) => foldName(userName),
    resourcesOf: async (items) => items.map(({ profile, active, userName }) => ({ ...profile, active, userName })),
    canLookUp: () => false,
    lookUp: async () => [],
  };
  return { source, meter };
};

describe("a page of a list", () => {
  // One round trip more reads the users.
  test.each([
    ["sorted by one attribute", { sortBy: "displayName" }, 4],
    ["sorted by one that some lack", { sortBy: "name.givenName", sortOrder: "descending" }, 4],
    ["eq", { filter: 'name.familyName eq "family 1"' }, 4],
    ["sw", { filter: 'displayName sw "shown 2"' }, 4],
    ["a range", { filter: 'name.givenName gt "given 2"' }, 4],
    ["sorted and filtered by the same", { filter: 'displayName lt "shown 3"', sortBy: "displayName" }, 4],
    ["not", { filter: "not (active eq false)" }, 4],
    ["co", { filter: 'emails co "@acme"' }, 4],
    ["an element", { filter: 'emails[type eq "work" and value co "@acme"]' }, 4],
    ["two attributes", { filter: 'name.familyName ne "family 1" and displayName co "shown"' }, 5],
    ["either of two", { filter: 'name.familyName eq "family 1" or emails co "@acme"' }, 5],
  ] as readonly (readonly [string, Ask, number])[])("%s", async (_, ask, most) => {
    const { source, meter } = opened();
    const { items, total } = await listPage([source], queryOf(ask), { offset: 60, limit: 20 });
    expect(total).toBeGreaterThan(100);
    expect(items).toHaveLength(20);
    expect(meter.cost.roundTrips).toBeLessThanOrEqual(most);
    // Of the indexes, and one unit for each user.
    expect(meter.cost.readUnits).toBeLessThanOrEqual(60 + 20);
  });

  test("by cursor", async () => {
    const query = queryOf({ sortBy: "displayName" });
    const first = opened();
    const { next } = await listAfter([first.source], query, undefined, 50);
    const second = opened();
    const { items } = await listAfter([second.source], query, next, 50);
    expect(items).toHaveLength(50);
    expect([first.meter.cost.roundTrips, second.meter.cost.roundTrips]).toEqual([4, 4]);
  });

  test("of names alone reads no index", async () => {
    const { source, meter } = opened();
    await listPage([source], queryOf({ filter: 'userName sw "name.1"' }), { offset: 0, limit: 20 });
    expect(meter.cost.roundTrips).toBe(2);
  });
});
