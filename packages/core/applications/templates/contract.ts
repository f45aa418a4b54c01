/** The operations on application templates (spec application-management-api.md, rows 30 and 31, add and update). */
import * as z from "zod";
import { operation } from "../../operation/operation.ts";
import { LIMIT_DEFAULT, LIMIT_MAX, wholeNumber } from "../management/contract.ts";
import { NewTemplate, Template, TemplateId, TemplateList } from "./shapes.ts";

const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const UPDATE = "internal_application_mgt_update";
const DELETE = "internal_application_mgt_delete";

const Path = z.object({ templateId: TemplateId });

const ListQuery = z.object({
  limit: wholeNumber(1)
    .optional()
    .meta({
      type: "integer",
      minimum: 1,
      default: LIMIT_DEFAULT,
      description: `The most templates on a page; more than ${LIMIT_MAX} is ${LIMIT_MAX}`,
    }),
  offset: wholeNumber(0).optional().meta({
    type: "integer",
    minimum: 0,
    default: 0,
    description: "Templates to skip: starter templates come first, then the tenant's own by name",
  }),
  filter: z.string().max(1_000).optional().meta({
    description:
      "name, description, image, category, displayOrder, authenticationProtocol or templateGroup with eq, sw, ew or co, joined by and, or; clientId and issuer match nothing",
  }),
});

const shared = { service: "application-templates" } as const;

export const templateOperations = {
  listApplicationTemplates: operation({
    ...shared,
    method: "GET",
    path: "/api/server/v1/applications/templates",
    scope: VIEW,
    summary: "List application templates: the starter templates, then the tenant's own by name",
    source: "application API, operation 30",
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
    source: "application API, Add application template",
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
    source: "application API, operation 31",
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
    source: "application API, Update application template by ID",
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
    source: "our choice, decision 0009: not in the spec, offered by the product the API comes from",
    params: Path,
    success: { status: 204 },
    failures: [400, 404],
  }),
} as const;
