import { describe, expect, test } from "vitest";
import {
  limits,
  resourceTypeResources,
  resourceWithId,
  schemaResources,
  serviceProviderConfig,
} from "#core/scim/protocol/discovery.ts";
import type { Attribute, Json, JsonObject, Schema } from "#core/scim/protocol/schema/attribute.ts";
import { groupType, schemasOfTypes, userType, userTypeFor } from "#core/scim/protocol/schema/resource-types.ts";

const base = "https://host/t/acme/scim2";
const types = [userType, groupType];
const config = serviceProviderConfig({ base, ...limits, showsEvents: true });
const resourceTypes = resourceTypeResources(base, types);
const schemas = schemaResources(base, types);

/** Expects a resource to fit its schema: no member without an attribute, no value of another type. */
const misfits = (members: JsonObject, attributes: readonly Attribute[], path = ""): string[] => [
  ...attributes
    .filter(({ name, required }) => required && members[name] === undefined)
    .map(({ name }) => `${path}${name} is missing`),
  ...Object.entries(members).flatMap(([name, value]) => {
    const attribute = attributes.find((candidate) => candidate.name === name);
    if (!attribute) return [`${path}${name} is unknown`];
    if (Array.isArray(value) !== attribute.multiValued) return [`${path}${name} is no list, or one`];
    const values: readonly Json[] = Array.isArray(value) ? value : [value];
    // The schema of schemas is not recursive (RFC 7643 section 8.7.2).
    const again = name === "subAttributes" ? [attribute] : [];
    return values.flatMap((each) => {
      if (attribute.type === "complex") {
        return typeof each === "object" && each !== null
          ? misfits(each as JsonObject, [...(attribute.subAttributes ?? []), ...again], `${path}${name}.`)
          : [`${path}${name} is no object`];
      }
      const type = { boolean: "boolean", integer: "number" }[attribute.type as string] ?? "string";
      return typeof each === type ? [] : [`${path}${name} is no ${type}`];
    });
  }),
];

const schemaOf = (resource: JsonObject): Schema | undefined =>
  schemasOfTypes([userType, groupType]).find(({ id }) => Array.isArray(resource.schemas) && resource.schemas[0] === id);

const all = [config, ...resourceTypes, ...schemas];

test.each(all.map((resource) => [(resource.meta as JsonObject).location, resource] as const))(
  "%s fits its own schema",
  (_location, resource) => {
    const schema = schemaOf(resource);
    const { schemas: _, meta, ...members } = resource;
    expect(misfits(members, schema?.attributes ?? [])).toEqual([]);
    expect((meta as JsonObject).resourceType).toBe(schema?.name);
  },
);

test("contains no null, empty string or undefined", () => {
  const values = (value: unknown): unknown[] =>
    typeof value === "object" && value !== null ? Object.values(value).flatMap(values) : [value];
  expect(values(all).filter((value) => value === null || value === undefined || value === "")).toEqual([]);
});

test("publishes the capabilities and limits of the service", () => {
  expect(config).toMatchObject({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: 1000, maxPayloadSize: 1048576 },
    filter: { supported: true, maxResults: 200 },
    changePassword: { supported: true },
    sort: { supported: true },
    etag: { supported: true },
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: "index",
      defaultPageSize: 100,
      maxPageSize: 200,
      cursorTimeout: 3600,
    },
    authenticationSchemes: [
      { type: "oauthbearertoken", name: "OAuth Bearer Token", primary: true },
      { type: "httpbasic", name: "HTTP Basic", primary: false },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
  });
  expect(config).not.toHaveProperty("id");
});

describe("resource types", () => {
  test("are User and Group, in this order", () => {
    expect(resourceTypes).toEqual([
      {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
        id: "User",
        name: "User",
        description: "User Account",
        endpoint: "/Users",
        schema: "urn:ietf:params:scim:schemas:core:2.0:User",
        schemaExtensions: [
          { schema: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User", required: false },
          { schema: "urn:scim:wso2:schema", required: false },
        ],
        meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/User` },
      },
      {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
        id: "Group",
        name: "Group",
        description: "Group",
        endpoint: "/Groups",
        schema: "urn:ietf:params:scim:schemas:core:2.0:Group",
        schemaExtensions: [{ schema: "urn:scim:identity-admin:schema:GroupMembers", required: false }],
        meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/Group` },
      },
    ]);
  });
  test("have published schemas", () => {
    const used = types.flatMap(({ schema, extensions }) => [schema, ...extensions].map(({ id }) => id));
    expect(schemas.map(({ id }) => id)).toEqual(expect.arrayContaining(used));
  });
});

describe("schemas", () => {
  test("are those of users, groups and discovery resources, each once", () => {
    expect(schemas.map(({ id }) => id)).toEqual([
      "urn:ietf:params:scim:schemas:core:2.0:User",
      "urn:ietf:params:scim:schemas:core:2.0:Group",
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
      "urn:scim:wso2:schema",
      "urn:scim:identity-admin:schema:GroupMembers",
      "urn:ietf:params:scim:schemas:core:2.0:ResourceType",
      "urn:ietf:params:scim:schemas:core:2.0:Schema",
      "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig",
    ]);
  });
  test("are found by their URN in any case", () => {
    const [users] = schemas;
    expect(resourceWithId(schemas, "URN:IETF:params:scim:schemas:core:2.0:USER")).toBe(users);
    expect(resourceWithId(schemas, "urn:x")).toBeUndefined();
    expect(users).toMatchObject({ description: expect.stringContaining("User Account") });
  });
  test("show whether the deployment requires a password", () => {
    const passwordIn = (passwordRequired: boolean) => {
      const [users = {}] = schemaResources(base, [userTypeFor(passwordRequired ? "wso2" : "rfc7644")]);
      return (users.attributes as JsonObject[]).find(({ name }) => name === "password");
    };
    expect(passwordIn(true)).toEqual({
      name: "password",
      type: "string",
      multiValued: false,
      description: expect.any(String),
      required: true,
      caseExact: false,
      mutability: "writeOnly",
      returned: "never",
      uniqueness: "none",
    });
    expect(passwordIn(false)).toMatchObject({ required: false });
  });
  test("show every characteristic of an attribute, without internal ones", () => {
    const attributes = (list: Json | undefined): JsonObject[] =>
      ((list ?? []) as JsonObject[]).flatMap((each) => [each, ...attributes(each.subAttributes)]);
    const legal = {
      type: ["string", "boolean", "decimal", "integer", "dateTime", "reference", "complex", "binary"],
      mutability: ["readOnly", "readWrite", "immutable", "writeOnly"],
      returned: ["always", "never", "default", "request"],
      uniqueness: ["none", "server", "global"],
    };
    const published = schemas.flatMap((schema) => attributes(schema.attributes));
    expect(published.length).toBeGreaterThan(150);
    for (const attribute of published) {
      for (const [name, values] of Object.entries(legal)) expect(values).toContain(attribute[name]);
      for (const name of ["multiValued", "required", "caseExact"]) expect(typeof attribute[name]).toBe("boolean");
      expect(Object.keys(attribute)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/Max|selfService|format|alsoHolds/)]),
      );
    }
  });
});
