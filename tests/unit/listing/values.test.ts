/** Lists over indexes of attributes: their order, what they read, and their cursors. */
import { describe, expect, test } from "vitest";
import { compareKeys } from "#core/database/table/table.ts";
import { compareTies } from "#core/database/table/value-index/pair.ts";
import { listAfter, listPage } from "#core/scim/listing/list.ts";
import type { MemberList, Position, Source } from "#core/scim/listing/source.ts";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";
import {
  type Ask,
  type Directory,
  directoryOf,
  failure,
  namesOf,
  type Person,
  page,
  pagesByCursor,
  pagesByOffset,
  people,
  person,
  queryOf,
  SHIPPED,
  scan,
} from "./values.support.ts";

const tripsOf = ({ indexes }: Directory): number =>
  [...indexes.values()].reduce((sum, index) => sum + index.roundTrips(), 0);

/** The order of an index: by value, then by the random half of the id. Who has no value comes last. */
const inIndexOrder = (list: readonly Person[], sortedBy: (one: Person) => string | undefined, descending = false) => {
  const sorted = list.toSorted((a, b) => {
    const [x, y] = [sortedBy(a), sortedBy(b)];
    if (x === undefined || y === undefined) {
      return Number(x === undefined) - Number(y === undefined) || compareTies(a.id, b.id);
    }
    return compareKeys(x, y) || compareTies(a.id, b.id);
  });
  return descending ? sorted.reverse() : sorted;
};
const familyOf = ({ resource }: Person): string | undefined =>
  (resource.name as { familyName: string } | undefined)?.familyName.toLowerCase();

describe("the order of a list", () => {
  const all = people(1_400);
  const directory = directoryOf(all);
  const { source } = directory;

  test("without sortBy, up to 100 matches come in the order of names", async () => {
    const few = { filter: 'name.familyName eq "FAMILY 3" and name.givenName lt "given 00640"' };
    const found = scan(all, few);
    expect(found.length).toBeGreaterThan(50);
    expect(found.length).toBeLessThanOrEqual(100);
    const { items, totals } = await pagesByOffset([source], queryOf(few), 7);
    expect([namesOf(items), totals]).toEqual([namesOf(found), [found.length]]);
  });

  test("more matches of one attribute come in the order of its index", async () => {
    const ask = { filter: 'name.familyName lt "family 2" or name.familyName eq "family 5"' };
    const expected = inIndexOrder(scan(all, ask), familyOf);
    expect(expected.length).toBeGreaterThan(100);
    const { items, totals } = await pagesByOffset([source], queryOf(ask), 30);
    expect([namesOf(items), totals]).toEqual([namesOf(expected), [expected.length]]);
    expect(namesOf((await pagesByCursor([source], queryOf(ask), 30)).items)).toEqual(namesOf(expected));
  });

  test("more matches of several attributes come in the order of ids", async () => {
    const ask = { filter: 'name.familyName sw "family" and emails.value co "@example"' };
    const expected = scan(all, ask).toSorted((a, b) => compareKeys(a.id, b.id));
    expect(expected.length).toBeGreaterThan(100);
    const { items, totals } = await pagesByOffset([source], queryOf(ask), 90);
    expect([namesOf(items), totals]).toEqual([namesOf(expected), [expected.length]]);
    expect(namesOf((await pagesByCursor([source], queryOf(ask), 90)).items)).toEqual(namesOf(expected));
  });

  test.each([
    ["ascending", undefined],
    ["descending", undefined],
    ["ascending", 'name.familyName ne "family 1"'],
    ["descending", 'not (name.familyName ew "1")'],
  ] as const)("sorted %s by an attribute with an index (%s)", async (sortOrder, filter) => {
    const ask = { sortBy: "name.familyName", sortOrder, filter };
    const expected = inIndexOrder(scan(all, ask), familyOf, sortOrder === "descending");
    const [first, last] = [expected[0], expected.at(-1)].map((one) => one && familyOf(one));
    expect(sortOrder === "descending" ? first : last).toBeUndefined();
    const { items, totals } = await pagesByOffset([source], queryOf(ask), 110);
    expect([namesOf(items), totals]).toEqual([namesOf(expected), [expected.length]]);
    expect(namesOf((await pagesByCursor([source], queryOf(ask), 110)).items)).toEqual(namesOf(expected));
  });

  test("where owners have several values, pages show each once", async () => {
    const several = people(300, (at) => ({
      emails: [
        { value: `a${at}@acme.com`, type: "home" },
        { value: `b${at}@acme.com`, type: "home" },
        { value: `b${at}@acme.com`, type: "work" },
      ],
    }));
    const asked = directoryOf(several);
    const { items, totals } = await pagesByOffset([asked.source], queryOf({ filter: 'emails co "@acme"' }), 70);
    expect(totals).toEqual([300]);
    expect(namesOf(items)).toEqual(namesOf(several.toSorted((a, b) => compareKeys(a.id, b.id))));
  });
});

describe("what a list reads", () => {
  const all = people(3_600);

  test.each([
    ["one attribute", { filter: 'name.familyName eq "family 4"' }, 3],
    ["a search", { filter: 'emails co "@acme"' }, 3],
    ["an element", { filter: 'emails[type eq "work" and value co "@acme"]' }, 3],
    // Of an order, who has no value is counted too.
    ["an order", { sortBy: "name.familyName" }, 4],
    ["an order and a filter on it", { sortBy: "name.givenName", filter: 'name.givenName ge "given 01000"' }, 3],
    ["two attributes", { filter: 'name.familyName sw "family" and emails co "@acme"' }, 6],
  ] as const)("%s: no more resources than it shows", async (_, ask, trips) => {
    const directory = directoryOf(all);
    const expected = scan(all, ask);
    expect(expected.length).toBeGreaterThan(250);
    const { items, total } = await page(directory, ask, 200, 10);
    expect([items.length, total]).toEqual([10, expected.length]);
    expect(directory.asked.resources).toBe(10);
    expect(tripsOf(directory)).toBeLessThanOrEqual(trips);
  });

  test("the total alone reads none", async () => {
    const directory = directoryOf(all);
    const { total } = await page(directory, { filter: 'name.givenName lt "given 00050"' }, 0, 0);
    expect([total, directory.asked.resources]).toEqual([45, 0]);
  });

  test("few candidates are read before another index is searched", async () => {
    const directory = directoryOf(all);
    const ask = { filter: 'name.givenName sw "given 0123" and emails co "@acme"' };
    const { items } = await page(directory, ask, 0, 100);
    expect(namesOf(items)).toEqual(namesOf(scan(all, ask)));
    expect(items.length).toBeGreaterThan(0);
    expect(directory.asked.resources).toBeLessThanOrEqual(10);
    expect(directory.indexes.get("emails.value")?.roundTrips()).toBe(1);
  });

  test.each([
    ["names alone", { filter: 'userName co "1"' }],
    ["one name", { filter: 'userName eq "name.00000" and name.familyName pr' }],
    ["another attribute", { filter: 'title eq "Boss"' }],
    ["a lookup", { filter: 'id eq "x" and active eq true' }],
    ["another order", { sortBy: "title" }],
    ["another part of the same attribute", { filter: 'name.formatted eq "x"' }],
  ] as const)("%s: no index", async (_, ask) => {
    const directory = directoryOf(all);
    await page(directory, ask);
    expect(tripsOf(directory)).toBe(0);
  });

  describe("groups next to an index", () => {
    const grouped = people(300, (at): Resource => (at % 3 === 0 ? { groups: [{ value: "taxis" }] } : {}));
    const reading = (claimed?: number) => {
      const { source } = directoryOf(grouped);
      let read = 0;
      const counting: Source<Person> = {
        ...source,
        memberList: async (equality) => {
          const list = await source.memberList?.(equality);
          const readAll: MemberList["readAll"] = (options) => {
            read += 1;
            return list?.readAll(options) ?? Promise.resolve([]);
          };
          return {
            read: async () => ({ entries: [], more: false }),
            ...list,
            count: claimed ?? list?.count ?? 0,
            readAll,
          };
        },
      };
      return { source: counting, read: () => read };
    };
    const ask = ({ source }: ReturnType<typeof reading>, filter: string) =>
      listPage([source], queryOf({ filter, sortBy: "displayName" }), { offset: 0, limit: 10 });
    const repeated = Array.from({ length: 150 }, () => 'not (groups.value eq "taxis")').join(" and ");

    test("are read once where a filter repeats them", async () => {
      const directory = reading();
      const filter = `active eq true and ${repeated}`;
      expect((await ask(directory, filter)).total).toBe(scan(grouped, { filter }).length);
      expect(directory.read()).toBe(1);
    });

    test("are not read where all of them together have too many members", async () => {
      const once = reading(100_000);
      expect((await ask(once, repeated)).total).toBe(scan(grouped, { filter: repeated }).length);
      expect(once.read()).toBe(1);
      const several = reading(100_000);
      const names = Array.from({ length: 11 }, (_, at) => `taxis${at || ""}`);
      const filter = names.map((name) => `not (groups.value eq "${name}")`).join(" and ");
      expect((await ask(several, filter)).total).toBe(scan(grouped, { filter }).length);
      expect(several.read()).toBe(0);
    });
  });

  test("an index that is incomplete is not asked", async () => {
    const directory = directoryOf(all, SHIPPED, (name) => name !== "name.familyName");
    const ask = { filter: 'name.familyName eq "family 4"' };
    const { items } = await page(directory, ask, 0, 3_600);
    expect(namesOf(items)).toEqual(namesOf(scan(all, ask)));
    expect(directory.asked.resources).toBe(3_600);
    expect(directory.indexes.get("name.familyName")?.roundTrips()).toBe(1);
  });
});

describe("a cursor", () => {
  const all = people(400, (at) => ({ displayName: `Shown ${at % 50}` }));
  const asks: readonly Ask[] = [
    { filter: "name.familyName pr" },
    { filter: 'name.familyName pr and displayName sw "Shown"' },
    { sortBy: "name.familyName" },
    { sortBy: "name.familyName", sortOrder: "descending" },
    { filter: 'displayName eq "shown 3"' },
  ];

  test.each(asks)("shows each user that stays on exactly one page while others come and go: %j", async (ask) => {
    const query = queryOf(ask);
    const seen: Person[] = [];
    let current = all;
    let at: Position | undefined;
    for (let turn = 0; turn === 0 || at; turn += 1) {
      const step = await listAfter([directoryOf(current).source], query, at, 23);
      seen.push(...step.items);
      at = step.next && (JSON.parse(JSON.stringify(step.next)) as Position);
      // Those at the end of the page go, and others come all over the list.
      const gone = new Set(step.items.slice(-2).map(({ id }) => id));
      const come = Array.from({ length: 9 }, (_, more) =>
        person(1_000 + turn * 100 + more, `new.${turn}.${more}`, {
          name: { familyName: `Family ${more}` },
          displayName: `Shown ${more}`,
        }),
      );
      current = [...current.filter(({ id }) => !gone.has(id)), ...come];
    }
    const stayed = scan(all, ask).filter((one) => current.includes(one));
    const times = new Map<string, number>();
    for (const { id } of seen) times.set(id, (times.get(id) ?? 0) + 1);
    expect(stayed.length).toBeGreaterThan(3);
    expect(stayed.filter(({ id }) => times.get(id) !== 1)).toEqual([]);
  });

  test("ends with a fault where the index that it follows is gone", async () => {
    const query = queryOf({ filter: "name.familyName pr" });
    const { next } = await listAfter([directoryOf(all).source], query, undefined, 10);
    const gone = directoryOf(all, SHIPPED, () => false);
    expect(await failure(listAfter([gone.source], query, next, 10))).toMatchObject({ fault: "scim.cursor_expired" });
  });
});

describe("several user stores", () => {
  const stores = [
    people(700),
    people(60).map((one) => ({ ...one, key: `b.${one.key}` })),
    people(900).map((one) => ({ ...one, key: `c.${one.key}` })),
  ];
  const sources = stores.map((one) => directoryOf(one).source);

  test.each([
    { sortBy: "name.familyName" },
    { sortBy: "name.familyName", sortOrder: "descending" },
    { sortBy: "active" },
    { sortBy: "active", sortOrder: "descending", filter: "name.familyName pr" },
    { filter: 'name.familyName ge "family 2"' },
    { filter: 'name.familyName ge "family 2" and emails sw "e1"' },
    { filter: 'userName co "5" and active eq false' },
  ])("are listed as one: %j", async (ask) => {
    const query = queryOf(ask, stores.length);
    const { order } = query;
    const expected = stores.flatMap((one) => scan(one, ask));
    if (order) expected.sort((a, b) => order.compare(order.valueOf(a.resource), order.valueOf(b.resource)));
    const byOffset = await pagesByOffset(sources, query, 130);
    expect(byOffset.totals).toEqual([expected.length]);
    expect(new Set(namesOf(byOffset.items))).toEqual(new Set(namesOf(expected)));
    expect(byOffset.items).toHaveLength(expected.length);
    const storesOf = (list: readonly Person[]) => list.map(({ key }) => key.slice(0, 2));
    const valuesOf = (list: readonly Person[]) => list.map(({ resource }) => order?.valueOf(resource));
    expect([storesOf(byOffset.items), valuesOf(byOffset.items)]).toEqual([storesOf(expected), valuesOf(expected)]);
    const byCursor = await pagesByCursor(sources, query, 130);
    expect(byCursor.total).toBe(expected.length);
    expect(namesOf(byCursor.items)).toEqual(namesOf(byOffset.items));
  });
});
