/** The functions behind the token endpoint and what belongs to it. */

import { SUPER_TENANT } from "../domain/tenant.ts";
import type { Handlers } from "../operation/operation.ts";
import { Fault } from "../platform/faults.ts";
import { removingAccessToken } from "../tokens/access.ts";
import { removingFamily } from "../tokens/families.ts";
import { issuerAt, toJwk } from "../tokens/jwt.ts";
import { acceptedAt } from "../tokens/key-ring.ts";
import { digestOf } from "../tokens/opaque.ts";
import { revocationTime, revokingGrant } from "../tokens/revocation.ts";
import type { OAuthContext, OAuthStores } from "./context.ts";
import type { oauthOperations } from "./contract.ts";
import { endingFamily, grants } from "./grants.ts";
import { introspect, introspectorsTenant } from "./introspect.ts";
import { openIdConfiguration, serverMetadata } from "./metadata.ts";
import { checkQuery, openClient } from "./request.ts";
import { ownNames, scopeNames } from "./scopes.ts";

export const oauthHandlers: Handlers<typeof oauthOperations, OAuthStores> = {
  async requestToken({ query, headers, body: form }, context) {
    checkQuery(query);
    const { names, fault } = asked(form.scope);
    const { authorization } = headers;
    const wanted = { authorization, form, names: ownNames(names), refreshToken: form.refresh_token };
    const opened = await openClient(wanted, context);
    const grant = grants.get(form.grant_type);
    if (!grant)
      throw new Fault("grant.unsupported", "The grant types are password, client_credentials and refresh_token.");
    if (!opened.client.settings.grantTypes.includes(form.grant_type)) {
      throw new Fault("grant.unauthorized", "The application does not list this grant type.");
    }
    if (fault) throw fault;
    return grant({ ...opened, form, names }, context);
  },

  async revokeToken({ query, headers, body: form }, context) {
    checkQuery(query);
    const { client } = await openClient({ authorization: headers.authorization, form }, context);
    await revoke(form.token, client.clientId, client.tenant, context);
    return undefined;
  },

  async introspectToken({ query, headers, body: form }, context) {
    checkQuery(query);
    const tenant = await introspectorsTenant(headers.authorization, form, context);
    return introspect(form.token, tenant, context);
  },

  async getJwks(_, { table, now, tools }) {
    const ring = await tools.signing.ring(table, now);
    return { keys: acceptedAt(ring, now).map(toJwk) };
  },

  async getOpenIdConfiguration(_, context) {
    return openIdConfiguration(context.origin, await documentsTenant(context.pathTenant, context));
  },
  async getServerMetadata(_, context) {
    return serverMetadata(context.origin, await documentsTenant(context.pathTenant, context));
  },
  async getIssuerMetadata(_, context) {
    return serverMetadata(context.origin, await documentsTenant(context.pathTenant, context));
  },
  async getTenantIssuerMetadata({ params }, context) {
    return serverMetadata(context.origin, await documentsTenant(params.tenant, context));
  },
};

/** The scopes that are asked for; a mistake in them is told when their turn comes. */
function asked(scope: string | undefined): { readonly names: readonly string[]; readonly fault?: Fault } {
  try {
    return { names: scopeNames(scope) };
  } catch (error) {
    if (error instanceof Fault) return { names: [], fault: error };
    throw error;
  }
}

/** Ends a token of a client; whatever it cannot end is none of its. */
async function revoke(text: string, clientId: string, tenant: string, context: OAuthContext): Promise<void> {
  const { tools, table, families, origin, now } = context;
  const isOwn = (of: { readonly clientId: string; readonly tenant: string }) =>
    of.clientId === clientId && of.tenant === tenant;
  const read = await tools.reader.read(text, { table, issuer: issuerAt(origin), nowMs: now, tenantGuess: tenant });
  if (read) {
    const { token } = read;
    if (!isOwn(token)) return;
    await table.write(
      removingAccessToken(digestOf(text)),
      removingFamily(tenant, token.grantId),
      ...revokingGrant(tenant, token.grantId, revocationTime(), token.expiresAtSeconds),
    );
    return;
  }
  const located = await families.locate(text);
  const found = located && (await families.open(located));
  if (found && isOwn(found.family)) await table.write(...endingFamily(found.family));
}

/** The tenant of a document. Throws `route.not_found` where there is none. */
async function documentsTenant(domain: string | undefined, { tenants }: OAuthContext): Promise<string> {
  const tenant = domain ?? SUPER_TENANT;
  if ((await tenants.find(tenant))?.active) return tenant;
  throw new Fault("route.not_found", "There is no such tenant.");
}
