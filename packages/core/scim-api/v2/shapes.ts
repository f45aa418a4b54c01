/** The shapes of SCIM 2.0 requests and responses. The schema of a resource decides which attributes it may have. */
import * as z from "zod";
import type { ResourceType } from "../../scim/schema/attribute.ts";
import { groupType, userType } from "../../scim/schema/resource-types.ts";
import { roleType } from "../../scim/schema/role.ts";
import { AnyObject, bulkOperations, propertiesOf } from "../resources/shapes.ts";

const URN_MESSAGES = "urn:ietf:params:scim:api:messages:2.0";
export const LIST_RESPONSE = `${URN_MESSAGES}:ListResponse`;
export const SEARCH_REQUEST = `${URN_MESSAGES}:SearchRequest`;
export const BULK_REQUEST = `${URN_MESSAGES}:BulkRequest`;
export const BULK_RESPONSE = `${URN_MESSAGES}:BulkResponse`;

export const ScimUser = resourceShape("ScimUser", userType);
export const ScimRole = resourceShape("ScimRole", roleType);
export const ScimGroup = resourceShape("ScimGroup", groupType);
/** A resource of discovery. */
export const Described = AnyObject.meta({ id: "ScimDescription" });

/** A page of resources (RFC 7644 section 3.4.2, RFC 9865). */
export const ListResponse = z
  .object({
    schemas: z.array(z.literal(LIST_RESPONSE)),
    totalResults: z.int(),
    startIndex: z.int().optional(),
    itemsPerPage: z.int(),
    previousCursor: z.string().optional(),
    nextCursor: z.string().optional(),
    Resources: z.array(AnyObject),
  })
  .meta({ id: "ScimListResponse" });

/** A search (RFC 7644 section 3.4.3). The case of its member names does not matter. */
export const SearchRequest = AnyObject.meta({
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

/** A PATCH (RFC 7644 section 3.5.2). */
export const PatchRequest = AnyObject.meta({
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

/** A bulk request (RFC 7644 section 3.7). */
export const BulkRequest = AnyObject.meta({
  id: "ScimBulkRequest",
  properties: {
    schemas: { type: "array", items: { type: "string", const: BULK_REQUEST } },
    failOnErrors: { type: "integer" },
    Operations: bulkOperations({ version: { type: "string" } }),
  },
});

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
        response: AnyObject.optional(),
      }),
    ),
  })
  .meta({ id: "ScimBulkResponse" });

function resourceShape(id: string, { schema, extensions }: ResourceType) {
  return AnyObject.meta({
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
