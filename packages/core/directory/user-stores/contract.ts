/** The operations that read user stores, as in WSO2's User Store API v1 (decision 0101). */

import { withoutNulls } from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";

const Property = z.object({ name: z.string(), value: z.string() }).meta({ id: "UserStoreProperty" });

export const UserStoreListItem = z
  .object({
    id: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    description: z.string(),
    isLocal: z.boolean(),
    typeName: z.string(),
    self: z.string(),
    properties: z.array(Property).optional(),
  })
  .meta({ id: "UserStoreListItem" });

export const UserStoreShown = z
  .object({
    typeName: z.string(),
    typeId: z.string(),
    name: z.string(),
    description: z.string(),
    className: z.string(),
    isLocal: z.boolean(),
    properties: z.array(Property).meta({ description: "Never with the password of a directory" }),
    claimAttributeMappings: z.array(z.object({ claimURI: z.string(), mappedAttribute: z.string() })),
  })
  .meta({ id: "UserStore" });

/** Body of a test. rules.ts refuses the rest of Identity Server's members, with sentences of its own. */
export const ConnectionTest = z.preprocess(
  withoutNulls,
  z
    .object({
      connectionURL: z
        .string()
        .min(1)
        .max(1_024)
        .meta({ description: "The `url` of a declared directory. The service connects to no other" }),
      username: optional("The `bind_dn` of the directory. The service signs in as no other"),
      connectionPassword: optional("Refused: the deployment has the password").meta({ writeOnly: true }),
      driverName: optional("Refused: there are no databases behind user stores"),
    })
    .meta({ id: "UserStoreConnectionTest" }),
);

const ConnectionResult = z.object({ connection: z.boolean() }).meta({ id: "UserStoreConnection" });

const unsupported = (type: "string" | "integer" = "string") =>
  z.string().max(1_000).optional().meta({ type, description: "Not supported: returns 501" });

const ListQuery = z.object({
  limit: unsupported("integer"),
  offset: unsupported("integer"),
  filter: unsupported(),
  sort: unsupported(),
  requiredAttributes: z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: "Comma-separated names of properties to show, such as `ConnectionURL`" }),
});

const scopes = { view: "internal_userstore_view" } as const;
const at = endpointsOf("administration", "/api/server/v1/userstores", scopes, "decision 0101");

export const userStoreOperations = {
  listUserStores: operation({
    ...at("GET", "", "view"),
    summary: "List the user stores of the tenant besides PRIMARY",
    query: ListQuery,
    success: { status: 200, body: z.array(UserStoreListItem), etag: "content" },
    failures: [501],
  }),
  getUserStore: operation({
    ...at("GET", "/{userStoreId}", "view"),
    summary: "Read a user store by the Base64url of its name; PRIMARY too",
    params: z.object({ userStoreId: z.string().min(1).max(255) }),
    success: { status: 200, body: UserStoreShown, etag: "content" },
    failures: [404],
  }),
  testUserStoreConnection: operation({
    ...at("POST", "/test-connection", "view"),
    summary: "Test whether this service can sign in to a declared directory, as it does to read it",
    body: ConnectionTest,
    changesNothing: true,
    success: { status: 200, body: ConnectionResult },
    failures: [400],
  }),
} as const;

function optional(description: string) {
  return z.string().max(1_024).optional().meta({ description });
}
