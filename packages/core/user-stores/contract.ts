/** The operations that read user stores, as in WSO2's User Store API v1 (decision 0101). */

import { endpointsOf } from "../operation/endpoints.ts";
import { operation } from "../operation/operation.ts";
import * as z from "../platform/zod.ts";
import { ConnectionResult, ConnectionTest, UserStoreListItem, UserStoreShown } from "./shapes.ts";

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
