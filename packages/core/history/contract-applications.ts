/** The histories of applications, of their authorized APIs, and of the resident application. */
import { AuthorizedApi } from "../applications/authorized-apis/contract.ts";
import { Application, ApplicationId, applicationScopes, ResidentApplication } from "../applications/registry/shapes.ts";
import { endpointsOf } from "../operation/endpoints.ts";
import { operation } from "../operation/operation.ts";
import * as z from "../platform/zod.ts";
import { listed, SOURCE, shownAs, versionPart } from "./contract-parts.ts";

const params = z.object({ applicationId: ApplicationId });
const version = z.object({ applicationId: ApplicationId, ...versionPart });
const at = endpointsOf("applications", "/api/server/v1/applications", applicationScopes, SOURCE);

export const applicationHistoryOperations = {
  listApplicationHistory: operation({
    ...at("GET", "/{applicationId}/history", "view"),
    summary: "List the changes of an application and its protocols, newest first",
    params,
    ...listed,
  }),
  getApplicationVersion: operation({
    ...at("GET", "/{applicationId}/history/{version}", "view"),
    summary: "Read an application as it was after a change",
    params: version,
    ...shownAs(Application),
  }),
  listAuthorizedApisHistory: operation({
    ...at("GET", "/{applicationId}/authorized-apis/history", "view"),
    summary: "List the changes of the APIs that an application is authorized for, newest first",
    params,
    ...listed,
  }),
  getAuthorizedApisVersion: operation({
    ...at("GET", "/{applicationId}/authorized-apis/history/{version}", "view"),
    summary: "Read the APIs that an application was authorized for after a change",
    params: version,
    ...shownAs(z.array(AuthorizedApi)),
  }),
  listResidentApplicationHistory: operation({
    ...at("GET", "/resident/history", "view"),
    summary: "List the changes of the resident application, newest first",
    ...listed,
  }),
  getResidentApplicationVersion: operation({
    ...at("GET", "/resident/history/{version}", "view"),
    summary: "Read the resident application as it was after a change",
    params: z.object(versionPart),
    ...shownAs(ResidentApplication),
  }),
} as const;
