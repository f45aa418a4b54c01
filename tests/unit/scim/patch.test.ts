/** PATCH requests: structure, single values, complex values, extensions (C row ids: docs/scim-conformance.md). */
import { describe, expect, test } from "vitest";
import { applyPatch } from "#core/scim/protocol/patch/apply.ts";
import { readPatch } from "#core/scim/protocol/patch/read.ts";
import type { JsonObject, Resource } from "#core/scim/protocol/schema/attribute.ts";
import { userType } from "#core/scim/protocol/schema/resource-types.ts";
import { add, having, inEnterprise, type Operations, patch, remove, replace } from "./patch.support.ts";
import { ENTERPRISE, faultOf, kim, PATCH, SYSTEM, sentenceOf, USER } from "./support.ts";

describe("the structure of a request", () => {
  const read = (body: unknown) => readPatch(userType, body);
  const operation = { op: "replace", path: "title", value: "x" };

  test.each([
    ["C133 no body", undefined],
    ["C133 a list", [operation]],
    ["C133 without Operations", { schemas: [PATCH] }],
    ["Operations is null", { Operations: null }],
    ["Operations is an object", { Operations: operation }],
    ["an operation is a text", { Operations: ["remove"] }],
    ["an operation is null", { Operations: [null] }],
    ["schemas without the URN", { schemas: [USER], Operations: [operation] }],
    ["schemas is an object", { schemas: {}, Operations: [operation] }],
    ["C137 unknown op", { Operations: [{ ...operation, op: "move" }] }],
    ["C137 op is no text", { Operations: [{ ...operation, op: 1 }] }],
    ["C137 without op", { Operations: [{ path: "title", value: "x" }] }],
    ["add without value", { Operations: [{ op: "add", path: "title" }] }],
    ["replace without value", { Operations: [{ op: "replace", path: "title" }] }],
    ["without path, a text", { Operations: [{ op: "add", value: "x" }] }],
    ["without path, a list of two", { Operations: [{ op: "replace", value: [{ title: "x" }, { title: "y" }] }] }],
    ["without path, null", { Operations: [{ op: "replace", value: null }] }],
  ])("%s: invalidSyntax", (_, body) => expect(faultOf(() => read(body))).toBe("request.malformed"));

  test("C147 remove without a path: noTarget", () => {
    for (const path of [undefined, null, "", "  "]) {
      expect(faultOf(() => read({ Operations: [{ op: "remove", path, value: { title: "x" } }] }))).toBe(
        "scim.no_target",
      );
    }
  });
  test("a path that is not a string: invalidPath", () => {
    expect(faultOf(() => read({ Operations: [{ ...operation, path: ["title"] }] }))).toBe("scim.path_invalid");
  });
  test.each([
    ["without schemas", { Operations: [operation] }],
    ["with no schemas", { schemas: [], Operations: [operation] }],
    ["with several schemas", { schemas: ["urn:x", PATCH], Operations: [operation] }],
    ["with schemas as a text, in capitals", { schemas: PATCH.toUpperCase(), Operations: [operation] }],
    ["members in any case", { Schemas: [PATCH], OPERATIONS: [{ Op: "Replace", PATH: "title", Value: "x" }] }],
    ["C136 op in any case", { Operations: [{ ...operation, op: "REPLACE" }] }],
    [
      "the exact spelling wins",
      { Operations: [{ OP: "remove", op: "replace", path: "title", value: "x", Value: "y" }] },
    ],
    ["unknown members", { Operations: [{ ...operation, name: "addTitle" }], name: "x" }],
  ])("%s: accepted", (_, body) => {
    expect(applyPatch(userType, kim, read(body))).toStrictEqual(having(kim, { title: "x" }));
  });
  test("changes nothing without operations", () => expect(patch([])).toBe(kim));
  test("refuses more than 1,000 operations, and names the limit", () => {
    const many = (count: number) => ({ Operations: Array.from({ length: count }, () => operation) });
    expect(read(many(1_000))).toHaveLength(1_000);
    expect(faultOf(() => read(many(1_001)))).toBe("request.too_large");
    expect(sentenceOf(() => read(many(1_001)))).toContain("at most 1000");
  });
  test("names the operation in messages", () => {
    const bad = (second: unknown) => sentenceOf(() => read({ Operations: [operation, second] }));
    expect(bad(replace("nope", 1))).toBe("Operations[1]: 'nope' is not an attribute of User. Did you mean name?");
    expect(bad(replace("emails[type eq", 1))).toBe("Operations[1]: Invalid path at character 15: expected a value.");
    expect(bad(replace("active", "maybe"))).toBe("Attribute Operations[1].active must be true or false.");
    expect(bad(replace("userName", null))).toBe("Operations[1]: 'userName' is required, so it must have a value.");
    expect(bad(add("id", "x"))).toBe("Operations[1]: 'id' is read-only.");
  });
});

describe("single values", () => {
  test.each<[string, Operations, Readonly<Record<string, unknown>>]>([
    ["C140 add without path", [add(undefined, { title: "x", nickName: "y" })], { title: "x", nickName: "y" }],
    ["C140 add with an empty path", [add("", { title: "x" })], { title: "x" }],
    ["C140 add with null as path", [{ op: "add", path: null, value: { title: "x" } }], { title: "x" }],
    ["C141 add to unset", [add("title", "x")], { title: "x" }],
    ["C142 add to set", [add("displayName", "x")], { displayName: "x" }],
    ["C148 remove", [remove("displayName")], { displayName: undefined }],
    ["C148 remove with a value", [remove("displayName", "anything")], { displayName: undefined }],
    [
      "C148 remove with a value of another type",
      [remove("active", ["x"]), remove("emails.type", 5)],
      { active: undefined, emails: [{ value: "kim@work.test", primary: true }, { value: "kim@home.test" }] },
    ],
    ["C155 replace without path", [replace(undefined, { displayName: "x" })], { displayName: "x" }],
    ["C156 replace", [replace("displayName", "x")], { displayName: "x" }],
    ["C158 replace unset", [replace("title", "x")], { title: "x" }],
    ["C139 one after another", [remove("title"), add("title", "a"), replace("title", "b")], { title: "b" }],
    [
      "M28 the last one counts",
      [add("title", "a"), replace("title", "b"), remove("displayName"), remove("title")],
      { displayName: undefined },
    ],
    ["names in any case", [replace("DISPLAYNAME", "x")], { displayName: "x" }],
    ["the core URN", [replace(`${USER}:userName`, "Lee")], { userName: "Lee" }],
    ["M11 userName without path", [replace(undefined, { userName: "Lee" })], { userName: "Lee" }],
    ["username is userName", [replace("username", "Lee")], { userName: "Lee" }],
    [
      "the exact spelling wins",
      [replace(undefined, { userName: "Lee", username: "PRIMARY/Max" })],
      { userName: "Lee" },
    ],
    [
      "the exact spelling wins, in any position",
      [replace(undefined, { USERNAME: "a", userName: "Lee", username: "b" })],
      { userName: "Lee" },
    ],
    ["otherwise the last one", [replace(undefined, { USERNAME: "a", username: "Lee" })], { userName: "Lee" }],
    ["M12 active", [replace("active", false)], { active: false }],
    ["M12, M35 active as a text", [{ op: "Replace", path: "active", value: "False" }], { active: false }],
    ["W05 nickName without path", [add(undefined, { nickName: "x" })], { nickName: "x" }],
    ["null by replace removes", [replace("displayName", null)], { displayName: undefined }],
    ["null by replace without path removes", [replace(undefined, { displayName: null })], { displayName: undefined }],
    ["an empty text removes", [replace("displayName", "")], { displayName: undefined }],
    ["an empty text by add removes", [add("displayName", "")], { displayName: undefined }],
    ["password", [replace("password", "s3cret-x")], { password: "s3cret-x" }],
    ["password without path", [add(undefined, { password: "s3cret-x" })], { password: "s3cret-x" }],
    ["externalId", [replace("externalId", "Ext-2")], { externalId: "Ext-2" }],
    ["values keep their blanks and capitals", [replace("title", " A\tb ")], { title: " A\tb " }],
    [
      "a name that looks like a URN's end",
      [replace(`${SYSTEM}.failedLoginAttempts`, "4")],
      { [SYSTEM]: { failedLoginAttempts: 4, emailAddresses: ["kim@work.test", "kim@home.test"] } },
    ],
  ])("%s", (_, operations, members) => expect(patch(operations)).toStrictEqual(having(kim, members)));

  test.each<[string, Operations]>([
    [
      "C145 existing values",
      [add("displayName", kim.displayName), replace("active", "true"), add("externalId", "Ext-1")],
    ],
    ["C145 there and back", [replace("displayName", "x"), replace("displayName", kim.displayName)]],
    ["C145 a new attribute, and gone", [add("title", "x"), remove("title")]],
    ["remove absent values", [remove("nickName"), remove("name.middleName"), remove(`${ENTERPRISE}:division`)]],
    [
      "remove an absent element",
      [remove('emails[type eq "other"]'), remove('phoneNumbers[type eq "x"].value'), remove("ims")],
    ],
    ["null for absent values", [replace("title", null), replace('emails[type eq "other"]', null)]],
    ["schemas and meta in a value", [replace(undefined, { schemas: [USER], meta: { created: "x", version: 1 } })]],
    ["the same id in a value", [replace(undefined, { id: kim.id }), add(undefined, { ID: kim.id })]],
    ["groups in a value", [replace(undefined, { groups: [], "groups.value": "x", 'groups[value eq "g-1"]': null })]],
    [
      "unknown attributes in a value",
      [replace(undefined, { nope: 1, "name.nope": 2, "urn:nope:User": { a: 1 }, "a b": 3, "": 4, "(": 5, '"': 6 })],
    ],
    [
      "inherited names in a value",
      [
        replace(undefined, {
          constructor: "x",
          toString: 1,
          "constructor.prototype": 2,
          [`${ENTERPRISE}:constructor`]: 3,
        }),
      ],
    ],
    [
      "read-only parts in a value",
      [replace(undefined, { [ENTERPRISE]: { manager: { displayName: "Ada" } }, "manager.displayName": "Ada" })],
    ],
    ["a core attribute of a part that a member has", [replace("name", { nope: "x" })]],
    [
      "nothing to add",
      [add("emails", []), add("emails", null), add(undefined, { emails: [] }), add(undefined, { [ENTERPRISE]: {} })],
    ],
  ])("%s: changes nothing, and returns the same object", (_, operations) => expect(patch(operations)).toBe(kim));

  test.each<[string, Operations, string]>([
    ["C153 remove required", [remove("userName")], "scim.mutability"],
    ["required, null", [replace("userName", null)], "request.invalid"],
    ["required, empty", [add("userName", "")], "request.invalid"],
    ["required, null without path", [replace(undefined, { userName: null })], "request.invalid"],
    ["C154 remove id", [remove("id")], "scim.mutability"],
    ["C154 remove groups", [remove("groups")], "scim.mutability"],
    ["C154 remove a group", [remove('groups[value eq "g-1"]')], "scim.mutability"],
    ["C163 meta.created", [replace("meta.created", "2020-01-01T00:00:00Z")], "scim.mutability"],
    ["C163 id, even the same", [replace("id", kim.id)], "scim.mutability"],
    ["C163 schemas", [add("schemas", [ENTERPRISE])], "scim.mutability"],
    ["C163 groups", [add("groups", [{ value: "g-2" }])], "scim.mutability"],
    ["C163 manager.displayName", [replace(`${ENTERPRISE}:manager.displayName`, "Ada")], "scim.mutability"],
    ["C163 read-only in an extension", [replace(`${SYSTEM}:accountState`, "LOCKED")], "scim.mutability"],
    ["another id in a value", [replace(undefined, { id: "other" })], "scim.mutability"],
    ["an id that is not a text", [replace(undefined, { id: [kim.id] })], "scim.mutability"],
    ["password removed", [remove("password")], "scim.mutability"],
    ["password emptied", [replace("password", "")], "request.invalid"],
    ["C164 unknown attribute", [replace("nope", "x")], "scim.path_invalid"],
    ["C164 unknown attribute removed", [remove("nope")], "scim.path_invalid"],
    ["C164 unknown part", [add("name.nope", "x")], "scim.path_invalid"],
    ["C164 a part of a part", [add("name.familyName.x", "x")], "scim.path_invalid"],
    ["C164 unknown URN", [add("urn:nope:User:department", "x")], "scim.path_invalid"],
    ["C164 blank in a path", [add("display Name", "x")], "scim.path_invalid"],
    ["C164 not closed", [replace('emails[type eq "work"', "x")], "scim.path_invalid"],
    ["C164 not closed, in a value", [replace(undefined, { 'emails[type eq "work"': "x" })], "scim.path_invalid"],
    ["C164 a part of a part after brackets", [replace('emails[type eq "work"].value.x', "x")], "scim.path_invalid"],
    ["C164 unknown part in brackets", [replace('emails[nope eq "work"].value', "x")], "scim.path_invalid"],
    ["C164 unknown part after brackets", [replace('emails[type eq "work"].nope', "x")], "scim.path_invalid"],
    ["C164 brackets of a single value", [replace('userName[value eq "Kim"]', "x")], "scim.path_invalid"],
    [
      "C164 brackets of a complex single value",
      [replace('name[familyName eq "Jensen"].givenName', "x")],
      "scim.path_invalid",
    ],
    ["C164 brackets of a schema", [remove(`${ENTERPRISE}[department pr]`)], "scim.path_invalid"],
    ["C164 prototype", [replace("__proto__.polluted", 1)], "scim.path_invalid"],
    ["C164 prototype in brackets", [replace("emails[__proto__ pr].value", 1)], "scim.path_invalid"],
    ["brackets that cannot be compared", [remove("emails[primary gt true]")], "scim.filter_invalid"],
    ["brackets with a wrong literal", [remove("emails[primary eq maybe]")], "scim.filter_invalid"],
    ["a number for a text", [replace("title", 5)], "request.malformed"],
    ["an object for a text", [replace("title", { a: 1 })], "request.malformed"],
    ["a list for a text", [replace("title", ["a"])], "request.malformed"],
    ["no boolean", [replace("active", "maybe")], "request.malformed"],
    ["no boolean without path", [replace(undefined, { active: 1 })], "request.malformed"],
    ["no binary", [add("x509Certificates", [{ value: "%" }])], "request.malformed"],
    ["a text for a complex attribute without value", [replace("name", "Kim")], "request.malformed"],
    [
      "a list for a complex attribute",
      [replace("name", [{ givenName: "a" }, { givenName: "b" }])],
      "request.malformed",
    ],
    ["a text for an extension", [replace(ENTERPRISE, "x")], "request.malformed"],
    ["a list for an extension", [replace(undefined, { [ENTERPRISE]: [], [SYSTEM]: [1] })], "request.malformed"],
    ["too long", [replace("title", "x".repeat(1_025))], "request.invalid"],
  ])("refuses %s", (_, operations, fault) => expect(faultOf(() => patch(operations))).toBe(fault));

  test("C138 applies all operations or none", () => {
    expect(faultOf(() => patch([replace("title", "x"), replace('emails[type eq "other"].value', "x")]))).toBe(
      "scim.no_target",
    );
    expect(kim).not.toHaveProperty("title");
  });
});

describe("complex values and extensions", () => {
  const { [ENTERPRISE]: _, ...plain } = kim;

  test.each<[string, Operations, Readonly<Record<string, unknown>>]>([
    [
      "C143 add merges",
      [add("name", { middleName: "B" })],
      { name: { familyName: "Jensen", givenName: "Kim", middleName: "B" } },
    ],
    [
      "C159 replace keeps the others",
      [replace("name", { givenName: "Lee" })],
      { name: { familyName: "Jensen", givenName: "Lee" } },
    ],
    ["a part", [replace("name.givenName", "Lee")], { name: { familyName: "Jensen", givenName: "Lee" } }],
    ["parts in any case", [replace("NAME.GivenName", "Lee")], { name: { familyName: "Jensen", givenName: "Lee" } }],
    [
      "members in any case",
      [replace("name", { GIVENNAME: "a", givenname: "Lee" })],
      { name: { familyName: "Jensen", givenName: "Lee" } },
    ],
    [
      "members in any case, the exact one wins",
      [replace("name", { givenName: "Lee", givenname: "a" })],
      { name: { familyName: "Jensen", givenName: "Lee" } },
    ],
    ["null takes a part away", [replace("name", { givenName: null })], { name: { familyName: "Jensen" } }],
    ["an empty text takes a part away", [replace("name", { givenName: "" })], { name: { familyName: "Jensen" } }],
    ["remove a part", [remove("name.givenName")], { name: { familyName: "Jensen" } }],
    ["remove all parts", [remove("name.givenName"), remove("name.familyName")], { name: undefined }],
    ["remove", [remove("name")], { name: undefined }],
    [
      "replace by null, {} and []",
      [
        replace("name", null),
        add("name", { givenName: "a" }),
        replace("name", {}),
        add("name", { givenName: "b" }),
        replace("name", []),
      ],
      { name: undefined },
    ],
    [
      "in a list of one",
      [replace("name", [{ givenName: "Lee" }])],
      { name: { familyName: "Jensen", givenName: "Lee" } },
    ],
    [
      "dotted names in a value",
      [replace(undefined, { "name.givenName": "Lee", "name.formatted": "Lee J." })],
      { name: { formatted: "Lee J.", familyName: "Jensen", givenName: "Lee" } },
    ],
    ["C165 a URN", [replace(`${ENTERPRISE}:department`, "IT")], inEnterprise({ department: "IT" })],
    [
      "C165 a URN in capitals",
      [replace(`${ENTERPRISE.toUpperCase()}:DEPARTMENT`, "IT")],
      inEnterprise({ department: "IT" }),
    ],
    ["C165 a dot after the URN", [replace(`${ENTERPRISE}.department`, "IT")], inEnterprise({ department: "IT" })],
    [
      "C165 a part after the URN",
      [replace(`${ENTERPRISE}:manager.value`, "m-2")],
      inEnterprise({ manager: { value: "m-2" } }),
    ],
    ["C165 the bare name", [replace("department", "IT")], inEnterprise({ department: "IT" })],
    [
      "C165 the whole extension",
      [replace(ENTERPRISE, { division: "d", Department: "IT" })],
      inEnterprise({ department: "IT", division: "d" }),
    ],
    [
      "C165 the whole extension in a value",
      [add(undefined, { [ENTERPRISE]: { division: "d", nope: 1, "manager.value": "m-2" } })],
      inEnterprise({ division: "d", manager: { value: "m-2" } }),
    ],
    [
      "C165 URN keys in a value (M07)",
      [replace(undefined, { [`${ENTERPRISE}:department`]: "IT", [`${ENTERPRISE}:costCenter`]: "7" })],
      inEnterprise({ department: "IT", costCenter: "7" }),
    ],
    ["C165 remove the extension", [remove(ENTERPRISE)], { [ENTERPRISE]: undefined }],
    ["C165 replace the extension by nothing", [replace(ENTERPRISE, null)], { [ENTERPRISE]: undefined }],
    [
      "C165 replace the extension by nothing in a value",
      [replace(undefined, { [ENTERPRISE]: {} })],
      { [ENTERPRISE]: undefined },
    ],
    [
      "C165 the last attribute goes, and the extension",
      [remove(`${ENTERPRISE}:department`), remove("manager")],
      { [ENTERPRISE]: undefined },
    ],
    [
      "old clients: attributes under another URN",
      [replace(`${ENTERPRISE}:country`, "CH")],
      { [SYSTEM]: { failedLoginAttempts: 3, emailAddresses: ["kim@work.test", "kim@home.test"], country: "CH" } },
    ],
    [
      "M14 replace the manager: the old address goes",
      [replace(`${ENTERPRISE}:manager`, { value: "m-2" })],
      inEnterprise({ manager: { value: "m-2" } }),
    ],
    [
      "M14 replace the manager with an address",
      [replace(`${ENTERPRISE}:manager`, { $ref: "../m-2", value: "m-2" })],
      inEnterprise({ manager: { value: "m-2", $ref: "../m-2" } }),
    ],
    [
      'M15 {value: ""} removes the manager',
      [replace(`${ENTERPRISE}:manager`, { value: "" })],
      { [ENTERPRISE]: { department: "Sales" } },
    ],
    ["M15 remove", [remove(`${ENTERPRISE}:manager`)], { [ENTERPRISE]: { department: "Sales" } }],
    ["M15 remove the value", [remove(`${ENTERPRISE}:manager.value`)], { [ENTERPRISE]: { department: "Sales" } }],
    [
      "M40 in a list of one",
      [add(`${ENTERPRISE}:manager`, [{ $ref: "../m-2", value: "m-2" }])],
      inEnterprise({ manager: { value: "m-2", $ref: "../m-2" } }),
    ],
    ["M13 as a text", [add("manager", "m-2")], inEnterprise({ manager: { value: "m-2" } })],
  ])("%s", (_, operations, members) => expect(patch(operations)).toStrictEqual(having(kim, members)));

  test("C165 adds an extension that had no data", () => {
    expect(patch([add(`${ENTERPRISE}:manager`, "m-1")], plain)).toStrictEqual({
      ...plain,
      [ENTERPRISE]: { manager: { value: "m-1" } },
    });
    expect(patch([remove(ENTERPRISE)], plain)).toBe(plain);
  });
  test("keeps read-only attributes of a removed extension", () => {
    const locked: Resource = { userName: "x", [SYSTEM]: { country: "CH", accountState: "LOCKED" } };
    expect(patch([remove(SYSTEM)], locked)).toStrictEqual({ userName: "x", [SYSTEM]: { accountState: "LOCKED" } });
  });
  test("keeps parts in the order of the schema", () => {
    expect(Object.keys(patch([add("name.formatted", "x")]).name as JsonObject)).toEqual([
      "formatted",
      "familyName",
      "givenName",
    ]);
  });
});
