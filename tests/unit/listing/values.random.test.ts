/** Random filters and orders over indexes of attributes: every list is what a scan of all users finds. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listPage } from "#core/scim/listing/list.ts";
import { FEW } from "#core/scim/listing/values/sets.ts";
import type { Json, Resource } from "#core/scim/protocol/schema/attribute.ts";
import {
  type Ask,
  directoryOf,
  namesOf,
  type Person,
  pagesByCursor,
  pagesByOffset,
  person,
  queryOf,
  SHIPPED,
  scan,
} from "./values.support.ts";

const families = ["Smith", "smythe", "Jones", "Ångström", "Ng", "Zeta\u{1F600}", "s", "ΠΑΠΑΣ", "ΠΑΠΑΣΤΑΜΟΥ"];
const givens = ["Kim", "kimberly", "Ada", "Åsa", "Jo"];
const domains = ["acme.com", "ACME.com", "example.org", "acme.co"];
const types = ["work", "Home", "other", undefined];
const long = "long".repeat(200);
const LONG = [long, `${long}-a`, `${long}-b`];

/** Picks by a number: the same people in every run. */
const at = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;

const emailsOf = (seed: number, isSingle: boolean): Json[] => {
  const count = isSingle ? Math.min(1, seed % 4) : [0, 1, 1, 2, 3][seed % 5];
  return Array.from({ length: count ?? 0 }, (_, turn) => {
    const type = at(types, seed + turn);
    const isLong = seed % 89 === 0 && turn === 0;
    return {
      ...(seed % 31 !== 0 && {
        value: isLong ? at(LONG, seed) : `u${(seed * 7 + turn) % 60}@${at(domains, seed + turn)}`,
      }),
      ...((type !== undefined || seed % 31 === 0) && { type: type ?? "work" }),
      ...(turn === 1 && { primary: true }),
    };
  });
};

/** Some times are equal, and some have no milliseconds. */
const timeAt = (place: number): string => new Date(Date.UTC(2025, 11, 31, 23, 59) + (place >> 1) * 500).toISOString();

const peopleOf = (count: number, isSingle = false): Person[] =>
  Array.from({ length: count }, (_, seed) => {
    const mixed = Math.imul(seed + 3, 2_246_822_519) >>> 7;
    const emails = emailsOf(mixed, isSingle);
    const name: Resource = {
      ...(mixed % 7 !== 0 && { familyName: at(families, mixed >> 3) }),
      ...(mixed % 5 !== 0 && { givenName: at(givens, mixed >> 5) }),
    };
    return person(seed, `user${(mixed * 31) % 9_973}.${seed}`, {
      active: mixed % 11 !== 0,
      meta: { created: timeAt(seed), lastModified: timeAt(seed + (mixed % 60)) },
      ...(Object.keys(name).length > 0 && { name }),
      ...(mixed % 4 !== 0 && { displayName: seed % 97 === 1 ? at(LONG, seed) : `${at(givens, mixed)} ${mixed % 40}` }),
      ...(emails.length > 0 && { emails }),
      ...(mixed % 3 !== 0 && { externalId: `Ext-${mixed % 50}` }),
      ...(mixed % 13 < 6 && { groups: [{ value: at(["few", "many", "many"], mixed >> 6) }] }),
      ...(mixed % 2 === 0 && { title: at(["Driver", "Boss"], mixed >> 4) }),
    });
  });

const quoted = (text: string): string => JSON.stringify(text);
const operator = fc.constantFrom("eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le");
const texts = fc.constantFrom(
  ...families,
  ...givens,
  ...domains,
  ...LONG,
  "",
  "sm",
  "K",
  "u1",
  "u2",
  "@",
  "Ext-1",
  "ext-1",
  "Kim 1",
  "m",
  "zzz",
  "\u{1F600}",
  "user1",
  "user77",
  "Σ",
  "απας",
);
const stringTerm = (names: readonly string[]) =>
  fc.oneof(
    fc.tuple(fc.constantFrom(...names), operator, texts).map(([name, op, text]) => `${name} ${op} ${quoted(text)}`),
    fc.constantFrom(...names).map((name) => `${name} pr`),
  );
const emailTypes = fc
  .tuple(fc.constantFrom("eq", "ne", "sw", "gt"), fc.constantFrom("work", "HOME", "o", ""))
  .map(([op, text]) => `type ${op} ${quoted(text)}`);

/** Terms joined by and, or and not. */
const joinedFrom = (leaf: fc.Arbitrary<string>, depth: number): fc.Arbitrary<string> =>
  depth === 0
    ? leaf
    : fc.oneof(
        { weight: 3, arbitrary: leaf },
        { weight: 1, arbitrary: joinedFrom(leaf, depth - 1).map((part) => `not (${part})`) },
        {
          weight: 3,
          arbitrary: fc
            .tuple(joinedFrom(leaf, depth - 1), fc.constantFrom("and", "or"), joinedFrom(leaf, depth - 1))
            .map(([a, join, b]) => `(${a} ${join} ${b})`),
        },
      );

/** Of people and between them, in several notations. */
const times = fc.nat({ max: 320 }).map((place) => {
  const time = timeAt(place);
  return at([time, time.replace("Z", "0001Z"), time.slice(0, -5), `${time.slice(0, -1)}-05:00`], place);
});
const timeTerm = fc
  .tuple(
    fc.constantFrom("meta.created", "meta.lastModified"),
    fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le"),
    times,
  )
  .map(([name, op, time]) => `${name} ${op} ${quoted(time)}`);

const inEmail = joinedFrom(
  fc.oneof(stringTerm(["value"]), emailTypes, fc.constantFrom("type pr", "primary eq true", "primary pr")),
  2,
);
const inName = joinedFrom(stringTerm(["familyName", "givenName"]), 1);
const leaf = fc.oneof(
  { weight: 4, arbitrary: stringTerm(["name.familyName", "name.givenName", "displayName", "externalId"]) },
  { weight: 2, arbitrary: stringTerm(["emails", "emails.value"]) },
  { weight: 1, arbitrary: stringTerm(["userName", "title", "emails.type"]) },
  { weight: 1, arbitrary: fc.constantFrom("active eq true", "active ne true", "active eq false", "active pr") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'groups.value eq "few"',
      'groups eq "many"',
      'groups[value eq "many"]',
      'groups[value eq "many" and type ne "x"]',
      'groups.value ne "many"',
      'groups.value eq "unknown"',
      "groups pr",
    ),
  },
  { weight: 2, arbitrary: inEmail.map((part) => `emails[${part}]`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(inEmail, operator, texts)
      .map(([part, op, text]) => `emails[${part}].value ${op} ${quoted(text)}`),
  },
  { weight: 1, arbitrary: inEmail.map((part) => `emails[${part}] pr`) },
  { weight: 1, arbitrary: inEmail.map((part) => `emails[${part}].type ne "work"`) },
  { weight: 3, arbitrary: timeTerm },
  { weight: 1, arbitrary: fc.constantFrom("meta.created pr", "not (meta.lastModified pr)") },
  { weight: 1, arbitrary: inName.map((part) => `name[${part}]`) },
  { weight: 1, arbitrary: inName.map((part) => `name[${part}].givenName ne "Kim"`) },
);
const filter = fc.option(joinedFrom(leaf, 3), { nil: undefined, freq: 8 });
const sort = fc.option(
  fc.tuple(
    fc.constantFrom(
      "userName",
      "name.familyName",
      "displayName",
      "emails",
      "active",
      "externalId",
      "title",
      "meta.created",
      "meta.lastModified",
    ),
    fc.constantFrom("ascending", "descending"),
  ),
  { nil: undefined, freq: 2 },
);
const asks: fc.Arbitrary<Ask> = fc
  .tuple(filter, sort)
  .map(([text, by]) => ({ filter: text, sortBy: by?.[0], sortOrder: by?.[1] }));

/** Compares all pages of a list with a scan. */
const check = async (people: readonly Person[], source: ReturnType<typeof directoryOf>["source"], ask: Ask) => {
  const expected = scan(people, ask);
  const query = queryOf(ask);
  const byOffset = await pagesByOffset([source], query, 37);
  expect(byOffset.totals).toEqual([expected.length]);
  expect(new Set(namesOf(byOffset.items))).toEqual(new Set(namesOf(expected)));
  expect(byOffset.items).toHaveLength(expected.length);
  const { order } = query;
  if (order) {
    const values = (list: readonly Person[]) => list.map(({ resource }) => order.valueOf(resource));
    expect(values(byOffset.items)).toEqual(values(expected));
  }
  // Ties too are in the order of names in a short list.
  if (expected.length <= FEW || (!order && !query.anyOrder)) expect(namesOf(byOffset.items)).toEqual(namesOf(expected));
  const byCursor = await pagesByCursor([source], query, 41);
  expect(byCursor.total).toBe(expected.length);
  expect(namesOf(byCursor.items)).toEqual(namesOf(byOffset.items));
  const count = await listPage([source], query, { offset: 0, limit: 0 });
  expect([count.items, count.total]).toEqual([[], expected.length]);
};

describe.each([
  ["several values", false, SHIPPED],
  ["one value each", true, SHIPPED],
  ["fewer indexes", false, ["name.familyName", "emails.value"]],
  ["an index of types", false, ["emails.type", "active"]],
  ["indexes of times", false, ["meta.created", "meta.lastModified"]],
] as const)("with %s", (_, isSingle, declared) => {
  const people = peopleOf(260, isSingle);
  const { source } = directoryOf(people, declared);

  test("every list is what a scan finds", async () => {
    await fc.assert(
      fc.asyncProperty(asks, (ask) => check(people, source, ask)),
      { numRuns: 120 },
    );
  }, 120_000);
});
