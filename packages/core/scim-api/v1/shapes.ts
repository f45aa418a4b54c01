/** The shapes of SCIM 1.1 requests and responses. The schema of a resource decides which attributes it may have. */
import * as z from "zod";
import { groupType, userType } from "../../scim/schema/resource-types.ts";
import { AnyObject, bulkOperations, propertiesOf } from "../resources/shapes.ts";

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

export const Scim1User = AnyObject.meta({
  id: "Scim1User",
  description: "A user of SCIM 1.1",
  properties: {
    ...common,
    ...propertiesOf(userType.schema.attributes),
    [ENTERPRISE]: { type: "object", properties: enterprise },
    [WSO2_MEMBER]: { type: "object", properties: { ...enterprise, askPassword: flag, verifyEmail: flag } },
  },
});

export const Scim1Group = AnyObject.meta({
  id: "Scim1Group",
  description: "A group of SCIM 1.1",
  properties: { ...common, ...propertiesOf(groupType.schema.attributes.filter(({ name }) => name !== "roles")) },
});

export const Scim1List = z
  .object({
    totalResults: z.int(),
    itemsPerPage: z.int(),
    startIndex: z.int(),
    schemas: z.array(z.literal(CORE)),
    Resources: z.array(AnyObject),
  })
  .meta({ id: "Scim1List" });

export const Scim1BulkRequest = AnyObject.meta({
  id: "Scim1BulkRequest",
  properties: {
    failOnErrors: { type: "integer", description: "Stop after this many failures; 0: never stop" },
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
