/**
 * Collections of the APIs of this service, as in WSO2's API: what a console offers as "view" and "edit" of one subject.
 * Pure data, made from the system APIs.
 */
import type { ApiResource, Scope } from "../domain/api-resource.ts";
import { systemApis } from "../domain/system-apis.ts";

/** What a scope of a collection is for. `write` is all but `read`. */
export type Purpose = "read" | "create" | "update" | "delete";

/** APIs about one subject. */
export interface Collection {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  /** `tenant`: administration of one tenant. `system`: administration of the deployment. */
  readonly type: "tenant" | "system";
  readonly apis: readonly ApiResource[];
}

const SYSTEM_COLLECTION = "tenants";

/** By name: the display name, and the APIs by their identifiers. */
const table: Readonly<Record<string, readonly [displayName: string, ...identifiers: string[]]>> = {
  applications: ["Applications", "/api/server/v1/applications", "/api/server/v1/applications/owner"],
  api_resources: ["API Resources", "/api/server/v1/api-resources"],
  attributes: ["Attributes", "/api/server/v1/claim-dialects"],
  userstores: ["User Stores", "/api/server/v1/userstores"],
  identity_providers: ["Identity Providers", "/api/server/v1/identity-providers"],
  organizations: ["Organizations", "/api/server/v1/organizations"],
  users: ["Users", "/scim2/Users", "/scim2/Me"],
  sessions: ["Sessions", "/api/users/v1"],
  groups: ["Groups", "/scim2/Groups"],
  roles: ["Roles", "/scim2/Roles"],
  bulk_operations: ["Bulk Operations", "/scim2/Bulk"],
  webhooks: ["Webhooks", "/api/server/v1/webhooks", "/api/server/v1/webhooks/metadata"],
  audit: ["Changes", "/api/server/v1/audit-events"],
  shared_signals: ["Shared Signals", "/ssf"],
  token_introspection: ["Token Introspection", "/oauth2/introspect"],
  [SYSTEM_COLLECTION]: ["Tenants", "/api/server/v1/tenants"],
};

/** All collections. */
export const collections: readonly Collection[] = Object.entries(table).map(
  ([name, [displayName, ...identifiers]]) => ({
    id: Buffer.from(name, "utf8").toString("base64url"),
    name,
    displayName,
    type: name === SYSTEM_COLLECTION ? "system" : "tenant",
    apis: systemApis.filter(({ identifier }) => identifiers.includes(identifier)),
  }),
);

/** What a scope of this service is for, by its name. */
export function purposeOf({ name }: Scope): Purpose {
  if (/_(?:view|list|introspect)$|\.read$|^internal_list_/.test(name)) return "read";
  if (/_create$|^internal_create_/.test(name)) return "create";
  return name.endsWith("_delete") ? "delete" : "update";
}
