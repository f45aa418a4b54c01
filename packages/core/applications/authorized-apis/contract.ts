/** The operations on the APIs that an application is authorized for (AM-135 to AM-138). */
import * as z from "zod";
import { operation } from "../../operation/operation.ts";
import { withoutNulls } from "../../platform/management-api.ts";
import { ApplicationId } from "../registry/shapes.ts";

const VIEW = "internal_application_mgt_view";
const UPDATE = "internal_application_mgt_update";

const ApiId = z.string().min(1).max(255);
const ScopeNames = z.array(z.string().max(255)).max(1_000);

/** An authorized API in a response. */
export const AuthorizedApi = z
  .object({
    id: z.string(),
    identifier: z.string(),
    displayName: z.string(),
    policyId: z.string(),
    type: z.string(),
    authorizedScopes: z.array(z.object({ id: z.string(), name: z.string(), displayName: z.string() })),
  })
  .meta({ id: "AuthorizedApi" });

/** Body of authorizing. rules.ts refuses missing members, with codes of its own. */
export const NewAuthorizedApi = z.preprocess(
  withoutNulls,
  z
    .object({
      id: z.string().max(255).optional(),
      policyIdentifier: z
        .string()
        .max(255)
        .optional()
        .meta({ description: "`RBAC` (the default) or `No Policy`, in any case" }),
      scopes: ScopeNames.optional(),
    })
    .meta({ id: "NewAuthorizedApi" }),
);

export const AuthorizedApiPatch = z.preprocess(
  withoutNulls,
  z
    .object({ addedScopes: ScopeNames.optional(), removedScopes: ScopeNames.optional() })
    .meta({ id: "AuthorizedApiPatch" }),
);

const Path = z.object({ applicationId: ApplicationId });
const ApiPath = z.object({ applicationId: ApplicationId, apiId: ApiId });

const shared = { service: "applications" } as const;
const COLLECTION = "/api/server/v1/applications/{applicationId}/authorized-apis";

export const authorizedApiOperations = {
  listAuthorizedApis: operation({
    ...shared,
    method: "GET",
    path: COLLECTION,
    scope: VIEW,
    summary: "List the APIs that an application is authorized for, with their scopes; empty for an unknown application",
    source: "application API, AM-008",
    params: Path,
    success: { status: 200, body: z.array(AuthorizedApi) },
    failures: [400],
  }),
  authorizeApi: operation({
    ...shared,
    method: "POST",
    path: COLLECTION,
    scope: UPDATE,
    seesScopes: true,
    summary: "Authorize an API to an application",
    source: "application API, AM-035",
    params: Path,
    body: NewAuthorizedApi,
    success: { status: 200 },
    failures: [400, 404, 409],
  }),
  patchAuthorizedApi: operation({
    ...shared,
    method: "PATCH",
    path: `${COLLECTION}/{apiId}`,
    scope: UPDATE,
    seesScopes: true,
    summary: "Add and remove authorized scopes of an API",
    source: "application API, AM-036",
    params: ApiPath,
    body: AuthorizedApiPatch,
    success: { status: 200 },
    failures: [400, 409],
  }),
  deleteAuthorizedApi: operation({
    ...shared,
    method: "DELETE",
    path: `${COLLECTION}/{apiId}`,
    scope: UPDATE,
    summary: "Remove the authorization of an API from an application; idempotent",
    source: "application API, AM-009",
    params: ApiPath,
    success: { status: 204 },
    failures: [400, 409],
  }),
} as const;
