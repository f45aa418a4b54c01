/** Lists that evaluate resources read what is stored now, and end where they would read or compare too much. */
import { describe, expect, test } from "vitest";
import { listAfter, listPage } from "#core/scim/listing/list.ts";
import type { Source } from "#core/scim/listing/source.ts";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";
import { type Person, people, queryOf, sourceOf } from "#tests/unit/listing/list.support.ts";
import * as indexed from "#tests/unit/listing/values.support.ts";

const FIRST = { offset: 0, limit: 10 };
/** Bytes of a large user. */
const EACH = 15_000;
const terms = (count: number, attribute: string): string =>
  Array.from({ length: count }, (_, at) => `${attribute} co "absent-${at}"`).join(" or ");
const manyAddresses = (source: Source<Person>, each: number): Source<Person> => ({
  ...source,
  resourcesOf: async (items) =>
    items.map(({ id }): Resource => ({ id, emails: Array.from({ length: each }, (_, at) => ({ value: `${at}@a` })) })),
});

describe("candidates", () => {
  test("are read strongly, however many they are, and some at a time", async () => {
    const { source, asked } = sourceOf(people(5_000));
    const page = await listPage([source], queryOf('title eq "Driver"'), FIRST);
    expect(page.total).toBe(Math.ceil(5_000 / 3));
    expect(asked).toMatchObject({ read: 5_000, copies: 0, most: 800 });
  });

  test("may have 64 MB together, and nothing is read after that", async () => {
    const fitting = sourceOf(people(4_000), EACH);
    expect((await listPage([fitting.source], queryOf('title eq "Driver"'), FIRST)).total).toBe(1_334);
    const { source, asked } = sourceOf(people(8_000), EACH);
    await expect(listPage([source], queryOf('title eq "Driver"'), FIRST)).rejects.toThrow(
      "more than 64 MB of resources",
    );
    expect(asked.read).toBe(4_800);
    await expect(listAfter([source], queryOf('title eq "Driver"'), undefined, 10)).rejects.toThrow("64 MB");
  });

  test("count once, where several user stores read the same ones", async () => {
    const query = { ...queryOf(undefined), filters: [0, 1].map(() => queryOf('title eq "Driver"').filters[0]) };
    const all = people(3_000);
    const others = all.map((one) => ({ ...one, id: `other-${one.id}` }));
    const sources = (some: readonly Person[]) => [sourceOf(all, EACH).source, sourceOf(some, EACH).source];
    expect((await listPage(sources(all), query, FIRST)).total).toBe(2_000);
    await expect(listPage(sources(others), query, FIRST)).rejects.toThrow("64 MB");
  });

  test("that an index leaves do not count for the page", async () => {
    const { source } = sourceOf(people(5_000), EACH);
    const window = { offset: 0, limit: 4_000 };
    expect((await listPage([source], queryOf(undefined), window)).items).toHaveLength(4_000);
    const whole = listPage([source], queryOf(undefined), { offset: 0, limit: 5_000 });
    await expect(whole).rejects.toThrow("The page would have more than 64 MB");
  });
});

test("a resource that is met under its old and its new name is listed once", async () => {
  const all = people(300);
  const { source } = sourceOf(all);
  const [first] = all;
  if (!first) throw new Error("there are no people");
  const entries = [...all, { ...first, key: "zz.renamed" }].map(({ id, key }) => ({ id, key }));
  const index = { ...source.index, all: async () => entries, search: async () => ({ entries, total: entries.length }) };
  const page = await listPage([{ ...source, index }], queryOf('title eq "Driver"'), { offset: 0, limit: 200 });
  expect(page.total).toBe(100);
  expect(page.items.filter(({ id }) => id === first.id)).toHaveLength(1);
});

describe("comparisons", () => {
  test("of 10,000 resources with 200 terms are made", async () => {
    const { source } = sourceOf(people(10_000));
    expect((await listPage([source], queryOf(terms(200, "title")), FIRST)).total).toBe(0);
  });

  test("with many values of each resource end the list", async () => {
    const { source, asked } = sourceOf(people(10_000));
    const many = manyAddresses(source, 50);
    expect((await listPage([many], queryOf('emails.value co "49@"'), FIRST)).total).toBe(10_000);
    await expect(listPage([many], queryOf(terms(200, "emails.value")), FIRST)).rejects.toThrow("4000000 comparisons");
    expect(asked.read).toBe(10_000 + 800);
  });

  test("within brackets count, too", async () => {
    const { source } = sourceOf(people(10_000));
    const inside = queryOf(`emails[${terms(60, "value")}]`);
    await expect(listPage([manyAddresses(source, 20)], inside, FIRST)).rejects.toThrow("comparisons");
  });

  test("of names with many terms end the list; one term has no limit", async () => {
    const { source } = sourceOf(people(300_000));
    expect((await listPage([source], queryOf('userName co "99999"'), FIRST)).total).toBe(3);
    await expect(listPage([source], queryOf(terms(200, "userName")), FIRST)).rejects.toThrow("too many names");
    expect((await listPage([source], queryOf(terms(20, "userName")), FIRST)).total).toBe(0);
  });
});

describe("searches of an index", () => {
  const many = indexed.people(101_000, (at) => ({
    displayName: `Display ${at}`,
    nickName: at % 2 === 0 ? "even" : "odd",
  }));
  const { source, asked } = indexed.directoryOf(many, ["displayName"]);
  const listed = (filter: string) => listPage([source], indexed.queryOf({ filter }), FIRST);

  test("with one term have no limit, with many they end", async () => {
    expect((await listed('displayName co "9999"')).total).toBe(19);
    expect((await listed(terms(150, "displayName"))).total).toBe(0);
    await expect(listed(terms(200, "displayName"))).rejects.toThrow("too many values with 200 terms");
  });

  test("leave what other terms narrow, which is evaluated", async () => {
    asked.resources = 0;
    const page = await listed(`userName sw "name.01" and (displayName co "Display 1" or ${terms(190, "displayName")})`);
    const wanted = many.filter(({ key, resource }) => {
      return key.startsWith("name.01") && String(resource.displayName).startsWith("Display 1");
    });
    expect(page.total).toBe(wanted.length);
    expect(asked.resources).toBeLessThan(3_000);
  });

  test("are left where an exact name or few others are enough", async () => {
    let searches = 0;
    const { indexes } = source;
    if (!indexes) throw new Error("the source has no indexes");
    const open: typeof indexes.open = async (name) => {
      const directory = await indexes.open(name);
      const matches: typeof directory.matches = (match) => {
        if (match.test) searches += 1;
        return directory.matches(match);
      };
      return { ...directory, matches };
    };
    const key = many[50_000]?.key;
    const filter = `(userName eq "${key}" or displayName eq "Display 7") and displayName co "Display"`;
    const page = await listPage([{ ...source, indexes: { ...indexes, open } }], indexed.queryOf({ filter }), FIRST);
    expect([page.total, searches]).toEqual([2, 0]);
    await listPage(
      [{ ...source, indexes: { ...indexes, open } }],
      indexed.queryOf({ filter: 'displayName co "x"' }),
      FIRST,
    );
    expect(searches).toBe(1);
  });
});
