/** The operations on tenants (issue 6; upstream's Tenant Management API v1). Only callers of the super tenant reach them. */
import * as z from "zod";
import { operation } from "../operation/operation.ts";
import { LifecycleStatus, NewTenant, Owner, TenantList, TenantShown } from "./shapes.ts";

const LIST = "internal_list_tenants";

/** The page size where none is asked for, and the one that larger wishes are lowered to. */
export const LIMIT_DEFAULT = 10;
export const LIMIT_MAX = 100;

const ListQuery = z.object({
  limit: wholeNumber(`The most tenants on a page; more than ${LIMIT_MAX} is ${LIMIT_MAX}`, LIMIT_DEFAULT),
  offset: wholeNumber("How many to leave out", 0),
  filter: z.string().max(1_000).optional().meta({ description: "domainName with eq, sw, ew or co" }),
  sortBy: z.string().max(100).optional().meta({ description: "domainName, the only order there is" }),
  sortOrder: z.string().max(10).optional().meta({ description: "ASC (where it is left out) or DESC" }),
});

const ById = z.object({ tenantId: z.string().max(255) });
const ByDomain = z.object({ domain: z.string().max(255) });

const shared = {
  service: "administration",
  source: "upstream's tenant management API, our choice, decision 0017",
} as const;
const COLLECTION = "/api/server/v1/tenants";

export const tenantOperations = {
  listTenants: operation({
    ...shared,
    method: "GET",
    path: COLLECTION,
    scope: LIST,
    summary: "List the tenants, by domain",
    query: ListQuery,
    success: { status: 200, body: TenantList },
    failures: [400, 403],
  }),
  createTenant: operation({
    ...shared,
    method: "POST",
    path: COLLECTION,
    scope: "internal_create_tenants",
    summary: "Create a tenant with its roles and its first administrator",
    body: NewTenant,
    success: { status: 201, location: true },
    failures: [400, 403, 409],
  }),
  getTenant: operation({
    ...shared,
    method: "GET",
    path: `${COLLECTION}/{tenantId}`,
    scope: LIST,
    summary: "Read a tenant",
    params: ById,
    success: { status: 200, body: TenantShown },
    failures: [403, 404],
  }),
  getTenantByDomain: operation({
    ...shared,
    method: "GET",
    path: `${COLLECTION}/domain/{domain}`,
    scope: LIST,
    summary: "Read a tenant by its domain; HEAD tells whether there is one",
    params: ByDomain,
    success: { status: 200, body: TenantShown },
    failures: [403, 404],
  }),
  listTenantOwners: operation({
    ...shared,
    method: "GET",
    path: `${COLLECTION}/{tenantId}/owners`,
    scope: LIST,
    summary: "List the owners of a tenant",
    params: ById,
    success: { status: 200, body: z.array(Owner) },
    failures: [403, 404],
  }),
  updateTenantStatus: operation({
    ...shared,
    method: "PUT",
    path: `${COLLECTION}/{tenantId}/lifecycle-status`,
    scope: "internal_modify_tenants",
    summary: "Activate or deactivate a tenant; one that is not active lets nobody in",
    params: ById,
    body: LifecycleStatus,
    success: { status: 200, body: TenantShown },
    failures: [400, 403, 404],
  }),
} as const;

function wholeNumber(description: string, fallback: number) {
  return z
    .string()
    .regex(/^-?\d{1,10}$/, "expected a whole number of at most 10 digits")
    .transform(Number)
    .optional()
    .meta({ type: "integer", default: fallback, description });
}
