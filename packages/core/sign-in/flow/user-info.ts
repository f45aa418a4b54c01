/** Claims about the user of an access token (OpenID Connect Core 1.0 section 5.3). */
import type * as z from "zod";
import { countingRoles } from "../../applications/registry/client-model.ts";
import { maySignIn } from "../../directory/users/model.ts";
import { bearerChallenge, unauthenticated } from "../../http/decision.ts";
import { Fault } from "../../kernel/faults.ts";
import { issuerAt } from "../../tokens/jwt.ts";
import { hasAccess } from "../authentication/access.ts";
import { authenticateToken, isToken, scopeChallenge } from "../authentication/bearer.ts";
import { claimedUser, membershipNeeds, readingAhead } from "../openid/memberships.ts";
import { OPENID, signInScopes } from "../openid/scopes.ts";
import { claimsFor, knownClaims, subjectFor } from "../openid/user-claims.ts";
import type { SignInContext } from "./context.ts";
import type { UserInfo } from "./contract.ts";
import { pairwiseOf } from "./hints.ts";

interface TokenHeaders {
  readonly authorization?: string | undefined;
  readonly dpop?: string | undefined;
}

/**
 * The claims. One round trip for a JWT; one more for groups, and one more for the roles of groups and of everyone.
 * Throws `auth.unauthenticated`, and `auth.forbidden` for a token without the scope `openid`.
 */
export async function getUserInfo(
  { authorization: header, dpop: proof }: TokenHeaders,
  context: SignInContext,
): Promise<z.input<typeof UserInfo>> {
  const { tools, table, origin, now, pathTenant, sent, users, applications, oidcScopes } = context;
  if (header === undefined || !isToken(header)) {
    throw unauthenticated("Send an access token: Authorization: Bearer <token>.", "Bearer");
  }
  const reading = { table, issuer: issuerAt(origin), nowMs: now, tenantGuess: pathTenant, admitsGuests: true } as const;
  const holder = await authenticateToken({ header, proof, sent }, tools, reading, "/oauth2/userinfo");
  const { principal, scopes, applicationId, claims, home, given } = holder;
  if (principal.kind !== "user" || !scopes.has(OPENID)) {
    throw new Fault("auth.forbidden", "The token needs the scope openid, of a sign-in by response_type=code.", {
      headers: { "www-authenticate": scopeChallenge(header, OPENID) },
    });
  }
  const { tenant, subject, userStore } = principal;
  const of = { tenant: home ?? tenant, isGuest: home !== undefined, given };
  const [user, application, known] = await Promise.all([
    users.find(of.tenant, subject, userStore),
    applications.find(tenant, applicationId),
    oidcScopes.all(tenant),
  ]);
  context.readableBy?.(application?.inbound.oidc?.allowedOrigins ?? []);
  const isOtherTenant = pathTenant !== undefined && pathTenant !== tenant;
  if (!user || !maySignIn(user) || !application || isOtherTenant) {
    throw unauthenticated("The access token is not valid.", bearerChallenge("invalid_token"));
  }
  if (application.advancedConfigurations.enableAuthorization) {
    const isAllowed = home === undefined && (await hasAccess(context, { tenant, applicationId, user }));
    if (!isAllowed) throw unauthenticated("The user has lost access.", bearerChallenge("invalid_token"));
  }
  const names = signInScopes([...scopes], known);
  const single = claims && knownClaims(claims, application, known);
  const granted = { scopes: known.filter(({ name }) => names.includes(name)), claims: single };
  const needs = membershipNeeds(application, granted);
  const stores = needs.roles ? readingAhead(context, of.tenant, user) : context;
  const [claimed, pairwise] = await Promise.all([
    claimedUser({ user, ...of, needs }, { id: applicationId, ...countingRoles(application.associatedRoles) }, stores),
    pairwiseOf({ user, home: of.tenant }, tenant, application, context),
  ]);
  return { sub: subjectFor(claimed, application, pairwise), ...claimsFor(claimed, application, granted) };
}
