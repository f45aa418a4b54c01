/** Requests and responses of the OAuth endpoints (RFC 6749, 7009, 7662, 7517, 8414). */
import * as z from "../../kernel/zod.ts";

const parameter = z.string().optional();

/** The most values of a parameter that may be repeated. */
const TARGETS_MAX = 4;
const repeatable = z.array(z.string()).max(TARGETS_MAX).optional();

/** The grant and the types of tokens of RFC 8693. */
export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
export const JWT_TYPE = "urn:ietf:params:oauth:token-type:jwt";

/** How a client authenticates in a form. */
export const clientParameters = {
  client_id: parameter.meta({ description: "The id of the client, where no Authorization header is sent" }),
  client_secret: parameter.meta({ description: "The secret of a confidential client" }),
  client_assertion: parameter.meta({
    description:
      "For private_key_jwt (RFC 7523): a JWT that the client signed, with iss and sub the client id, aud the URL of the " +
      "token endpoint, exp at most five minutes ahead, and a jti that is used once",
  }),
  client_assertion_type: parameter.meta({
    description: "With client_assertion: urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  }),
};

/** Empty parameters count as absent (RFC 6749 section 3.1); unknown ones are ignored. */
export const TokenRequest = z
  .object({
    grant_type: z
      .string()
      .min(1)
      .meta({
        description: `authorization_code, password, client_credentials, refresh_token or ${TOKEN_EXCHANGE}`,
      }),
    scope: parameter.meta({ description: "The requested scopes, separated by spaces" }),
    username: parameter.meta({ description: "For the grant password: the name of a user of the client's tenant" }),
    password: parameter.meta({ description: "For the grant password" }),
    refresh_token: parameter.meta({ description: "For the grant refresh_token" }),
    code: parameter.meta({ description: "For the grant authorization_code: the code of the authorization endpoint" }),
    redirect_uri: parameter.meta({
      description: "For the grant authorization_code: the redirect_uri of the authorization request, if it had one",
    }),
    code_verifier: parameter.meta({
      description: "For the grant authorization_code: the text whose digest is the code_challenge (RFC 7636)",
    }),
    resource: repeatable.meta({
      description:
        "The resources that the token is for: addresses of this service, or identifiers of APIs that are URIs. Can be repeated (RFC 8707)",
    }),
    audience: repeatable.meta({
      description:
        "For a token exchange: identifiers of APIs, or ids of clients that may exchange tokens. Can be repeated",
    }),
    subject_token: parameter.meta({ description: "For a token exchange: an access token of a user" }),
    subject_token_type: parameter.meta({ description: `For a token exchange: ${ACCESS_TOKEN_TYPE} or ${JWT_TYPE}` }),
    actor_token: parameter.meta({ description: "For a token exchange: an access token of the one who acts" }),
    actor_token_type: parameter.meta({ description: "The type of actor_token, which needs it" }),
    requested_token_type: parameter.meta({ description: `For a token exchange: ${ACCESS_TOKEN_TYPE} or ${JWT_TYPE}` }),
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

/** The same with the proof of a key. */
export const ProvenCredential = Credential.extend({
  dpop: z.string().optional().meta({ description: "The proof of a key that tokens are bound to (RFC 9449)" }),
});

export const TokenResponse = z
  .object({
    access_token: z.string(),
    issued_token_type: z
      .enum([ACCESS_TOKEN_TYPE, JWT_TYPE])
      .optional()
      .meta({ description: "Only of a token exchange (RFC 8693)" }),
    token_type: z
      .enum(["Bearer", "DPoP"])
      .meta({ description: "DPoP for a token that is bound to the key of a proof" }),
    expires_in: z.int().meta({ description: "The lifetime of the access token, in seconds" }),
    refresh_token: z
      .string()
      .optional()
      .meta({ description: "Absent for the grant client_credentials and for a token exchange" }),
    id_token: z
      .string()
      .optional()
      .meta({ description: "Of the grant authorization_code with the scope openid: who signed in, as a JWT" }),
    scope: z
      .string()
      .optional()
      .meta({ description: "The granted scopes, separated by spaces; absent if there are none" }),
  })
  .meta({ id: "TokenResponse" });

/** Who acts for the subject of a token, and who acted before (RFC 8693 section 4.1). */
export const Actor = z
  .object({
    sub: z.string().meta({ description: "The id of a client or of a user" }),
    client_id: z.string().optional().meta({ description: "The client of an actor that is a user" }),
    get act() {
      return Actor.optional();
    },
  })
  .meta({ id: "Actor" });

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
    act: Actor.optional().meta({ description: "Who acts for the subject, by a token exchange" }),
    cnf: z.object({ jkt: z.string().optional(), "x5t#S256": z.string().optional() }).optional().meta({
      description: "The thumbprint of the key that the token is bound to: of DPoP proofs, or of a certificate",
    }),
    aut: z.string().optional().meta({ description: "APPLICATION_USER for a token of a user, otherwise APPLICATION" }),
  })
  .meta({ id: "Introspection" });

/** The public keys as a JWK set. */
export const JwkSet = z
  .object({
    keys: z.array(
      z.object({
        kty: z.enum(["EC", "RSA"]),
        crv: z.literal("P-256").optional().meta({ description: "Of a key of the kind EC" }),
        x: z.string().optional(),
        y: z.string().optional(),
        n: z.string().optional().meta({ description: "Of a key of the kind RSA" }),
        e: z.string().optional().meta({ description: "Of a key of the kind RSA" }),
        kid: z.string(),
        use: z.literal("sig"),
        alg: z.enum(["ES256", "RS256", "PS256"]),
      }),
    ),
  })
  .meta({ id: "JwkSet" });

const names = z.array(z.string());

/** The metadata of a resource of this service (RFC 9728 section 2). */
export const ResourceMetadata = z
  .object({
    resource: z
      .string()
      .meta({ description: "The address of the resource, which `resource` of a token request names" }),
    authorization_servers: names,
    scopes_supported: names,
    bearer_methods_supported: names,
    dpop_signing_alg_values_supported: names,
    tls_client_certificate_bound_access_tokens: z
      .boolean()
      .meta({ description: "True: a token that is bound to a client certificate is checked" }),
    resource_name: z.string(),
    resource_documentation: z.string(),
  })
  .meta({ id: "ProtectedResourceMetadata" });

export const ServerMetadata = z
  .object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    pushed_authorization_request_endpoint: z.string(),
    require_pushed_authorization_requests: z.boolean(),
    revocation_endpoint: z.string(),
    introspection_endpoint: z.string(),
    jwks_uri: z.string(),
    grant_types_supported: names,
    response_types_supported: names,
    response_modes_supported: names,
    code_challenge_methods_supported: names,
    authorization_response_iss_parameter_supported: z.boolean(),
    request_parameter_supported: z.boolean(),
    request_uri_parameter_supported: z
      .boolean()
      .meta({ description: "False: request_uri can name a pushed request only" }),
    require_signed_request_object: z.boolean(),
    request_object_signing_alg_values_supported: names,
    scopes_supported: names,
    token_endpoint_auth_methods_supported: names,
    token_endpoint_auth_signing_alg_values_supported: names,
    revocation_endpoint_auth_methods_supported: names,
    revocation_endpoint_auth_signing_alg_values_supported: names,
    introspection_endpoint_auth_methods_supported: names,
    protected_resources: names,
    introspection_endpoint_auth_signing_alg_values_supported: names,
    tls_client_certificate_bound_access_tokens: z
      .boolean()
      .optional()
      .meta({ description: "True where the API has a name with client certificates (RFC 8705)" }),
    mtls_endpoint_aliases: z
      .object({
        token_endpoint: z.string(),
        pushed_authorization_request_endpoint: z.string(),
        revocation_endpoint: z.string(),
        introspection_endpoint: z.string(),
      })
      .optional()
      .meta({ description: "The endpoints on the name with client certificates, if there is one" }),
    dpop_signing_alg_values_supported: names,
  })
  .meta({ id: "ServerMetadata" });

/** The same with the members that OpenID Connect requires. */
export const OpenIdConfiguration = ServerMetadata.extend({
  userinfo_endpoint: z.string(),
  end_session_endpoint: z.string(),
  backchannel_logout_supported: z.boolean(),
  backchannel_logout_session_supported: z.boolean(),
  frontchannel_logout_supported: z.boolean(),
  frontchannel_logout_session_supported: z.boolean(),
  subject_types_supported: names,
  id_token_signing_alg_values_supported: names,
  id_token_encryption_alg_values_supported: names,
  id_token_encryption_enc_values_supported: names,
  claims_supported: names,
  claim_types_supported: names,
  claims_parameter_supported: z.boolean(),
  acr_values_supported: names,
  prompt_values_supported: names,
  ui_locales_supported: names,
}).meta({ id: "OpenIdConfiguration" });
