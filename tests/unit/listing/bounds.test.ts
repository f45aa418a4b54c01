/** Lists that evaluate resources read what is stored now, and end where they would read or compare too much. */
import { describe, expect, test } from "vitest";
import { listPage } from "#core/listing/list.ts";
import type { Source } from "#core/listing/source.ts";
import type { Resource } from "#core/scim/schema/attribute.ts";
import { type Person, people, queryOf, sourceOf } from "#tests/unit/listing/list.support.ts";

const FIRST = { offset: 0, limit: 10 };
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
    const fitting = sourceOf(people(4_000), 4);
    expect((await listPage([fitting.source], queryOf('title eq "Driver"'), FIRST)).total).toBe(1_334);
    const { source, asked } = sourceOf(people(8_000), 4);
    await expect(listPage([source], queryOf('title eq "Driver"'), FIRST)).rejects.toThrow(
      "more than 64 MB of resources",
    );
    expect(asked.read).toBe(4_800);
  });

  test("share what a list may read, of several user stores too", async () => {
    const [one, other] = [sourceOf(people(3_000), 4), sourceOf(people(3_000), 4)];
    const query = { ...queryOf(undefined), filters: [0, 1].map(() => queryOf('title eq "Driver"').filters[0]) };
    await expect(listPage([one.source, other.source], query, FIRST)).rejects.toThrow("64 MB");
  });
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
