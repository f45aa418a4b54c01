/** The operations of the OAuth endpoints (AC-009 to AC-017, RFC 6749). */

import { operation, PUBLIC } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { PUBLISHED_SECONDS } from "../../tokens/key-ring.ts";
import { LOGOUT_TOKEN_PATH } from "../../tokens/logout-model.ts";
import {
  AnyQuery,
  Credential,
  Introspection,
  JwkSet,
  OpenIdConfiguration,
  ProvenCredential,
  ResourceMetadata,
  ServerMetadata,
  TokenReference,
  TokenRequest,
  TokenResponse,
} from "./shapes.ts";

/** Bytes of a form. */
const FORM_BYTES_MAX = 65_536;

/** Operations that authenticate the client themselves, so the authorizer lets every request pass. */
const form = {
  service: "oauth2",
  method: "POST",
  scope: PUBLIC,
  media: "form",
  limits: { bytes: FORM_BYTES_MAX },
  query: AnyQuery,
  headers: Credential,
  clientAuthentication: "client",
} as const;

const published = { service: "oauth2", method: "GET", scope: PUBLIC } as const;

/** What scripts of every origin may read: keys and addresses, which are the same for everybody. */
const readByAll = { ...published, scripts: "any" } as const;

/** Where the domain of a tenant is a part of a well-known path. */
const TenantParameter = z.object({ tenant: z.string().min(1).max(255) });

/** The metadata of an issuer is at this path followed by the path of the issuer (RFC 8414 section 3.1). */
const WELL_KNOWN = "/.well-known/oauth-authorization-server";

/** The same for the address of a resource (RFC 9728 section 3.1). */
const WELL_KNOWN_RESOURCE = "/.well-known/oauth-protected-resource";

const aResource = {
  ...published,
  source: "RFC 9728; decision 0080",
  success: cached(ResourceMetadata),
  failures: [404],
} as const;

const aTenantsResource = { ...aResource, params: TenantParameter } as const;

const resourceOperations = {
  getResourceMetadata: operation({
    ...aResource,
    path: WELL_KNOWN_RESOURCE,
    summary: "Read the metadata of this service as a protected resource",
  }),
  getManagementResourceMetadata: operation({
    ...aResource,
    path: `${WELL_KNOWN_RESOURCE}/api/server/v1`,
    summary: "Read the metadata of the management API as a protected resource",
  }),
  getScim2ResourceMetadata: operation({
    ...aResource,
    path: `${WELL_KNOWN_RESOURCE}/scim2`,
    summary: "Read the metadata of the SCIM 2.0 API as a protected resource",
  }),
  getScim1ResourceMetadata: operation({
    ...aResource,
    path: `${WELL_KNOWN_RESOURCE}/svc/scim`,
    summary: "Read the metadata of the SCIM 1.1 API as a protected resource",
  }),
  getIntrospectionResourceMetadata: operation({
    ...aResource,
    path: `${WELL_KNOWN_RESOURCE}/oauth2/introspect`,
    summary: "Read the metadata of the introspection endpoint as a protected resource",
  }),
  getSignalsResourceMetadata: operation({
    ...aResource,
    path: `${WELL_KNOWN_RESOURCE}/ssf`,
    summary: "Read the metadata of the Shared Signals API as a protected resource",
  }),
  getAccessResourceMetadata: operation({
    ...aResource,
    path: `${WELL_KNOWN_RESOURCE}/access/v1`,
    summary: "Read the metadata of the Access Evaluation API as a protected resource",
  }),
  getTenantResourceMetadata: operation({
    ...aTenantsResource,
    path: `${WELL_KNOWN_RESOURCE}/t/{tenant}`,
    summary: "Read the metadata of this service as a protected resource of a tenant",
  }),
  getTenantManagementResourceMetadata: operation({
    ...aTenantsResource,
    path: `${WELL_KNOWN_RESOURCE}/t/{tenant}/api/server/v1`,
    summary: "Read the metadata of the management API as a protected resource of a tenant",
  }),
  getTenantScim2ResourceMetadata: operation({
    ...aTenantsResource,
    path: `${WELL_KNOWN_RESOURCE}/t/{tenant}/scim2`,
    summary: "Read the metadata of the SCIM 2.0 API as a protected resource of a tenant",
  }),
  getTenantScim1ResourceMetadata: operation({
    ...aTenantsResource,
    path: `${WELL_KNOWN_RESOURCE}/t/{tenant}/svc/scim`,
    summary: "Read the metadata of the SCIM 1.1 API as a protected resource of a tenant",
  }),
  getTenantIntrospectionResourceMetadata: operation({
    ...aTenantsResource,
    path: `${WELL_KNOWN_RESOURCE}/t/{tenant}/oauth2/introspect`,
    summary: "Read the metadata of the introspection endpoint as a protected resource of a tenant",
  }),
  getTenantSignalsResourceMetadata: operation({
    ...aTenantsResource,
    path: `${WELL_KNOWN_RESOURCE}/t/{tenant}/ssf`,
    summary: "Read the metadata of the Shared Signals API as a protected resource of a tenant",
  }),
  getTenantAccessResourceMetadata: operation({
    ...aTenantsResource,
    path: `${WELL_KNOWN_RESOURCE}/t/{tenant}/access/v1`,
    summary: "Read the metadata of the Access Evaluation API as a protected resource of a tenant",
  }),
} as const;

export const oauthOperations = {
  signLogoutToken: operation({
    service: "oauth2",
    method: "POST",
    path: LOGOUT_TOKEN_PATH,
    scope: PUBLIC,
    media: "form",
    limits: { bytes: FORM_BYTES_MAX },
    summary: "Sign a logout token, for the part of this service that sends it",
    source: "decision 0117",
    body: z
      .object({ order: z.string().max(8_192).meta({ description: "The order, which only this service can make" }) })
      .meta({ id: "LogoutOrder" }),
    changesNothing: true,
    success: {
      status: 200,
      body: z
        .object({ message: z.string().meta({ description: "The token" }) })
        .meta({ id: "LogoutToken", examples: [{ message: "<a JWT of the type logout+jwt>" }] }),
    },
    failures: [400],
  }),
  requestToken: operation({
    ...form,
    path: "/oauth2/token",
    summary: "Request an access token (grants password, client_credentials, refresh_token and token exchange)",
    source: "AC-009 to AC-017; RFC 6749; RFC 8707; RFC 8693; RFC 9449",
    headers: ProvenCredential,
    scripts: "client",
    body: TokenRequest,
    repeated: ["resource", "audience"],
    success: { status: 200, body: TokenResponse },
    failures: [400, 401],
  }),
  revokeToken: operation({
    ...form,
    path: "/oauth2/revoke",
    summary: "Revoke a token and all tokens of the same sign-in; unknown tokens succeed too",
    source: "RFC 7009; decision 0023",
    scripts: "client",
    body: TokenReference,
    success: { status: 200 },
    failures: [400, 401],
  }),
  introspectToken: operation({
    ...form,
    path: "/oauth2/introspect",
    summary: "Introspect a token, as a client or as a caller with the scope internal_oauth2_introspect",
    source: "RFC 7662; decision 0023",
    headers: ProvenCredential,
    body: TokenReference,
    clientAuthentication: "client-or-bearer",
    changesNothing: true,
    success: { status: 200, body: Introspection },
    failures: [400, 401, 403],
  }),
  getJwks: operation({
    ...readByAll,
    path: "/oauth2/jwks",
    summary: "Read the public keys that verify access tokens",
    source: "RFC 7517; decision 0020",
    success: cached(JwkSet),
    failures: [],
  }),
  getOpenIdConfiguration: operation({
    ...readByAll,
    path: "/oauth2/token/.well-known/openid-configuration",
    summary: "Read the OpenID Connect configuration of the server",
    source: "OpenID Connect Discovery 1.0; decision 0023",
    success: cached(OpenIdConfiguration),
    failures: [404],
  }),
  getServerOpenIdConfiguration: operation({
    ...readByAll,
    path: "/.well-known/openid-configuration",
    summary: "Read the OpenID Connect configuration of the server, at its well-known address",
    source: "OpenID Connect Discovery 1.0; decision 0114",
    success: cached(OpenIdConfiguration),
    failures: [404],
  }),
  getServerMetadata: operation({
    ...readByAll,
    path: WELL_KNOWN,
    summary: "Read the OAuth metadata of the server",
    source: "RFC 8414; decision 0023",
    success: cached(ServerMetadata),
    failures: [404],
  }),
  getIssuerMetadata: operation({
    ...readByAll,
    path: `${WELL_KNOWN}/oauth2/token`,
    summary: "Read the OAuth metadata of the issuer of the super tenant",
    source: "RFC 8414; decision 0023",
    success: cached(ServerMetadata),
    failures: [404],
  }),
  getTenantIssuerMetadata: operation({
    ...readByAll,
    path: `${WELL_KNOWN}/t/{tenant}/oauth2/token`,
    params: TenantParameter,
    summary: "Read the OAuth metadata of the issuer of a tenant",
    source: "RFC 8414; decision 0023",
    success: cached(ServerMetadata),
    failures: [404],
  }),
  ...resourceOperations,
} as const;

function cached<S extends z.ZodType>(body: S) {
  return { status: 200, body, maxAgeSeconds: PUBLISHED_SECONDS, etag: "content" } as const;
}
