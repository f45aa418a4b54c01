/** The histories of application templates. */
import { applicationScopes } from "../applications/registry/shapes.ts";
import { Template, TemplateId } from "../applications/templates/shapes.ts";
import { endpointsOf } from "../operation/endpoints.ts";
import { operation } from "../operation/operation.ts";
import * as z from "../platform/zod.ts";
import { listed, SOURCE, shownAs, versionPart } from "./contract-parts.ts";

const at = endpointsOf("application-templates", "/api/server/v1/applications/templates", applicationScopes, SOURCE);

export const templateHistoryOperations = {
  listApplicationTemplateHistory: operation({
    ...at("GET", "/{templateId}/history", "view"),
    summary: "List the changes of an application template, newest first",
    params: z.object({ templateId: TemplateId }),
    ...listed,
  }),
  getApplicationTemplateVersion: operation({
    ...at("GET", "/{templateId}/history/{version}", "view"),
    summary: "Read an application template as it was after a change",
    params: z.object({ templateId: TemplateId, ...versionPart }),
    ...shownAs(Template),
  }),
} as const;
