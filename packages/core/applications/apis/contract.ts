/** The operations on API resources, as in WSO2's API Resource Management API v1 (decision 0010). */

import { LIMIT_DEFAULTS, limitMeta, textParameter, wholeNumber } from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import {
  ApiCollectionList,
  ApiCollectionShown,
  ApiResourceId,
  ApiResourceList,
  ApiResourcePatch,
  ApiResourceShown,
  NewApiResource,
  ScopePatch,
  ScopeReplacement,
  ScopeShown,
} from "./shapes.ts";

const ListQuery = z.object({
  limit: wholeNumber(limitMeta("API resources", LIMIT_DEFAULTS.administration)),
  after: cursor("The page after this cursor, as a `next` link gives it"),
  before: cursor("The page before this cursor, as a `previous` link gives it"),
  filter: textParameter("`name`, `identifier` or `type` with `eq`, `sw`, `ew` or `co`, joined by `and`, `or`"),
  attributes: textParameter("Comma-separated: properties"),
});

const CollectionQuery = z.object({
  filter: textParameter("`name` or `type` with `eq`, `sw`, `ew` or `co`, joined by `and`, `or`"),
  attributes: textParameter("Comma-separated: apiResources"),
});

const Path = z.object({ apiResourceId: ApiResourceId });
const ScopeIdPath = z.object({ apiResourceId: ApiResourceId, scopeId: z.string().min(1).max(255) });
const ScopePath = z.object({ apiResourceId: ApiResourceId, scopeName: z.string().min(1).max(255) });

const scopes = {
  view: "internal_api_resource_view",
  create: "internal_api_resource_create",
  update: "internal_api_resource_update",
  delete: "internal_api_resource_delete",
} as const;
const at = endpointsOf("administration", "/api/server/v1/api-resources", scopes, "decision 0010");
const below = endpointsOf("administration", "/api/server/v1", scopes, "decision 0100");

export const apiResourceOperations = {
  listApiResources: operation({
    ...at("GET", "", "view"),
    summary: "List API resources: the tenant's own, newest first, then those of this service",
    query: ListQuery,
    success: { status: 200, body: ApiResourceList },
    failures: [400],
  }),
  createApiResource: operation({
    ...at("POST", "", "create"),
    summary: "Register an API of the tenant with its scopes",
    body: NewApiResource,
    success: { status: 201, location: true, body: ApiResourceShown, etag: "content" },
    failures: [400, 409],
  }),
  getApiResource: operation({
    ...at("GET", "/{apiResourceId}", "view"),
    reaches: ["read API scope"],
    summary: "Read one API resource with its scopes",
    params: Path,
    success: { status: 200, body: ApiResourceShown, etag: "content" },
    failures: [400, 404],
  }),
  patchApiResource: operation({
    ...at("PATCH", "/{apiResourceId}", "update"),
    reaches: ["update API scope"],
    summary: "Change the name or description of an API resource, and add scopes",
    params: Path,
    body: ApiResourcePatch,
    target: "getApiResource",
    success: { status: 204 },
    failures: [400, 403, 404, 409, 501],
  }),
  deleteApiResource: operation({
    ...at("DELETE", "/{apiResourceId}", "delete"),
    summary: "Delete an API resource and its scopes; idempotent",
    params: Path,
    target: "getApiResource",
    success: { status: 204 },
    failures: [400, 403, 409],
  }),
  getApiResourceScopes: operation({
    ...at("GET", "/{apiResourceId}/scopes", "view"),
    does: ["read API scope"],
    summary: "List the scopes of an API resource",
    params: Path,
    success: { status: 200, body: z.array(ScopeShown), etag: "content" },
    failures: [400, 404],
  }),
  replaceApiResourceScopes: operation({
    ...at("PUT", "/{apiResourceId}/scopes", "update"),
    does: ["update API scope"],
    summary: "Replace the scopes of an API resource; scopes that keep their names stay authorized",
    params: Path,
    body: ScopeReplacement,
    target: "getApiResourceScopes",
    success: { status: 204 },
    failures: [400, 403, 404, 409],
  }),
  patchApiResourceScope: operation({
    ...at("PATCH", "/{apiResourceId}/scopes/{scopeName}", "update"),
    does: ["update API scope"],
    summary: "Change the display name or description of a scope",
    params: ScopePath,
    body: ScopePatch,
    target: "getApiResourceScopes",
    success: { status: 204 },
    failures: [400, 403, 404, 409],
  }),
  patchApiResourceScopeById: operation({
    ...at("PATCH", "/{apiResourceId}/scopes/id/{scopeId}", "update"),
    does: ["update API scope"],
    summary: "Change the display name or description of a scope, by its id",
    params: ScopeIdPath,
    body: ScopePatch,
    target: "getApiResourceScopes",
    success: { status: 204 },
    failures: [400, 403, 404, 409],
  }),
  deleteApiResourceScopeById: operation({
    ...at("DELETE", "/{apiResourceId}/scopes/id/{scopeId}", "delete"),
    does: ["update API scope"],
    summary: "Delete a scope by its id; idempotent",
    params: ScopeIdPath,
    target: "getApiResourceScopes",
    success: { status: 204 },
    failures: [400, 403, 409],
  }),
  deleteApiResourceScope: operation({
    ...at("DELETE", "/{apiResourceId}/scopes/{scopeName}", "delete"),
    does: ["update API scope"],
    summary: "Delete a scope; idempotent",
    params: ScopePath,
    target: "getApiResourceScopes",
    success: { status: 204 },
    failures: [400, 403, 409],
  }),
  listScopes: operation({
    ...below("GET", "/scopes", "view"),
    does: ["read API scope"],
    summary: "List the scopes of all APIs, those of the tenant first",
    query: z.object({ filter: textParameter("`name` with `eq`, `sw`, `ew` or `co`, joined by `and`, `or`") }),
    success: { status: 200, body: z.array(ScopeShown), etag: "content" },
    failures: [400],
  }),
  listApiResourceCollections: operation({
    ...below("GET", "/meta/api-resource-collections", "view"),
    does: [],
    summary: "List the collections of the APIs of this service",
    query: CollectionQuery,
    success: { status: 200, body: ApiCollectionList, etag: "content" },
    failures: [400],
  }),
  getApiResourceCollection: operation({
    ...below("GET", "/meta/api-resource-collections/{collectionId}", "view"),
    does: [],
    summary: "Read a collection with its APIs and scopes",
    params: z.object({ collectionId: z.string().min(1).max(255) }),
    success: { status: 200, body: ApiCollectionShown, etag: "content" },
    failures: [404],
  }),
} as const;

function cursor(description: string) {
  return z.string().max(255).optional().meta({ description });
}
