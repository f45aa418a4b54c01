/** The operations on tenants, as in WSO2's Tenant Management API v1. Only callers of the super tenant may use them. */

import { LIMIT_DEFAULTS, limitMeta, textParameter, wholeNumber } from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { LifecycleStatus, NewTenant, Owner, OwnerDetails, OwnerUpdate, TenantList, TenantShown } from "./shapes.ts";

const ListQuery = z.object({
  limit: wholeNumber({ ...limitMeta("tenants", LIMIT_DEFAULTS.administration), minimum: 0 }),
  offset: wholeNumber({ description: "Tenants to skip", default: 0, minimum: 0 }),
  filter: textParameter("`domainName` with `eq`, `sw`, `ew` or `co`, joined by `and`, `or`"),
  sortBy: z.string().max(100).optional().meta({ description: "domainName, the only order" }),
  sortOrder: z.string().max(10).optional().meta({ description: "ASC (the default) or DESC" }),
});

const ById = z.object({ tenantId: z.string().max(255) });
const ByOwner = z.object({ tenantId: z.string().max(255), ownerId: z.string().min(1).max(255) });
const ByDomain = z.object({ domain: z.string().max(255) });

const scopes = {
  list: "internal_list_tenants",
  create: "internal_create_tenants",
  modify: "internal_modify_tenants",
} as const;
const SOURCE = "decision 0017";
const at = endpointsOf("administration", "/api/server/v1/tenants", scopes, SOURCE);

export const tenantOperations = {
  listTenants: operation({
    ...at("GET", "", "list"),
    summary: "List tenants by domain",
    query: ListQuery,
    success: { status: 200, body: TenantList },
    failures: [400, 403],
  }),
  createTenant: operation({
    ...at("POST", "", "create"),
    summary: "Create a tenant with its roles and its first administrator",
    body: NewTenant,
    success: { status: 201, location: true },
    failures: [400, 403, 409],
  }),
  getTenant: operation({
    ...at("GET", "/{tenantId}", "list"),
    summary: "Read a tenant",
    params: ById,
    success: { status: 200, body: TenantShown, etag: "content" },
    failures: [403, 404],
  }),
  getTenantByDomain: operation({
    ...at("GET", "/domain/{domain}", "list"),
    summary: "Read a tenant by its domain; HEAD checks whether it exists",
    params: ByDomain,
    success: { status: 200, body: TenantShown, etag: "content" },
    failures: [403, 404],
  }),
  listTenantOwners: operation({
    ...at("GET", "/{tenantId}/owners", "list"),
    summary: "List the owners of a tenant",
    params: ById,
    success: { status: 200, body: z.array(Owner), etag: "content" },
    failures: [403, 404],
  }),
  getTenantOwner: operation({
    ...at("GET", "/{tenantId}/owners/{ownerId}", "list", "decision 0100"),
    furtherScopes: ["internal_user_mgt_view"],
    staysClosed: true,
    does: ["read tenant"],
    reaches: ["read user"],
    summary: "Read an owner of a tenant with its e-mail address and name",
    params: ByOwner,
    query: z.object({
      additionalClaims: textParameter(
        "Comma-separated URIs of local claims, such as `http://wso2.org/claims/nickname`",
      ),
    }),
    success: { status: 200, body: OwnerDetails, etag: "content" },
    failures: [400, 403, 404],
  }),
  updateTenantOwner: operation({
    ...at("PUT", "/{tenantId}/owners/{ownerId}", "modify", "decision 0100"),
    furtherScopes: ["internal_user_mgt_update"],
    seesScopes: true,
    staysClosed: true,
    does: ["update tenant"],
    reaches: ["update user"],
    summary: "Change the e-mail address, the name and the password of an owner of a tenant",
    params: ByOwner,
    body: OwnerUpdate,
    target: "getTenantOwner",
    success: { status: 200 },
    failures: [400, 403, 404],
  }),
  deleteTenantMetadata: operation({
    ...at("DELETE", "/{tenantId}/metadata", "modify", "decision 0100"),
    summary: "Leave an inactive tenant out of the list of tenants until it is activated; no data is deleted",
    params: ById,
    target: "getTenant",
    success: { status: 204 },
    failures: [400, 403, 404],
  }),
  updateTenantStatus: operation({
    ...at("PUT", "/{tenantId}/lifecycle-status", "modify"),
    summary: "Activate or deactivate a tenant; users of an inactive tenant are not authenticated",
    params: ById,
    body: LifecycleStatus,
    target: "getTenant",
    success: { status: 200, body: TenantShown, etag: "content" },
    failures: [400, 403, 404],
  }),
} as const;
