/** The operations on API resources (issue 3; upstream's API Resource Management API v1). */
import * as z from "zod";
import { operation } from "../operation/operation.ts";
import {
  ApiResourceId,
  ApiResourceList,
  ApiResourcePatch,
  ApiResourceShown,
  NewApiResource,
  ScopePatch,
  ScopeReplacement,
  ScopeShown,
} from "./shapes.ts";

const VIEW = "internal_api_resource_view";
const CREATE = "internal_api_resource_create";
const UPDATE = "internal_api_resource_update";
const DELETE = "internal_api_resource_delete";

/** The page size where none is asked for, and the one that larger wishes are lowered to. */
export const LIMIT_DEFAULT = 10;
export const LIMIT_MAX = 100;

const ListQuery = z.object({
  limit: z
    .string()
    .regex(/^-?\d{1,10}$/, "expected a whole number of at most 10 digits")
    .transform(Number)
    .optional()
    .meta({
      type: "integer",
      minimum: 1,
      default: LIMIT_DEFAULT,
      description: `The most API resources on a page; more than ${LIMIT_MAX} is ${LIMIT_MAX}`,
    }),
  after: z.string().max(255).optional().meta({ description: "The page behind this cursor, as a `next` link gives it" }),
  before: z
    .string()
    .max(255)
    .optional()
    .meta({ description: "The page ahead of this cursor, as a `previous` link gives it" }),
  filter: z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: "name, identifier or type with eq, sw, ew or co, joined by and, or" }),
  attributes: z.string().max(1_000).optional().meta({ description: "Comma-separated: properties" }),
});

const Path = z.object({ apiResourceId: ApiResourceId });
const ScopePath = z.object({ apiResourceId: ApiResourceId, scopeName: z.string().min(1).max(255) });

const shared = { service: "administration", source: "upstream's API resource API, our choice, decision 0010" } as const;
const COLLECTION = "/api/server/v1/api-resources";

export const apiResourceOperations = {
  listApiResources: operation({
    ...shared,
    method: "GET",
    path: COLLECTION,
    scope: VIEW,
    summary: "List API resources: the tenant's own, newest first, then those of this service",
    query: ListQuery,
    success: { status: 200, body: ApiResourceList },
    failures: [400],
  }),
  createApiResource: operation({
    ...shared,
    method: "POST",
    path: COLLECTION,
    scope: CREATE,
    summary: "Register an API of the tenant with its scopes",
    body: NewApiResource,
    success: { status: 201, location: true, body: ApiResourceShown },
    failures: [400, 409],
  }),
  getApiResource: operation({
    ...shared,
    method: "GET",
    path: `${COLLECTION}/{apiResourceId}`,
    scope: VIEW,
    summary: "Read one API resource with its scopes",
    params: Path,
    success: { status: 200, body: ApiResourceShown },
    failures: [400, 404],
  }),
  patchApiResource: operation({
    ...shared,
    method: "PATCH",
    path: `${COLLECTION}/{apiResourceId}`,
    scope: UPDATE,
    summary: "Change the name or description of an API resource, and add scopes",
    params: Path,
    body: ApiResourcePatch,
    success: { status: 204 },
    failures: [400, 403, 404, 409, 501],
  }),
  deleteApiResource: operation({
    ...shared,
    method: "DELETE",
    path: `${COLLECTION}/{apiResourceId}`,
    scope: DELETE,
    summary: "Delete an API resource and its scopes; deleting one that is not there succeeds too",
    params: Path,
    success: { status: 204 },
    failures: [400, 403, 409],
  }),
  getApiResourceScopes: operation({
    ...shared,
    method: "GET",
    path: `${COLLECTION}/{apiResourceId}/scopes`,
    scope: VIEW,
    summary: "The scopes of an API resource",
    params: Path,
    success: { status: 200, body: z.array(ScopeShown) },
    failures: [400, 404],
  }),
  replaceApiResourceScopes: operation({
    ...shared,
    method: "PUT",
    path: `${COLLECTION}/{apiResourceId}/scopes`,
    scope: UPDATE,
    summary: "Replace the scopes of an API resource; a scope that keeps its name stays authorized",
    params: Path,
    body: ScopeReplacement,
    success: { status: 204 },
    failures: [400, 403, 404, 409],
  }),
  patchApiResourceScope: operation({
    ...shared,
    method: "PATCH",
    path: `${COLLECTION}/{apiResourceId}/scopes/{scopeName}`,
    scope: UPDATE,
    summary: "Change the display name or description of a scope",
    params: ScopePath,
    body: ScopePatch,
    success: { status: 204 },
    failures: [400, 403, 404, 409],
  }),
  deleteApiResourceScope: operation({
    ...shared,
    method: "DELETE",
    path: `${COLLECTION}/{apiResourceId}/scopes/{scopeName}`,
    scope: DELETE,
    summary: "Delete a scope; deleting one that is not there succeeds too",
    params: ScopePath,
    success: { status: 204 },
    failures: [400, 403, 409],
  }),
} as const;
