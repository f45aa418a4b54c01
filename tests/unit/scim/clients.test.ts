/** Requests of real clients that create a resource. */
import { describe, expect, test } from "vitest";
import { schemaResources } from "#core/scim/protocol/discovery.ts";
import { readResource } from "#core/scim/protocol/input.ts";
import { requireAll } from "#core/scim/protocol/requirements.ts";
import type { Json, JsonObject, ResourceType } from "#core/scim/protocol/schema/attribute.ts";
import { groupType, userType } from "#core/scim/protocol/schema/resource-types.ts";

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const system = "urn:scim:wso2:schema";

test("Entra ID: nulls, booleans as strings, a manager as a string or in a list, unusual formats, unknown schemas", () => {
  const given = {
    schemas: [
      "urn:ietf:params:scim:schemas:core:2.0:User",
      "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/User",
    ],
    userName: "kim@contoso.example",
    Active: "True",
    addresses: null,
    phoneNumbers: [{ Primary: "True", type: "work", value: "10-040-1308" }],
    roles: [{ primary: "True", type: "X", value: "Y", display: "Z" }],
    locale: "GQWRTY",
    department: "ignored",
    manager: "ignored",
    meta: { resourceType: "User", created: "yesterday" },
    [enterprise]: { Department: "Sales", Manager: [{ $ref: null, Value: "m1", displayName: null }] },
  };
  const resource = readResource(userType, given);
  expect(resource).toEqual({
    userName: "kim@contoso.example",
    active: true,
    phoneNumbers: [{ primary: true, type: "work", value: "10-040-1308" }],
    roles: [{ primary: true, type: "X", value: "Y", display: "Z" }],
    locale: "GQWRTY",
    [enterprise]: { department: "Sales", manager: { value: "m1" } },
  });
  requireAll(userType, resource);
});

test("Okta: a resource sent back with groups, id and meta", () => {
  const own = {
    userName: "kim@okta.example",
    name: { givenName: "Kim", familyName: "Kay" },
    displayName: "Kim Kay",
    locale: "en-US",
    active: true,
    emails: [{ value: "kim@okta.example", type: "work", primary: true }],
    externalId: "00ujl29u0le5T6Aj10h7",
  };
  const given = { schemas: [userType.schema.id], id: "7", ...own, groups: [], meta: { resourceType: "User" } };
  expect(readResource(userType, given)).toEqual(own);
  requireAll(userType, readResource(userType, given));
});

test("samples of WSO2: no schemas, username instead of userName, an e-mail address with a type", () => {
  const given = {
    schemas: [],
    username: "PRIMARY/kim",
    password: "maple-tree-42",
    emails: [{ type: "home", value: "kim@gmail.example", primary: true }],
    [enterprise]: { employeeNumber: "1234A", askPassword: "true", manager: { value: "Taylor" } },
  };
  expect(readResource(userType, given)).toEqual({
    userName: "PRIMARY/kim",
    password: "maple-tree-42",
    emails: given.emails,
    [enterprise]: { employeeNumber: "1234A", manager: { value: "Taylor" } },
    [system]: { askPassword: true },
  });
});

describe("a client that sends every writable attribute", () => {
  const simple: Readonly<Record<string, Json>> = {
    boolean: true,
    integer: 2_147_483_647,
    binary: "0Tb6mT3ZR2mYpQ1qvIYk8g==",
    dateTime: "2024-05-31T09:30:00.123456Z",
    reference: "https://5f0c9d3e-8a55-4c1c-b8d5-0c1f3f1f7a55.test",
  };
  const valuesOf = (attributes: Json | undefined): JsonObject =>
    Object.fromEntries(
      ((attributes ?? []) as JsonObject[])
        .filter(({ mutability }) => mutability !== "readOnly")
        .map((attribute): [string, Json] => {
          const [example] = (attribute.canonicalValues ?? []) as string[];
          const text = simple[attribute.type as string] ?? "a5d1c6c2-3a0e-4c4c-9a3c-8f6c4e1d2b3a";
          const one = attribute.type === "complex" ? valuesOf(attribute.subAttributes) : (example ?? text);
          return [attribute.name as string, attribute.multiValued ? [one] : one];
        }),
    );
  const filled = (type: ResourceType): JsonObject => {
    const [core, ...extensions] = schemaResources("", [type]).filter(({ id }) =>
      [type.schema, ...type.extensions].some((schema) => schema.id === id),
    );
    const others = extensions
      .map(({ id, attributes }): [string, JsonObject] => [id as string, valuesOf(attributes)])
      .filter(([, values]) => Object.keys(values).length > 0);
    return { ...valuesOf(core?.attributes), ...Object.fromEntries(others) };
  };
  test.each([userType, groupType])("gets the same resource back: $name", (type) => {
    const given = filled(type);
    expect(readResource(type, given)).toEqual(given);
    requireAll(type, readResource(type, given));
  });
});
