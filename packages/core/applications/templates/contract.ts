/** The operations on application templates. */
import * as z from "zod";
import { operation } from "../../operation/operation.ts";
import { LIMIT_DEFAULTS, limitMeta, textParameter, wholeNumber } from "../../platform/management-api.ts";
import { NewTemplate, Template, TemplateId, TemplateList } from "./shapes.ts";

const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const UPDATE = "internal_application_mgt_update";
const DELETE = "internal_application_mgt_delete";

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

const shared = { service: "application-templates" } as const;

export const templateOperations = {
  listApplicationTemplates: operation({
    ...shared,
    method: "GET",
    path: "/api/server/v1/applications/templates",
    scope: VIEW,
    summary: "List application templates: the starter templates, then the tenant's own by name",
    source: "application API, AM-030",
    query: ListQuery,
    success: { status: 200, body: TemplateList },
    failures: [400],
  }),
  addApplicationTemplate: operation({
    ...shared,
    method: "POST",
    path: "/api/server/v1/applications/templates",
    scope: CREATE,
    summary: "Add an application template",
    source: "application API, AM-043",
    body: NewTemplate,
    success: { status: 201, location: true },
    failures: [400, 409],
  }),
  getApplicationTemplate: operation({
    ...shared,
    method: "GET",
    path: "/api/server/v1/applications/templates/{templateId}",
    scope: VIEW,
    summary: "Read one application template",
    source: "application API, AM-031",
    params: Path,
    success: { status: 200, body: Template },
    failures: [400, 404],
  }),
  updateApplicationTemplate: operation({
    ...shared,
    method: "PUT",
    path: "/api/server/v1/applications/templates/{templateId}",
    scope: UPDATE,
    summary: "Replace an application template; a starter template cannot be replaced",
    source: "application API, AM-044",
    params: Path,
    body: NewTemplate,
    success: { status: 200 },
    failures: [400, 404, 409],
  }),
  deleteApplicationTemplate: operation({
    ...shared,
    method: "DELETE",
    path: "/api/server/v1/applications/templates/{templateId}",
    scope: DELETE,
    summary: "Delete an application template; a starter template cannot be deleted",
    source: "our choice, decision 0009",
    params: Path,
    success: { status: 204 },
    failures: [400, 404],
  }),
} as const;
