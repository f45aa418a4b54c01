/** The shapes of SCIM 2.0 requests and answers. What a resource may hold is the business of its schema, not of these. */
import * as z from "zod";
import type { Attribute, ResourceType } from "../../scim/schema/attribute.ts";
import { groupType, userType } from "../../scim/schema/resource-types.ts";
import { roleType } from "../../scim/schema/role.ts";

const URN_MESSAGES = "urn:ietf:params:scim:api:messages:2.0";
export const LIST_RESPONSE = `${URN_MESSAGES}:ListResponse`;
export const SEARCH_REQUEST = `${URN_MESSAGES}:SearchRequest`;
export const BULK_REQUEST = `${URN_MESSAGES}:BulkRequest`;
export const BULK_RESPONSE = `${URN_MESSAGES}:BulkResponse`;

type JsonSchema = Record<string, unknown>;

const jsonTypes: Readonly<Record<Attribute["type"], JsonSchema>> = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  decimal: { type: "number" },
  integer: { type: "integer" },
  dateTime: { type: "string", format: "date-time" },
  reference: { type: "string" },
  binary: { type: "string", contentEncoding: "base64" },
  complex: { type: "object" },
};

/** A user, in requests and answers. */
export const ScimUser = resourceShape("ScimUser", userType);
/** A role, in requests and answers. */
export const ScimRole = resourceShape("ScimRole", roleType);
/** A group, in requests and answers. */
export const ScimGroup = resourceShape("ScimGroup", groupType);
/** A resource that describes the service. */
export const Described = z.record(z.string(), z.unknown()).meta({ id: "ScimDescription" });

/** A page of resources (RFC 7644 section 3.4.2, RFC 9865). */
export const ListResponse = z
  .object({
    schemas: z.array(z.literal(LIST_RESPONSE)),
    totalResults: z.int(),
    startIndex: z.int().optional(),
    itemsPerPage: z.int(),
    previousCursor: z.string().optional(),
    nextCursor: z.string().optional(),
    Resources: z.array(z.record(z.string(), z.unknown())),
  })
  .meta({ id: "ScimListResponse" });

/** A search (RFC 7644 section 3.4.3). Its members are read whatever their case. */
export const SearchRequest = z.record(z.string(), z.unknown()).meta({
  id: "ScimSearchRequest",
  properties: {
    schemas: { type: "array", items: { type: "string", const: SEARCH_REQUEST } },
    attributes: { type: "array", items: { type: "string" } },
    excludedAttributes: { type: "array", items: { type: "string" } },
    filter: { type: "string" },
    domain: { type: "string" },
    sortBy: { type: "string" },
    sortOrder: { type: "string", enum: ["ascending", "descending"] },
    startIndex: { type: "integer" },
    count: { type: "integer" },
    cursor: { type: "string" },
  },
});

/** A change (RFC 7644 section 3.5.2). */
export const PatchRequest = z.record(z.string(), z.unknown()).meta({
  id: "ScimPatchRequest",
  properties: {
    schemas: { type: "array", items: { type: "string", const: `${URN_MESSAGES}:PatchOp` } },
    Operations: {
      type: "array",
      items: {
        type: "object",
        required: ["op"],
        properties: { op: { enum: ["add", "replace", "remove"] }, path: { type: "string" }, value: {} },
      },
    },
  },
});

/** Many operations (RFC 7644 section 3.7). */
export const BulkRequest = z.record(z.string(), z.unknown()).meta({
  id: "ScimBulkRequest",
  properties: {
    schemas: { type: "array", items: { type: "string", const: BULK_REQUEST } },
    failOnErrors: { type: "integer" },
    Operations: {
      type: "array",
      items: {
        type: "object",
        required: ["method", "path"],
        properties: {
          method: { enum: ["POST", "PUT", "PATCH", "DELETE"] },
          bulkId: { type: "string" },
          version: { type: "string" },
          path: { type: "string" },
          data: { type: "object" },
        },
      },
    },
  },
});

/** What became of them. */
export const BulkResponse = z
  .object({
    schemas: z.array(z.literal(BULK_RESPONSE)),
    Operations: z.array(
      z.object({
        method: z.string(),
        bulkId: z.string().optional(),
        version: z.string().optional(),
        location: z.string().optional(),
        status: z.string(),
        response: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
  })
  .meta({ id: "ScimBulkResponse" });

/** The JSON Schema of some attributes, for the API document. */
export function propertiesOf(attributes: readonly Attribute[]): JsonSchema {
  return Object.fromEntries(
    attributes.map(({ name, type, multiValued, description, mutability, subAttributes }) => {
      const single = { ...jsonTypes[type], ...(subAttributes && { properties: propertiesOf(subAttributes) }) };
      const shape = multiValued ? { type: "array", items: single } : single;
      return [
        name,
        {
          ...shape,
          description,
          ...(mutability === "readOnly" && { readOnly: true }),
          ...(mutability === "writeOnly" && { writeOnly: true }),
        },
      ];
    }),
  );
}

function resourceShape(id: string, { schema, extensions }: ResourceType) {
  return z.record(z.string(), z.unknown()).meta({
    id,
    description: schema.description,
    properties: {
      schemas: { type: "array", items: { type: "string" } },
      id: { type: "string", readOnly: true },
      externalId: { type: "string" },
      meta: { type: "object", readOnly: true },
      ...propertiesOf(schema.attributes),
      ...Object.fromEntries(
        extensions.map((extension) => [
          extension.id,
          { type: "object", description: extension.description, properties: propertiesOf(extension.attributes) },
        ]),
      ),
    },
  });
}
