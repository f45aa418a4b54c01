/** The operations on applications. */

import { LIMIT_DEFAULTS, limitMeta, textParameter, wholeNumber, withoutNulls } from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import {
  Application,
  ApplicationId,
  ApplicationList,
  ApplicationPatch,
  applicationScopes,
  NewApplicationBody,
  ResidentApplication,
  ResidentUpdate,
  StepAuthenticators,
} from "../registry/shapes.ts";

const Path = z.object({ applicationId: ApplicationId });

const AuthenticationScript = z.preprocess(
  withoutNulls,
  z.object({ script: z.string().max(100_000) }).meta({ id: "AuthenticationScript" }),
);

/** A group in a list of those that may discover an application. */
export const GroupShown = z.object({ id: z.string(), name: z.string() }).meta({ id: "DiscoverableGroup" });

const GroupQuery = z.object({
  domain: z.string().max(255).optional().meta({ description: "The user store; PRIMARY where it is absent" }),
  filter: textParameter("`name co ...`; anything else is refused"),
});

const ListQuery = z.object({
  limit: wholeNumber(limitMeta("applications", LIMIT_DEFAULTS.applications), 1),
  offset: wholeNumber({ description: "Applications to skip, newest first", default: 0, minimum: 0 }, 0),
  filter: textParameter("`name`, `clientId` or `issuer` with `eq`, `sw`, `ew` or `co`, joined by `and`, `or`"),
  attributes: textParameter(
    "Comma-separated: advancedConfigurations, templateId, templateVersion, clientId, issuer, realm, applicationEnabled, applicationVersion, enhancedOrgAuthenticationEnabled, associatedRoles, associatedRoles.allowedAudience",
  ),
  excludeSystemPortals: z
    .enum(["true", "false"], { error: "expected true or false" })
    .transform((text) => text === "true")
    .optional()
    .meta({ type: "boolean", default: false, description: "Leave out portals of the system; this service has none" }),
  sortBy: z.string().optional().meta({ description: "Not supported: returns 501" }),
  sortOrder: z.string().optional().meta({ description: "Not supported: returns 501" }),
});

const scopes = {
  ...applicationScopes,
  changeOwner: "internal_organization_admin",
  updateScript: "internal_application_script_update",
} as const;
const at = endpointsOf("applications", "/api/server/v1/applications", scopes);

export const applicationOperations = {
  listApplications: operation({
    ...at("GET", "", "view", "AM-001"),
    summary: "List applications, newest first",
    query: ListQuery,
    success: { status: 200, body: ApplicationList },
    failures: [400, 501],
  }),
  createApplication: operation({
    ...at("POST", "", "create", "AM-032"),
    seesScopes: true,
    reaches: ["update script"],
    summary: "Create an application",
    query: z.object({
      template: z
        .string()
        .max(255)
        .optional()
        .meta({ description: "Id or name of an application template; members of the body override the template's" }),
    }),
    body: NewApplicationBody,
    success: { status: 201, location: true },
    failures: [400, 403, 409, 501],
  }),
  getApplication: operation({
    ...at("GET", "/{applicationId}", "view", "AM-004"),
    summary: "Read one application",
    params: Path,
    success: { status: 200, body: Application, etag: "content" },
    failures: [400, 404],
  }),
  patchApplication: operation({
    ...at("PATCH", "/{applicationId}", "update", "AM-033"),
    seesScopes: true,
    reaches: ["update script"],
    summary: "Change parts of an application",
    params: Path,
    body: ApplicationPatch,
    target: "getApplication",
    success: { status: 200 },
    failures: [400, 403, 404, 409],
  }),
  deleteApplication: operation({
    ...at("DELETE", "/{applicationId}", "delete", "AM-005"),
    summary: "Delete an application; idempotent",
    params: Path,
    target: "getApplication",
    success: { status: 204 },
    failures: [400],
  }),
  changeApplicationOwner: operation({
    ...at("PUT", "/{applicationId}/owner", "changeOwner", "AM-034"),
    does: ["update owner"],
    summary: "Make another user of the tenant the owner of an application",
    params: Path,
    body: z.preprocess(withoutNulls, z.object({ id: z.string().min(1).max(255) }).meta({ id: "ApplicationOwner" })),
    target: "getApplication",
    success: { status: 200 },
    failures: [400, 404],
  }),
  getApplicationAuthenticators: operation({
    ...at("GET", "/{applicationId}/authenticators", "view", "AM-007"),
    summary: "List the authenticators of each authentication step",
    params: Path,
    success: { status: 200, body: z.array(StepAuthenticators), etag: "content" },
    failures: [400, 404],
  }),
  updateAuthenticationScript: operation({
    ...at("PUT", "/{applicationId}/authenticationSequence/script", "updateScript", "decision 0100"),
    seesScopes: true,
    staysClosed: true,
    does: ["update script"],
    summary: "Set the script of the authentication sequence of an application; a blank one removes it",
    params: Path,
    body: AuthenticationScript,
    target: "getApplication",
    success: { status: 200 },
    failures: [400, 403, 404],
  }),
  listDiscoverableGroups: operation({
    ...at("GET", "/meta/groups", "view", "decision 0100"),
    furtherScopes: ["internal_group_mgt_view"],
    staysClosed: true,
    does: ["read group"],
    summary: "List the groups that an application can be discoverable by: at most 1,000, by name",
    query: GroupQuery,
    success: { status: 200, body: z.array(GroupShown), etag: "content" },
    failures: [400],
  }),
  getResidentApplication: operation({
    ...at("GET", "/resident", "view", "AM-010"),
    does: ["read resident"],
    summary: "Read the provisioning configuration of the resident application",
    success: { status: 200, body: ResidentApplication, etag: "content" },
    failures: [400, 404],
  }),
  updateResidentApplication: operation({
    ...at("PUT", "/resident", "update", "AM-037"),
    does: ["update resident"],
    summary: "Change the provisioning configuration of the resident application",
    body: ResidentUpdate,
    target: "getResidentApplication",
    success: { status: 200, body: ResidentApplication, etag: "content" },
    failures: [400, 404, 409],
  }),
} as const;
