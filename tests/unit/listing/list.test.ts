/**
 * Lists over sources in memory: whatever plan a filter has, pages by offset and by cursor have the same items in the
 * same order.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { compareKeys } from "#core/database/table/table.ts";
import { Fault } from "#core/kernel/faults.ts";
import { listAfter, listPage } from "#core/scim/listing/list.ts";
import { MEMBERS_READ_MAX, MEMBERS_SORTED_MAX } from "#core/scim/listing/sequence.ts";
import type { MemberList, Position, Query, Source } from "#core/scim/listing/source.ts";
import { idsOf, keysOf, type Person, people, queryOf, sourceOf } from "#tests/unit/listing/list.support.ts";

/** Reads all pages of a cursor. */
const walk = async (source: Source<Person>, query: Query, limit: number) => {
  const pages: (readonly Person[])[] = [];
  let at: Position | undefined;
  let total: number | undefined;
  do {
    const step = await listAfter([source], query, at, limit);
    pages.push(step.items);
    total ??= step.total;
    // As a cursor contains it.
    at = step.next && (JSON.parse(JSON.stringify(step.next)) as Position);
  } while (at);
  return { pages, total };
};

const inGroup = (at: number): readonly string[] => (at % 4 === 0 ? ["taxis", "all"] : ["all"]);

describe.each([
  ["no filter", undefined, () => true],
  ["a prefix", 'userName sw "name.00000"', (one: Person) => one.key.startsWith("name.00000")],
  ["a search", 'userName co "7"', (one: Person) => one.key.includes("7")],
  ["one name", 'userName eq "name.0000042"', (one: Person) => one.key === "name.0000042"],
  [
    "some names",
    'userName eq "name.0000042" or userName eq "name.0000007" or userName eq "nobody" or userName eq "name.0000042"',
    (one: Person) => ["name.0000042", "name.0000007"].includes(one.key),
  ],
  [
    "some names and something else",
    '(userName eq "name.0000042" or userName eq "name.0000003") and title eq "Driver"',
    (one: Person) => ["name.0000042", "name.0000003"].includes(one.key) && one.title === "Driver",
  ],
  ["a group", 'groups.value eq "taxis"', (one: Person) => one.groups.includes("taxis")],
  ["a group, as an element", 'groups[value eq "taxis"]', (one: Person) => one.groups.includes("taxis")],
  [
    "a group and names",
    'groups.value eq "taxis" and userName co "2" and userName sw "name.000"',
    (one: Person) => one.groups.includes("taxis") && one.key.includes("2"),
  ],
  [
    "a group and something else",
    'groups.value eq "taxis" and title eq "Driver"',
    (one: Person) => one.groups.includes("taxis") && one.title === "Driver",
  ],
  ["two groups", 'groups.value eq "all" and groups.value eq "taxis"', (one: Person) => one.groups.includes("taxis")],
  [
    "either group",
    'groups.value eq "taxis" or id eq "id-0000001"',
    (one: Person) => one.groups.includes("taxis") || one.id === "id-0000001",
  ],
  ["not a group", 'not (groups.value eq "taxis")', (one: Person) => !one.groups.includes("taxis")],
  ["an unknown group", 'groups.value eq "nobody"', () => false],
])("by %s", (_, filter, isMatch) => {
  const all = people(240, inGroup);
  const expected = all.filter(isMatch).map(({ key }) => key);

  test.each([false, true])(
    "pages by offset and by cursor have the same items, in the order of names (backwards: %s)",
    async (backwards) => {
      const { source } = sourceOf(all);
      const query = queryOf(filter, { backwards, anyOrder: false });
      const wanted = backwards ? expected.toReversed() : expected;
      for (const [offset, limit] of [
        [0, 7],
        [3, 50],
        [expected.length - 1, 9],
        [expected.length + 5, 9],
        [0, 0],
      ] as const) {
        const at = Math.max(0, offset);
        const page = await listPage([source], query, { offset: at, limit });
        expect([keysOf(page.items), page.total]).toEqual([wanted.slice(at, at + limit), wanted.length]);
      }
      const { pages, total } = await walk(source, query, 13);
      expect(pages.flatMap(keysOf)).toEqual(wanted);
      expect(total).toBe(wanted.length);
      expect(pages.slice(0, -1).every((page) => page.length === 13)).toBe(true);
    },
  );

  test("sorts small lists by name without an order in the request", async () => {
    const { source } = sourceOf(all);
    expect(keysOf((await listPage([source], queryOf(filter), { offset: 0, limit: 500 })).items)).toEqual(expected);
  });
});

describe("a large member list", () => {
  const count = 50_000;
  const all = people(count, () => ["large"]);
  const { source, asked } = sourceOf(all);
  beforeEach(() => {
    Object.assign(asked, { read: 0, memberEntries: 0 });
  });
  const filter = 'groups.value eq "large"';
  const byId = all.toSorted((a, b) => compareKeys(a.id, b.id));

  test.each([0, 1, 9_990, 20_000, 25_000, 39_000, count - 5, count, count + 7])(
    "keeps the order of ids without an order in the request, at offset %i",
    async (offset) => {
      const { items, total } = await listPage([source], queryOf(filter), { offset, limit: 10 });
      expect([idsOf(items), total]).toEqual([idsOf(byId.slice(offset, offset + 10)), count]);
      expect(asked.read).toBe(items.length);
      expect(asked.memberEntries).toBeLessThanOrEqual(
        Math.min(offset, count - offset) + 10 > 20_000 ? count : Math.max(0, Math.min(offset, count - offset) + 10),
      );
    },
  );

  test("pages by cursor in the order of ids, and reads no more than it shows", async () => {
    const { pages, total } = await walk(source, queryOf(filter), 1_000);
    expect(pages.flatMap(idsOf)).toEqual(idsOf(byId));
    expect(total).toBe(count);
    expect(asked.memberEntries).toBe(count);
  });

  test.each([0, 1])(
    "pages by cursor in a group of 1,000 and %i more read only what they show above it",
    async (more) => {
      const size = MEMBERS_SORTED_MAX + more;
      const { source: few, asked: askedOfFew } = sourceOf(all.slice(0, size));
      const { pages, total } = await walk(few, queryOf(filter), 200);
      const shown = pages.flatMap(idsOf);
      const sorted = all.slice(0, size);
      expect(shown).toEqual(idsOf(more > 0 ? sorted.toSorted((a, b) => compareKeys(a.id, b.id)) : sorted));
      expect(total).toBe(size);
      expect(askedOfFew.memberEntries).toBe(more > 0 ? size : size * pages.length);
    },
  );

  test("is sorted by name on request", async () => {
    const query = queryOf(filter, { anyOrder: false });
    const { items, total } = await listPage([source], query, { offset: 30_000, limit: 10 });
    expect([keysOf(items), total]).toEqual([keysOf(all.slice(30_000, 30_010)), count]);
    expect(asked.read).toBe(10);
  });

  test("is searched by name, and reads only the items that it shows", async () => {
    const { items, total } = await listPage([source], queryOf(`${filter} and userName ew "77"`), {
      offset: 5,
      limit: 3,
    });
    const expected = all.filter(({ key }) => key.endsWith("77"));
    expect([keysOf(items), total]).toEqual([keysOf(expected.slice(5, 8)), expected.length]);
    expect(asked.read).toBe(3);
  });

  test("keeps the order of its first page, also where the group shrinks between pages", async () => {
    const query = queryOf(filter);
    const first = await listAfter([source], query, undefined, 10);
    expect(first.next?.id).toBe(byId[9]?.id);
    const few = byId.slice(0, 50);
    const rest = await listAfter([sourceOf(few).source], query, first.next, 100);
    expect(idsOf(rest.items)).toEqual(idsOf(few.slice(10)));
    // A cursor that started by name stays by name where the group grows.
    const named = await listAfter([sourceOf(few).source], query, undefined, 10);
    expect(named.next?.id).toBeUndefined();
    const grown = await listAfter([source], query, named.next, 5);
    const last = named.items.at(-1)?.key ?? "";
    expect(keysOf(grown.items)).toEqual(keysOf(all.filter(({ key }) => key > last).slice(0, 5)));
  });

  test.each([
    `${filter} and title eq "Driver"`,
    `${filter} or id eq "id-0000001"`,
    'title eq "Driver"',
    'userName co "1" and title pr',
  ])("fails where it would read too many: %s", async (text) => {
    const failed = listPage([source], queryOf(text), { offset: 0, limit: 1 });
    await expect(failed).rejects.toThrow(expect.objectContaining({ fault: "scim.too_many" }));
    expect(asked.read).toBe(0);
  });
});

test("sorts a member list of up to 150,000", async () => {
  const { source } = sourceOf(people(3, () => ["large"]));
  const claiming = (count: number): Source<Person> => ({
    ...source,
    memberList: async (equality) => {
      const list = await source.memberList?.(equality);
      return list && { ...list, count };
    },
  });
  const ask = (count: number, more: Partial<Query>, offset = 0) =>
    listPage([claiming(count)], queryOf('groups.value eq "large"', more), { offset, limit: 3 });
  expect((await ask(MEMBERS_READ_MAX, { anyOrder: false })).items).toHaveLength(3);
  const failure = await ask(MEMBERS_READ_MAX + 1, { anyOrder: false }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Fault);
  expect(failure).toMatchObject({ fault: "scim.too_many" });
  // Without an order, both ends of a list of any length are cheap to read.
  expect((await ask(MEMBERS_READ_MAX * 10, {})).items).toHaveLength(3);
});

describe("several groups of a filter", () => {
  const reading = (claimed?: number, groups?: readonly string[]) => {
    const { source } = sourceOf(people(30, groups ? () => groups : inGroup));
    const looked: string[] = [];
    const read: string[] = [];
    const counted: Source<Person> = {
      ...source,
      lookUp(equality, most) {
        looked.push(String(equality.value));
        return source.lookUp(equality, most);
      },
      memberList: async (equality) => {
        const list = await source.memberList?.(equality);
        const readAll: MemberList["readAll"] = (options) => {
          read.push(String(equality.value));
          return list?.readAll(options) ?? Promise.resolve([]);
        };
        return list && { ...list, count: claimed ?? list.count, readAll };
      },
    };
    return { looked, read, source: counted };
  };
  const terms = (count: number) => Array.from({ length: count }, () => 'groups.value eq "taxis"').join(" or ");

  test("are read once each", async () => {
    const { looked, read, source } = reading();
    const filter = `${terms(150)} or groups.value eq "all" or id eq "id-0000001" or id eq "id-0000001"`;
    const { total } = await listPage([source], queryOf(filter), { offset: 0, limit: 3 });
    expect(total).toBe(30);
    expect(looked).toEqual(["id-0000001"]);
    expect(read.toSorted()).toEqual(["all", "taxis"]);
  });

  test("may have 100,000 members together, 10,000 each, and nothing is read of more", async () => {
    const groups = Array.from({ length: 11 }, (_, at) => `group-${at}`);
    const ask = (count: number, claimed: number) => {
      const { source, read } = reading(claimed, groups);
      const filter = groups
        .slice(0, count)
        .map((group) => `groups.value eq "${group}"`)
        .join(" or ");
      return { read, page: listPage([source], queryOf(filter), { offset: 0, limit: 3 }) };
    };
    expect((await ask(10, 10_000).page).total).toBe(30);
    for (const [count, claimed, message] of [
      [11, 10_000, /100000 members together/],
      [2, 10_001, /more than 10000 resources/],
    ] as const) {
      const { page, read } = ask(count, claimed);
      await expect(page).rejects.toMatchObject({ fault: "scim.too_many", message });
      expect(read).toEqual([]);
    }
  });
});

describe("planning", () => {
  const all = people(300, inGroup);
  test.each([
    ['userName eq "name.0000004" and groups.value eq "all"', 1],
    ['groups.value eq "all" and id eq "id-0000001"', 1],
    ['groups.value eq "taxis" and userName sw "name.000000"', 3],
    ['groups.value eq "all" and userName eq "name.0000004" and title eq "Dispatcher"', 1],
  ])("reads the fewest candidates: %s", async (text, most) => {
    const { source, asked } = sourceOf(all);
    await listPage([source], queryOf(text), { offset: 0, limit: 300 });
    expect(asked.read).toBeLessThanOrEqual(most);
  });
});
