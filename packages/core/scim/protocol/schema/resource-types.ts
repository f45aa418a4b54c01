/** The resource types with their schemas (RFC 7643 section 6). */
import type { ResourceType, Schema } from "./attribute.ts";
import { enterpriseSchema } from "./enterprise.ts";
import { groupSchema, membersSchema } from "./group.ts";
import { protocolSchemas } from "./protocol.ts";
import { systemSchema } from "./system.ts";
import { userSchemas } from "./user.ts";

const users = { wso2: usersWith(userSchemas.wso2), rfc7644: usersWith(userSchemas.rfc7644) };

/** For code that does not depend on the profile. */
export const userType: ResourceType = users.wso2;

export const groupType: ResourceType = {
  name: "Group",
  description: "Group",
  endpoint: "/Groups",
  schema: groupSchema,
  extensions: [membersSchema],
};

/** Groups of SCIM 1.1, which have no roles. */
export const scim1GroupType: ResourceType = {
  ...groupType,
  schema: { ...groupSchema, attributes: groupSchema.attributes.filter(({ name }) => name !== "roles") },
};

/** The type of users in a profile of SCIM 2.0. */
export function userTypeFor(profile: keyof typeof users): ResourceType {
  return users[profile];
}

/** Every schema of the resource types once, then those of the discovery resources. */
export function schemasOfTypes(types: readonly ResourceType[]): readonly Schema[] {
  return [
    ...new Set([...types.map(({ schema }) => schema), ...types.flatMap(({ extensions }) => extensions)]),
    ...protocolSchemas,
  ];
}

function usersWith(schema: Schema): ResourceType {
  return {
    name: "User",
    description: "User Account",
    endpoint: "/Users",
    schema,
    extensions: [enterpriseSchema, systemSchema],
  };
}
