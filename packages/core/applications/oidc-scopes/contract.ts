/** The operations on the scopes of OpenID Connect, as in WSO2's OIDC Scope Management API v1 (decision 0100). */

import { withoutNulls } from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";

/** The name of a scope, which is also its id. */
const OidcScopeName = z.string().min(1).max(255);

const settings = {
  displayName: z.string().trim().max(255).optional().meta({ description: "Must not be blank" }),
  description: z.string().max(1_024).optional(),
  claims: z
    .array(z.string().min(1).max(255))
    .max(200)
    .meta({ description: "Names of claims as ID tokens have them, such as `given_name`" }),
};

/** Body of create. rules.ts refuses missing and blank names, with codes of its own. */
export const NewOidcScope = z.preprocess(
  withoutNulls,
  z
    .object({ name: z.string().trim().max(255).optional().meta({ description: "Must not be blank" }), ...settings })
    .meta({ id: "NewOidcScope", required: ["name", "displayName", "claims"] }),
);

/** Body of update. */
export const OidcScopeUpdate = z.preprocess(
  withoutNulls,
  z
    .object({
      name: z.string().trim().max(255).optional().meta({ description: "The name in the path, which never changes" }),
      ...settings,
    })
    .meta({ id: "OidcScopeUpdate", required: ["displayName", "claims"] }),
);

const OidcScopeShown = z
  .object({
    name: z.string(),
    displayName: z.string(),
    description: z.string().optional(),
    claims: z.array(z.string()),
  })
  .meta({ id: "OidcScope" });

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
    does: ["read OIDC scope"],
    summary: "List the scopes of OpenID Connect with their claims",
    success: { status: 200, body: z.array(OidcScopeShown), etag: "content" },
    failures: [],
  }),
  createOidcScope: operation({
    ...at("POST", "", "create"),
    does: ["create OIDC scope"],
    summary: "Add a scope of OpenID Connect",
    body: NewOidcScope,
    success: { status: 201, location: true, body: OidcScopeShown, etag: "content" },
    failures: [400, 409],
  }),
  getOidcScope: operation({
    ...at("GET", "/{scopeName}", "view"),
    does: ["read OIDC scope"],
    summary: "Read one scope of OpenID Connect",
    params: Path,
    success: { status: 200, body: OidcScopeShown, etag: "content" },
    failures: [404],
  }),
  updateOidcScope: operation({
    ...at("PUT", "/{scopeName}", "update"),
    does: ["update OIDC scope"],
    summary: "Replace the display name, the description and the claims of a scope of OpenID Connect",
    params: Path,
    body: OidcScopeUpdate,
    target: "getOidcScope",
    success: { status: 200, body: OidcScopeShown, etag: "content" },
    failures: [400, 404],
  }),
  deleteOidcScope: operation({
    ...at("DELETE", "/{scopeName}", "delete"),
    does: ["delete OIDC scope"],
    summary: "Delete a scope of OpenID Connect",
    params: Path,
    target: "getOidcScope",
    success: { status: 204 },
    failures: [404],
  }),
} as const;
