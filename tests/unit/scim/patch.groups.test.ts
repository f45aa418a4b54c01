/** PATCH of groups, at /Me, and of immutable attributes. */
import { describe, expect, test } from "vitest";
import { readPatch } from "#core/scim/protocol/patch/read.ts";
import { isStepOn } from "#core/scim/protocol/patch/step.ts";
import type { JsonObject, Resource } from "#core/scim/protocol/schema/attribute.ts";
import { groupType, userType } from "#core/scim/protocol/schema/resource-types.ts";
import { add, having, type Operations, patch, remove, replace } from "./patch.support.ts";
import { BADGES, badgeType, ENTERPRISE, faultOf, kim, SYSTEM, team } from "./support.ts";

describe("groups", () => {
  const [kimMember, leeMember] = team.members as readonly JsonObject[];
  const patchTeam = (...operations: readonly unknown[]) => patch(operations, team, groupType);

  test.each<[string, Operations, Readonly<Record<string, unknown>>]>([
    ["M23 rename", [replace(undefined, { displayName: "Crew" })], { displayName: "Crew" }],
    ["O19 rename as Okta does", [replace(undefined, { id: "e9e30dba", displayName: "Crew" })], { displayName: "Crew" }],
    ["M22 externalId", [replace(undefined, { externalId: "E" })], { externalId: "E" }],
    [
      "M24 add a member",
      [add("members", [{ value: "u-3", display: "max", $ref: null }])],
      { members: [kimMember, leeMember, { value: "u-3" }] },
    ],
    ["M24 add a member as a bare text", [add("members", "u-3")], { members: [kimMember, leeMember, { value: "u-3" }] }],
    ["O21 replace members", [replace("members", [{ value: "u-3" }])], { members: [{ value: "u-3" }] }],
    ["M25, O20 remove a member", [remove('members[value eq "u-1"]')], { members: [leeMember] }],
    ["remove a member by name", [remove('members[display eq "KIM"]')], { members: [leeMember] }],
    [
      "M36 remove listed members",
      [{ op: "Remove", path: "members", value: [{ value: "u-1" }, { value: "u-9" }] }],
      { members: [leeMember] },
    ],
    [
      "M36 a listed member counts by its id alone",
      [remove("members", [{ value: "u-1", type: "x" }])],
      { members: [leeMember] },
    ],
    ["M36 an empty list removes no member", [remove("members", [])], {}],
    ["M36 listed members without a value", [remove("members", [{ value: null }, { value: "" }, {}])], {}],
    ["M31 add and remove the same", [add("members", [{ value: "u-3" }]), remove('members[value eq "u-3"]')], {}],
    ["remove all", [remove("members")], { members: undefined }],
    [
      "a member is replaced as a whole",
      [replace('members[value eq "u-1"]', { value: "u-3" })],
      { members: [{ value: "u-3" }, leeMember] },
    ],
    [
      "creates a member by its id",
      [add('members[value eq "u-3"].type', "User")],
      { members: [kimMember, leeMember, { value: "u-3", type: "User" }] },
    ],
  ])("%s", (_, operations, members) => expect(patchTeam(...operations)).toStrictEqual(having(team, members)));

  test("does not add a member twice, whatever its other parts", () => {
    expect(patchTeam(add("members", [{ value: "u-1", type: "Group", $ref: "https://elsewhere.test/u-1" }]))).toBe(team);
    expect(patchTeam(add("members", [{ value: "U-1" }])).members).toHaveLength(3);
  });
  test.each<[string, Operations, string]>([
    ["C153 remove the name", [remove("displayName")], "scim.mutability"],
    ["M36 a listed member that has only a name", [remove("members", [{ display: "kim" }])], "request.invalid"],
    ["M36 a listed member with an unknown part", [remove("members", [{ nope: "u-1" }])], "request.invalid"],
    ["an empty name", [replace("displayName", "")], "request.invalid"],
    ["the id of a member", [replace('members[value eq "u-1"].value', "u-3")], "scim.mutability"],
    ["the type of a member", [replace('members[value eq "u-1"].type', "Group")], "scim.mutability"],
    ["the id of a member taken away", [remove('members[value eq "u-1"].value')], "scim.mutability"],
    ["the type of a member taken away", [remove('members[value eq "u-1"].type')], "scim.mutability"],
    ["the name of a member", [replace('members[value eq "u-1"].display', "x")], "scim.mutability"],
    [
      "another member put in its place by a part",
      [add('members[value eq "u-1"]', { value: "u-3" })],
      "scim.mutability",
    ],
    ["a member without an id", [add("members", [{ type: "User" }])], "request.invalid"],
    [
      "a member replaced by one without an id",
      [replace('members[type eq "User" and value eq "u-1"]', { value: null, type: "User" })],
      "request.invalid",
    ],
    [
      "a member with an empty id",
      [replace("members", [{ value: "u-1" }, { value: "", type: "User" }])],
      "request.invalid",
    ],
    ["roles", [add("roles", [{ value: "x" }])], "scim.mutability"],
  ])("refuses %s", (_, operations, fault) => expect(faultOf(() => patchTeam(...operations))).toBe(fault));

  test("separates steps on members from others", () => {
    const steps = readPatch(groupType, {
      Operations: [
        replace(undefined, { displayName: "Crew", MEMBERS: [{ value: "u-3", display: "x" }] }),
        remove('members[value eq "u-1"]'),
        remove("members", ["u-2"]),
        remove("members"),
        replace(undefined, { id: "e9e30dba" }),
      ],
    });
    expect(steps.filter((step) => isStepOn(step, "members"))).toMatchObject([
      { op: "replace", where: undefined, change: { kind: "elements", elements: [{ value: "u-3" }] } },
      { op: "remove", where: { kind: "compare", operator: "eq", value: "u-1" }, change: { kind: "clear" } },
      { op: "remove", where: undefined, change: { kind: "elements", elements: [{ value: "u-2" }] } },
      { op: "remove", where: undefined, change: { kind: "clear" } },
    ]);
    expect(steps.filter((step) => !isStepOn(step, "members"))).toHaveLength(2);
  });
});

describe("at /Me", () => {
  const asSelf = (...operations: readonly unknown[]) => patch(operations, kim, userType, { selfService: true });

  test("changes self-service attributes", () => {
    expect(
      asSelf(replace("displayName", "x"), add("name.middleName", "B"), replace(`${SYSTEM}:country`, "CH")),
    ).toMatchObject({
      displayName: "x",
      name: { middleName: "B" },
      [SYSTEM]: { country: "CH" },
    });
    expect(asSelf(replace("password", "s3cret-x"))).toMatchObject({ password: "s3cret-x" });
  });
  test.each<[string, unknown]>([
    ["userName", replace("userName", "Lee")],
    ["active", replace("active", false)],
    ["roles", add("roles", ["admin"])],
    ["roles by brackets", add('roles[value eq "admin"]', {})],
    ["an attribute of an extension", replace("department", "IT")],
    ["a whole extension", remove(ENTERPRISE)],
    ["a lock", replace(`${SYSTEM}:accountLocked`, false)],
  ])("refuses %s with mutability", (_, operation) => expect(faultOf(() => asSelf(operation))).toBe("scim.mutability"));
  test("ignores other attributes in a value", () => {
    const value = {
      displayName: "x",
      active: false,
      roles: ["admin"],
      'roles[value eq "a"].value': "b",
      [ENTERPRISE]: { department: "IT" },
    };
    expect(asSelf(replace(undefined, value))).toStrictEqual(having(kim, { displayName: "x" }));
    expect(asSelf(replace(ENTERPRISE, { department: "IT" }))).toBe(kim);
  });
});

describe("immutable attributes, and required attributes of an extension", () => {
  const badge: Resource = {
    id: "b",
    serial: "S-1",
    colours: ["red"],
    maker: { name: "Acme", code: "A" },
    doors: [{ value: "d-1", note: "north", level: 1 }, { value: "d-2" }],
    [BADGES]: { holder: "kim", stamp: "x" },
  };
  const patchBadge = (...operations: readonly unknown[]) => patch(operations, badge, badgeType);
  const [firstDoor, secondDoor] = badge.doors as readonly JsonObject[];

  test.each<[string, Operations, Readonly<Record<string, unknown>>]>([
    ["the same value", [replace("serial", "S-1"), add("colours", ["RED"]), replace("maker.code", "A")], {}],
    [
      "the same value in an element",
      [replace('doors[value eq "d-1"].level', "1"), add('doors[value eq "d-1"].value', "d-1")],
      {},
    ],
    [
      "a part that was not set",
      [add('doors[value eq "d-2"].level', 2)],
      { doors: [firstDoor, { value: "d-2", level: 2 }] },
    ],
    [
      "an element as a whole",
      [replace('doors[value eq "d-1"]', { value: "d-3", level: 5 })],
      { doors: [{ value: "d-3", level: 5 }, secondDoor] },
    ],
    [
      "an element that keeps its value",
      [replace('doors[value eq "d-1"]', { note: "south" })],
      { doors: [{ value: "d-1", note: "south" }, secondDoor] },
    ],
    [
      "elements are added and removed",
      [remove("doors[level eq 1]"), add("doors", ["d-4"])],
      { doors: [secondDoor, { value: "d-4" }] },
    ],
    [
      "another case of a case-exact value",
      [add("doors", [{ value: "D-1" }])],
      { doors: [firstDoor, secondDoor, { value: "D-1" }] },
    ],
    ["a name that every object inherits", [replace("constructor", "x")], { constructor: "x" }],
    [
      "numbers as texts",
      [replace("weight", "1.5"), add("level", "7")],
      { weight: 1.5, [BADGES]: { holder: "kim", stamp: "x", level: 7 } },
    ],
    ["removing an extension leaves its read-only attributes", [remove(`${BADGES}:level`)], {}],
  ])("%s", (_, operations, members) => expect(patchBadge(...operations)).toStrictEqual(having(badge, members)));

  test.each<[string, Operations, string]>([
    ["another value", [replace("serial", "s-1")], "scim.mutability"],
    ["another value without path", [add(undefined, { serial: "S-2" })], "scim.mutability"],
    ["no value", [remove("serial")], "scim.mutability"],
    ["null", [replace("serial", null)], "scim.mutability"],
    ["more in a list", [add("colours", ["blue"])], "scim.mutability"],
    ["less in a list", [remove('colours[value eq "red"]')], "scim.mutability"],
    ["a part of a complex value", [replace("maker.code", "B")], "scim.mutability"],
    ["a part of a complex value, merged", [add("maker", { code: "B" })], "scim.mutability"],
    ["a part of an element", [replace('doors[value eq "d-1"].level', 2)], "scim.mutability"],
    ["a part of an element taken away", [remove("doors.level")], "scim.mutability"],
    ["a part of an element, merged", [add('doors[value eq "d-1"]', { level: 2 })], "scim.mutability"],
    ["a required part of a complex value", [remove("maker.name")], "scim.mutability"],
    ["a required part, null", [replace("maker", { name: null })], "request.invalid"],
    ["what an extension requires", [remove(`${BADGES}:holder`)], "scim.mutability"],
    ["an extension without what it requires", [remove(BADGES), add("level", 1)], "request.invalid"],
    ["a number in brackets that cannot be stored", [add("doors[level eq 1.5].value", "d-9")], "request.malformed"],
    ["too many elements", [add("tags", ["a", "b"]), add("tags", ["c", "d"])], "request.invalid"],
  ])("refuses %s", (_, operations, fault) => expect(faultOf(() => patchBadge(...operations))).toBe(fault));

  test("sets an immutable attribute once", () => {
    const blank: Resource = { id: "b" };
    expect(patch([add("serial", "S"), replace("serial", "S")], blank, badgeType)).toStrictEqual({
      id: "b",
      serial: "S",
    });
    expect(patch([replace("colours", ["red", "Red", "blue"])], blank, badgeType)).toStrictEqual({
      id: "b",
      colours: ["red", "blue"],
    });
    expect(faultOf(() => patch([add("serial", "S"), add("serial", "T")], blank, badgeType))).toBe("scim.mutability");
    expect(patch([remove("serial"), remove("maker.code"), replace("colours", [])], blank, badgeType)).toBe(blank);
  });
  test("removes elements of a required list, but not the last one", () => {
    const { schema } = badgeType;
    const attributes = schema.attributes.map((one) => (one.name === "tags" ? { ...one, required: true } : one));
    const type = { ...badgeType, schema: { ...schema, attributes } };
    const tagged: Resource = { ...badge, tags: ["a", "b", "c"] };
    const patchTagged = (...operations: readonly unknown[]) => patch(operations, tagged, type);
    expect(patchTagged(remove('tags[value eq "a"]'), remove("tags", ["b"])).tags).toEqual(["c"]);
    expect(faultOf(() => patchTagged(remove("tags")))).toBe("scim.mutability");
    expect(faultOf(() => patchTagged(replace("tags", [])))).toBe("request.invalid");
    expect(faultOf(() => patchTagged(remove("tags[value pr]")))).toBe("request.invalid");
    expect(patchTagged(remove("tags[value pr]"), add("tags", "d")).tags).toEqual(["d"]);
    expect(patchTagged(replace('tags[value eq "a"]', null)).tags).toEqual(["b", "c"]);
  });
  test("accepts too many elements between operations", () => {
    const operations = [add("tags", ["a", "b", "c"]), add("tags", ["d"]), remove('tags[value eq "a"]')];
    expect(patch(operations, badge, badgeType).tags).toEqual(["b", "c", "d"]);
  });
});
