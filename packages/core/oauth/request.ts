/** What all requests of clients have in common: parameters, and the authentication of the client. */
import type { ScopePlace } from "../api-resources/scope-store.ts";
import type { Client } from "../applications/registry/client-store.ts";
import { SUPER_TENANT } from "../domain/tenant.ts";
import { Fault } from "../platform/faults.ts";
import type { RefreshToken } from "../tokens/refresh-family-store.ts";
import { type ClientParameters, clientRefused, presentedClient } from "./client-authentication.ts";
import type { OAuthContext } from "./context.ts";

/** Parameters that belong in the body: URLs are stored in logs and browser histories. */
const BODY_ONLY: ReadonlySet<string> = new Set([
  "grant_type",
  "username",
  "password",
  "client_id",
  "client_secret",
  "client_assertion",
  "assertion",
  "code",
  "code_verifier",
  "refresh_token",
  "access_token",
  "token",
  "scope",
]);

/** A request before its client is authenticated. */
export interface ClientRequest {
  readonly authorization: string | undefined;
  readonly form: ClientParameters;
  /** Requested scopes of the tenant's own APIs. */
  readonly names?: readonly string[];
  readonly refreshToken?: string | undefined;
}

/** The authenticated client of a request, and what was read in the same round trip. */
export interface AuthenticatedRequest {
  readonly client: Client;
  /** The APIs of the requested scopes that exist. */
  readonly places: ReadonlyMap<string, ScopePlace>;
  readonly refreshToken: RefreshToken | undefined;
}

/** Refuses OAuth parameters in the query string. Throws `request.invalid`. */
export function checkQuery(query: Readonly<Record<string, unknown>>): void {
  const wrong = Object.keys(query).find((name) => BODY_ONLY.has(name));
  if (wrong === undefined) return;
  throw new Fault("request.invalid", `Send ${wrong} in the body, not in the URL.`);
}

/** A required parameter. Throws `request.invalid`. */
export function required(name: string, value: string | undefined): string {
  if (value) return value;
  throw new Fault("request.invalid", `The parameter ${name} is required.`);
}

/**
 * Authenticates the client of a request. One round trip, in which everything else that the request needs is read too;
 * one more where the client's tenant is neither the tenant of the path nor the super tenant. Throws
 * `client.unauthenticated` and `request.invalid`.
 */
export async function authenticateClient(
  { authorization, form, names = [], refreshToken }: ClientRequest,
  { clients, tenants, apiResources, families, pathTenant, tools }: OAuthContext,
): Promise<AuthenticatedRequest> {
  const presented = presentedClient(authorization, form);
  const guess = pathTenant ?? SUPER_TENANT;
  const readTenant = (domain: string) => Promise.all([tenants.find(domain), apiResources.findScopes(domain, names)]);
  const [found, guessed, token] = await Promise.all([
    clients.find(presented.clientId),
    readTenant(guess),
    refreshToken ? families.findToken(refreshToken) : undefined,
  ]);
  const client = tools.clientAuthenticator.authenticate(presented, found, pathTenant);
  const [tenant, places] = client.tenant === guess ? guessed : await readTenant(client.tenant);
  if (!tenant?.active) throw clientRefused();
  return { client, places, refreshToken: token };
}
