/** Undo: applications, their authorized APIs and assignments, and the resident application, as after a change. */
import { applicationOperations } from "../../applications/management/contract.ts";
import { ApplicationId, applicationScopes } from "../../applications/registry/shapes.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { versionPart } from "../history/contract-parts.ts";
import { SOURCE } from "./source.ts";

const version = z.object({ applicationId: ApplicationId, ...versionPart });
const at = endpointsOf("applications", "/api/server/v1/applications", applicationScopes, SOURCE);

export const applicationUndoOperations = {
  restoreApplicationVersion: operation({
    ...at("POST", "/{applicationId}/history/{version}/restore", "update"),
    seesScopes: true,
    staysClosed: true,
    reaches: ["update script"],
    summary: "Make an application and its protocols as they were after a change; secrets and the owner stay",
    params: version,
    target: "getApplication",
    success: applicationOperations.patchApplication.success,
    failures: [400, 403, 404, 409],
  }),
  restoreAuthorizedApisVersion: operation({
    ...at("POST", "/{applicationId}/authorized-apis/history/{version}/restore", "update"),
    seesScopes: true,
    staysClosed: true,
    does: ["update authorized API"],
    summary: "Authorize an application for those APIs of a version that exist",
    params: version,
    target: "listAuthorizedApis",
    success: { status: 200 },
    failures: [400, 403, 404, 409],
  }),
  restoreAssignmentsVersion: operation({
    ...at("POST", "/{applicationId}/assignments/history/{version}/restore", "update"),
    seesScopes: true,
    staysClosed: true,
    does: ["update assignment"],
    reaches: ["read user", "read group", "read role"],
    summary: "Assign those users, groups and roles of a version that exist to an application, and no others",
    params: version,
    target: "listAssignments",
    success: { status: 200 },
    failures: [400, 403, 404, 409],
  }),
  restoreResidentApplicationVersion: operation({
    ...at("POST", "/resident/history/{version}/restore", "update"),
    staysClosed: true,
    does: ["update resident"],
    summary: "Make the resident application as it was after a change",
    params: z.object(versionPart),
    target: "getResidentApplication",
    success: applicationOperations.updateResidentApplication.success,
    failures: [400, 404, 409],
  }),
} as const;
