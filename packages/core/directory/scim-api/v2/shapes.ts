/** The shapes of SCIM 2.0 requests and responses. The schema of a resource decides which attributes it may have. */
import * as z from "../../../kernel/zod.ts";
import type { ResourceType, Schema } from "../../../scim/protocol/schema/attribute.ts";
import { resourceTypeSchema, serviceProviderConfigSchema } from "../../../scim/protocol/schema/protocol.ts";
import { groupType, userType } from "../../../scim/protocol/schema/resource-types.ts";
import { roleType } from "../../../scim/protocol/schema/role.ts";
import { AnyObject, bulkOperations, MANY_MEMBERS, objectOf } from "../resources/shapes.ts";

const URN_MESSAGES = "urn:ietf:params:scim:api:messages:2.0";
export const LIST_RESPONSE = `${URN_MESSAGES}:ListResponse`;
export const SEARCH_REQUEST = `${URN_MESSAGES}:SearchRequest`;
export const BULK_REQUEST = `${URN_MESSAGES}:BulkRequest`;
export const BULK_RESPONSE = `${URN_MESSAGES}:BulkResponse`;

type JsonRecord = Record<string, unknown>;

/** RFC 7643 section 3.1. */
const common = {
  schemas: { type: "array", items: { type: "string" } },
  id: { type: "string", readOnly: true },
  externalId: { type: "string" },
  meta: {
    type: "object",
    title: "ScimMeta",
    readOnly: true,
    properties: {
      resourceType: { type: "string" },
      created: { type: "string", format: "date-time" },
      lastModified: { type: "string", format: "date-time" },
      location: { type: "string", format: "uri" },
      version: { type: "string" },
    },
  },
} as const;

export const ScimUser = shownResource("ScimUser", userType, {
  username: {
    type: "string",
    description: "The name with its user store, such as PRIMARY/kim. Not with the profile rfc7644.",
    readOnly: true,
  },
});
export const ScimRole = shownResource("ScimRole", roleType);
export const ScimGroup = shownResource("ScimGroup", groupType);

/** Bodies of creation and replacement: as shown, and required attributes are required. */
export const ScimUserInput = sentResource("ScimUserInput", withoutNeed(userType, "password"));
export const ScimRoleInput = sentResource("ScimRoleInput", roleType);
export const ScimGroupInput = sentResource("ScimGroupInput", groupType);

export const ServiceProviderConfig = discoveryShape("ScimServiceProviderConfig", serviceProviderConfigSchema);
export const ResourceTypeShown = discoveryShape("ScimResourceType", resourceTypeSchema);

/** An attribute of a schema (RFC 7643 section 7). The schema of schemas has three levels of them. */
const SchemaAttribute = z
  .object({
    name: z.string(),
    type: z.enum(["string", "boolean", "decimal", "integer", "dateTime", "reference", "complex", "binary"]),
    multiValued: z.boolean(),
    description: z.string(),
    required: z.boolean(),
    canonicalValues: z.array(z.string()).optional(),
    caseExact: z.boolean(),
    mutability: z.enum(["readOnly", "readWrite", "immutable", "writeOnly"]),
    returned: z.enum(["always", "never", "default", "request"]),
    uniqueness: z.enum(["none", "server", "global"]),
    referenceTypes: z.array(z.string()).optional(),
    get subAttributes() {
      return z.array(SchemaAttribute).optional();
    },
  })
  .meta({ id: "ScimSchemaAttribute" });
export const SchemaShown: z.ZodType<JsonRecord, JsonRecord> = z
  .object({
    schemas: z.array(z.string()),
    id: z.string(),
    name: z.string(),
    description: z.string(),
    attributes: z.array(SchemaAttribute),
    meta: z.object({ resourceType: z.string(), location: z.string() }),
  })
  .meta({ id: "ScimSchema" });

/** Pages of resources (RFC 7644 section 3.4.2, RFC 9865). */
export const ScimUserList = listOf("ScimUserList", ScimUser);
export const ScimGroupList = listOf("ScimGroupList", ScimGroup);
export const ScimRoleList = listOf("ScimRoleList", ScimRole);
/** A role of the first version of the roles API. */
export const ScimRoleV1 = AnyObject.meta({
  id: "ScimRoleV1",
  required: ["schemas", "id"],
  properties: {
    schemas: { type: "array", items: { type: "string" } },
    id: { type: "string" },
    displayName: { type: "string" },
    permissions: { type: "array", items: { type: "string" } },
    users: { type: "array", items: { type: "object" } },
    groups: { type: "array", items: { type: "object" } },
    meta: { type: "object" },
  },
});
export const ScimRoleV1List = listOf("ScimRoleV1List", ScimRoleV1);
/** The users or groups of a role, as a list alone. */
const RoleAssignee = AnyObject.meta({
  id: "ScimRoleAssignee",
  required: ["value"],
  properties: {
    value: { type: "string" },
    display: { type: "string" },
    $ref: { type: "string" },
    type: { type: "string" },
  },
});
export const RoleAssignees = z.array(RoleAssignee).max(MANY_MEMBERS.members).meta({ id: "ScimRoleAssigneeList" });
export const ResourceTypeList = listOf("ScimResourceTypeList", ResourceTypeShown);
export const SchemaList = listOf("ScimSchemaList", SchemaShown);
/** Users and groups together. */
export const ResourceList = listOf("ScimResourceList", AnyObject);

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
    startIndex: { type: "integer", format: "int32" },
    count: { type: "integer", format: "int32" },
    cursor: { type: "string" },
  },
});

/** A PATCH (RFC 7644 section 3.5.2). */
export const PatchRequest = AnyObject.meta({
  id: "ScimPatchRequest",
  required: ["Operations"],
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
  required: ["Operations"],
  properties: {
    schemas: { type: "array", items: { type: "string", const: BULK_REQUEST } },
    failOnErrors: { type: "integer", format: "int32", minimum: 0 },
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

/** A resource in a response. A client selects the attributes; these are always returned. */
function shownResource(id: string, type: ResourceType, more: JsonRecord = {}) {
  const { properties, ...shape } = membersOf(type, false);
  return AnyObject.meta({ id, ...shape, properties: { ...properties, ...more }, required: ["schemas", "id"] });
}

/** A resource in a request. Its parts are named after `title`, as those of responses are. */
function sentResource(id: string, type: ResourceType) {
  return AnyObject.meta({ id, title: id.replace(/Input$/, ""), ...membersOf(type, true) });
}

/** A type with an attribute that not every request needs: only a creation in one of the profiles does. */
function withoutNeed(type: ResourceType, optional: string): ResourceType {
  const attributes = type.schema.attributes.map((attribute) =>
    attribute.name === optional ? { ...attribute, required: false } : attribute,
  );
  return { ...type, schema: { ...type.schema, attributes } };
}

/** The members of a resource. A request may have the attributes of an extension under a further URN. */
function membersOf({ schema, extensions }: ResourceType, isSent: boolean) {
  const { properties, ...core } = objectOf(schema.attributes, isSent);
  const extended = extensions.map(({ id, name, description, attributes, alsoHolds }) => {
    const held = isSent && alsoHolds ? alsoHolds.attributes : [];
    return [id, { title: `Scim${name}`, description, ...objectOf([...attributes, ...held], isSent) }];
  });
  return {
    description: schema.description,
    ...core,
    properties: { ...common, ...(properties as object), ...Object.fromEntries(extended) },
  };
}

/** A resource that describes the service. Clients cannot select its attributes. */
function discoveryShape(id: string, { attributes, description }: Schema) {
  const { properties, required = [], ...core } = objectOf(attributes, true);
  return AnyObject.meta({
    id,
    description,
    ...core,
    required: ["schemas", "meta", ...(required as readonly string[])],
    properties: { schemas: common.schemas, meta: common.meta, ...(properties as object) },
  });
}

function listOf<S extends z.ZodType>(id: string, resource: S) {
  return z
    .object({
      schemas: z.array(z.literal(LIST_RESPONSE)),
      totalResults: z.int(),
      startIndex: z.int().optional().meta({ description: "Absent with a cursor" }),
      itemsPerPage: z.int(),
      previousCursor: z.string().optional(),
      nextCursor: z.string().optional(),
      Resources: z.array(resource),
    })
    .meta({ id });
}
