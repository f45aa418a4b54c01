/** The kinds of resources there are, with their schemas (RFC 7643 section 6; reference scim.md section 4.5). */
import type { ResourceType, Schema } from "./attribute.ts";
import { enterpriseSchema } from "./enterprise.ts";
import { groupSchema } from "./group.ts";
import { protocolSchemas } from "./protocol.ts";
import { systemSchema } from "./system.ts";
import { userSchemas } from "./user.ts";

const users = {
  passwordRequired: usersWith(userSchemas.passwordRequired),
  passwordOptional: usersWith(userSchemas.passwordOptional),
};

/** Users, for whatever does not depend on that choice: filters, paths, projection. */
export const userType: ResourceType = users.passwordRequired;

/** Groups. */
export const groupType: ResourceType = {
  name: "Group",
  description: "Group",
  endpoint: "/Groups",
  schema: groupSchema,
  extensions: [],
};

/** Every schema there is. */
export const allSchemas: readonly Schema[] = schemasOfTypes([userType, groupType]);

/** Users; whether a new one must come with a password is the deployment's choice (decision D2). */
export function userTypeFor({ passwordRequired }: { readonly passwordRequired: boolean }): ResourceType {
  return passwordRequired ? users.passwordRequired : users.passwordOptional;
}

/** Every schema of some resource types, each once, with those of the protocol behind them (reference section 4.6). */
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
