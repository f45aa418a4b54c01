/** The resource types with their schemas (RFC 7643 section 6). */
import type { ResourceType, Schema } from "./attribute.ts";
import { enterpriseSchema } from "./enterprise.ts";
import { groupSchema, membersSchema } from "./group.ts";
import { protocolSchemas } from "./protocol.ts";
import { systemSchema } from "./system.ts";
import { userSchemas } from "./user.ts";

const users = {
  passwordRequired: usersWith(userSchemas.passwordRequired),
  passwordOptional: usersWith(userSchemas.passwordOptional),
};

/** For code that does not depend on whether a password is required: filters, paths, projection. */
export const userType: ResourceType = users.passwordRequired;

export const groupType: ResourceType = {
  name: "Group",
  description: "Group",
  endpoint: "/Groups",
  schema: groupSchema,
  extensions: [membersSchema],
};

/** The deployment decides whether a new user must have a password. */
export function userTypeFor({ passwordRequired }: { readonly passwordRequired: boolean }): ResourceType {
  return passwordRequired ? users.passwordRequired : users.passwordOptional;
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
