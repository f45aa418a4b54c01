/** The shapes of SCIM 1.1 requests and answers (spec access-and-scim.md, "SCIM 1.1"). What a resource may hold is the business of its schema. */
import * as z from "zod";
import { groupType, userType } from "../../scim/schema/resource-types.ts";
import { propertiesOf } from "../v2/shapes.ts";

/** The schema of users, groups, lists and bulk messages. */
export const CORE = "urn:scim:schemas:core:1.0";
/** The extension of the protocol itself. */
export const ENTERPRISE = "urn:scim:schemas:extension:enterprise:1.0";
/** The extension that WSO2's clients know, by its URN and by the member that holds it. */
export const WSO2 = "urn:scim:schemas:extension:wso2:1.0";
export const WSO2_MEMBER = "wso2Extension";

const members = z.record(z.string(), z.unknown());
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

/** A user, in requests and answers. */
export const Scim1User = members.meta({
  id: "Scim1User",
  description: "A user of SCIM 1.1",
  properties: {
    ...common,
    ...propertiesOf(userType.schema.attributes),
    [ENTERPRISE]: { type: "object", properties: enterprise },
    [WSO2_MEMBER]: { type: "object", properties: { ...enterprise, askPassword: flag, verifyEmail: flag } },
  },
});

/** A group, in requests and answers. */
export const Scim1Group = members.meta({
  id: "Scim1Group",
  description: "A group of SCIM 1.1",
  properties: { ...common, ...propertiesOf(groupType.schema.attributes.filter(({ name }) => name !== "roles")) },
});

/** A list. */
export const Scim1List = z
  .object({
    totalResults: z.int(),
    itemsPerPage: z.int(),
    startIndex: z.int(),
    schemas: z.array(z.literal(CORE)),
    Resources: z.array(members),
  })
  .meta({ id: "Scim1List" });

/** Many operations. */
export const Scim1BulkRequest = members.meta({
  id: "Scim1BulkRequest",
  properties: {
    failOnErrors: { type: "integer", description: "After so many failures nothing more is done; 0: however many fail" },
    schemas: { type: "array", items: text },
    Operations: {
      type: "array",
      items: {
        type: "object",
        required: ["method", "path"],
        properties: {
          method: { enum: ["POST", "PUT", "PATCH", "DELETE"] },
          path: text,
          bulkId: text,
          data: { type: "object" },
        },
      },
    },
  },
});

/** What became of them. */
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
