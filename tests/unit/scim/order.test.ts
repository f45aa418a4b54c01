/** Sorting, and instants (C row ids: docs/scim-conformance.md). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { instantOf } from "#core/scim/protocol/instant.ts";
import { compareSortValues, readOrder, sortValue } from "#core/scim/protocol/order.ts";
import type { Resource, ResourceType } from "#core/scim/protocol/schema/attribute.ts";
import { userType } from "#core/scim/protocol/schema/resource-types.ts";
import { badgeType, ENTERPRISE, faultOf, kim, SYSTEM, sentenceOf } from "./support.ts";

const sorted = (
  resources: readonly Resource[],
  sortBy: string,
  sortOrder?: string,
  type: ResourceType = userType,
): readonly unknown[] => {
  const order = readOrder(type, sortBy, sortOrder);
  if (!order) throw new Error("no order");
  return [...resources]
    .sort((a, b) => compareSortValues(order, sortValue(order, a), sortValue(order, b)))
    .map(({ id }) => id);
};

describe("sorts resources", () => {
  const named = (...names: readonly (string | undefined)[]): readonly Resource[] =>
    names.map((title, index) => ({ id: `${index}`, ...(title === undefined ? {} : { title }) }));

  test("C098 ascending is the default", () => {
    expect(sorted(named("b", "c", "a"), "title")).toEqual(["2", "0", "1"]);
    expect(sorted(named("b", "c", "a"), "TITLE", "Ascending")).toEqual(["2", "0", "1"]);
    expect(sorted(named("b", "c", "a"), "title", "")).toEqual(["2", "0", "1"]);
  });
  test("C099 descending", () => {
    expect(sorted(named("b", "c", "a"), "title", "DESCENDING")).toEqual(["1", "0", "2"]);
  });
  test("C100 no value last, and first when descending", () => {
    expect(sorted(named("b", undefined, "a"), "title")).toEqual(["2", "0", "1"]);
    expect(sorted(named("b", undefined, "a"), "title", "descending")).toEqual(["1", "0", "2"]);
  });
  test("C101 case-insensitive unless the attribute is case-exact", () => {
    expect(sorted(named("c", "B", "a", "É", "f"), "title")).toEqual(["2", "1", "0", "4", "3"]);
    const exact = ["b", "a", "B"].map((externalId, index) => ({ id: `${index}`, externalId }));
    expect(sorted(exact, "externalId")).toEqual(["2", "1", "0"]);
  });
  test("by code points, not by UTF-16 code units", () => {
    expect(sorted(named("\u{1F600}", "\uFFFD", "z"), "title")).toEqual(["2", "1", "0"]);
  });
  test("C102 by a sub-attribute", () => {
    const people = ["Young", "Adams"].map((familyName, index) => ({ id: `${index}`, name: { familyName } }));
    expect(sorted(people, "name.familyName")).toEqual(["1", "0"]);
  });
  test("C103 by the primary element, else the first", () => {
    const people: readonly Resource[] = [
      { id: "0", emails: [{ value: "z@x" }, { value: "b@x", primary: true }] },
      { id: "1", emails: [{ value: "c@x" }, { value: "a@x" }] },
      { id: "2", emails: [{ value: "a@x", primary: false }] },
      { id: "3", emails: [{ value: "a@x" }, { display: "no value", primary: true }] },
    ];
    expect(sorted(people, "emails.value")).toEqual(["2", "3", "0", "1"]);
    expect(sorted(people, "emails")).toEqual(["2", "3", "0", "1"]);
  });
  test("C103 by the first element with a value, also where the primary one has none", () => {
    const people: readonly Resource[] = [
      { id: "b", emails: [{ value: "b@x.test" }] },
      { id: "c", emails: [{ type: "work" }, { value: "c@x.test" }] },
      {
        id: "a",
        emails: [
          { type: "work", primary: true },
          { value: "a@x.test", type: "home" },
        ],
      },
      { id: "none", emails: [{ type: "work" }] },
    ];
    expect(sorted(people, "emails")).toEqual(["a", "b", "c", "none"]);
  });
  test("by instants, numbers, booleans and attributes of extensions", () => {
    const at = (...instants: readonly string[]) =>
      instants.map((lastModified, index) => ({ id: `${index}`, meta: { lastModified } }));
    expect(
      sorted(
        at("2024-01-01T00:00:00.000Z", "2024-01-01T01:00:00.000+02:00", "2024-01-01T00:00:00.0000001Z"),
        "meta.lastModified",
      ),
    ).toEqual(["1", "0", "2"]);
    const failed = [10, 9, undefined].map((count, index) => ({
      id: `${index}`,
      ...(count === undefined ? {} : { [SYSTEM]: { failedLoginAttempts: count } }),
    }));
    expect(sorted(failed, `${SYSTEM}:failedLoginAttempts`)).toEqual(["1", "0", "2"]);
    expect(
      sorted(
        [true, false].map((active, index) => ({ id: `${index}`, active })),
        "active",
      ),
    ).toEqual(["1", "0"]);
    const managed = ["b", "a"].map((value, index) => ({ id: `${index}`, [ENTERPRISE]: { manager: { value } } }));
    expect(sorted(managed, "manager")).toEqual(["1", "0"]);
    expect(
      sorted(
        [
          { id: "0", tags: ["b"] },
          { id: "1", tags: ["a", "c"] },
        ],
        "tags",
        undefined,
        badgeType,
      ),
    ).toEqual(["1", "0"]);
  });
  test("ignores sortOrder without sortBy", () => {
    expect(readOrder(userType, undefined, "sideways")).toBeUndefined();
    expect(readOrder(userType, " ", undefined)).toBeUndefined();
  });
  test("returns the sort key of a resource, for cursors", () => {
    const keyOf = (sortBy: string) => {
      const order = readOrder(userType, sortBy, undefined);
      return order && sortValue(order, kim);
    };
    expect(keyOf("userName")).toBe("kim");
    expect(keyOf("externalId")).toBe("Ext-1");
    expect(keyOf("meta.created")).toBe("2024-01-01T00:00:00.000000000Z");
    expect(keyOf("failedLoginAttempts")).toBe(3);
    expect(keyOf("active")).toBe(true);
    expect(keyOf("title")).toBeUndefined();
  });
});

describe("refuses with invalidValue", () => {
  test.each([
    ["unknown attribute", "nope", undefined],
    ["unknown part", "name.nope", undefined],
    ["complex without its part", "name", undefined],
    ["complex list without a value", "addresses", undefined],
    ["a schema", ENTERPRISE, undefined],
    ["schemas", "schemas", undefined],
    ["password", "password", undefined],
    ["brackets", 'emails[type eq "work"].value', undefined],
    ["prototype", "__proto__", undefined],
    ["direction", "userName", "upwards"],
  ])("%s", (_, sortBy, sortOrder) => {
    expect(faultOf(() => readOrder(userType, sortBy, sortOrder))).toBe("request.invalid");
  });
  test("says what to send instead", () => {
    expect(sentenceOf(() => readOrder(userType, "name", undefined))).toBe(
      "sortBy: 'name' is complex. Name a sub-attribute, such as name.formatted.",
    );
    expect(sentenceOf(() => readOrder(userType, "title", "up"))).toBe(
      "sortOrder must be 'ascending' or 'descending', not 'up'.",
    );
  });
});

describe("properties of the order", () => {
  const value = fc.option(fc.string({ unit: "grapheme", maxLength: 3 }), { nil: undefined });
  test("is a total order, and descending is its reverse", () => {
    const ascending = readOrder(userType, "title", "ascending");
    const descending = readOrder(userType, "title", "descending");
    if (!ascending || !descending) throw new Error("no order");
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        const sign = (x: typeof a, y: typeof a) => Math.sign(compareSortValues(ascending, x, y));
        expect(sign(a, a)).toBe(0);
        expect(sign(a, b) + sign(b, a)).toBe(0);
        if (sign(a, b) <= 0 && sign(b, c) <= 0) expect(sign(a, c)).toBeLessThanOrEqual(0);
        expect(Math.sign(compareSortValues(descending, b, a))).toBe(sign(a, b));
      }),
    );
  });
});

describe("instants", () => {
  test.each([
    ["2024-05-13T04:42:34Z", "2024-05-13T04:42:34.000000000Z"],
    ["2024-05-13t04:42:34z", "2024-05-13T04:42:34.000000000Z"],
    ["2024-05-13T04:42:34", "2024-05-13T04:42:34.000000000Z"],
    ["2021-09-23T19:35:41.8420572Z", "2021-09-23T19:35:41.842057200Z"],
    ["2015-10-10T14:38:21.8617979-07:00", "2015-10-10T21:38:21.861797900Z"],
    ["2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00.000000000Z"],
    ["0001-01-03T00:00:00.0000000Z", "0001-01-03T00:00:00.000000000Z"],
    ["0099-12-31T23:59:59.999999999Z", "0099-12-31T23:59:59.999999999Z"],
    ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000000000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000000000Z"],
  ])("%s is %s", (text, instant) => expect(instantOf(text)).toBe(instant));

  test.each([
    "2023-02-29T00:00:00Z",
    "2024-13-01T00:00:00Z",
    "2024-01-01T24:00:00Z",
    "2024-01-01T00:60:00Z",
    "2024-01-01T00:00:60Z",
    "2024-01-01T00:00:00+15:00",
    "2024-01-01T00:00:00.Z",
    "2024-01-01T00:00:00.1234567890Z",
    "9999-12-31T23:59:59-01:00",
    "0000-01-01T00:00:00+01:00",
    "2024-01-01 00:00:00Z",
    "2024-01-01",
    "1704067200",
    "",
  ])("%s is not an instant", (text) => expect(instantOf(text)).toBeUndefined());

  test("sort in the order of time", () => {
    const date = fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(date, date, (a, b) => {
        const [x, y] = [instantOf(a.toISOString()) ?? "", instantOf(b.toISOString()) ?? ""];
        expect(Math.sign(x < y ? -1 : Number(x > y))).toBe(Math.sign(a.getTime() - b.getTime()));
      }),
    );
  });
});
