/** The operations on applications. */
import * as z from "zod";
import { operation } from "../../operation/operation.ts";
import { LIMIT_DEFAULTS, limitMeta, textParameter, wholeNumber, withoutNulls } from "../../platform/management-api.ts";
import {
  Application,
  ApplicationId,
  ApplicationList,
  ApplicationPatch,
  NewApplicationBody,
  ResidentApplication,
  ResidentUpdate,
  StepAuthenticators,
} from "../registry/shapes.ts";

const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const UPDATE = "internal_application_mgt_update";
const DELETE = "internal_application_mgt_delete";

const Path = z.object({ applicationId: ApplicationId });

const ListQuery = z.object({
  limit: wholeNumber(limitMeta("applications", LIMIT_DEFAULTS.applications), 1),
  offset: wholeNumber({ description: "Applications to skip, newest first", default: 0, minimum: 0 }, 0),
  filter: textParameter("`name`, `clientId` or `issuer` with `eq`, `sw`, `ew` or `co`, joined by `and`, `or`"),
  attributes: textParameter("Comma-separated: advancedConfigurations, templateId, clientId, issuer"),
  sortBy: z.string().optional().meta({ description: "Not supported: returns 501" }),
  sortOrder: z.string().optional().meta({ description: "Not supported: returns 501" }),
});

const shared = { service: "applications" } as const;

export const applicationOperations = {
  listApplications: operation({
    ...shared,
    method: "GET",
    path: "/api/server/v1/applications",
    scope: VIEW,
    summary: "List applications, newest first",
    source: "application API, AM-001",
    query: ListQuery,
    success: { status: 200, body: ApplicationList },
    failures: [400, 501],
  }),
  createApplication: operation({
    ...shared,
    method: "POST",
    path: "/api/server/v1/applications",
    scope: CREATE,
    summary: "Create an application",
    source: "application API, AM-032",
    query: z.object({
      template: z
        .string()
        .max(255)
        .optional()
        .meta({ description: "Id or name of an application template; members of the body override the template's" }),
    }),
    body: NewApplicationBody,
    success: { status: 201, location: true },
    failures: [400, 409, 501],
  }),
  getApplication: operation({
    ...shared,
    method: "GET",
    path: "/api/server/v1/applications/{applicationId}",
    scope: VIEW,
    summary: "Read one application",
    source: "application API, AM-004",
    params: Path,
    success: { status: 200, body: Application },
    failures: [400, 404],
  }),
  patchApplication: operation({
    ...shared,
    method: "PATCH",
    path: "/api/server/v1/applications/{applicationId}",
    scope: UPDATE,
    summary: "Change parts of an application",
    source: "application API, AM-033",
    params: Path,
    body: ApplicationPatch,
    success: { status: 200 },
    failures: [400, 403, 404, 409],
  }),
  deleteApplication: operation({
    ...shared,
    method: "DELETE",
    path: "/api/server/v1/applications/{applicationId}",
    scope: DELETE,
    summary: "Delete an application; idempotent",
    source: "application API, AM-005",
    params: Path,
    success: { status: 204 },
    failures: [400],
  }),
  changeApplicationOwner: operation({
    ...shared,
    method: "PUT",
    path: "/api/server/v1/applications/{applicationId}/owner",
    scope: "internal_organization_admin",
    summary: "Make another user of the tenant the owner of an application",
    source: "application API, AM-034",
    params: Path,
    body: z.preprocess(withoutNulls, z.object({ id: z.string().min(1).max(255) }).meta({ id: "ApplicationOwner" })),
    success: { status: 200 },
    failures: [400, 404],
  }),
  getApplicationAuthenticators: operation({
    ...shared,
    method: "GET",
    path: "/api/server/v1/applications/{applicationId}/authenticators",
    scope: VIEW,
    summary: "List the authenticators of each authentication step",
    source: "application API, AM-007",
    params: Path,
    success: { status: 200, body: z.array(StepAuthenticators) },
    failures: [400, 404],
  }),
  getResidentApplication: operation({
    ...shared,
    method: "GET",
    path: "/api/server/v1/applications/resident",
    scope: VIEW,
    summary: "Read the provisioning configuration of the resident application",
    source: "application API, AM-010",
    success: { status: 200, body: ResidentApplication },
    failures: [400, 404],
  }),
  updateResidentApplication: operation({
    ...shared,
    method: "PUT",
    path: "/api/server/v1/applications/resident",
    scope: UPDATE,
    summary: "Change the provisioning configuration of the resident application",
    source: "application API, AM-037",
    body: ResidentUpdate,
    success: { status: 200, body: ResidentApplication },
    failures: [400, 404, 409],
  }),
} as const;
