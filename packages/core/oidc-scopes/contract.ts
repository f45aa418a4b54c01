/** The operations on the scopes of OpenID Connect, as in WSO2's OIDC Scope Management API v1 (decision 0100). */

import { endpointsOf } from "../operation/endpoints.ts";
import { operation } from "../operation/operation.ts";
import * as z from "../platform/zod.ts";
import { NewOidcScope, OidcScopeName, OidcScopeShown, OidcScopeUpdate } from "./shapes.ts";

const Path = z.object({ scopeName: OidcScopeName });

const scopes = {
  view: "internal_application_mgt_view",
  create: "internal_application_mgt_create",
  update: "internal_application_mgt_update",
  delete: "internal_application_mgt_delete",
} as const;
const at = endpointsOf("administration", "/api/server/v1/oidc/scopes", scopes, "decision 0100");

export const oidcScopeOperations = {
  listOidcScopes: operation({
    ...at("GET", "", "view"),
    summary: "List the scopes of OpenID Connect with their claims",
    success: { status: 200, body: z.array(OidcScopeShown), etag: "content" },
    failures: [],
  }),
  createOidcScope: operation({
    ...at("POST", "", "create"),
    summary: "Add a scope of OpenID Connect",
    body: NewOidcScope,
    success: { status: 201, location: true, body: OidcScopeShown, etag: "content" },
    failures: [400, 409],
  }),
  getOidcScope: operation({
    ...at("GET", "/{scopeName}", "view"),
    summary: "Read one scope of OpenID Connect",
    params: Path,
    success: { status: 200, body: OidcScopeShown, etag: "content" },
    failures: [404],
  }),
  updateOidcScope: operation({
    ...at("PUT", "/{scopeName}", "update"),
    summary: "Replace the display name, the description and the claims of a scope of OpenID Connect",
    params: Path,
    body: OidcScopeUpdate,
    target: "getOidcScope",
    success: { status: 200, body: OidcScopeShown, etag: "content" },
    failures: [400, 404],
  }),
  deleteOidcScope: operation({
    ...at("DELETE", "/{scopeName}", "delete"),
    summary: "Delete a scope of OpenID Connect",
    params: Path,
    target: "getOidcScope",
    success: { status: 204 },
    failures: [404],
  }),
} as const;
