/** Token introspection (RFC 7662). */
import type * as z from "zod";
import type { Client } from "../../applications/registry/client-store.ts";
import { PRIMARY } from "../../kernel/domain/username.ts";
import { Fault } from "../../kernel/faults.ts";
import { tokenTypeOf } from "../../tokens/confirmation.ts";
import { actOf } from "../../tokens/delegation.ts";
import { issuerAt } from "../../tokens/jwt.ts";
import {
  audienceOf,
  homeOf,
  isAlive,
  permissionOf,
  publicSubject,
  shownSubject,
  type TokenUser,
} from "../../tokens/model.ts";
import { isFamilyFromFuture, startOf } from "../../tokens/refresh-family-store.ts";
import { isEndedBy, revocationStore, subjects } from "../../tokens/revocation-store.ts";
import { authenticateToken, isToken, scopeChallenge } from "../authentication/bearer.ts";
import type { TokenReading, ValidToken } from "../authentication/token-reader.ts";
import { mayUse } from "./access.ts";
import { type ClientParameters, clientRefused } from "./client-authentication.ts";
import type { OAuthContext } from "./context.ts";
import { findAccount, takesGuest } from "./guests.ts";
import { familyEndsAtSeconds } from "./lifetimes.ts";
import { type AuthenticatedRequest, type ClientFailure, spend, tryClient } from "./request.ts";
import { clientScopes } from "./scopes.ts";
import type { Introspection, ProvenCredential } from "./shapes.ts";
import { isElsewhere } from "./targets.ts";

/** The scope for all tokens of a tenant. */
const INTROSPECT = "internal_oauth2_introspect";

type Response = z.input<typeof Introspection>;

/** A caller that may introspect. */
interface Introspector {
  /** The tenant whose tokens it may introspect. */
  readonly tenant: string;
  /** The only client whose tokens, and those for it, are shown; absent where all of the tenant are. */
  readonly onlyOf?: string;
  /** Ends when the use of a client's secret is noted. */
  readonly noted: Promise<void>;
}

/** The headers by which a caller authenticates. */
type CallerHeaders = z.output<typeof ProvenCredential>;

/** Of a token: whom it was issued to, and what it was asked for. */
interface Concerned {
  readonly clientId: string;
  readonly audience?: readonly string[] | undefined;
}

/**
 * The caller, with the tokens that it may introspect: a user, a token or a confidential client with the scope those of
 * its tenant, any other confidential client those that it was issued and those that are for it (decision 0158). A Basic
 * header can be of a client or of a user: where client authentication fails it is tried as a user,
 * also if a client with that id exists, so that the response does not show it.
 */
export async function introspectorOf(
  { authorization, dpop }: CallerHeaders,
  form: ClientParameters,
  context: OAuthContext,
): Promise<Introspector> {
  const noted = Promise.resolve();
  if (authorization !== undefined && isToken(authorization)) {
    return { tenant: await callersTenant(authorization, dpop, context), noted };
  }
  const result = await clientOrFailure(authorization, form, context);
  if ("client" in result && !result.client.settings.isPublic) {
    await spend({ proof: result.proof }, context);
    const { client, noted: ofSecret } = result;
    return { tenant: client.tenant, noted: ofSecret, ...(seesAll(client) ? {} : { onlyOf: client.clientId }) };
  }
  if ("client" in result) await result.noted;
  try {
    if (authorization === undefined) throw clientRefused();
    return { tenant: await callersTenant(authorization, dpop, context), noted };
  } catch (error) {
    // The header is of neither a client nor a user. Of a user it must not count as a guess at a client.
    const isOfUser = error instanceof Fault && error.fault === "auth.forbidden";
    if (!isOfUser && "count" in result) await result.count();
    throw error;
  }
}

/** The client, if the request is of one. A header that cannot be read, or of a client that may not be used, is none. */
async function clientOrFailure(
  authorization: string | undefined,
  form: ClientParameters,
  context: OAuthContext,
): Promise<AuthenticatedRequest | ClientFailure | Record<string, never>> {
  try {
    return await tryClient({ authorization, form }, context);
  } catch (error) {
    const isRefused = error instanceof Fault && error.fault === "client.unauthenticated";
    if (!isRefused || authorization === undefined) throw error;
    return {};
  }
}

/** The tenant of a user or token with the scope. Throws `auth.unauthenticated` and `auth.forbidden`. */
async function callersTenant(header: string, proof: string | undefined, context: OAuthContext): Promise<string> {
  const { tools, traceId, sourceIp, pathTenant, sent } = context;
  const { principal, scopes } = isToken(header)
    ? await authenticateToken({ header, proof, sent }, tools, readingOf(context), "/oauth2/introspect")
    : await tools.authenticate(
        { header, sourceIp },
        context,
        tools.refusals({ traceId, sourceIp, operation: "introspectToken" }),
      );
  if (pathTenant !== undefined && pathTenant !== principal.tenant) throw clientRefused();
  if (!scopes.has(INTROSPECT)) {
    throw new Fault(
      "auth.forbidden",
      `This operation requires the scope ${INTROSPECT}, which your credential does not have.`,
      {
        headers: isToken(header) ? { "www-authenticate": scopeChallenge(header, INTROSPECT) } : {},
      },
    );
  }
  return principal.tenant;
}

/**
 * Describes a token that the caller may see. Of any other text the response says only that it is not active, after the
 * same reads (RFC 7662 section 2.2).
 */
export async function introspect(text: string, caller: Introspector, context: OAuthContext): Promise<Response> {
  const { tenant } = caller;
  const access = await context.tools.reader.read(text, { ...readingOf(context), admitsGuests: true });
  if (access) {
    const isSeen = access.token.tenant === tenant && sees(caller, access.token, context);
    return isSeen ? presentAccess(access, context) : { active: false };
  }
  return (await presentRefresh(text, caller, context)) ?? { active: false };
}

/** Whether an application is authorized for the scope. */
function seesAll(client: Client): boolean {
  return clientScopes({ ...client, names: [INTROSPECT], places: new Map(), targets: undefined }).includes(INTROSPECT);
}

/** A client whose id is an address of this service is not meant by a token for that address. */
function sees({ onlyOf }: Introspector, { clientId, audience = [] }: Concerned, { origin }: OAuthContext): boolean {
  if (onlyOf === undefined || onlyOf === clientId) return true;
  return audience.includes(onlyOf) && isElsewhere(onlyOf, origin);
}

function presentAccess({ token, id }: ValidToken, { origin }: OAuthContext): Response {
  const { tenant, clientId, user, scopes, issuedAtSeconds, expiresAtSeconds, cnf } = token;
  const act = actOf(token);
  return {
    active: true,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    client_id: clientId,
    // The name of a user is the same for all clients.
    ...(user && token.subject === undefined && { username: nameOf(user, homeOf(user, tenant)) }),
    token_type: tokenTypeOf(token),
    iat: issuedAtSeconds,
    nbf: issuedAtSeconds,
    exp: expiresAtSeconds,
    sub: shownSubject(token),
    aud: [...audienceOf(token, origin)],
    iss: issuerAt(origin).issuerOf(tenant),
    ...(act && { act }),
    aut: user ? "APPLICATION_USER" : "APPLICATION",
    ...(id !== undefined && { jti: id }),
    ...(cnf && { cnf }),
  };
}

/** Describes a refresh token that can be used now. */
async function presentRefresh(
  text: string,
  caller: Introspector,
  context: OAuthContext,
): Promise<Response | undefined> {
  const { tenant } = caller;
  const refreshToken = await context.families.findToken(text);
  const found = refreshToken?.tenant === tenant ? await context.families.withFamily(refreshToken) : undefined;
  if (!found || found.family.current !== found.digest) return undefined;
  const endsAtSeconds = familyEndsAtSeconds(found.family, context.tools.limits);
  const expiresAtSeconds = Math.min(found.expiresAtSeconds, endsAtSeconds);
  if (!isAlive({ expiresAtSeconds }, context.now)) return undefined;
  const { user, clientId, scopes, cnf, audience, sid } = found.family;
  // What ends it when it is used: the user, the consent for the client, and the session.
  const grants = [permissionOf(user.id, clientId), ...(sid === undefined ? [] : [sid])];
  const home = homeOf(user, tenant);
  const [client, owner, fromMs] = await Promise.all([
    context.clients.find(clientId),
    findAccount(user, { tenant }, context),
    revocationStore(context.table).validFrom(home, [subjects.user(user.id), ...grants.map(subjects.grant)]),
  ]);
  if (!client || !owner || isFamilyFromFuture(found.family, context.now)) return undefined;
  if (home !== tenant && !takesGuest(client, startOf(found.family), context.now)) return undefined;
  const isEnded = [client.tokensFromMs, ...fromMs].some((ms) => isEndedBy(ms, startOf(found.family), context.now));
  if (isEnded || !sees(caller, found.family, context)) return undefined;
  const granted = { user, account: owner, sinceMs: found.family.startedMs };
  if (!(await mayUse(client, granted, context))) return undefined;
  const { sector } = client.settings;
  const pairwise =
    sector === undefined
      ? undefined
      : await context.tools.pairwise.of(context.table, { tenant, sector, userId: user.id, home: user.home });
  return {
    active: true,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    client_id: clientId,
    ...(pairwise === undefined && { username: nameOf(user, home) }),
    token_type: "Refresh",
    exp: expiresAtSeconds,
    sub: pairwise ?? publicSubject(user),
    ...(audience && { aud: [...audience] }),
    ...(cnf && client.settings.isPublic && { cnf }),
  };
}

/** The qualified name of a user, without the primary user store. */
function nameOf({ userName, userStore }: TokenUser, tenant: string): string {
  return `${userStore === PRIMARY ? "" : `${userStore}/`}${userName}@${tenant}`;
}

function readingOf({ table, origin, now, pathTenant }: OAuthContext): TokenReading {
  return {
    table,
    issuer: issuerAt(origin),
    nowMs: now,
    tenantGuess: pathTenant,
    isStrict: true,
  };
}
