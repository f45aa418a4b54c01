/** The metadata of the server and of its resources (RFC 8414, OpenID Connect Discovery 1.0, RFC 9728). Pure. */
import type * as z from "zod";
import { defaultScopes } from "../../applications/oidc-scopes/model.ts";
import { responseTypes } from "../../applications/protocols/options.ts";
import { addressOf, type ProtectedResource, protectedResources } from "../../kernel/domain/protected-resources.ts";
import { systemScopes } from "../../kernel/domain/system-apis.ts";
import { assertionAlgorithms, requestObjectAlgorithms } from "../../tokens/assertion-algorithms.ts";
import { PROOF_ALGORITHMS } from "../../tokens/dpop-key.ts";
import { encryptionAlgorithms, encryptionMethods } from "../../tokens/encrypted-jwt.ts";
import { idTokenAlgorithms } from "../../tokens/id-token-keys.ts";
import { issuerAt } from "../../tokens/jwt.ts";
import { FACTORS_CLASS, PASSWORD_CLASS } from "../openid/id-token.ts";
import { grants } from "./grants.ts";
import type { OpenIdConfiguration, ResourceMetadata, ServerMetadata } from "./shapes.ts";

/** Methods that prove something, on every name of the API; and those of the name with client certificates. */
const CONFIDENTIAL = ["client_secret_basic", "client_secret_post", "private_key_jwt"];
const BY_CERTIFICATE = ["tls_client_auth", "self_signed_tls_client_auth"];

/** The metadata of a tenant's issuer. `mtlsUrl`: the origin of the name with client certificates, if there is one. */
export function serverMetadata(
  tenant: string,
  origin: string,
  mtlsUrl: string | undefined,
): z.input<typeof ServerMetadata> {
  const issuer = issuerAt(origin).issuerOf(tenant);
  const base = issuer.replace(/\/token$/, "");
  const confidential = mtlsUrl === undefined ? CONFIDENTIAL : [...CONFIDENTIAL, ...BY_CERTIFICATE];
  const methods = { confidential, any: [...confidential, "none"], algorithms: [...assertionAlgorithms] };
  return {
    issuer,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: issuer,
    pushed_authorization_request_endpoint: `${base}/par`,
    require_pushed_authorization_requests: false,
    revocation_endpoint: `${base}/revoke`,
    introspection_endpoint: `${base}/introspect`,
    jwks_uri: `${base}/jwks`,
    grant_types_supported: [...grants.keys(), "implicit"],
    response_types_supported: [...responseTypes],
    response_modes_supported: ["query", "fragment", "form_post"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    request_parameter_supported: true,
    request_uri_parameter_supported: false,
    require_signed_request_object: false,
    request_object_signing_alg_values_supported: [...requestObjectAlgorithms],
    scopes_supported: [...defaultScopes.map(({ name }) => name), "offline_access", ...systemScopes],
    protected_resources: protectedResources.map((resource) => addressOf(resource, origin, tenant)),
    token_endpoint_auth_methods_supported: methods.any,
    token_endpoint_auth_signing_alg_values_supported: methods.algorithms,
    revocation_endpoint_auth_methods_supported: methods.any,
    revocation_endpoint_auth_signing_alg_values_supported: methods.algorithms,
    introspection_endpoint_auth_methods_supported: methods.confidential,
    introspection_endpoint_auth_signing_alg_values_supported: methods.algorithms,
    dpop_signing_alg_values_supported: [...PROOF_ALGORITHMS],
    ...(mtlsUrl !== undefined && { tls_client_certificate_bound_access_tokens: true, ...aliases(mtlsUrl, tenant) }),
  };
}

/** The endpoints on the name with client certificates (RFC 8705 section 5). */
function aliases(mtlsUrl: string, tenant: string) {
  const token = issuerAt(mtlsUrl).issuerOf(tenant);
  const base = token.replace(/\/token$/, "");
  return {
    mtls_endpoint_aliases: {
      token_endpoint: token,
      pushed_authorization_request_endpoint: `${base}/par`,
      revocation_endpoint: `${base}/revoke`,
      introspection_endpoint: `${base}/introspect`,
    },
  };
}

/** How the resources of this service accept tokens; the same for all of them. */
const ACCEPTED = {
  bearer_methods_supported: ["header"],
  dpop_signing_alg_values_supported: [...PROOF_ALGORITHMS],
  tls_client_certificate_bound_access_tokens: true,
};

/** The metadata of a resource of this service, of a tenant. */
export function resourceMetadata(
  resource: ProtectedResource,
  origin: string,
  tenant: string,
): z.input<typeof ResourceMetadata> {
  return {
    resource: addressOf(resource, origin, tenant),
    authorization_servers: [issuerAt(origin).issuerOf(tenant)],
    scopes_supported: [...resource.scopes],
    ...ACCEPTED,
    resource_name: resource.name,
    resource_documentation: `${origin}/openapi.json`,
  };
}

/** The same as an OpenID Provider configuration. */
export function openIdConfiguration(...server: Parameters<typeof serverMetadata>): z.input<typeof OpenIdConfiguration> {
  const metadata = serverMetadata(...server);
  const claims = defaultScopes.flatMap((scope) => scope.claims);
  return {
    ...metadata,
    userinfo_endpoint: `${metadata.issuer.replace(/\/token$/, "")}/userinfo`,
    end_session_endpoint: `${metadata.issuer.replace(/\/oauth2\/token$/, "")}/oidc/logout`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
    subject_types_supported: ["public", "pairwise"],
    id_token_signing_alg_values_supported: [...idTokenAlgorithms],
    id_token_encryption_alg_values_supported: [...encryptionAlgorithms],
    id_token_encryption_enc_values_supported: [...encryptionMethods],
    claims_supported: [...new Set(["sub", "auth_time", "acr", "amr", "sid", ...claims])],
    claim_types_supported: ["normal"],
    claims_parameter_supported: true,
    acr_values_supported: [PASSWORD_CLASS, FACTORS_CLASS],
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    ui_locales_supported: ["en", "de"],
  };
}
