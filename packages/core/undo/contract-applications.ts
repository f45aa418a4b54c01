/** Undo: applications, their authorized APIs, and the resident application as they were after a change. */
import { applicationOperations } from "../applications/management/contract.ts";
import { ApplicationId, applicationScopes } from "../applications/registry/shapes.ts";
import { versionPart } from "../history/contract-parts.ts";
import { endpointsOf } from "../operation/endpoints.ts";
import { operation } from "../operation/operation.ts";
import * as z from "../platform/zod.ts";
import { SOURCE } from "./source.ts";

const version = z.object({ applicationId: ApplicationId, ...versionPart });
const at = endpointsOf("applications", "/api/server/v1/applications", applicationScopes, SOURCE);

export const applicationUndoOperations = {
  restoreApplicationVersion: operation({
    ...at("POST", "/{applicationId}/history/{version}/restore", "update"),
    seesScopes: true,
    summary: "Make an application and its protocols as they were after a change; secrets and the owner stay",
    params: version,
    target: "getApplication",
    success: applicationOperations.patchApplication.success,
    failures: [400, 403, 404, 409],
  }),
  restoreAuthorizedApisVersion: operation({
    ...at("POST", "/{applicationId}/authorized-apis/history/{version}/restore", "update"),
    seesScopes: true,
    summary: "Authorize an application for those APIs of a version that exist",
    params: version,
    target: "listAuthorizedApis",
    success: { status: 200 },
    failures: [400, 403, 404, 409],
  }),
  restoreResidentApplicationVersion: operation({
    ...at("POST", "/resident/history/{version}/restore", "update"),
    summary: "Make the resident application as it was after a change",
    params: z.object(versionPart),
    target: "getResidentApplication",
    success: applicationOperations.updateResidentApplication.success,
    failures: [400, 404, 409],
  }),
} as const;
