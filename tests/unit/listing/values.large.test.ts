/** Lists of more users than one request reads: by indexes they are served, without them they are too many. */
import { describe, expect, test } from "vitest";
import { Fault } from "#core/kernel/faults.ts";
import {
  type Directory,
  directoryOf,
  failure,
  namesOf,
  type Person,
  page,
  pagesByCursor,
  people,
  person,
  queryOf,
  SHIPPED,
  scan,
  tooMany,
} from "./values.support.ts";

describe("more than 10,000 users", () => {
  const count = 11_500;
  const long = `long ${"x".repeat(700)}`;
  const all = people(count, (at) => ({
    displayName: at % 1_000 === 7 ? `${long}${at}` : `Shown ${at % 50}`,
    externalId: "same",
    groups: [{ value: at < 11_000 ? "large" : "small" }],
  }));
  const directory = directoryOf(all);
  const { source } = directory;

  test.each([
    { filter: 'emails co "@example"' },
    { filter: "active eq true" },
    { filter: 'not (emails[type eq "work"].value pr)' },
    { sortBy: "name.familyName" },
    { sortBy: "emails", sortOrder: "descending" },
    { filter: 'active eq true and not (name.familyName eq "family 1")' },
    { filter: 'name.familyName eq "family 1" and title eq "Boss"' },
    { filter: 'name.familyName eq "family 1" and userName co "77"' },
    { filter: 'userName sw "name.0001" and active eq true' },
    { filter: 'userName sw "name.0001" or name.givenName sw "given 0001" or emails sw "e123"' },
    { filter: 'name.familyName eq "family 1"', sortBy: "title" },
    { filter: 'name.familyName eq "family 1"', sortBy: "userName", sortOrder: "descending" },
    { filter: "active eq true", sortBy: "userName" },
    { filter: 'active eq true and not (displayName eq "shown 9")', sortBy: "name.familyName" },
    { filter: 'active eq true and not (displayName eq "shown 9")', sortBy: "name.familyName", sortOrder: "descending" },
    { filter: 'groups.value eq "large" and active eq false' },
    { filter: 'groups.value eq "small" and active eq true' },
    { filter: 'groups.value eq "large" and active eq true' },
    { filter: 'active eq true and not (groups.value eq "small")', sortBy: "name.familyName" },
    { filter: 'groups[value eq "large" and type ne "x"] and active eq false' },
    { filter: 'displayName ew "7"' },
    { filter: `displayName eq ${JSON.stringify(`${long}7`)}` },
    { filter: `displayName gt ${JSON.stringify(long)} and active eq true and name.familyName eq "family 2"` },
  ])("are served at both ends and by cursor: %j", async (ask) => {
    const expected = scan(all, ask);
    const query = queryOf(ask);
    const { total, items } = await page(directory, ask, 0, 20);
    expect([total, items.length]).toEqual([expected.length, Math.min(20, total)]);
    const byCursor = await pagesByCursor([source], query, 3_000);
    expect(byCursor.total).toBe(total);
    expect(new Set(namesOf(byCursor.items))).toEqual(new Set(namesOf(expected)));
    expect(byCursor.items).toHaveLength(expected.length);
    expect(namesOf(byCursor.items.slice(0, 20))).toEqual(namesOf(items));
    const end = await page(directory, ask, Math.max(0, total - 15), 200);
    expect(namesOf(end.items)).toEqual(namesOf(byCursor.items.slice(-15)));
    const { order } = query;
    if (order) {
      const valuesOf = (list: readonly Person[]) => list.map(({ resource }) => order.valueOf(resource));
      expect(valuesOf(byCursor.items)).toEqual(valuesOf(expected));
    } else if (!query.anyOrder) expect(namesOf(byCursor.items)).toEqual(namesOf(expected));
  });

  test.each([
    { filter: 'title eq "Boss"' },
    { filter: 'title eq "Boss" and active eq true' },
    { filter: 'title eq "Boss" or active eq false' },
    { sortBy: "title" },
    { filter: "active eq true", sortBy: "title" },
    { filter: "name pr" },
    { filter: 'groups[value eq "large" and type ne "x"] and active eq true' },
    { filter: 'emails[type eq "work"]' },
  ])("are too many, and the fault names the attributes with an index: %j", async (ask) => {
    const error = await failure(page(directory, ask));
    expect(error).toBeInstanceOf(Fault);
    expect(error).toMatchObject(tooMany);
    expect(String((error as Fault).description)).toContain(SHIPPED.join(", "));
  });

  test("are too many for sortBy an attribute of which users have several values", async () => {
    const several = directoryOf([...all, person(count, "zz", { emails: [{ value: "a" }, { value: "b" }] })]);
    expect(await failure(page(several, { sortBy: "emails" }))).toMatchObject(tooMany);
    const { total } = await page(several, { filter: "emails pr" }).catch(() => ({ total: undefined }));
    expect(total).toBeUndefined();
    expect((await page(several, { filter: "emails.value pr" })).total).toBe(count + 1);
  });

  test.each([
    [2_000_000, { filter: 'emails co "@acme" and displayName co "shown 1"' }, false],
    [2_000_000, { filter: 'displayName co "shown 1"' }, true],
    [1_900_000, { filter: 'emails co "@acme" and displayName co "shown 1"' }, true],
  ] as const)(
    "are served where at most 4,000,000 values are searched, or one index: %i, %j",
    async (more, ask, isServed) => {
      const asked = page(
        directoryOf(all, SHIPPED, () => true, more),
        ask,
      );
      if (isServed) expect((await asked).total).toBe(scan(all, ask).length);
      else expect(await failure(asked)).toMatchObject(tooMany);
    },
  );

  test("a search of most values is made once", async () => {
    const fresh = directoryOf(all);
    const ask = { filter: 'emails co "@" and active eq true' };
    expect((await page(fresh, ask)).total).toBe(scan(all, ask).length);
    // Opened, opened for searches, searched, and the ids.
    expect(fresh.indexes.get("emails.value")?.roundTrips()).toBe(4);
  });

  test.each([
    { filter: 'userName co "7"', sortBy: "name.familyName" },
    { filter: 'userName co "n" and active eq true' },
    { filter: 'not (groups.value eq "small")', sortBy: "name.givenName", sortOrder: "descending" },
  ])("are filtered by names and groups beyond 10,000 matches: %j", async (ask) => {
    const expected = scan(all, ask);
    const query = queryOf(ask);
    const walked = await pagesByCursor([source], query, 3_000);
    expect([walked.total, new Set(namesOf(walked.items))]).toEqual([expected.length, new Set(namesOf(expected))]);
    const { order } = query;
    const valuesOf = (list: readonly Person[]) => list.map(({ resource }) => order?.valueOf(resource));
    expect(valuesOf(walked.items)).toEqual(valuesOf(expected));
    const middle = await page(directory, ask, expected.length >> 1, 20);
    expect(namesOf(middle.items)).toEqual(
      namesOf(walked.items.slice(expected.length >> 1, (expected.length >> 1) + 20)),
    );
  });

  test("a lookup that finds too many is left to the index", async () => {
    const { total, items } = await page(directory, { filter: 'externalId eq "same"' }, 11_000, 5);
    expect([total, items.length]).toEqual([count, 5]);
  });
});

describe("lists in the order of another attribute than that of the filter", () => {
  // Pages in the middle are further from both ends than one request walks.
  const all = people(22_000, (at) => ({ displayName: `Shown ${at % 50}` }));
  const directory = directoryOf(all);
  const { source } = directory;

  test.each([
    { filter: "active eq true", sortBy: "name.familyName" },
    { filter: "active eq true", sortBy: "name.givenName", sortOrder: "descending" },
    { filter: 'active eq true and not (displayName eq "shown 9")', sortBy: "name.familyName" },
    { filter: 'active eq true and name.familyName gt "family 1"', sortBy: "name.familyName" },
  ])("are served at any offset in the order of another attribute: %j", { timeout: 120_000 }, async (ask) => {
    const expected = scan(all, ask);
    const walked = await pagesByCursor([source], queryOf(ask), 10_000);
    const order = walked.items.map(({ resource }) => queryOf(ask).order?.valueOf(resource));
    expect(order).toEqual(expected.map(({ resource }) => queryOf(ask).order?.valueOf(resource)));
    for (const offset of [
      0,
      1_000,
      9_000,
      Math.floor(expected.length / 2),
      expected.length - 9_500,
      expected.length - 30,
    ]) {
      const { total, items } = await page(directory, ask, offset, 20);
      expect(total).toBe(expected.length);
      expect(namesOf(items)).toEqual(namesOf(walked.items.slice(offset, offset + 20)));
    }
  });
});

describe("lists in the order of names", () => {
  const all = people(22_000, (at) => ({ displayName: `Shown ${at % 50}` }));
  const [plain, indexed] = [directoryOf(all), directoryOf(all, [...SHIPPED, "userName"])];
  const names = all.length;
  /** The same with more names than are read with their ids. */
  const beyond = (directory: Directory): Directory => {
    const { index } = directory.source;
    return { ...directory, source: { ...directory.source, index: { ...index, total: async () => 200_001 } } };
  };

  test.each([
    [plain, { filter: "active eq true", sortBy: "userName" }],
    [plain, { filter: 'emails co "@example"', sortBy: "userName", sortOrder: "descending" }],
    [indexed, { filter: "active eq true", sortBy: "userName", sortOrder: "descending" }],
    [indexed, { filter: 'active eq true and not (displayName eq "shown 9")', sortBy: "userName" }],
    [beyond(indexed), { filter: 'emails co "@example"', sortBy: "userName" }],
    [indexed, { filter: 'userName co "n" and active eq true', sortBy: "userName" }],
    [indexed, { filter: 'not (userName co "1") or active eq false', sortBy: "userName", sortOrder: "descending" }],
  ] as const)(
    "are filtered by any set at any offset and by cursor: %#",
    { timeout: 120_000 },
    async (directory, ask) => {
      const expected = namesOf(scan(all, ask));
      expect(expected.length).toBeGreaterThan(10_000);
      for (const offset of [0, 30, 9_000, expected.length >> 1, expected.length - 9_500, expected.length - 7]) {
        const { total, items } = await page(directory, ask, offset, 20);
        expect([total, namesOf(items)]).toEqual([expected.length, expected.slice(offset, offset + 20)]);
      }
      const walked = await pagesByCursor([directory.source], queryOf(ask), 2_500);
      expect([walked.total, namesOf(walked.items)]).toEqual([expected.length, expected]);
    },
  );

  /** The matches are the last ones. */
  const rareOf = (count: number): readonly Person[] =>
    Array.from({ length: count }, (_, at) =>
      person(at, `${at < 10_001 ? "z" : "a"}.${at}`, { displayName: at < 10_001 ? "Rare" : "Other" }),
    );

  test("rare matches by cursor are found behind what one request walks", async () => {
    const few = rareOf(names);
    const ask = { filter: 'displayName eq "rare"', sortBy: "userName" };
    for (const declared of [SHIPPED, [...SHIPPED, "userName"]]) {
      const { items } = await pagesByCursor([directoryOf(few, declared).source], queryOf(ask), 4_000);
      expect(namesOf(items)).toEqual(namesOf(scan(few, ask)));
    }
  });

  test("are too many in the middle of more names without their index, and the fault names it", async () => {
    // Pages near both ends are walked to.
    const ask = { filter: "active eq true", sortBy: "userName" };
    expect((await page(beyond(plain), ask, 5, 10)).items).toHaveLength(10);
    const directory = beyond(directoryOf(rareOf(51_000), ["displayName"]));
    const error = await failure(page(directory, { ...ask, filter: 'displayName eq "rare"' }, 5, 10));
    expect(error).toMatchObject(tooMany);
    expect(String((error as Fault).description)).toContain("needs an index of userName");
  });
});
