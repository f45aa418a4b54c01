/** The operations on the APIs that an application is authorized for (AM-135 to AM-138). */

import { withoutNulls } from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { ApplicationId, applicationScopes } from "../registry/shapes.ts";

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
    .meta({ id: "NewAuthorizedApi", required: ["id"] }),
);

export const AuthorizedApiPatch = z.preprocess(
  withoutNulls,
  z
    .object({ addedScopes: ScopeNames.optional(), removedScopes: ScopeNames.optional() })
    .meta({ id: "AuthorizedApiPatch" }),
);

const Path = z.object({ applicationId: ApplicationId });
const ApiPath = z.object({ applicationId: ApplicationId, apiId: ApiId });

const BASE = "/api/server/v1/applications/{applicationId}/authorized-apis";
const at = endpointsOf("applications", BASE, applicationScopes);

export const authorizedApiOperations = {
  listAuthorizedApis: operation({
    ...at("GET", "", "view", "AM-008"),
    does: ["read authorized API"],
    summary: "List the APIs that an application is authorized for, with their scopes; empty for an unknown application",
    params: Path,
    success: { status: 200, body: z.array(AuthorizedApi), etag: "content" },
    failures: [400],
  }),
  authorizeApi: operation({
    ...at("POST", "", "update", "AM-035"),
    seesScopes: true,
    does: ["update authorized API"],
    summary: "Authorize an API to an application",
    params: Path,
    body: NewAuthorizedApi,
    target: "listAuthorizedApis",
    success: { status: 200 },
    failures: [400, 404, 409],
  }),
  patchAuthorizedApi: operation({
    ...at("PATCH", "/{apiId}", "update", "AM-036"),
    seesScopes: true,
    does: ["update authorized API"],
    summary: "Add and remove authorized scopes of an API",
    params: ApiPath,
    body: AuthorizedApiPatch,
    target: "listAuthorizedApis",
    success: { status: 200 },
    failures: [400, 409],
  }),
  deleteAuthorizedApi: operation({
    ...at("DELETE", "/{apiId}", "update", "AM-009"),
    does: ["update authorized API"],
    summary: "Remove the authorization of an API from an application; idempotent",
    params: ApiPath,
    target: "listAuthorizedApis",
    success: { status: 204 },
    failures: [400, 409],
  }),
} as const;
