/** What the requests of clients have in common: forms, and the client that sends them. */
import type { ScopePlace } from "../api-resources/scope-store.ts";
import type { Client } from "../applications/registry/client-store.ts";
import { SUPER_TENANT } from "../domain/tenant.ts";
import { Fault } from "../platform/faults.ts";
import type { Located } from "../tokens/families.ts";
import { type ClientParameters, clientRefused, presentedClient } from "./client-authentication.ts";
import type { OAuthContext } from "./context.ts";

/** Parameters that belong into the body: an address is kept in logs and histories. */
const SECRETS: ReadonlySet<string> = new Set([
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

/** What a client wants to know or have, before anybody knows whether it is one. */
export interface Wanted {
  readonly authorization: string | undefined;
  readonly form: ClientParameters;
  /** Names of scopes of the tenant's own APIs. */
  readonly names?: readonly string[];
  readonly refreshToken?: string | undefined;
}

/** A client that has shown who it is, and what was found on the way. */
export interface Opened {
  readonly client: Client;
  readonly places: ReadonlyMap<string, ScopePlace>;
  readonly located: Located | undefined;
}

/** Refuses parameters of the protocol in the address. Throws `request.invalid`. */
export function checkQuery(query: Readonly<Record<string, unknown>>): void {
  const wrong = Object.keys(query).find((name) => SECRETS.has(name));
  if (wrong === undefined) return;
  throw new Fault("request.invalid", `Send ${wrong} in the body, not in the address.`);
}

/** A parameter that the request must have. Throws `request.invalid`. */
export function needed(name: string, value: string | undefined): string {
  if (value) return value;
  throw new Fault("request.invalid", `The parameter ${name} is required.`);
}

/**
 * Finds and judges the client of a request, and brings along in the same round trip what else it needs. One more where the
 * client's tenant is neither named in the path nor the first one. Throws `client.unauthenticated` and `request.invalid`.
 */
export async function openClient(
  { authorization, form, names = [], refreshToken }: Wanted,
  { clients, tenants, apiResources, families, pathTenant, tools }: OAuthContext,
): Promise<Opened> {
  const presented = presentedClient(authorization, form);
  const guess = pathTenant ?? SUPER_TENANT;
  const homeOf = (domain: string) => Promise.all([tenants.find(domain), apiResources.findScopes(domain, names)]);
  const [found, guessed, located] = await Promise.all([
    clients.find(presented.clientId),
    homeOf(guess),
    refreshToken ? families.locate(refreshToken) : undefined,
  ]);
  const client = tools.judge.judge(presented, found, pathTenant);
  const [tenant, places] = client.tenant === guess ? guessed : await homeOf(client.tenant);
  if (!tenant?.active) throw clientRefused();
  return { client, places, located };
}
