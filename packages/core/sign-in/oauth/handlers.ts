/** The handlers of the token endpoint, of revocation and introspection, and of the published documents. */

import { withMetadata } from "../../http/decision.ts";
import { metadataAddress, type ProtectedResource, resourceOfPath } from "../../kernel/domain/protected-resources.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { Fault } from "../../kernel/faults.ts";
import { later } from "../../kernel/later.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { toJwk } from "../../tokens/jwt.ts";
import { rsaJwks } from "../../tokens/key-kinds.ts";
import { acceptedAt } from "../../tokens/key-ring.ts";
import { LOGOUT_TOKEN_PATH } from "../../tokens/logout-model.ts";
import { openOrder, signLogoutToken } from "../../tokens/logout-token.ts";
import { AUTHORIZATION_CODE } from "./code-grant.ts";
import type { OAuthContext, OAuthStores } from "./context.ts";
import type { oauthOperations } from "./contract.ts";
import { grants } from "./grants.ts";
import { openIdConfiguration, resourceMetadata, serverMetadata } from "./metadata.ts";
import { possessionOf, readProof } from "./possession.ts";
import { authenticateClient, checkQuery, spend, spendingAlways, whileNoted } from "./request.ts";
import { claimedMark, revoke } from "./revoke.ts";
import { ownNames, scopeNames } from "./scopes.ts";
import { TOKEN_EXCHANGE } from "./shapes.ts";
import { askedResources, askedTargets, NO_TARGETS } from "./targets.ts";

/** Loaded with the first introspection. */
const { introspect, introspectorOf } = later(() => import("./introspect.ts"), "introspect", "introspectorOf");

export const oauthHandlers: Handlers<typeof oauthOperations, OAuthStores> = {
  async requestToken({ query, headers, body: form }, context) {
    checkQuery(query);
    const { authorization, dpop } = headers;
    const isExchange = form.grant_type === TOKEN_EXCHANGE;
    const scopes = attempt(() => scopeNames(form.scope));
    const targets = attempt(() =>
      isExchange ? askedTargets(form, context.origin) : askedResources(form.resource, context.origin),
    );
    const names = scopes.value ?? [];
    const asked = targets.value ?? NO_TARGETS;
    const proof = dpop === undefined ? undefined : await readProof(dpop, context);
    // Other grants read scopes later, with what they read anyway, so that only an authenticated client costs that.
    const early = form.grant_type === "client_credentials" ? ownNames(names) : [];
    const request = {
      authorization,
      form,
      names: early,
      identifiers: asked.elsewhere,
      refreshToken: form.refresh_token,
      code: form.grant_type === AUTHORIZATION_CODE ? form.code : undefined,
    };
    const authenticated = await authenticateClient(request, context);
    return spendingAlways(authenticated, context, () => {
      const grant = grants.get(form.grant_type);
      if (!grant) {
        throw new Fault("grant.unsupported", `Use one of the grant types ${[...grants.keys()].join(", ")}.`);
      }
      if (!authenticated.client.settings.grantTypes.includes(form.grant_type)) {
        throw new Fault("grant.unauthorized", "This grant type is not in the grantTypes of the application.");
      }
      if (form.grant_type === "password" && authenticated.client.settings.isFapi2) {
        throw new Fault("grant.unauthorized", "FAPI 2.0: an application does not take passwords of users.");
      }
      const fault = scopes.fault ?? targets.fault;
      if (fault) throw fault;
      const possession = possessionOf(authenticated.client, proof, context);
      const steps = [...possession.steps, ...authenticated.proof];
      return grant({ ...authenticated, form, names, asked, possession: { ...possession, steps } }, context);
    });
  },

  async revokeToken({ query, headers, body: form }, context) {
    checkQuery(query);
    const [authenticated, markedMs] = await Promise.all([
      authenticateClient({ authorization: headers.authorization, form }, context),
      claimedMark(form.token, context),
    ]);
    await whileNoted(authenticated.noted, async () => {
      await spend(authenticated, context);
      await revoke(form.token, authenticated.client, markedMs, context);
    });
    return undefined;
  },

  async introspectToken({ query, headers, body: form }, context) {
    checkQuery(query);
    const caller = await introspectorOf(headers, form, context).catch((error: unknown) => {
      throw error instanceof Fault ? withMetadata(error, introspectionMetadata(context)) : error;
    });
    return whileNoted(caller.noted, () => introspect(form.token, caller, context));
  },

  async signLogoutToken({ body }, context) {
    const order = openOrder(context.tools.orders, LOGOUT_TOKEN_PATH, body.order, context.now);
    if (!order) throw new Fault("request.invalid", "The order is not one of this service, or is too old.");
    return { message: await signLogoutToken(context.tools.idTokens, order, context) };
  },

  async getJwks(_, { table, now, tools }) {
    const [ring, rsa] = await Promise.all([tools.signing.ring(table, now), tools.idTokens.ring(table, now)]);
    return { keys: [...acceptedAt(ring, now).map(toJwk), ...acceptedAt(rsa, now).flatMap(rsaJwks)] };
  },

  getOpenIdConfiguration: (_, context) => configurationOf(context),
  getServerOpenIdConfiguration: (_, context) => configurationOf(context),
  getServerMetadata: (_, context) => metadataOf(context.pathTenant, context),
  getIssuerMetadata: (_, context) => metadataOf(context.pathTenant, context),
  getTenantIssuerMetadata: ({ params }, context) => metadataOf(params.tenant, context),

  getResourceMetadata: metadataOfResource(""),
  getManagementResourceMetadata: metadataOfResource("/api/server/v1"),
  getScim2ResourceMetadata: metadataOfResource("/scim2"),
  getScim1ResourceMetadata: metadataOfResource("/svc/scim"),
  getIntrospectionResourceMetadata: metadataOfResource("/oauth2/introspect"),
  getSignalsResourceMetadata: metadataOfResource("/ssf"),
  getAccessResourceMetadata: metadataOfResource("/access/v1"),
  getTenantResourceMetadata: metadataOfTenantsResource(""),
  getTenantManagementResourceMetadata: metadataOfTenantsResource("/api/server/v1"),
  getTenantScim2ResourceMetadata: metadataOfTenantsResource("/scim2"),
  getTenantScim1ResourceMetadata: metadataOfTenantsResource("/svc/scim"),
  getTenantSignalsResourceMetadata: metadataOfTenantsResource("/ssf"),
  getTenantAccessResourceMetadata: metadataOfTenantsResource("/access/v1"),
  getTenantIntrospectionResourceMetadata: metadataOfTenantsResource("/oauth2/introspect"),
};

/** Reads a parameter. A fault in it is thrown later: the client and the grant are checked first. */
function attempt<T>(read: () => T): { readonly value?: T; readonly fault?: Fault } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof Fault) return { fault: error };
    throw error;
  }
}

/** The handler of the metadata of a resource, by its path. */
function metadataOfResource(path: ProtectedResource["path"]) {
  const resource = resourceOfPath(path);
  return async (_: unknown, context: OAuthContext) =>
    resourceMetadata(resource, context.origin, await documentsTenant(context.pathTenant, context));
}

/** The same, of a tenant that the well-known path names. */
function metadataOfTenantsResource(path: ProtectedResource["path"]) {
  const resource = resourceOfPath(path);
  return async ({ params }: { readonly params: { readonly tenant: string } }, context: OAuthContext) =>
    resourceMetadata(resource, context.origin, await documentsTenant(params.tenant, context));
}

function introspectionMetadata({ origin, pathTenant }: OAuthContext): string {
  return metadataAddress(resourceOfPath("/oauth2/introspect"), origin, pathTenant);
}

async function configurationOf(context: OAuthContext) {
  const tenant = await documentsTenant(context.pathTenant, context);
  return openIdConfiguration(tenant, context.origin, context.tools.mtlsUrl);
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
