/** The operations of the token endpoint and what belongs to it (spec access-and-scim.md, "Token endpoint"). */
import * as z from "zod";
import { operation, PUBLIC } from "../operation/operation.ts";
import {
  AnyQuery,
  Credential,
  Introspection,
  JwkSet,
  OpenIdConfiguration,
  ServerMetadata,
  TokenReference,
  TokenRequest,
  TokenResponse,
} from "./shapes.ts";

/** Bytes of a form: a few names and secrets. */
const FORM_BYTES_MAX = 65_536;
/** Others may keep what is published for an hour; keys are published that long before they sign. */
const PUBLISHED_SECONDS = 3_600;

/** A form of a client that shows in it, or in a header, who it is: the gateway's authorizer asks for nothing. */
const form = {
  service: "oauth2",
  method: "POST",
  scope: PUBLIC,
  media: "form",
  limits: { bytes: FORM_BYTES_MAX },
  query: AnyQuery,
  headers: Credential,
} as const;

const published = { service: "oauth2", method: "GET", scope: PUBLIC } as const;

/** Below it lie the documents of issuers, at their own paths (RFC 8414 section 3.1). */
const WELL_KNOWN = "/.well-known/oauth-authorization-server";

export const oauthOperations = {
  requestToken: operation({
    ...form,
    path: "/oauth2/token",
    summary: "Get an access token: grants password, client_credentials and refresh_token",
    source: "access and SCIM, Token endpoint: operation of the API; RFC 6749",
    body: TokenRequest,
    success: { status: 200, body: TokenResponse },
    failures: [400, 401],
  }),
  revokeToken: operation({
    ...form,
    path: "/oauth2/revoke",
    summary: "Give a token back, with all that came of the same sign-in; an unknown one succeeds too",
    source: "our choice, decision 0023; RFC 7009",
    body: TokenReference,
    success: { status: 200 },
    failures: [400, 401],
  }),
  introspectToken: operation({
    ...form,
    path: "/oauth2/introspect",
    summary: "What a token stands for, for a client or for a caller with the scope internal_oauth2_introspect",
    source: "our choice, decision 0023; RFC 7662",
    body: TokenReference,
    success: { status: 200, body: Introspection },
    failures: [400, 401, 403],
  }),
  getJwks: operation({
    ...published,
    path: "/oauth2/jwks",
    summary: "The public keys that verify access tokens",
    source: "our choice, decision 0020; RFC 7517",
    success: kept(JwkSet),
    failures: [],
  }),
  getOpenIdConfiguration: operation({
    ...published,
    path: "/oauth2/token/.well-known/openid-configuration",
    summary: "What clients of OpenID Connect must know of the server",
    source: "our choice, decision 0023; OpenID Connect Discovery 1.0",
    success: kept(OpenIdConfiguration),
    failures: [404],
  }),
  getServerMetadata: operation({
    ...published,
    path: WELL_KNOWN,
    summary: "What clients of OAuth must know of the server",
    source: "our choice, decision 0023; RFC 8414",
    success: kept(ServerMetadata),
    failures: [404],
  }),
  getIssuerMetadata: operation({
    ...published,
    path: `${WELL_KNOWN}/oauth2/token`,
    summary: "The same at the address that follows from the issuer",
    source: "our choice, decision 0023; RFC 8414",
    success: kept(ServerMetadata),
    failures: [404],
  }),
  getTenantIssuerMetadata: operation({
    ...published,
    path: `${WELL_KNOWN}/t/{tenant}/oauth2/token`,
    params: z.object({ tenant: z.string().min(1).max(255) }),
    summary: "The same for the issuer of a tenant",
    source: "our choice, decision 0023; RFC 8414",
    success: kept(ServerMetadata),
    failures: [404],
  }),
} as const;

function kept<S extends z.ZodType>(body: S) {
  return { status: 200, body, maxAgeSeconds: PUBLISHED_SECONDS } as const;
}
