/**
 * Lists of users by attributes that have an index, over HTTP: by both versions of SCIM, by search, by offset and by
 * cursor they have what a scan of all users finds, right after each change.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { FEW } from "#core/scim/listing/values/sets.ts";
import { bindFilter } from "#core/scim/protocol/filter/bind.ts";
import { matches } from "#core/scim/protocol/filter/evaluate.ts";
import { parseFilter } from "#core/scim/protocol/filter/parse.ts";
import { compareSortValues, type Order, readOrder, sortValue } from "#core/scim/protocol/order.ts";
import { userType } from "#core/scim/protocol/schema/resource-types.ts";
import { NEGOTIATED, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { scim1Of } from "#tests/support/scim1.ts";
import { world } from "#tests/support/world.ts";

const COUNT = 260;
const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const scim1 = scim1Of(api);

const families = ["Smith", "smythe", "Jones", "Ng"];
const bodyOf = (at: number): Shown => ({
  schemas: [URN.user],
  userName: `person${(at * 37) % 1_009}`,
  externalId: `Ext-${at}`,
  active: at % 9 !== 0,
  ...(at % 6 !== 0 && { displayName: `Shown ${at % 50}` }),
  ...(at % 5 !== 0 && { name: { familyName: families[at % families.length], givenName: `Given ${at}` } }),
  ...(at % 4 !== 0 && {
    emails: [
      { value: `e${at}@${at % 3 === 0 ? "acme.com" : "example.org"}`, type: at % 2 === 0 ? "work" : "home" },
      ...(at % 8 === 1 ? [{ value: `second${at}@ACME.com`, type: "work" }] : []),
    ],
  }),
});

/** All users, as the list without a filter shows them. */
const everybody = async (): Promise<Shown[]> => {
  const found: Shown[] = [];
  for (let startIndex = 1; ; startIndex += 200) {
    const { body } = await scim.get("/Users", { startIndex, count: 200 });
    found.push(...body.Resources);
    if (found.length >= body.totalResults) return found;
  }
};

const compareBy = (order: Order) => (a: Shown, b: Shown) =>
  compareSortValues(order, sortValue(order, a), sortValue(order, b));

const scan = (all: readonly Shown[], { filter, sortBy, sortOrder }: Shown): readonly Shown[] => {
  const bound = filter && bindFilter(userType, parseFilter(filter), { unknown: "refuse" });
  const found = all.filter((user) => !bound || matches(bound, user));
  const order = readOrder(userType, sortBy, sortOrder);
  return order ? found.toSorted(compareBy(order)) : found;
};

const idsOf = (users: readonly Shown[]): string[] => users.map(({ id }) => id);

let all: readonly Shown[] = [];
beforeAll(async () => {
  const Operations = Array.from({ length: COUNT }, (_, at) => ({
    method: "POST",
    path: "/Users",
    bulkId: `b${at}`,
    data: bodyOf(at),
  }));
  // Users of one request have one time.
  for (let at = 0; at < COUNT; at += 20) {
    const body = { schemas: [URN.bulk], Operations: Operations.slice(at, at + 20) };
    const { status, text } = await scim.ask("POST", "/Bulk", { body });
    expect(status, text).toBe(200);
  }
  // Some are changed after that, one after the other.
  const created = await everybody();
  for (const { id } of created.filter((_, at) => at % 5 === 0)) {
    await scim.patched(`/Users/${id}`, { op: "replace", path: "title", value: "Dispatcher" });
  }
  all = await everybody();
}, 60_000);

/** A time of a user with a place in the order of times, from 0 to 1. */
const timeAt = (name: "created" | "lastModified", place: number): string => {
  const times: readonly string[] = all.map(({ meta }) => meta[name]).toSorted();
  return times[Math.floor(place * (times.length - 1))] ?? "";
};
/** Asks have times as places: `<created 0.5>`. */
const withTimes = ({ filter, ...ask }: Shown): Shown => ({
  ...ask,
  ...(filter && {
    filter: filter.replace(/<(created|lastModified) ([\d.]+)>/g, (_: string, name: "created", place: string) =>
      JSON.stringify(timeAt(name, Number(place))),
    ),
  }),
});

const asks: readonly Shown[] = [
  { filter: 'name.familyName eq "SMITH"' },
  { filter: 'name.familyName sw "sm"' },
  { filter: 'not (name.familyName sw "sm")' },
  { filter: 'name.givenName ge "given 2" and name.givenName lt "given 3"' },
  { filter: "displayName pr" },
  { filter: 'emails co "@acme"' },
  { filter: 'emails.value ew "EXAMPLE.org"' },
  { filter: 'emails[type eq "work" and value co "@acme"]' },
  { filter: 'emails[type eq "work"].value ne "e2@example.org"' },
  { filter: 'active eq true and name.familyName sw "sm"' },
  { filter: 'active eq false or displayName ew "7"' },
  { filter: 'externalId sw "Ext-1"' },
  { filter: 'externalId sw "ext-1"' },
  { filter: 'userName sw "person1" or emails sw "e1"' },
  { sortBy: "name.familyName" },
  { sortBy: "name.familyName", sortOrder: "descending" },
  { sortBy: "displayName", filter: "active eq true" },
  { sortBy: "active", sortOrder: "descending" },
  { sortBy: "emails" },
  { filter: "meta.lastModified gt <lastModified 0.3>" },
  { filter: "meta.lastModified le <lastModified 0.3>" },
  { filter: "meta.created lt <created 0.7>", sortBy: "meta.lastModified", sortOrder: "descending" },
  { filter: "meta.created ge <created 0.2> and meta.created lt <created 0.9>" },
  { filter: "meta.created eq <created 0.5>" },
  { filter: "not (meta.lastModified eq <lastModified 0.5>)" },
  { filter: 'meta.lastModified ge <lastModified 0.5> and name.familyName sw "sm"' },
  { filter: "meta.created lt <created 0.2> or meta.lastModified gt <lastModified 0.9> or active eq false" },
  { filter: 'meta.lastModified gt <lastModified 0.1> and title eq "dispatcher"' },
  { filter: "meta.lastModified pr" },
  { sortBy: "meta.created" },
  { sortBy: "meta.lastModified" },
  { sortBy: "meta.lastModified", sortOrder: "descending" },
  { sortBy: "meta.created", sortOrder: "descending", filter: "active eq true" },
];

describe("listUsers and searchUsers", () => {
  test.each(asks)("find what a scan finds: %j", async (given) => {
    const ask = withTimes(given);
    const expected = scan(all, ask);
    expect(expected.length > 0 || ask.filter === 'externalId sw "ext-1"').toBe(true);
    const byOffset: Shown[] = [];
    for (let startIndex = 1; startIndex <= expected.length; startIndex += 90) {
      const { body } = await scim.get("/Users", { ...ask, startIndex, count: 90 });
      expect(body.totalResults).toBe(expected.length);
      byOffset.push(...body.Resources);
    }
    expect(idsOf(byOffset).toSorted()).toEqual(idsOf(expected).toSorted());
    const order = readOrder(userType, ask.sortBy, ask.sortOrder);
    const isInOrder =
      order && byOffset.every((one, at) => at === 0 || compareBy(order)(byOffset[at - 1] ?? {}, one) <= 0);
    expect(isInOrder ?? true).toBe(true);
    if (expected.length <= FEW) expect(idsOf(byOffset)).toEqual(idsOf(expected));

    const byCursor: Shown[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const { body }: { body: Shown } = await scim.get("/Users", { ...ask, cursor, count: 90 });
      expect(body.totalResults).toBe(expected.length);
      byCursor.push(...body.Resources);
      cursor = body.nextCursor;
    }
    expect(idsOf(byCursor)).toEqual(idsOf(byOffset));

    const search = await scim.ask("POST", "/Users/.search", { body: { schemas: [URN.search], ...ask, count: 90 } });
    expect(idsOf(search.body.Resources)).toEqual(idsOf(byOffset.slice(0, 90)));
    const count = await scim.get("/Users", { ...ask, count: 0 });
    expect([count.body.totalResults, count.body.Resources]).toEqual([expected.length, []]);
  });

  test("come in the order of the index where more than 100 match", async () => {
    const { totalResults, Resources } = await scim.find("displayName pr", "/Users", { count: 200 });
    expect(totalResults).toBeGreaterThan(FEW);
    const names: readonly string[] = Resources.map(({ displayName }: Shown) => displayName.toLowerCase());
    expect(names).toEqual(names.toSorted());
  });

  test("the operations of SCIM 1.1 use the same indexes", async () => {
    const wanted = { filter: 'name.familyName eq "smith"', sortBy: "name.givenName" };
    const expected = scan(all, wanted);
    const { body } = await scim1.ask("GET", "/Users", {
      query: { filter: "name.familyName Eq SMITH", sortBy: "name.givenName", startIndex: 1, count: 200 },
    });
    expect(idsOf(body.Resources)).toEqual(idsOf(expected));
    expect(body.totalResults).toBe(expected.length);
  });

  test("a change that was answered is in the next list", async () => {
    const filter = 'name.familyName eq "Zanzibar"';
    const total = async (): Promise<number> => (await scim.find(filter)).totalResults;
    expect(await total()).toBe(0);
    const user = await scim.user({ name: { familyName: "Zanzibar" } });
    expect(await total()).toBe(1);
    await scim.patched(`/Users/${user.id}`, { op: "replace", path: "name.familyName", value: "Zürich" });
    expect([await total(), (await scim.find('name.familyName eq "ZÜRICH"')).totalResults]).toEqual([0, 1]);
    await scim.patched(`/Users/${user.id}`, { op: "remove", path: "name.familyName" });
    expect((await scim.find('name.familyName eq "ZÜRICH"')).totalResults).toBe(0);
    expect((await scim.ask("DELETE", `/Users/${user.id}`)).status).toBe(204);
    expect(idsOf((await scim.find("not (name.familyName pr)", "/Users", { count: 200 })).Resources)).not.toContain(
      user.id,
    );
  });

  test("a change that was answered is at its time in the next list", async () => {
    const newest = async (sortBy: string): Promise<Shown> =>
      (await scim.get("/Users", { sortBy, sortOrder: "descending", startIndex: 1, count: 1 })).body;
    const user = await scim.user({});
    const { totalResults, Resources } = await newest("meta.created");
    expect(idsOf(Resources)).toEqual([user.id]);
    const since = `meta.lastModified gt ${JSON.stringify(timeAt("lastModified", 1))}`;
    for (let turn = 0; turn < 20; turn += 1) {
      const changed = await scim.patched(`/Users/${user.id}`, { op: "replace", path: "title", value: `Turn ${turn}` });
      expect((await newest("meta.lastModified")).Resources).toEqual([changed]);
      expect(idsOf((await scim.find(since)).Resources)).toContain(user.id);
      const exactly = `meta.lastModified eq ${JSON.stringify(changed.meta.lastModified)}`;
      expect(idsOf((await scim.find(exactly)).Resources)).toEqual([user.id]);
    }
    expect((await scim.ask("DELETE", `/Users/${user.id}`)).status).toBe(204);
    const after = await newest("meta.lastModified");
    expect([after.totalResults, idsOf(after.Resources)]).toEqual([
      totalResults - 1,
      [expect.not.stringMatching(user.id)],
    ]);
    expect(idsOf((await scim.find(since)).Resources)).not.toContain(user.id);
  });

  test("the operations of SCIM 1.1 find and sort by times", async () => {
    const time = timeAt("created", 0.4);
    const expected = scan(await everybody(), { filter: `meta.created eq "${time}"` });
    const found = await scim1.ask("GET", "/Users", { query: { filter: `meta.created Eq ${time}`, count: 200 } });
    expect(idsOf(found.body.Resources).toSorted()).toEqual(idsOf(expected).toSorted());
    expect([found.body.totalResults, expected.length > 10]).toEqual([expected.length, true]);
    const query = { sortBy: "meta.lastModified", sortOrder: "descending", startIndex: 1, count: 200 };
    const [sorted, others] = await Promise.all([scim1.ask("GET", "/Users", { query }), scim.get("/Users", query)]);
    expect(idsOf(sorted.body.Resources)).toEqual(idsOf(others.body.Resources));
  });
});
