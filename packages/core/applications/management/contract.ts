/** The operations on applications (spec application-management-api.md, "Endpoints"). */
import * as z from "zod";
import { operation } from "../../operation/operation.ts";
import {
  Application,
  ApplicationId,
  ApplicationList,
  ApplicationPatch,
  NewApplicationBody,
  ResidentApplication,
  ResidentUpdate,
  StepAuthenticators,
  withoutNulls,
} from "../registry/shapes.ts";

const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const UPDATE = "internal_application_mgt_update";
const DELETE = "internal_application_mgt_delete";

/** The page size where none is asked for, and the one that larger wishes are lowered to (reference section 3.11). */
export const LIMIT_DEFAULT = 30;
export const LIMIT_MAX = 100;

const Path = z.object({ applicationId: ApplicationId });

const ListQuery = z.object({
  limit: wholeNumber(1)
    .optional()
    .meta({
      type: "integer",
      minimum: 1,
      default: LIMIT_DEFAULT,
      description: `The most applications on a page; more than ${LIMIT_MAX} is ${LIMIT_MAX}`,
    }),
  offset: wholeNumber(0).optional().meta({
    type: "integer",
    minimum: 0,
    default: 0,
    description: "Applications to skip, newest first",
  }),
  filter: z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: "name, clientId or issuer with eq, sw, ew or co, joined by and, or" }),
  attributes: z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: "Comma-separated: advancedConfigurations, templateId, clientId, issuer" }),
  sortBy: z.string().optional().meta({ description: "Not supported: answers 501" }),
  sortOrder: z.string().optional().meta({ description: "Not supported: answers 501" }),
});

const shared = { service: "applications" } as const;

export const applicationOperations = {
  listApplications: operation({
    ...shared,
    method: "GET",
    path: "/api/server/v1/applications",
    scope: VIEW,
    summary: "List applications, newest first",
    source: "application API, operation 1",
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
    source: "application API, Add application",
    query: z.object({
      template: z
        .string()
        .max(255)
        .optional()
        .meta({ description: "Id or name of the application template to start from; the body overrides it" }),
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
    source: "application API, operation 4",
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
    source: "application API, Partially update application by ID",
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
    summary: "Delete an application; deleting one that is not there succeeds too",
    source: "application API, operation 5",
    params: Path,
    success: { status: 204 },
    failures: [400],
  }),
  changeApplicationOwner: operation({
    ...shared,
    method: "PUT",
    path: "/api/server/v1/applications/{applicationId}/owner",
    scope: "internal_organization_admin",
    summary: "Give an application to another user of the tenant",
    source: "application API, Change application owner",
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
    summary: "The authenticators of each authentication step",
    source: "application API, operation 7",
    params: Path,
    success: { status: 200, body: z.array(StepAuthenticators) },
    failures: [400, 404],
  }),
  getResidentApplication: operation({
    ...shared,
    method: "GET",
    path: "/api/server/v1/applications/resident",
    scope: VIEW,
    summary: "The provisioning configuration of the resident application",
    source: "application API, operation 10",
    success: { status: 200, body: ResidentApplication },
    failures: [400, 404],
  }),
  updateResidentApplication: operation({
    ...shared,
    method: "PUT",
    path: "/api/server/v1/applications/resident",
    scope: UPDATE,
    summary: "Change the provisioning configuration of the resident application",
    source: "application API, Update resident application",
    body: ResidentUpdate,
    success: { status: 200, body: ResidentApplication },
    failures: [400, 404, 409],
  }),
} as const;

/** A query parameter that holds a whole number. JavaScript's own reading of "", "0x10" and "1e3" would let too much pass. */
export function wholeNumber(least: number) {
  return z
    .string()
    .regex(/^-?\d{1,10}$/, "expected a whole number of at most 10 digits")
    .transform(Number)
    .pipe(z.int().min(least));
}
