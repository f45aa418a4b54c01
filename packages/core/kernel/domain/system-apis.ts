/**
 * The APIs of this service, as data. They are the same in every tenant, are in no table and cannot be changed. Every
 * scope of the operation catalogue is in exactly one of them.
 */
import { systemIdOf } from "../ids.ts";
import type { ApiResource, ApiType } from "./api-resource.ts";

/** An API and the display names of its scopes. */
interface SystemApi {
  readonly name: string;
  /** Never changes: the id is derived from it. */
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
      internal_application_script_update: "Update Authentication Scripts",
      internal_application_internal_api_update: "Authorize Internal APIs",
      internal_application_business_api_update: "Authorize Business APIs",
    },
  },
  {
    // WSO2 Identity Server has this scope in no API, so that no token can have it.
    name: "Organization Administration API",
    identifier: "/api/server/v1/applications/owner",
    description: "Operations of the administrator of an organization, such as a change of the owner of an application",
    scopes: { internal_organization_admin: "Administer the Organization" },
  },
  {
    name: "API Resource Management API",
    identifier: "/api/server/v1/api-resources",
    description: "API resources and their scopes",
    scopes: crud("internal_api_resource", "API Resources"),
  },
  {
    name: "Organization Management API",
    identifier: "/api/server/v1/organizations",
    description: "The organization of a tenant",
    scopes: { internal_organization_view: "View Organizations" },
  },
  {
    name: "Identity Provider Management API",
    identifier: "/api/server/v1/identity-providers",
    description: "The identity providers of a tenant",
    scopes: { internal_idp_view: "View Identity Providers" },
  },
  {
    name: "Claim Management API",
    identifier: "/api/server/v1/claim-dialects",
    description: "Dialects of claims, and the claims in them",
    scopes: { internal_claim_meta_view: "View Claims" },
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
    name: "User Store Management API",
    identifier: "/api/server/v1/userstores",
    description: "The user stores that the deployment declares",
    scopes: { internal_userstore_view: "View User Stores" },
  },
  {
    name: "Webhook Management API",
    identifier: "/api/server/v1/webhooks",
    description: "Webhooks: receivers of events about changes of the tenant",
    scopes: crud("internal_webhook", "Webhooks"),
  },
  {
    name: "Webhook Metadata API",
    identifier: "/api/server/v1/webhooks/metadata",
    description: "The events that webhooks can subscribe to",
    scopes: {
      internal_webhook_meta_view: "View Webhook Metadata",
      internal_webhook_meta_update: "Update Webhook Metadata",
    },
  },
  {
    name: "Audit API",
    identifier: "/api/server/v1/audit-events",
    description: "The changes of all resources of a tenant: who, when, from where, from what to what",
    scopes: { internal_audit_view: "View Changes" },
  },
  {
    name: "Access API",
    identifier: "/api/server/v1/access",
    description: "Who may do what, and why",
    scopes: { internal_access_view: "Explain Access" },
  },
  {
    name: "SCIM2 Users API",
    identifier: "/scim2/Users",
    description: "Users, by SCIM 2.0 and SCIM 1.1",
    scopes: {
      ...crud("internal_user_mgt", "Users"),
      internal_user_mgt_list: "List Users",
      internal_user_hash_import: "Import Password Hashes",
    },
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
    description: "Roles, their permissions and their assignees",
    scopes: {
      ...crud("internal_role_mgt", "Roles"),
      internal_role_mgt_meta_create: "Create Roles without Users and Groups",
      internal_role_mgt_meta_update: "Update the Names and Permissions of Roles",
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
    description: "The account of the signed-in user",
    scopes: { internal_login: "Log in and Manage the Own Account" },
  },
  {
    name: "Session Management API",
    identifier: "/api/users/v1",
    description: "The sessions of users, and the applications that they have given access to",
    scopes: { internal_session_view: "View Sessions", internal_session_delete: "End Sessions" },
  },
  {
    name: "Shared Signals API",
    identifier: "/ssf",
    description: "Streams of security events, for receivers",
    scopes: { "ssf.read": "Read Streams and Receive Events", "ssf.manage": "Manage Streams" },
  },
  {
    name: "OAuth2 Introspection API",
    identifier: "/oauth2/introspect",
    description: "The state and content of access tokens",
    scopes: { internal_oauth2_introspect: "Introspect Tokens" },
  },
];

/** The ids that were read, by the names that they are derived from. */
const ids = new Map<string, string>();

/** The system APIs, in the order in which they are listed. */
export const systemApis: readonly ApiResource[] = table.map(toApi);

/** The scopes of the system APIs. */
export const systemScopes: ReadonlySet<string> = new Set(
  systemApis.flatMap(({ scopes }) => scopes.map(({ name }) => name)),
);

/** Stands for every scope of this service in a request for a token. */
export const EVERY_SCOPE = "SYSTEM";

/** Every scope of this service begins with one of these, and no scope of a tenant does (decision 0143). */
const RESERVED_STARTS = ["internal_", "console:", "ssf."];

const identifiers = new Set(systemApis.map(({ identifier }) => identifier));

/** The id and API of each of those scopes, by name. */
export const systemScopePlaces: ReadonlyMap<string, { readonly id: string; readonly apiId: string }> = new Map(
  systemApis.flatMap((api) => api.scopes.map((scope) => [scope.name, placeOf(api, scope)] as const)),
);

/** The system API with that id. */
export function systemApi(id: string): ApiResource | undefined {
  return systemApis.find((api) => api.id === id);
}

/**
 * Why a tenant cannot give a name to a scope of its own: it is, or could become, a right of this service. `undefined`
 * where it can. Letter case does not matter: a name must not look like such a right either.
 */
export function reservedScope(name: string): string | undefined {
  const folded = name.toLowerCase();
  if (folded === EVERY_SCOPE.toLowerCase()) return `the name '${EVERY_SCOPE}' is reserved: it stands for every scope`;
  const start = RESERVED_STARTS.find((each) => folded.startsWith(each));
  return start && `names that begin with '${start}' are reserved for scopes of this service`;
}

/** Whether an identifier is reserved for an API of this service. */
export function isSystemIdentifier(identifier: string): boolean {
  return identifiers.has(identifier);
}

/** The four scopes that most APIs have. */
function crud(prefix: string, resources: string): Record<string, string> {
  return {
    [`${prefix}_create`]: `Create ${resources}`,
    [`${prefix}_view`]: `View ${resources}`,
    [`${prefix}_update`]: `Update ${resources}`,
    [`${prefix}_delete`]: `Delete ${resources}`,
  };
}

function bulk(resource: "user" | "group" | "role"): Record<string, string> {
  return {
    [`internal_bulk_${resource}_create`]: `Bulk create ${resource}s`,
    [`internal_bulk_${resource}_update`]: `Bulk update ${resource}s`,
    [`internal_bulk_${resource}_delete`]: `Bulk delete ${resource}s`,
  };
}

function toApi({ name, identifier, type = "TENANT", description, scopes }: SystemApi): ApiResource {
  return {
    get id() {
      return idOf(`api ${identifier}`);
    },
    identifier,
    name,
    type,
    requiresAuthorization: true,
    description,
    scopes: Object.entries(scopes).map(([scope, displayName]) => ({
      get id() {
        return idOf(`scope ${scope}`);
      },
      name: scope,
      displayName,
    })),
  };
}

/** The ids are digests: they are computed when they are read, because most functions that start read none. */
function idOf(name: string): string {
  const id = ids.get(name) ?? systemIdOf(name);
  ids.set(name, id);
  return id;
}

function placeOf(api: ApiResource, scope: ApiResource["scopes"][number]) {
  return {
    get id() {
      return scope.id;
    },
    get apiId() {
      return api.id;
    },
  };
}
