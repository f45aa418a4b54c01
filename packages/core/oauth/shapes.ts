/** What the token endpoint and its neighbours are sent and answer (RFC 6749, 7009, 7662, 7517, 8414). */
import * as z from "zod";

const parameter = z.string().optional();

/** How a client shows in a form who it is. */
const clientParameters = { client_id: parameter, client_secret: parameter, client_assertion: parameter };

/** A parameter with an empty value counts as left out (RFC 6749 section 3.1); what is unknown is ignored. */
export const TokenRequest = z
  .object({
    grant_type: z.string().min(1).meta({ description: "password, client_credentials or refresh_token" }),
    scope: parameter.meta({ description: "Names of scopes, with blanks between them" }),
    username: parameter,
    password: parameter,
    refresh_token: parameter,
    ...clientParameters,
  })
  .meta({ id: "TokenRequest" });

/** Which token a request is about. */
export const TokenReference = z
  .object({ token: z.string().min(1), token_type_hint: parameter, ...clientParameters })
  .meta({ id: "TokenReference" });

/** Nothing of a token belongs into an address; what stands there is looked at and refused. */
export const AnyQuery = z.looseObject({});

/** A client shows who it is in a header or in the form. */
export const Credential = z.object({ authorization: z.string().optional() });

export const TokenResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal("Bearer"),
    expires_in: z.int(),
    refresh_token: z.string().optional(),
    scope: z.string().optional(),
  })
  .meta({ id: "TokenResponse" });

export const Introspection = z
  .object({
    active: z.boolean(),
    scope: z.string().optional(),
    client_id: z.string().optional(),
    username: z.string().optional(),
    token_type: z.string().optional(),
    exp: z.int().optional(),
    iat: z.int().optional(),
    nbf: z.int().optional(),
    sub: z.string().optional(),
    aud: z.union([z.string(), z.array(z.string())]).optional(),
    iss: z.string().optional(),
    jti: z.string().optional(),
    aut: z.string().optional(),
  })
  .meta({ id: "Introspection" });

/** The public keys, as others read them. */
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

/** What a client must know to use the server. Nothing stands in it that there is not. */
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

/** The same for clients of OpenID Connect, whose documents must have more members. */
export const OpenIdConfiguration = ServerMetadata.extend({
  subject_types_supported: names,
  id_token_signing_alg_values_supported: names,
}).meta({ id: "OpenIdConfiguration" });
