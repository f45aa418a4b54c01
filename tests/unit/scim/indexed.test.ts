/** Which attributes can have an index, and the values that an index holds of a user. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bindFilter } from "#core/scim/protocol/filter/bind.ts";
import { matches } from "#core/scim/protocol/filter/evaluate.ts";
import { parseFilter } from "#core/scim/protocol/filter/parse.ts";
import { type IndexedAttribute, indexedAttribute, valuesOf } from "#core/scim/protocol/indexed.ts";
import type { Json, Resource } from "#core/scim/protocol/schema/attribute.ts";
import { userType } from "#core/scim/protocol/schema/resource-types.ts";
import { ENTERPRISE, kim, SYSTEM, USER } from "./support.ts";

function known(name: string): IndexedAttribute {
  const attribute = indexedAttribute(name);
  if (!attribute) throw new Error(`${name} cannot have an index`);
  return attribute;
}

const holds = (filter: string, resource: Resource) =>
  matches(bindFilter(userType, parseFilter(filter), { unknown: "refuse" }), resource);

describe("an attribute that can have an index", () => {
  test.each([
    ["emails.value", "emails.value", false, true, "type", "string"],
    ["emails", "emails.value", false, true, "type", "string"],
    ["EMAILS.VALUE", "emails.value", false, true, "type", "string"],
    ["emails.type", "emails.type", false, true, undefined, "string"],
    ["emails.primary", "emails.primary", false, true, undefined, "boolean"],
    ["name.familyName", "name.familyName", false, false, undefined, "string"],
    [`${USER}:name.givenName`, "name.givenName", false, false, undefined, "string"],
    ["displayName", "displayName", false, false, undefined, "string"],
    ["userName", "userName", false, false, undefined, "string"],
    ["active", "active", false, false, undefined, "boolean"],
    ["meta.created", "meta.created", false, false, undefined, "time"],
    ["META.lastModified", "meta.lastModified", false, false, undefined, "time"],
    ["externalId", "externalId", true, false, undefined, "string"],
    ["profileUrl", "profileUrl", true, false, undefined, "string"],
    ["addresses.locality", "addresses.locality", false, true, "type", "string"],
    [`${ENTERPRISE}:department`, `${ENTERPRISE}:department`, false, false, undefined, "string"],
    ["department", `${ENTERPRISE}:department`, false, false, undefined, "string"],
    ["manager", `${ENTERPRISE}:manager.value`, false, false, undefined, "string"],
    [`${SYSTEM}:accountLocked`, `${SYSTEM}:accountLocked`, false, false, undefined, "boolean"],
    [`${ENTERPRISE}:accountLocked`, `${SYSTEM}:accountLocked`, false, false, undefined, "boolean"],
    [`${SYSTEM}:emailAddresses`, `${SYSTEM}:emailAddresses`, false, true, undefined, "string"],
  ])("is described: %s", (written, name, caseExact, isMultiValued, facet, kind) => {
    expect(known(written)).toMatchObject({ name, caseExact, isMultiValued, facet, kind });
  });

  test.each([
    "nothing",
    "",
    "name",
    "addresses",
    "name.nothing",
    "id",
    "schemas",
    "meta",
    "meta.location",
    "meta.resourceType",
    "password",
    "groups",
    "groups.display",
    "roles",
    "roles.value",
    "x509Certificates",
    ENTERPRISE,
    `${ENTERPRISE}:manager.displayName`,
    `${SYSTEM}:failedLoginAttempts`,
    `${SYSTEM}:accountState`,
    `${SYSTEM}:isReadOnlyUser`,
  ])("is not %s", (name) => {
    expect(indexedAttribute(name)).toBeUndefined();
  });
});

describe("the values of a user", () => {
  test("are in the form in which filters compare them", () => {
    expect(valuesOf(known("displayName"), kim)).toEqual([{ value: 'kim "the" jensen', facet: "" }]);
    expect(valuesOf(known("externalId"), kim)).toEqual([{ value: "Ext-1", facet: "" }]);
    expect(valuesOf(known("active"), { active: false })).toEqual([{ value: "false", facet: "" }]);
    expect(valuesOf(known("department"), kim)).toEqual([{ value: "sales", facet: "" }]);
    expect(valuesOf(known("displayName"), { displayName: "J\u030C" })).toEqual([{ value: "\u01F0", facet: "" }]);
  });

  test("have the type of their element as facet", () => {
    const emails: Json = [
      { value: "Kim@Work.test", type: "Work", primary: true },
      { value: "kim@home.test" },
      { type: "other" },
    ];
    expect(valuesOf(known("emails.value"), { emails })).toEqual([
      { value: "kim@work.test", facet: "work" },
      { value: "kim@home.test", facet: "" },
    ]);
    expect(valuesOf(known("emails.type"), { emails })).toEqual([
      { value: "work", facet: "" },
      { value: "other", facet: "" },
    ]);
  });

  test("are there once with each facet", () => {
    const emails = ["work", "WORK", "home"].map((type) => ({ value: "a@x.test", type }));
    expect(valuesOf(known("emails.value"), { emails })).toEqual([
      { value: "a@x.test", facet: "work" },
      { value: "a@x.test", facet: "home" },
    ]);
    expect(valuesOf(known("emails.type"), { emails })).toEqual([
      { value: "work", facet: "" },
      { value: "home", facet: "" },
    ]);
  });

  test("are none where the user lacks the attribute", () => {
    for (const name of ["emails.value", "name.familyName", "active", "department"]) {
      expect(valuesOf(known(name), {})).toEqual([]);
    }
    expect(valuesOf(known("name.familyName"), { name: { givenName: "Kim" } })).toEqual([]);
    expect(valuesOf(known("displayName"), { displayName: "" })).toEqual([]);
  });
});

describe("a filter", () => {
  const text = fc.constantFrom("a", "A", "ab", "b", "\u00C9", "e\u0301", "\u{1F600}", " ");
  const type = fc.constantFrom(undefined, "work", "Work", "home");
  const email = fc.record({ value: fc.option(text, { nil: undefined }), type }).map((element) => stripped(element));
  const person = fc
    .record({
      displayName: fc.option(text, { nil: undefined }),
      externalId: fc.option(text, { nil: undefined }),
      emails: fc.option(fc.array(email, { maxLength: 4 }), { nil: undefined }),
    })
    .map((members) => stripped(members));

  test("matches a user exactly where it matches one of the values", () => {
    fc.assert(
      fc.property(person, text, fc.constantFrom("eq", "co", "sw", "ew", "gt", "le"), (user, operand, operator) => {
        for (const name of ["displayName", "externalId", "emails.value"]) {
          const filter = `${name} ${operator} ${JSON.stringify(operand)}`;
          const values = valuesOf(known(name), user);
          const alone = values.map(({ value }) =>
            holds(filter, name === "emails.value" ? { emails: [{ value }] } : { [name]: value }),
          );
          expect(alone.includes(true), filter).toBe(holds(filter, user));
          expect(values.length > 0).toBe(holds(`${name} pr`, user));
        }
        const work = valuesOf(known("emails.value"), user).filter(({ facet }) => facet === "work");
        const filter = `emails[type eq "work" and value ${operator} ${JSON.stringify(operand)}]`;
        expect(work.some(({ value, facet }) => holds(filter, { emails: [{ value, type: facet }] }))).toBe(
          holds(filter, user),
        );
      }),
    );
  });

  function stripped(members: Readonly<Record<string, unknown>>): Resource {
    return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Resource;
  }
});
