/** The handlers of the token endpoint, of revocation and introspection, and of the published documents. */

import { SUPER_TENANT } from "../domain/tenant.ts";
import type { Handlers } from "../operation/operation.ts";
import { Fault } from "../platform/faults.ts";
import { toJwk } from "../tokens/jwt.ts";
import { acceptedAt } from "../tokens/key-ring.ts";
import type { OAuthContext, OAuthStores } from "./context.ts";
import type { oauthOperations } from "./contract.ts";
import { grants } from "./grants.ts";
import { introspect, introspectorsTenant } from "./introspect.ts";
import { openIdConfiguration, serverMetadata } from "./metadata.ts";
import { possessionOf, readProof } from "./possession.ts";
import { type AuthenticatedRequest, authenticateClient, checkQuery, spend } from "./request.ts";
import { claimedMark, revoke } from "./revoke.ts";
import { ownNames, scopeNames } from "./scopes.ts";

export const oauthHandlers: Handlers<typeof oauthOperations, OAuthStores> = {
  async requestToken({ query, headers, body: form }, context) {
    checkQuery(query);
    const { names, fault } = requestedScopes(form.scope);
    const { authorization, dpop } = headers;
    const proof = dpop === undefined ? undefined : await readProof(dpop, context);
    // Other grants read scopes later, with what they read anyway, so that only an authenticated client costs that.
    const early = form.grant_type === "client_credentials" ? ownNames(names) : [];
    const request = { authorization, form, names: early, refreshToken: form.refresh_token };
    const authenticated = await authenticateClient(request, context);
    return spendingAlways(authenticated, context, () => {
      const grant = grants.get(form.grant_type);
      if (!grant) {
        throw new Fault("grant.unsupported", "Use the grant type password, client_credentials or refresh_token.");
      }
      if (!authenticated.client.settings.grantTypes.includes(form.grant_type)) {
        throw new Fault("grant.unauthorized", "This grant type is not in the grantTypes of the application.");
      }
      if (fault) throw fault;
      const possession = possessionOf(authenticated.client, proof, context);
      const steps = [...possession.steps, ...authenticated.proof];
      return grant({ ...authenticated, form, names, possession: { ...possession, steps } }, context);
    });
  },

  async revokeToken({ query, headers, body: form }, context) {
    checkQuery(query);
    const [authenticated, markedMs] = await Promise.all([
      authenticateClient({ authorization: headers.authorization, form }, context),
      claimedMark(form.token, context),
    ]);
    await spend(authenticated, context);
    await revoke(form.token, authenticated.client, markedMs, context);
    return undefined;
  },

  async introspectToken({ query, headers, body: form }, context) {
    checkQuery(query);
    const tenant = await introspectorsTenant(headers, form, context);
    return introspect(form.token, tenant, context);
  },

  async getJwks(_, { table, now, tools }) {
    const ring = await tools.signing.ring(table, now);
    return { keys: acceptedAt(ring, now).map(toJwk) };
  },

  getOpenIdConfiguration: async (_, context) =>
    openIdConfiguration(await documentsTenant(context.pathTenant, context), context.origin, context.tools.mtlsUrl),
  getServerMetadata: (_, context) => metadataOf(context.pathTenant, context),
  getIssuerMetadata: (_, context) => metadataOf(context.pathTenant, context),
  getTenantIssuerMetadata: ({ params }, context) => metadataOf(params.tenant, context),
};

/** Uses the assertion of a client up also where its request is refused, so that it counts once whatever follows. */
async function spendingAlways<Result>(
  authenticated: AuthenticatedRequest,
  context: OAuthContext,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Fault && error.row.status < 500) await spend(authenticated, context);
    throw error;
  }
}

/** The requested scopes. A fault in them is thrown later: the client and the grant are checked first. */
function requestedScopes(scope: string | undefined): { readonly names: readonly string[]; readonly fault?: Fault } {
  try {
    return { names: scopeNames(scope) };
  } catch (error) {
    if (error instanceof Fault) return { names: [], fault: error };
    throw error;
  }
}

async function metadataOf(domain: string | undefined, context: OAuthContext) {
  return serverMetadata(await documentsTenant(domain, context), context.origin, context.tools.mtlsUrl);
}

/** The tenant of a published document. Throws `route.not_found` where it does not exist or is not active. */
async function documentsTenant(domain: string | undefined, { tenants }: OAuthContext): Promise<string> {
  const tenant = domain ?? SUPER_TENANT;
  if ((await tenants.find(tenant))?.active) return tenant;
  throw new Fault("route.not_found", "This tenant does not exist.");
}
