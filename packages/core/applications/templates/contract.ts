/** The operations on application templates. */

import { LIMIT_DEFAULTS, limitMeta, textParameter, wholeNumber } from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { applicationScopes } from "../registry/shapes.ts";
import { NewTemplate, Template, TemplateId, TemplateList } from "./shapes.ts";

const Path = z.object({ templateId: TemplateId });

const ListQuery = z.object({
  limit: wholeNumber(limitMeta("templates", LIMIT_DEFAULTS.applications), 1),
  offset: wholeNumber(
    {
      description: "Templates to skip: starter templates come first, then the tenant's own by name",
      default: 0,
      minimum: 0,
    },
    0,
  ),
  filter: textParameter(
    "`name`, `description`, `image`, `category`, `displayOrder`, `authenticationProtocol` or `templateGroup` with `eq`, `sw`, `ew` or `co`, joined by `and`, `or`; `clientId` and `issuer` match nothing",
  ),
});

const BASE = "/api/server/v1/applications/templates";
const at = endpointsOf("application-templates", BASE, applicationScopes);

export const templateOperations = {
  listApplicationTemplates: operation({
    ...at("GET", "", "view", "AM-030"),
    does: ["read template"],
    summary: "List application templates: the starter templates, then the tenant's own by name",
    query: ListQuery,
    success: { status: 200, body: TemplateList },
    failures: [400],
  }),
  addApplicationTemplate: operation({
    ...at("POST", "", "create", "AM-043"),
    does: ["create template"],
    summary: "Add an application template",
    body: NewTemplate,
    success: { status: 201, location: true },
    failures: [400, 409],
  }),
  getApplicationTemplate: operation({
    ...at("GET", "/{templateId}", "view", "AM-031"),
    does: ["read template"],
    summary: "Read one application template",
    params: Path,
    success: { status: 200, body: Template, etag: "content" },
    failures: [400, 404],
  }),
  updateApplicationTemplate: operation({
    ...at("PUT", "/{templateId}", "update", "AM-044"),
    does: ["update template"],
    summary: "Replace an application template; a starter template cannot be replaced",
    params: Path,
    body: NewTemplate,
    target: "getApplicationTemplate",
    success: { status: 200 },
    failures: [400, 404, 409],
  }),
  deleteApplicationTemplate: operation({
    ...at("DELETE", "/{templateId}", "delete", "decision 0009"),
    does: ["delete template"],
    summary: "Delete an application template; a starter template cannot be deleted",
    params: Path,
    target: "getApplicationTemplate",
    success: { status: 204 },
    failures: [400, 404],
  }),
} as const;
