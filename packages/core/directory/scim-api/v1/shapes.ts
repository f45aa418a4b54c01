/** The shapes of SCIM 1.1 requests and responses. The schema of a resource decides which attributes it may have. */
import * as z from "../../../kernel/zod.ts";
import type { Schema } from "../../../scim/protocol/schema/attribute.ts";
import { scim1GroupType, userType } from "../../../scim/protocol/schema/resource-types.ts";
import { AnyObject, bulkOperations, objectOf } from "../resources/shapes.ts";

/** The schema of users, groups, lists and bulk messages. */
export const CORE = "urn:scim:schemas:core:1.0";
/** The enterprise extension of SCIM 1.1. */
export const ENTERPRISE = "urn:scim:schemas:extension:enterprise:1.0";
/** WSO2's extension: its URN, and the member that holds it. */
export const WSO2 = "urn:scim:schemas:extension:wso2:1.0";
export const WSO2_MEMBER = "wso2Extension";

type Properties = Readonly<Record<string, unknown>>;

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
} as const;
const managerShown = { managerId: text } as const;
const managerSent = {
  ...managerShown,
  value: { ...text, description: "The id of the manager by its name in SCIM 2.0. managerId wins" },
} as const;

const operation = {
  ...text,
  enum: ["delete"],
  description: "Marks an element that a PATCH removes. A POST or PUT leaves it out",
} as const;

const userShown = userOf(propertiesOf(userType.schema), managerShown);
const userSent = userOf(sentPropertiesOf(userType.schema), managerSent);
const groupShown = groupOf(propertiesOf(scim1GroupType.schema));
const groupSent = groupOf(sentPropertiesOf(scim1GroupType.schema));

/** Resources in lists have no schemas (S1-015). */
export const Scim1User = AnyObject.meta({ id: "Scim1User", ...userShown, required: ["id"] });
export const Scim1Group = AnyObject.meta({ id: "Scim1Group", ...groupShown, required: ["id"] });
/** Bodies of creation and replacement. */
export const Scim1UserInput = AnyObject.meta({ id: "Scim1UserInput", ...userSent, required: ["userName"] });
export const Scim1GroupInput = AnyObject.meta({ id: "Scim1GroupInput", ...groupSent, required: ["displayName"] });
/** Bodies of PATCH: attributes that are not sent stay as they are. */
export const Scim1UserPatch = AnyObject.meta({ id: "Scim1UserPatch", ...userSent });
export const Scim1GroupPatch = AnyObject.meta({ id: "Scim1GroupPatch", ...groupSent });

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

function userOf(attributes: Properties, manager: Properties) {
  const properties = { ...enterprise, manager: { type: "object", properties: manager } } as const;
  return {
    title: "Scim1User",
    description: "A user of SCIM 1.1",
    properties: {
      ...common,
      ...attributes,
      [ENTERPRISE]: { type: "object", title: "Scim1EnterpriseUser", properties },
      [WSO2_MEMBER]: {
        type: "object",
        title: "Scim1Wso2User",
        properties: { ...properties, askPassword: flag, verifyEmail: flag },
      },
    },
  } as const;
}

function groupOf(attributes: Properties) {
  return { title: "Scim1Group", description: "A group of SCIM 1.1", properties: { ...common, ...attributes } } as const;
}

function propertiesOf({ attributes }: Pick<Schema, "attributes">): Properties {
  return objectOf(attributes, false).properties as Properties;
}

/** The attributes of a request, where elements of lists can be marked for removal. */
function sentPropertiesOf({ attributes }: Pick<Schema, "attributes">): Properties {
  const lists = attributes
    .filter(({ multiValued, mutability }) => multiValued && mutability !== "readOnly")
    .map(({ name, description, subAttributes = [] }) => {
      const properties = { ...propertiesOf({ attributes: subAttributes }), operation };
      return [name, { type: "array", items: { type: "object", properties }, description }] as const;
    });
  return { ...propertiesOf({ attributes }), ...Object.fromEntries(lists) };
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
