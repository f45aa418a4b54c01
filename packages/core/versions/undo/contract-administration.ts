/** Undo: API resources and tenants as they were after a change. */
import { apiResourceOperations } from "../../applications/apis/contract.ts";
import { ApiResourceId } from "../../applications/apis/shapes.ts";
import { tenantOperations } from "../../directory/tenants/contract.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { versionPart } from "../history/contract-parts.ts";
import { SOURCE } from "./source.ts";

const scopes = {
  api: apiResourceOperations.patchApiResource.scope,
  tenant: tenantOperations.updateTenantStatus.scope,
} as const;
const at = endpointsOf("administration", "/api/server/v1", scopes, SOURCE);

export const administrationUndoOperations = {
  restoreApiResourceVersion: operation({
    ...at("POST", "/api-resources/{apiResourceId}/history/{version}/restore", "api"),
    staysClosed: true,
    reaches: ["update API scope"],
    summary: "Make an API resource and its scopes as they were after a change",
    params: z.object({ apiResourceId: ApiResourceId, ...versionPart }),
    target: "getApiResource",
    success: { status: 204 },
    failures: [400, 403, 404, 409],
  }),
  restoreTenantVersion: operation({
    ...at("POST", "/tenants/{tenantId}/history/{version}/restore", "tenant"),
    staysClosed: true,
    summary: "Activate or deactivate a tenant as it was after a change",
    params: z.object({ tenantId: z.string().max(255), ...versionPart }),
    target: "getTenant",
    success: tenantOperations.updateTenantStatus.success,
    failures: [400, 403, 404, 409],
  }),
} as const;
