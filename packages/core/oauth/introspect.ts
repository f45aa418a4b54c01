/** What a token stands for (RFC 7662; reference access.md section 1.11), for those who may ask. */
import type * as z from "zod";
import { authenticateBearer, isBearer } from "../auth/bearer.ts";
import { PRIMARY } from "../domain/username.ts";
import { bearerChallenge } from "../http/decision.ts";
import { maySignIn } from "../identities/users/model.ts";
import { Fault } from "../platform/faults.ts";
import { issuerAt } from "../tokens/jwt.ts";
import { isAlive, subjectOf, type TokenUser } from "../tokens/model.ts";
import type { Reading, ReadToken } from "../tokens/reader.ts";
import { readUserMark } from "../tokens/revocation.ts";
import { type ClientParameters, clientRefused } from "./client-authentication.ts";
import type { OAuthContext } from "./context.ts";
import { openClient } from "./request.ts";
import type { Introspection } from "./shapes.ts";

/** The scope of callers that are not the client of a tenant. */
const INTROSPECT = "internal_oauth2_introspect";

type Shown = z.input<typeof Introspection>;

/**
 * The tenant whose tokens a caller may ask about: a confidential client, or a user or token with the scope. A Basic header can
 * be either's; whoever is no client is tried as a user, also where the id is a client's, so that nothing shows which it is.
 */
export async function introspectorsTenant(
  authorization: string | undefined,
  form: ClientParameters,
  context: OAuthContext,
): Promise<string> {
  if (authorization !== undefined && isBearer(authorization)) return callersTenant(authorization, context);
  try {
    const { client } = await openClient({ authorization, form }, context);
    if (client.settings.isPublic) throw clientRefused();
    return client.tenant;
  } catch (error) {
    const isUnknown = error instanceof Fault && error.fault === "client.unauthenticated";
    if (!isUnknown || authorization === undefined) throw error;
    return callersTenant(authorization, context);
  }
}

/** The tenant of a caller with a password or a token of its own, which needs the scope. Throws `auth.unauthenticated` and `auth.forbidden`. */
async function callersTenant(header: string, context: OAuthContext): Promise<string> {
  const { tools, traceId, sourceIp, pathTenant } = context;
  const { principal, scopes } = isBearer(header)
    ? await authenticateBearer(header, tools.reader, readingOf(context))
    : await tools.authenticate(header, context, tools.refusals(traceId, sourceIp));
  if (pathTenant !== undefined && pathTenant !== principal.tenant) throw clientRefused();
  if (!scopes.has(INTROSPECT)) {
    throw new Fault("auth.forbidden", `The operation needs the scope ${INTROSPECT}, which the caller does not have.`, {
      headers: isBearer(header) ? { "www-authenticate": bearerChallenge("insufficient_scope", INTROSPECT) } : {},
    });
  }
  return principal.tenant;
}

/** What a token of the tenant stands for. Whatever does not count is not active, and nothing more is told of it. */
export async function introspect(text: string, tenant: string, context: OAuthContext): Promise<Shown> {
  const access = await context.tools.reader.read(text, readingOf(context));
  if (access) return access.token.tenant === tenant ? presentAccess(access, context) : { active: false };
  return (await presentRefresh(text, tenant, context)) ?? { active: false };
}

function presentAccess({ token, id }: ReadToken, { origin }: OAuthContext): Shown {
  const { tenant, clientId, user, scopes, issuedAtSeconds, expiresAtSeconds } = token;
  return {
    active: true,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    client_id: clientId,
    ...(user && { username: nameOf(user, tenant) }),
    token_type: "Bearer",
    iat: issuedAtSeconds,
    nbf: issuedAtSeconds,
    exp: expiresAtSeconds,
    sub: subjectOf(token),
    aud: [clientId, origin],
    iss: issuerAt(origin).issuerOf(tenant),
    aut: user ? "APPLICATION_USER" : "APPLICATION",
    ...(id !== undefined && { jti: id }),
  };
}

/** A refresh token that could be used now. */
async function presentRefresh(text: string, tenant: string, context: OAuthContext): Promise<Shown | undefined> {
  const located = await context.families.locate(text);
  const found = located?.tenant === tenant ? await context.families.open(located) : undefined;
  if (!found || found.family.current !== found.digest || !isAlive(found, context.now)) return undefined;
  const { user, clientId, scopes, startedMs } = found.family;
  const [client, owner, userFromMs] = await Promise.all([
    context.clients.find(clientId),
    context.users.find(tenant, user.id, user.userStore),
    readUserMark(context.table, tenant, user.id),
  ]);
  if (!client || client.tokensFromMs > startedMs || !owner || !maySignIn(owner) || userFromMs > startedMs)
    return undefined;
  return {
    active: true,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    client_id: clientId,
    username: nameOf(user, tenant),
    token_type: "Refresh",
    exp: found.expiresAtSeconds,
    sub: user.id,
  };
}

/** A user as people write it: with the store where it is not the first, and with the tenant. */
function nameOf({ userName, userStore }: TokenUser, tenant: string): string {
  return `${userStore === PRIMARY ? "" : `${userStore}/`}${userName}@${tenant}`;
}

function readingOf({ table, origin, now, pathTenant }: OAuthContext): Reading {
  return {
    table,
    issuer: issuerAt(origin),
    nowMs: now,
    tenantGuess: pathTenant,
    isStrict: true,
  };
}
