/** Requests and responses of the OAuth endpoints (RFC 6749, 7009, 7662, 7517, 8414). */
import * as z from "../platform/zod.ts";

const parameter = z.string().optional();

/** How a client authenticates in a form. */
const clientParameters = {
  client_id: parameter.meta({ description: "The id of the client, where no Authorization header is sent" }),
  client_secret: parameter.meta({ description: "The secret of a confidential client" }),
  client_assertion: parameter.meta({ description: "Not supported: clients authenticate with their secret" }),
};

/** Empty parameters count as absent (RFC 6749 section 3.1); unknown ones are ignored. */
export const TokenRequest = z
  .object({
    grant_type: z.string().min(1).meta({ description: "password, client_credentials or refresh_token" }),
    scope: parameter.meta({ description: "The requested scopes, separated by spaces" }),
    username: parameter.meta({ description: "For the grant password: the name of a user of the client's tenant" }),
    password: parameter.meta({ description: "For the grant password" }),
    refresh_token: parameter.meta({ description: "For the grant refresh_token" }),
    ...clientParameters,
  })
  .meta({ id: "TokenRequest" });

/** The token to revoke or to introspect. */
export const TokenReference = z
  .object({
    token: z.string().min(1).meta({ description: "An access token or a refresh token" }),
    token_type_hint: parameter.meta({ description: "Ignored: the token itself shows its type" }),
    ...clientParameters,
  })
  .meta({ id: "TokenReference" });

/** Any query: handlers refuse OAuth parameters in it. */
export const AnyQuery = z.looseObject({});

/** The header of a client that does not authenticate in the form. */
export const Credential = z.object({ authorization: z.string().optional() });

export const TokenResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal("Bearer"),
    expires_in: z.int().meta({ description: "The lifetime of the access token, in seconds" }),
    refresh_token: z.string().optional().meta({ description: "Absent for the grant client_credentials" }),
    scope: z
      .string()
      .optional()
      .meta({ description: "The granted scopes, separated by spaces; absent if there are none" }),
  })
  .meta({ id: "TokenResponse" });

export const Introspection = z
  .object({
    active: z
      .boolean()
      .meta({ description: "Whether the token is valid now. If false, the response has no other member" }),
    scope: z.string().optional(),
    client_id: z.string().optional(),
    username: z.string().optional(),
    token_type: z.string().optional(),
    exp: z.int().optional().meta({ description: "When the token expires, in seconds since 1970" }),
    iat: z.int().optional().meta({ description: "When the token was issued, in seconds since 1970" }),
    nbf: z.int().optional(),
    sub: z.string().optional(),
    aud: z.array(z.string()).optional(),
    iss: z.string().optional(),
    jti: z.string().optional(),
    aut: z.string().optional().meta({ description: "APPLICATION_USER for a token of a user, otherwise APPLICATION" }),
  })
  .meta({ id: "Introspection" });

/** The public keys as a JWK set. */
export const JwkSet = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal("EC"),
        crv: z.literal("P-256"),
        x: z.string(),
        y: z.string(),
        kid: z.string(),
        use: z.literal("sig"),
        alg: z.literal("ES256"),
      }),
    ),
  })
  .meta({ id: "JwkSet" });

const names = z.array(z.string());

export const ServerMetadata = z
  .object({
    issuer: z.string(),
    token_endpoint: z.string(),
    revocation_endpoint: z.string(),
    introspection_endpoint: z.string(),
    jwks_uri: z.string(),
    grant_types_supported: names,
    response_types_supported: names,
    scopes_supported: names,
    token_endpoint_auth_methods_supported: names,
    revocation_endpoint_auth_methods_supported: names,
    introspection_endpoint_auth_methods_supported: names,
  })
  .meta({ id: "ServerMetadata" });

/** The same with the members that OpenID Connect requires. */
export const OpenIdConfiguration = ServerMetadata.extend({
  subject_types_supported: names,
  id_token_signing_alg_values_supported: names,
}).meta({ id: "OpenIdConfiguration" });
