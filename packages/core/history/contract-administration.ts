/** The histories of API resources and tenants. */
import { apiResourceOperations } from "../api-resources/contract.ts";
import { ApiResourceId, ApiResourceShown } from "../api-resources/shapes.ts";
import { endpointsOf } from "../operation/endpoints.ts";
import { operation } from "../operation/operation.ts";
import * as z from "../platform/zod.ts";
import { tenantOperations } from "../tenants/contract.ts";
import { TenantShown } from "../tenants/shapes.ts";
import { listed, SOURCE, shownAs, versionPart } from "./contract-parts.ts";

const TenantId = z.string().max(255);
const scopes = { api: apiResourceOperations.getApiResource.scope, tenant: tenantOperations.getTenant.scope } as const;
const at = endpointsOf("administration", "/api/server/v1", scopes, SOURCE);

export const administrationHistoryOperations = {
  listApiResourceHistory: operation({
    ...at("GET", "/api-resources/{apiResourceId}/history", "api"),
    summary: "List the changes of an API resource and its scopes, newest first",
    params: z.object({ apiResourceId: ApiResourceId }),
    ...listed,
  }),
  getApiResourceVersion: operation({
    ...at("GET", "/api-resources/{apiResourceId}/history/{version}", "api"),
    summary: "Read an API resource as it was after a change",
    params: z.object({ apiResourceId: ApiResourceId, ...versionPart }),
    ...shownAs(ApiResourceShown),
  }),
  listTenantHistory: operation({
    ...at("GET", "/tenants/{tenantId}/history", "tenant"),
    summary: "List the changes of a tenant, newest first",
    params: z.object({ tenantId: TenantId }),
    ...listed,
    failures: [400, 403, 404],
  }),
  getTenantVersion: operation({
    ...at("GET", "/tenants/{tenantId}/history/{version}", "tenant"),
    summary: "Read a tenant as it was after a change",
    params: z.object({ tenantId: TenantId, ...versionPart }),
    ...shownAs(TenantShown),
    failures: [400, 403, 404],
  }),
} as const;
