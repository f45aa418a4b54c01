/** The metadata of the server and of its resources (RFC 8414, OpenID Connect Discovery 1.0, RFC 9728). Pure. */
import type * as z from "zod";
import { addressOf, type ProtectedResource, protectedResources } from "../domain/protected-resources.ts";
import { systemScopes } from "../domain/system-apis.ts";
import { PROOF_ALGORITHMS } from "../tokens/dpop-key.ts";
import { issuerAt } from "../tokens/jwt.ts";
import { grants } from "./grants.ts";
import type { OpenIdConfiguration, ResourceMetadata, ServerMetadata } from "./shapes.ts";

const CONFIDENTIAL = ["client_secret_basic", "client_secret_post"];
const ANY = [...CONFIDENTIAL, "none"];

/** The metadata of a tenant's issuer. */
export function serverMetadata(origin: string, tenant: string): z.input<typeof ServerMetadata> {
  const issuer = issuerAt(origin).issuerOf(tenant);
  const base = issuer.replace(/\/token$/, "");
  return {
    issuer,
    token_endpoint: issuer,
    revocation_endpoint: `${base}/revoke`,
    introspection_endpoint: `${base}/introspect`,
    jwks_uri: `${base}/jwks`,
    grant_types_supported: [...grants.keys()],
    // The server has no authorization endpoint.
    response_types_supported: [],
    scopes_supported: [...systemScopes],
    token_endpoint_auth_methods_supported: ANY,
    revocation_endpoint_auth_methods_supported: ANY,
    introspection_endpoint_auth_methods_supported: CONFIDENTIAL,
    protected_resources: protectedResources.map((resource) => addressOf(resource, origin, tenant)),
    dpop_signing_alg_values_supported: [...PROOF_ALGORITHMS],
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
export function openIdConfiguration(origin: string, tenant: string): z.input<typeof OpenIdConfiguration> {
  return {
    ...serverMetadata(origin, tenant),
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  };
}
