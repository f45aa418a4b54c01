/** The shapes of SCIM 1.1 requests and responses. The schema of a resource decides which attributes it may have. */
import * as z from "../../platform/zod.ts";
import type { Attribute } from "../../scim/schema/attribute.ts";
import { scim1GroupType, userType } from "../../scim/schema/resource-types.ts";
import { AnyObject, bulkOperations, objectOf } from "../resources/shapes.ts";

/** The schema of users, groups, lists and bulk messages. */
export const CORE = "urn:scim:schemas:core:1.0";
/** The enterprise extension of SCIM 1.1. */
export const ENTERPRISE = "urn:scim:schemas:extension:enterprise:1.0";
/** WSO2's extension: its URN, and the member that holds it. */
export const WSO2 = "urn:scim:schemas:extension:wso2:1.0";
export const WSO2_MEMBER = "wso2Extension";

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

const common = {
  schemas: { type: "array", items: text },
  id: { ...text, readOnly: true },
  externalId: text,
  meta: {
    type: "object",
    title: "Scim1Meta",
    properties: {
      created: { ...text, readOnly: true },
      lastModified: { ...text, readOnly: true },
      location: { ...text, readOnly: true },
      attributes: { type: "array", items: text, description: "In a PATCH: the attributes to remove first" },
    },
  },
} as const;

const enterprise = {
  employeeNumber: text,
  costCenter: text,
  organization: text,
  division: text,
  department: text,
  manager: { type: "object", properties: { managerId: text } },
} as const;

const userMeta = {
  title: "Scim1User",
  description: "A user of SCIM 1.1",
  properties: {
    ...common,
    ...propertiesOf(userType.schema),
    [ENTERPRISE]: { type: "object", title: "Scim1EnterpriseUser", properties: enterprise },
    [WSO2_MEMBER]: {
      type: "object",
      title: "Scim1Wso2User",
      properties: { ...enterprise, askPassword: flag, verifyEmail: flag },
    },
  },
} as const;
const groupMeta = {
  title: "Scim1Group",
  description: "A group of SCIM 1.1",
  properties: {
    ...common,
    ...propertiesOf(scim1GroupType.schema),
  },
} as const;

/** Resources in lists have no schemas (S1-015). */
export const Scim1User = AnyObject.meta({ id: "Scim1User", ...userMeta, required: ["id"] });
export const Scim1Group = AnyObject.meta({ id: "Scim1Group", ...groupMeta, required: ["id"] });
/** Bodies of creation and replacement. */
export const Scim1UserInput = AnyObject.meta({ id: "Scim1UserInput", ...userMeta, required: ["userName"] });
export const Scim1GroupInput = AnyObject.meta({ id: "Scim1GroupInput", ...groupMeta, required: ["displayName"] });
/** Bodies of PATCH: attributes that are not sent stay as they are. */
export const Scim1UserPatch = AnyObject.meta({ id: "Scim1UserPatch", ...userMeta });
export const Scim1GroupPatch = AnyObject.meta({ id: "Scim1GroupPatch", ...groupMeta });

export const Scim1UserList = listOf("Scim1UserList", Scim1User);
export const Scim1GroupList = listOf("Scim1GroupList", Scim1Group);

export const Scim1BulkRequest = AnyObject.meta({
  id: "Scim1BulkRequest",
  required: ["Operations"],
  properties: {
    failOnErrors: {
      type: "integer",
      format: "int32",
      minimum: 0,
      description: "Stop after this many failures; 0: never stop",
    },
    schemas: { type: "array", items: text },
    Operations: bulkOperations(),
  },
});

export const Scim1BulkResponse = z
  .object({
    schemas: z.array(z.literal(CORE)),
    Operations: z.array(
      z.object({
        location: z.string().optional(),
        method: z.string(),
        bulkId: z.string().optional(),
        status: z.object({ code: z.string(), description: z.string().optional() }),
      }),
    ),
  })
  .meta({ id: "Scim1BulkResponse" });

function propertiesOf({ attributes }: { readonly attributes: readonly Attribute[] }) {
  return objectOf(attributes, false).properties as Readonly<Record<string, unknown>>;
}

function listOf<S extends z.ZodType>(id: string, resource: S) {
  return z
    .object({
      totalResults: z.int(),
      itemsPerPage: z.int(),
      startIndex: z.int(),
      schemas: z.array(z.literal(CORE)),
      Resources: z.array(resource),
    })
    .meta({ id });
}
