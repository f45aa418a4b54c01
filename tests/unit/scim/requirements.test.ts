import { describe, expect, test } from "vitest";
import { Fault } from "#core/kernel/faults.ts";
import { present, projectionOf } from "#core/scim/protocol/projection.ts";
import { checkImmutable, requireAll } from "#core/scim/protocol/requirements.ts";
import { attribute, type Resource, type ResourceType } from "#core/scim/protocol/schema/attribute.ts";
import { groupType, userType } from "#core/scim/protocol/schema/resource-types.ts";

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const system = "urn:scim:wso2:schema";

const outcome = (work: () => void): string => {
  try {
    work();
    return "passed";
  } catch (error) {
    return error instanceof Fault ? `${error.fault}: ${error.description}` : String(error);
  }
};
const missing = (path: string) => `request.invalid: Required attribute ${path} is missing in the SCIM object.`;

describe("a stored resource must have", () => {
  test.each<[string, ResourceType, Resource, string]>([
    ["a user name", userType, { displayName: "K" }, missing("userName")],
    ["no password", userType, { userName: "kim" }, "passed"],
    ["no attribute of an extension", userType, { userName: "kim", [enterprise]: { department: "x" } }, "passed"],
    ["the name of a group", groupType, { members: [{ value: "1" }] }, missing("displayName")],
    [
      "members with a value",
      groupType,
      { displayName: "G", members: [{ value: "1" }, { type: "User" }] },
      missing("members.value"),
    ],
    ["a group without members", groupType, { displayName: "G" }, "passed"],
    [
      "at most the maximum of elements",
      userType,
      { userName: "kim", emails: Array.from({ length: 101 }, (_, index) => ({ value: String(index) })) },
      "request.invalid: Attribute emails has at most 100 values, not 101.",
    ],
    [
      "at most the maximum of elements of an extension",
      userType,
      { userName: "kim", [system]: { mobileNumbers: Array.from({ length: 101 }, String) } },
      `request.invalid: Attribute ${system}:mobileNumbers has at most 100 values, not 101.`,
    ],
    [
      "at most one primary element",
      userType,
      {
        userName: "kim",
        ims: [
          { value: "1", primary: true },
          { value: "2", primary: true },
        ],
      },
      "request.invalid: Attribute ims has at most one primary value.",
    ],
  ])("%s", (_what, type, resource, expected) => expect(outcome(() => requireAll(type, resource))).toBe(expected));
});

describe("an extension with a required attribute", () => {
  const type: ResourceType = {
    ...groupType,
    extensions: [
      {
        id: "urn:x",
        name: "X",
        description: "X",
        attributes: [attribute("a", "A", { required: true }), attribute("b", "B")],
      },
    ],
  };
  test.each<[string, Resource, string]>([
    [
      "requires it of resources with data of the extension",
      { displayName: "G", "urn:x": { b: "1" } },
      missing("urn:x:a"),
    ],
    ["requires nothing of others", { displayName: "G" }, "passed"],
  ])("%s", (_what, resource, expected) => expect(outcome(() => requireAll(type, resource))).toBe(expected));
});

test.each<[Resource, readonly string[]]>([
  [{ userName: "kim" }, [userType.schema.id]],
  [{ userName: "kim", [system]: { country: "CH" } }, [userType.schema.id, system]],
  [{ [system]: { country: "CH" }, [enterprise]: { department: "x" } }, [userType.schema.id, enterprise, system]],
])("derives schemas from the data: %j", (resource, schemas) => {
  expect(present(projectionOf(userType, {}), resource).schemas).toEqual(schemas);
});

describe("a replacement", () => {
  const fixed = { mutability: "immutable" } as const;
  const type: ResourceType = {
    name: "Thing",
    description: "Thing",
    endpoint: "/Things",
    schema: {
      id: "urn:thing",
      name: "Thing",
      description: "Thing",
      attributes: [
        attribute("serial", "Serial", fixed),
        attribute("marks", "Marks", { ...fixed, multiValued: true }),
        attribute("maker", "Maker", {
          type: "complex",
          subAttributes: [attribute("id", "Id", fixed), attribute("name", "Name")],
        }),
        attribute("origin", "Origin", {
          ...fixed,
          type: "complex",
          subAttributes: [attribute("country", "Country", fixed), attribute("city", "City", fixed)],
        }),
        attribute("code", "Code", {
          ...fixed,
          type: "complex",
          subAttributes: [attribute("value", "Value", { ...fixed, caseExact: true })],
        }),
        attribute("parts", "Parts", {
          type: "complex",
          multiValued: true,
          subAttributes: [attribute("value", "Value", fixed)],
        }),
      ],
    },
    extensions: [
      { id: "urn:more", name: "More", description: "More", attributes: [attribute("origin", "Origin", fixed)] },
    ],
  };
  const before = {
    serial: "1",
    marks: ["a", "b"],
    maker: { id: "m", name: "M" },
    origin: { country: "CH", city: "Bern" },
    parts: [{ value: "p" }],
    "urn:more": { origin: "CH" },
  };
  const changed = (path: string) =>
    `scim.mutability: Attribute ${path} is immutable: it cannot be changed once it is set.`;
  test.each<[string, Resource, Resource, string]>([
    ["may repeat an immutable value", before, { ...before, maker: { name: "N", id: "m" } }, "passed"],
    ["may set a value that was not set", {}, before, "passed"],
    ["may not change it", before, { ...before, serial: "2" }, changed("serial")],
    ["may not remove it", before, { ...before, serial: undefined as never }, changed("serial")],
    ["may not change a list", before, { ...before, marks: ["a"] }, changed("marks")],
    ["may not change a part", before, { ...before, maker: { id: "n" } }, changed("maker.id")],
    ["may not remove the whole value", before, { serial: "1", marks: ["a", "b"] }, changed("maker.id")],
    ["may repeat some members of a complex value", before, { ...before, origin: { city: "BERN" } }, "passed"],
    [
      "may not change the letter case where it counts",
      { code: { value: "a" } },
      { code: { value: "A" } },
      changed("code"),
    ],
    ["may not change a member", before, { ...before, origin: { city: "Wien", country: "CH" } }, changed("origin")],
    ["may not remove all members", before, { ...before, origin: undefined as never }, changed("origin")],
    ["may set a member", { origin: { city: "Bern" } }, { origin: { country: "CH", city: "Bern" } }, "passed"],
    ["may not change an extension", before, { ...before, "urn:more": { origin: "AT" } }, changed("urn:more:origin")],
    ["may not remove an extension", before, { ...before, "urn:more": undefined as never }, changed("urn:more:origin")],
    ["may change the elements of a writable list", before, { ...before, parts: [{ value: "q" }] }, "passed"],
  ])("%s", (_what, first, second, expected) => {
    expect(outcome(() => checkImmutable(type, first, second))).toBe(expected);
  });
  test("may exchange the members of a group", () => {
    const members = (...values: string[]) => ({
      displayName: "G",
      members: values.map((value) => ({ value, type: "User" })),
    });
    expect(outcome(() => checkImmutable(groupType, members("a", "b"), members("c")))).toBe("passed");
  });
});
