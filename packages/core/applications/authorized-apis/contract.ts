/** The operations on the APIs that an application may call (spec, operations 8 and 9 and the two without a path). */
import * as z from "zod";
import { operation } from "../../operation/operation.ts";
import { withoutNulls } from "../../platform/management-api.ts";
import { ApplicationId } from "../registry/shapes.ts";

const VIEW = "internal_application_mgt_view";
const UPDATE = "internal_application_mgt_update";

const ApiId = z.string().min(1).max(255);
const ScopeNames = z.array(z.string().max(255)).max(1_000);

/** An API that an application may call, as it is read. */
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

/** Body of authorizing. What is missing is told by rules.ts, with upstream's codes. */
export const NewAuthorizedApi = z.preprocess(
  withoutNulls,
  z
    .object({
      id: z.string().max(255).optional(),
      policyIdentifier: z
        .string()
        .max(255)
        .optional()
        .meta({ description: "RBAC (the default) or No Policy, in any case" }),
      scopes: ScopeNames.optional(),
    })
    .meta({ id: "NewAuthorizedApi" }),
);

/** Body of the change of scopes. */
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
    summary: "The APIs that an application may call, with their scopes; none for an unknown application",
    source: "application API, operation 8",
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
    summary: "Let an application call an API",
    source: "application API, Authorize an API to the application",
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
    summary: "Change the scopes that an application has of an API",
    source: "application API, Update authorized API scopes",
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
    summary: "Take an API away from an application; one that it may not call succeeds too",
    source: "application API, operation 9",
    params: ApiPath,
    success: { status: 204 },
    failures: [400, 409],
  }),
} as const;
