import { describe, expect, test } from "vitest";
import { Fault } from "#core/kernel/faults.ts";
import { present, projectionOf, type Selection, wants } from "#core/scim/protocol/projection.ts";
import { attribute, type Resource, type ResourceType } from "#core/scim/protocol/schema/attribute.ts";
import { groupType, userType } from "#core/scim/protocol/schema/resource-types.ts";

const core = "urn:ietf:params:scim:schemas:core:2.0:User";
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const system = "urn:scim:wso2:schema";

const kim: Resource = {
  [system]: { country: "CH", isReadOnlyUser: false, accountLocked: true },
  [enterprise]: { department: "Sales", manager: { value: "m1", displayName: "Max" } },
  meta: {
    resourceType: "User",
    created: "2024-05-31T09:30:00Z",
    location: "https://host/scim2/Users/1",
    version: 'W/"1"',
  },
  emails: [
    { value: "kim@example.com", type: "work", primary: true },
    { value: "kim@example.org", type: "home" },
  ],
  password: "secret",
  groups: [{ value: "g1", display: "Staff" }],
  displayName: "Kim",
  name: { familyName: "Kay", givenName: "Kim" },
  userName: "kim",
  externalId: "x1",
  id: "1",
};

const shown = (selection: Selection): Resource => present(projectionOf(userType, selection), kim);
const only = (attributes: Selection["attributes"]) => shown({ attributes });
const allBut = (excludedAttributes: Selection["excludedAttributes"]) => shown({ excludedAttributes });
const everything = shown({});

/** What remains for a request with unknown names only. */
const least = { schemas: [core], id: "1" };

describe("without parameters", () => {
  test("shows the default attributes in the order of the schemas", () => {
    expect(JSON.stringify(everything)).toBe(
      JSON.stringify({
        schemas: [core, enterprise, system],
        id: "1",
        externalId: "x1",
        userName: "kim",
        name: { familyName: "Kay", givenName: "Kim" },
        displayName: "Kim",
        emails: kim.emails,
        groups: kim.groups,
        [enterprise]: { department: "Sales", manager: { value: "m1", displayName: "Max" } },
        [system]: { country: "CH", accountLocked: true },
        meta: kim.meta,
      }),
    );
  });
  test.each(["", " ", ",", " , ,", [], ["", " "], undefined])("ignores the empty list %j", (list) => {
    expect(only(list)).toEqual(everything);
    expect(allBut(list)).toEqual(everything);
  });
  test("does not show unknown attributes", () => {
    const strange: Resource = {
      ...kim,
      schemas: ["urn:x"],
      secret: 1,
      name: { givenName: "Kim", secret: 1 },
      "urn:x": { a: 1 },
    };
    expect(present(projectionOf(userType, {}), strange)).toEqual({ ...everything, name: { givenName: "Kim" } });
  });
});

describe("attributes", () => {
  test.each<[string, Selection["attributes"], Resource]>([
    ["one", "displayName", { displayName: "Kim" }],
    ["several, with blanks around the commas", " displayName , externalId ", { displayName: "Kim", externalId: "x1" }],
    ["a list", ["displayName", "externalId"], { displayName: "Kim", externalId: "x1" }],
    ["a list of lists", ["displayName,externalId"], { displayName: "Kim", externalId: "x1" }],
    ["in any case", "DISPLAYNAME,Name.GIVENNAME", { displayName: "Kim", name: { givenName: "Kim" } }],
    ["by the URN of the core schema", `${core}:displayName`, { displayName: "Kim" }],
    ["the name by its alias", "username", { userName: "kim" }],
    ["a whole object", "name", { name: { familyName: "Kay", givenName: "Kim" } }],
    ["a part of an object", "name.givenName", { name: { givenName: "Kim" } }],
    ["an object and a part of it", "name.givenName,name", { name: { familyName: "Kay", givenName: "Kim" } }],
    ["a part of every element", "emails.type", { emails: [{ type: "work" }, { type: "home" }] }],
    ["a part that only some elements have", "emails.primary", { emails: [{ primary: true }] }],
    ["a part that no element has", "emails.display", {}],
    ["a filter, which is ignored", 'emails[type eq "work"]', { emails: kim.emails ?? [] }],
    [
      "a filter with commas and brackets",
      'emails[type eq "a,]b" and (value co "x")].value,externalId',
      { externalId: "x1", emails: [{ value: "kim@example.com" }, { value: "kim@example.org" }] },
    ],
    [
      "a filter without an end",
      'externalId,emails[type eq "work, displayName',
      { externalId: "x1", emails: kim.emails ?? [] },
    ],
    ["meta", "meta", { meta: kim.meta ?? {} }],
    ["a part of meta", "meta.version", { meta: { version: 'W/"1"' } }],
    ["a read-only attribute", "groups.display", { groups: [{ display: "Staff" }] }],
    ["no password", "password", {}],
    ["no password by its full name", `${core}:password`, {}],
    ["unknown names", "foo,emails.foo,urn:x:y,__proto__,constructor,name.toString", {}],
    ["attributes that are always returned", "id,schemas", {}],
    [
      "all of the core schema",
      core,
      { userName: "kim", name: kim.name ?? {}, displayName: "Kim", emails: kim.emails ?? [], groups: kim.groups ?? [] },
    ],
  ])("%s", (_what, attributes, expected) => expect(only(attributes)).toEqual({ ...least, ...expected }));

  test.each<[string, string, string, Resource]>([
    ["an attribute of an extension", `${enterprise}:department`, enterprise, { department: "Sales" }],
    ["in another case", `${enterprise.toUpperCase()}:DEPARTMENT`, enterprise, { department: "Sales" }],
    ["a part of one", `${enterprise}:manager.value`, enterprise, { manager: { value: "m1" } }],
    ["by its name alone", "department", enterprise, { department: "Sales" }],
    ["under the URN that older clients use", `${enterprise}:accountLocked`, system, { accountLocked: true }],
    [
      "a whole extension",
      enterprise,
      enterprise,
      { department: "Sales", manager: { value: "m1", displayName: "Max" } },
    ],
    [
      "a whole extension, without attributes that must be requested by name",
      system,
      system,
      { country: "CH", accountLocked: true },
    ],
    ["an attribute that must be requested by name", `${system}:isReadOnlyUser`, system, { isReadOnlyUser: false }],
    ["both", `${system},isReadOnlyUser`, system, { country: "CH", isReadOnlyUser: false, accountLocked: true }],
  ])("%s", (_what, attributes, urn, expected) => {
    expect(only(attributes)).toEqual({ schemas: [core, urn], id: "1", [urn]: expected });
  });

  test("wins over excludedAttributes", () => {
    expect(shown({ attributes: "displayName", excludedAttributes: "displayName" })).toEqual({
      ...least,
      displayName: "Kim",
    });
    expect(shown({ attributes: " ", excludedAttributes: "displayName" })).toEqual(allBut("displayName"));
  });
});

describe("excludedAttributes", () => {
  const without = (...names: string[]): Resource =>
    Object.fromEntries(Object.entries(everything).filter(([name]) => !names.includes(name)));

  test.each<[string, Selection["excludedAttributes"], Resource]>([
    ["one", "displayName", without("displayName")],
    ["several", ["NAME", "emails , meta"], without("name", "emails", "meta")],
    ["a part", "name.familyName", { ...everything, name: { givenName: "Kim" } }],
    ["every part", "name.familyName,name.givenName", without("name")],
    [
      "a part of every element",
      "emails.value",
      { ...everything, emails: [{ type: "work", primary: true }, { type: "home" }] },
    ],
    ["a part of every element, the last", "groups.value,groups.display", without("groups")],
    ["attributes that are always returned stay", "id,schemas", everything],
    ["unknown names", "foo,name.foo,urn:x", everything],
    ["attributes that are not shown by default", `password,${system}:isReadOnlyUser`, everything],
    ["a whole extension", system, { ...without(system), schemas: [core, enterprise] }],
    ["all data of an extension", "department,manager", { ...without(enterprise), schemas: [core, system] }],
    [
      "a part in an extension",
      `${enterprise}:manager.displayName`,
      { ...everything, [enterprise]: { department: "Sales", manager: { value: "m1" } } },
    ],
    ["all of the core schema", core, { ...without("userName", "name", "displayName", "emails", "groups") }],
  ])("%s", (_what, excluded, expected) => expect(allBut(excluded)).toEqual(expected));
});

describe("the name with its user store", () => {
  const alias = { usernameAlias: "PRIMARY/kim" };
  const names = (selection: Selection) => Object.keys(present(projectionOf(userType, selection), kim, alias));
  test("comes before userName, so that case-insensitive clients keep userName", () => {
    const keys = names({});
    expect(keys.slice(0, 5)).toEqual(["schemas", "id", "externalId", "username", "userName"]);
    expect(present(projectionOf(userType, {}), kim, alias)).toEqual({ ...everything, username: "PRIMARY/kim" });
  });
  test.each<[Selection]>([[{ attributes: "userName" }], [{ attributes: "username" }], [{ attributes: core }]])(
    "is shown with it: %j",
    (selection) => {
      expect(names(selection)).toEqual(expect.arrayContaining(["username", "userName"]));
    },
  );
  test.each<[Selection]>([
    [{ attributes: "displayName" }],
    [{ excludedAttributes: "userName" }],
    [{ excludedAttributes: "USERNAME" }],
  ])("is left out with it: %j", (selection) => {
    expect(names(selection).filter((name) => name.toLowerCase() === "username")).toEqual([]);
  });
});

describe("an empty list", () => {
  const group: Resource = { id: "g", displayName: "G" };
  const listed = (selection: Selection, resource = group) =>
    present(projectionOf(groupType, selection), resource, { emptyLists: ["members"] });
  test("is not shown", () => {
    expect(present(projectionOf(groupType, {}), group)).toEqual({ schemas: [groupType.schema.id], ...group });
  });
  test("is shown on request, unless the projection excludes it", () => {
    expect(listed({})).toEqual({ schemas: [groupType.schema.id], ...group, members: [] });
    expect(listed({}, { ...group, members: [{ value: "u" }] }).members).toEqual([{ value: "u" }]);
    expect(listed({ excludedAttributes: "members" })).not.toHaveProperty("members");
    expect(listed({ attributes: "displayName" })).not.toHaveProperty("members");
  });
});

describe("whether an attribute is needed", () => {
  test.each<[ResourceType, Selection, string, boolean]>([
    [groupType, {}, "members", true],
    [groupType, { excludedAttributes: "members" }, "members", false],
    [groupType, { excludedAttributes: 'MEMBERS[value eq "1"]' }, "members", false],
    [groupType, { excludedAttributes: "members.display" }, "members", true],
    [groupType, { attributes: "displayName" }, "members", false],
    [groupType, { attributes: "members.value" }, "members", true],
    [userType, { attributes: "userName" }, "groups", false],
    [userType, { attributes: core }, "groups", true],
    [userType, { attributes: "department" }, `${enterprise}:department`, true],
    [userType, {}, `${system}:isReadOnlyUser`, false],
    [userType, {}, "password", false],
    [userType, { attributes: "password" }, "password", false],
    [userType, {}, "meta", true],
    [userType, {}, "foo", false],
    [userType, {}, enterprise, false],
  ])("$name, %j: %s %s", (type, selection, name, expected) => {
    expect(wants(projectionOf(type, selection), name)).toBe(expected);
  });
});

describe("characteristics that our schemas do not use", () => {
  const type: ResourceType = {
    ...groupType,
    schema: {
      id: "urn:thing",
      name: "Thing",
      description: "Thing",
      attributes: [
        attribute("label", "Label", { returned: "always" }),
        attribute("lock", "Lock", {
          type: "complex",
          subAttributes: [
            attribute("kind", "Kind", { returned: "always" }),
            attribute("code", "Code", { returned: "never" }),
            attribute("maker", "Maker", { returned: "request" }),
            attribute("color", "Color"),
          ],
        }),
      ],
    },
  };
  const thing: Resource = { label: "A", lock: { kind: "k", code: "1234", maker: "m", color: "red" } };
  test.each<[Selection, Resource]>([
    [{}, { label: "A", lock: { kind: "k", color: "red" } }],
    [{ attributes: "id" }, { label: "A" }],
    [{ attributes: "lock" }, { label: "A", lock: { kind: "k", color: "red" } }],
    [{ attributes: "lock.maker" }, { label: "A", lock: { kind: "k", maker: "m" } }],
    [{ attributes: "lock.code" }, { label: "A", lock: { kind: "k" } }],
    [{ attributes: "lock,lock.maker,lock.code" }, { label: "A", lock: { kind: "k", maker: "m", color: "red" } }],
    [{ excludedAttributes: "label,lock.kind,lock.color" }, { label: "A", lock: { kind: "k" } }],
    [{ excludedAttributes: "lock" }, { label: "A" }],
  ])("%j", (selection, expected) => {
    expect(present(projectionOf(type, selection), thing)).toEqual({ schemas: ["urn:thing"], ...expected });
  });
});

test("refuses more than 1,000 names, in any form", () => {
  const names = Array.from({ length: 1_001 }, (_, index) => `a${index}`);
  for (const attributes of [names, names.join(",")]) {
    expect(() => projectionOf(userType, { attributes })).toThrow(
      expect.objectContaining({
        fault: "request.invalid",
        description: "attributes and excludedAttributes must have at most 1000 names, not 1001.",
      }),
    );
  }
  expect(() => projectionOf(userType, { attributes: Array.from({ length: 5_000 }, () => "id") })).not.toThrow(Fault);
});
