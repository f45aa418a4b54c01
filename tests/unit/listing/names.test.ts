/** Filters on names alone, or together with other terms: what a list finds, and what it reads for that. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { nameStore, newNameMemory } from "#core/directory/memberships/shown-names.ts";
import type { ScimCall, ScimStores } from "#core/directory/scim-api/resources/call.ts";
import { groupsListed, usersListed } from "#core/directory/scim-api/resources/list.ts";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { listPage } from "#core/scim/listing/list.ts";
import { parseFilter } from "#core/scim/protocol/filter/parse.ts";
import { groupType, userType } from "#core/scim/protocol/schema/resource-types.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { directory } from "../identities/support.ts";
import {
  type Ask,
  directoryOf,
  namesOf,
  page,
  pagesByCursor,
  pagesByOffset,
  person,
  queryOf,
  scan,
} from "./values.support.ts";

const titles = ["Driver", "Boss"];
const persons = Array.from({ length: 60 }, (_, at) =>
  person(at, `Name.${at % 2 === 0 ? "a" : "b"}${at}`, { title: titles[at % 2] ?? "", externalId: `e${at % 20}` }),
);

describe("random filters on names", () => {
  const names = fc.constantFrom("name.a2", "NAME.A4", "name.b5", "name.b59", "nobody", "", "name.a");
  const leaf = fc.oneof(
    { weight: 6, arbitrary: names.map((name) => `userName eq "${name}"`) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom("sw", "co", "ne", "gt", "le", "ew"), names)
        .map(([operator, name]) => `userName ${operator} "${name}"`),
    },
    { weight: 1, arbitrary: fc.constantFrom('title eq "Boss"', 'externalId eq "e5"', "userName pr") },
  );
  const joined = (depth: number): fc.Arbitrary<string> =>
    depth === 0
      ? leaf
      : fc.oneof(
          leaf,
          joined(depth - 1).map((part) => `not (${part})`),
          fc
            .tuple(joined(depth - 1), fc.constantFrom("and", "or", "or"), joined(depth - 1))
            .map(([a, join, b]) => `(${a} ${join} ${b})`),
        );
  const asks: fc.Arbitrary<Ask> = fc.record({
    filter: joined(4),
    sortBy: fc.constantFrom(undefined, "userName", "title"),
    sortOrder: fc.constantFrom("ascending", "descending"),
  });

  test.each([[[]], [["externalId"]]])("find what a scan finds (indexes: %s)", async (declared) => {
    const { source } = directoryOf(persons, declared);
    await fc.assert(
      fc.asyncProperty(asks, async (ask) => {
        const expected = scan(persons, ask);
        const query = queryOf(ask);
        const byOffset = await pagesByOffset([source], query, 7);
        expect(byOffset.totals).toEqual([expected.length]);
        expect(namesOf(byOffset.items).toSorted()).toEqual(namesOf(expected).toSorted());
        if (!ask.sortBy || ask.sortBy === "userName") expect(namesOf(byOffset.items)).toEqual(namesOf(expected));
        const byCursor = await pagesByCursor([source], query, 3);
        expect([namesOf(byCursor.items), byCursor.total]).toEqual([namesOf(byOffset.items), expected.length]);
      }),
      { numRuns: 300 },
    );
  });
});

const either = 'userName eq "name.a2" or userName eq "name.b5"';

test.each([
  [either, 2],
  [`(${either}) and title eq "Boss"`, 2],
  [`(${either}) and userName sw "name.a"`, 1],
  [`(${either}) and not (userName eq "name.b5")`, 1],
  [`(${either}) and externalId eq "e5"`, 3],
  [`${either} or externalId eq "e7"`, 5],
])("reads the resources of the names alone, and searches nothing: %s", async (filter, most) => {
  const people = directoryOf(persons, []);
  const { items } = await page(people, { filter });
  expect(namesOf(items)).toEqual(namesOf(scan(persons, { filter })));
  expect(people.asked.searches).toBe(0);
  expect(people.asked.resources).toBeLessThanOrEqual(most);
});

describe("in the table", () => {
  const TENANT = "names";
  const FEW = 40;
  let table: TestTable;
  beforeAll(async () => {
    table = await testTable();
    await bootstrapTenant(table.open(newMeter()), TENANT, { username: "admin", password: "admin" });
    const calm = directory(table.open, TENANT);
    await Promise.all(Array.from({ length: FEW }, (_, at) => calm.addUser(`user.${at}`)));
    await Promise.all(Array.from({ length: 5 }, (_, at) => calm.addGroup(`Group ${at}`)));
  });

  /** What a list shows, and what it costs. */
  const listed = async (kind: "users" | "groups", filter: string, limit = 100) => {
    const meter = newMeter();
    const open = table.open(meter);
    const stores = { ...directory(() => open, TENANT).stores, names: nameStore(open, newNameMemory(), []) };
    const call: ScimCall = {
      stores: stores as unknown as ScimStores,
      tenant: TENANT,
      origin: "https://x.example",
      base: "/scim2",
      now: Date.now(),
    };
    const target = { userStores: [PRIMARY], syntax: parseFilter(filter) };
    const window = { offset: 0, limit };
    if (kind === "users") {
      const { sources, query } = usersListed(call, { ...target, type: userType }, {});
      const { items, total } = await listPage(sources, query, window);
      return { names: items.map(({ userName }) => userName), total, cost: meter.cost };
    }
    const { sources, query } = groupsListed(call, { ...target, type: groupType }, {});
    const { items, total } = await listPage(sources, query, window);
    return { names: items.map(({ displayName }) => displayName), total, cost: meter.cost };
  };

  test("one name costs its entry and its user", async () => {
    const { names, cost } = await listed("users", 'userName eq "USER.3"');
    expect([names, cost.roundTrips, cost.calls, cost.readUnits]).toEqual([["user.3"], 2, 2, 2]);
  });

  test("several names cost their entries and their users, whatever the number of all users", async () => {
    const filter = 'userName eq "user.7" or userName eq "PRIMARY/user.3" or userName eq "user.unknown"';
    const { names, total, cost } = await listed("users", filter);
    expect([names, total]).toEqual([["user.3", "user.7"], 2]);
    // An entry that does not exist costs a unit as well.
    expect([cost.roundTrips, cost.calls, cost.readUnits]).toEqual([2, 2, 5]);
    const counted = await listed("users", filter, 0);
    expect([counted.total, counted.cost.readUnits]).toEqual([2, 3]);
  });

  test("as many names as a filter can have are one round trip and one for their users", async () => {
    const terms = Array.from({ length: 200 }, (_, at) => `userName eq "user.${at}"`).join(" or ");
    const { total, cost } = await listed("users", terms);
    expect([total, cost.roundTrips]).toEqual([FEW, 2]);
    expect(cost.readUnits).toBe(200 + FEW);
  });

  test("the same of groups", async () => {
    const { names, cost } = await listed("groups", 'displayName eq "Group 4" or displayName eq "group 1"');
    expect(names).toEqual(["Group 1", "Group 4"]);
    expect([cost.roundTrips, cost.calls, cost.readUnits]).toEqual([2, 2, 4]);
  });
});
