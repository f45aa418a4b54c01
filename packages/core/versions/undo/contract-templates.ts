/** Undo: application templates as they were after a change. */
import { applicationScopes } from "../../applications/registry/shapes.ts";
import { TemplateId } from "../../applications/templates/shapes.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { versionPart } from "../history/contract-parts.ts";
import { SOURCE } from "./source.ts";

const BASE = "/api/server/v1/applications/templates";
const at = endpointsOf("application-templates", BASE, applicationScopes, SOURCE);

export const templateUndoOperations = {
  restoreApplicationTemplateVersion: operation({
    ...at("POST", "/{templateId}/history/{version}/restore", "update"),
    staysClosed: true,
    does: ["update template"],
    summary: "Make an application template as it was after a change",
    params: z.object({ templateId: TemplateId, ...versionPart }),
    target: "getApplicationTemplate",
    success: { status: 200 },
    failures: [400, 404, 409],
  }),
} as const;
