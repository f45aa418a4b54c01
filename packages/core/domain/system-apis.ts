/**
 * The APIs of this service itself, as data (reference access.md section 2.5). They are the same in every tenant, are kept in no
 * table and cannot be changed. Every scope that the operation catalogue names is in exactly one of them.
 */
import { systemIdOf } from "../platform/ids.ts";
import type { ApiResource, ApiType } from "./api-resource.ts";

/** An API and the display names of its scopes. */
interface SystemApi {
  readonly name: string;
  /** Its id follows from it, so it never changes. */
  readonly identifier: string;
  readonly type?: ApiType;
  readonly description: string;
  readonly scopes: Readonly<Record<string, string>>;
}

const table: readonly SystemApi[] = [
  {
    name: "Application Management API",
    identifier: "/api/server/v1/applications",
    description: "Applications, their protocols, templates and authorized APIs",
    scopes: {
      ...crud("internal_application_mgt", "Applications"),
      internal_application_mgt_client_secret_create: "Create Client Secrets",
      internal_application_mgt_client_secret_view: "View Client Secrets",
      internal_application_mgt_client_secret_delete: "Delete Client Secrets",
      internal_application_internal_api_update: "Authorize Internal APIs",
      internal_application_business_api_update: "Authorize Business APIs",
    },
  },
  {
    // Upstream asks for this scope and has it in no API, so that no token could hold it (reference access.md 2.5).
    name: "Organization Administration API",
    identifier: "/api/server/v1/applications/owner",
    description: "What only the administrator of an organization may do, such as giving an application to another user",
    scopes: { internal_organization_admin: "Administer the Organization" },
  },
  {
    name: "API Resource Management API",
    identifier: "/api/server/v1/api-resources",
    description: "API resources and their scopes",
    scopes: crud("internal_api_resource", "API Resources"),
  },
  {
    name: "Tenant Management API",
    identifier: "/api/server/v1/tenants",
    type: "SYSTEM",
    description: "The tenants of the deployment",
    scopes: {
      internal_list_tenants: "List Tenants",
      internal_create_tenants: "Create Tenants",
      internal_modify_tenants: "Modify Tenants",
    },
  },
  {
    name: "SCIM2 Users API",
    identifier: "/scim2/Users",
    description: "Users, by SCIM 2.0 and SCIM 1.1",
    scopes: { ...crud("internal_user_mgt", "Users"), internal_user_mgt_list: "List Users" },
  },
  {
    name: "SCIM2 Groups API",
    identifier: "/scim2/Groups",
    description: "Groups, by SCIM 2.0 and SCIM 1.1",
    scopes: crud("internal_group_mgt", "Groups"),
  },
  {
    name: "SCIM2 Roles API",
    identifier: "/scim2/Roles",
    description: "Roles and what they hold",
    scopes: {
      ...crud("internal_role_mgt", "Roles"),
      internal_role_mgt_permissions_update: "Update the Permissions of Roles",
      internal_role_mgt_users_update: "Update the Users of Roles",
      internal_role_mgt_groups_update: "Update the Groups of Roles",
    },
  },
  {
    name: "SCIM2 Bulk API",
    identifier: "/scim2/Bulk",
    description: "Many SCIM operations in one request",
    scopes: {
      internal_bulk_resource_create: "Bulk Operations",
      ...bulk("user"),
      ...bulk("group"),
      ...bulk("role"),
    },
  },
  {
    name: "SCIM2 Me API",
    identifier: "/scim2/Me",
    description: "What users do with their own account",
    scopes: { internal_login: "Log in and Manage the Own Account" },
  },
  {
    name: "OAuth2 Introspection API",
    identifier: "/oauth2/introspect",
    description: "What an access token stands for",
    scopes: { internal_oauth2_introspect: "Introspect Tokens" },
  },
];

/** The system APIs, in the order in which they are listed. */
export const systemApis: readonly ApiResource[] = table.map(toApi);

const byId = new Map(systemApis.map((api) => [api.id, api]));
/** The scopes of the system APIs. */
export const systemScopes: ReadonlySet<string> = new Set(
  systemApis.flatMap(({ scopes }) => scopes.map(({ name }) => name)),
);

const identifiers = new Set(systemApis.map(({ identifier }) => identifier));

/** Where each of those scopes belongs, by its name. */
export const systemScopePlaces: ReadonlyMap<string, { readonly id: string; readonly apiId: string }> = new Map(
  systemApis.flatMap((api) => api.scopes.map(({ id, name }) => [name, { id, apiId: api.id }] as const)),
);

/** The system API with that id. */
export function systemApi(id: string): ApiResource | undefined {
  return byId.get(id);
}

/** True for an identifier that no tenant can give to an API of its own. */
export function isSystemIdentifier(identifier: string): boolean {
  return identifiers.has(identifier);
}

/** The four scopes that most APIs have. */
function crud(prefix: string, thing: string): Record<string, string> {
  return {
    [`${prefix}_create`]: `Create ${thing}`,
    [`${prefix}_view`]: `View ${thing}`,
    [`${prefix}_update`]: `Update ${thing}`,
    [`${prefix}_delete`]: `Delete ${thing}`,
  };
}

function bulk(thing: "user" | "group" | "role"): Record<string, string> {
  return {
    [`internal_bulk_${thing}_create`]: `Bulk create ${thing}s`,
    [`internal_bulk_${thing}_update`]: `Bulk update ${thing}s`,
    [`internal_bulk_${thing}_delete`]: `Bulk delete ${thing}s`,
  };
}

function toApi({ name, identifier, type = "TENANT", description, scopes }: SystemApi): ApiResource {
  return {
    id: systemIdOf(`api ${identifier}`),
    identifier,
    name,
    type,
    requiresAuthorization: true,
    description,
    scopes: Object.entries(scopes).map(([scope, displayName]) => ({
      id: systemIdOf(`scope ${scope}`),
      name: scope,
      displayName,
    })),
  };
}
