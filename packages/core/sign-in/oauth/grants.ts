/** The grants: from an authenticated client and its form to tokens (decision 0023). */
import type { Client } from "../../applications/registry/client-store.ts";
import { isPasswordEnough } from "../../applications/registry/sequence-model.ts";
import { identifierIn } from "../../directory/users/identifiers.ts";
import { mustChangePassword } from "../../directory/users/model.ts";
import { systemClock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import { newId } from "../../kernel/ids.ts";
import { removingAccessToken } from "../../tokens/access-token-store.ts";
import { homeOf, isAlive } from "../../tokens/model.ts";
import { digestOf, newOpaque } from "../../tokens/opaque.ts";
import {
  continuingFamily,
  type Family,
  isFamilyFromFuture,
  isInGrace,
  type RefreshTokenInFamily,
  ROTATION_MS,
  startingFamily,
  startOf,
  type UsedToken,
} from "../../tokens/refresh-family-store.ts";
import { isEndedBy, revokingGrant } from "../../tokens/revocation-store.ts";
import { usable } from "../authentication/basic.ts";
import { nameOrAddressIn } from "../authentication/sign-in.ts";
import { REVOCATION_FRESH_MS } from "../authentication/token-validity.ts";
import { namedNeeds } from "../openid/memberships.ts";
import { OPENID } from "../openid/scopes.ts";
import { mayUse, noAccess } from "./access.ts";
import { readAccountStatus, readKnownAccount } from "./account-status.ts";
import { AUTHORIZATION_CODE, byCode } from "./code-grant.ts";
import type { OAuthContext } from "./context.ts";
import { endingFamily } from "./ending.ts";
import { exchange } from "./exchange.ts";
import type { Grant, GrantRequest, Response } from "./grant-request.ts";
import { checkGuestTargets, findAccount, takesGuest } from "./guests.ts";
import { type IssuedToken, issueAccessToken, tokenResponse } from "./issue.ts";
import { familyEndsAtSeconds, familySeconds, refreshSeconds } from "./lifetimes.ts";
import { issueIdToken, openIdSettings, subjectClaims, together } from "./open-id.ts";
import { checkRefreshKey } from "./possession.ts";
import { required } from "./request.ts";
import { clientScopes, NOTHING, userScopes } from "./scopes.ts";
import { TOKEN_EXCHANGE } from "./shapes.ts";
import { askedResources, audienceFor, resolveTargets } from "./targets.ts";

/** The id of the operation whose refusals are logged here. */
const TOKEN_OPERATION = "requestToken";

/** The supported grants by their names, which are case-sensitive. */
export const grants: ReadonlyMap<string, Grant> = new Map([
  [AUTHORIZATION_CODE, byCode],
  ["client_credentials", clientCredentials],
  ["password", password],
  ["refresh_token", refresh],
  [TOKEN_EXCHANGE, exchange],
]);

async function clientCredentials(request: GrantRequest, context: OAuthContext): Promise<Response> {
  const { client, names, places, asked, possession } = request;
  if (client.settings.isPublic) {
    throw new Fault("grant.unauthorized", "A public client has no secret: it cannot use the grant client_credentials.");
  }
  const targets = resolveTargets(asked, request, client, context.origin);
  const scopes = clientScopes({ names, places, targets, ...client });
  const grant = { scopes, roleIds: [], grantId: newId(), knownMs: 0, ...audienceFor(targets), ...possession.bound };
  const issued = await issueAccessToken(client, grant, context);
  const writes = [...issued.steps, ...possession.steps];
  if (writes.length > 0) await context.table.write(...writes);
  return tokenResponse(issued);
}

async function password(request: GrantRequest, context: OAuthContext): Promise<Response> {
  const { form, client, names, asked, possession } = request;
  const { bound, steps } = possession;
  const { tenant, settings } = client;
  const username = required("username", form.username);
  const targets = resolveTargets(asked, request, client, context.origin);
  const credential = usable(username, required("password", form.password));
  if (!credential) throw signInRefused();
  const identifier = identifierIn(credential.username, context.tools.identifiers);
  const name = nameOrAddressIn(tenant, credential.username, identifier);
  const { tools, traceId, sourceIp } = context;
  const attempt = { readings: [name], identifier, password: credential.password, sourceIp };
  const onRefused = tools.refusals({ traceId, sourceIp, operation: TOKEN_OPERATION });
  const find = async () => (await tools.signIn(attempt, context, onRefused))?.user;
  const [status, application] = await Promise.all([
    readAccountStatus({ tenant, names, clientId: client.clientId, find }, context),
    context.applications.find(tenant, client.applicationId),
  ]);
  // Whatever the password is, so that the answer says nothing of it.
  if (!application || !isPasswordEnough(application.authenticationSequence)) throw passwordNotEnough();
  if (!status) throw signInRefused();
  if (mustChangePassword(status.user)) throw passwordMustChange();
  if (!(await mayUse(client, { user: {}, account: status.user }, context))) throw noAccess();
  const [id, text] = [newId(), newOpaque("rt_")];
  const user = { id: status.user.id, userName: status.user.userName, userStore: status.user.userStore };
  const granted = userScopes({ names, places: status.places, targets, ...client }, status.roles);
  const audience = audienceFor(targets);
  const proof = { atSeconds: Math.floor(context.now / 1_000), methods: ["pwd"] };
  const sure = { knownMs: status.knownMs, account: status, proof };
  const grant = { user, ...granted, ...audience, grantId: id, ...sure, ...bound };
  const issued = await issueAccessToken(client, grant, context);
  const startedSeconds = issued.token.issuedAtSeconds;
  const lifeSeconds = refreshSeconds(settings, tools.limits);
  const family: Family = {
    id,
    tenant,
    clientId: client.clientId,
    applicationId: client.applicationId,
    user,
    scopes: granted.scopes,
    startedMs: issued.token.issuedMs,
    startedSeconds,
    endsAtSeconds: startedSeconds + familySeconds(lifeSeconds),
    current: digestOf(text),
    currentUntilSeconds: startedSeconds + lifeSeconds,
    rotatedMs: 0,
    access: issued.latest,
    ...audience,
    ...bound,
  };
  await context.table.write(...issued.steps, ...startingFamily(family), ...steps);
  return tokenResponse(issued, text);
}

/** One sentence for every refused sign-in, so that it shows nothing of the reason. */
function signInRefused(): Fault {
  return new Fault("grant.invalid", "The user name or the password is wrong, or the user may not sign in.");
}

/** The sequence of the application asks for more, and this grant cannot ask for it. */
function passwordNotEnough(): Fault {
  return new Fault(
    "grant.unauthorized",
    "The authenticationSequence of the application asks for more than a password: use the grant authorization_code.",
  );
}

/** After the right password, the reason is no secret. */
function passwordMustChange(): Fault {
  return new Fault(
    "grant.invalid",
    "The password must be changed before it can be used: sign in to an application in a browser, or ask an administrator.",
  );
}

/**
 * Repeats a refresh that lost a race where the client has graceful rotation: clients that share a token may use it at
 * the same moment. Each attempt that fails is the success of another one, which the limit counts.
 */
async function refresh(request: GrantRequest, context: OAuthContext): Promise<Response> {
  const lost = refreshRefused();
  for (let left = request.client.settings.grace?.times ?? 0; ; left -= 1) {
    try {
      return await refreshOnce(request, lost, context);
    } catch (error) {
      if (error !== lost || left <= 0) throw error;
    }
  }
}

/** Throws `lost` where the family has changed meanwhile. */
async function refreshOnce(request: GrantRequest, lost: Fault, context: OAuthContext): Promise<Response> {
  const { client, possession } = request;
  const { tenant, settings } = client;
  const given = required("refresh_token", request.form.refresh_token);
  const { cnf, ...family } = await usableFamily(request, context);
  checkRefreshKey(cnf, client, possession);
  const names = refreshNames(request, family);
  const isGuest = family.user.home !== undefined;
  const home = homeOf(family.user, tenant);
  if (isGuest && !takesGuest(client, startOf(family), context.now)) throw refreshRefused();
  checkGuestTargets(family.user, request.asked);
  const find = () => findAccount(family.user, client, context);
  const { signInScopes = [], signedIn } = family;
  const wantsIdToken = signedIn !== undefined && names.includes(OPENID);
  const reading = wantsIdToken
    ? openIdSettings({ ...family, granted: names.filter((name) => signInScopes.includes(name)) }, context)
    : undefined;
  const ofToken = namedNeeds(client.settings.attributes ?? []);
  const needsRoles = async () => ofToken.roles || (await reading)?.needs.roles === true;
  const [status, targets, openId] = await Promise.all([
    readKnownAccount(
      { tenant, home, names, clientId: client.clientId, sid: family.sid, find, userId: family.user.id, needsRoles },
      context,
    ),
    refreshTargets(request, family, context),
    reading,
  ]);
  if (!status || isEndedBy(status.userFromMs, startOf(family), context.now)) throw refreshRefused();
  if (!(await mayUse(client, { user: family.user, account: status.user, sinceMs: family.startedMs }, context))) {
    // It does not come back with another assignment.
    await context.table.write(...endingFamily(family, client));
    throw noAccess();
  }
  const about = openId && (await subjectClaims(tenant, family.user, openId, status, context));
  // The settings of the application make another user of it now (OpenID Connect Core 1.0 section 12.2).
  if (wantsIdToken && about?.subject !== signedIn.subject) throw refreshRefused();
  const ofRoles = isGuest ? NOTHING : userScopes({ names, places: status.places, targets, ...client }, status.roles);
  const kept = names.filter((name) => signInScopes.includes(name) && !status.places.has(name));
  const granted = { ...ofRoles, scopes: [...ofRoles.scopes, ...kept] };
  const knownMs = Math.max(status.knownMs, family.access.issuedMs + 1);
  const grant = {
    user: family.user,
    ...granted,
    ...audienceFor(targets),
    grantId: family.id,
    knownMs,
    account: status,
    ...(family.signInScopes && { isDelegated: true }),
    ...(family.claims && { claims: family.claims.userInfo }),
    ...(family.sid !== undefined && { sid: family.sid }),
    ...possession.bound,
  };
  const issued = await issueAccessToken(client, grant, context);
  const text = settings.rotatesRefresh ? newOpaque("rt_") : given;
  const rotatedMs = systemClock.now();
  const after: Family = {
    ...family,
    ...possession.bound,
    access: issued.latest,
    ...(settings.rotatesRefresh && {
      current: digestOf(text),
      currentUntilSeconds: settings.keepsRefreshExpiry
        ? family.currentUntilSeconds
        : Math.min(issued.token.issuedAtSeconds + refreshSeconds(settings, context.tools.limits), family.endsAtSeconds),
      rotatedMs,
      used: settings.grace && usedAfter(digestOf(given), family, rotatedMs),
    }),
  };
  await context.table.write(
    ...continuingFamily(family, after, () => lost),
    ...issued.steps,
    ...replacing(family, issued, context.now),
    ...possession.steps,
  );
  const idToken =
    signedIn &&
    openId &&
    about &&
    (await issueIdToken({ ...family, signedIn }, openId, about, together(issued), context));
  return tokenResponse(issued, text, idToken);
}

/** The family of the refresh token of a request, which this client may use now. Throws `grant.invalid`. */
async function usableFamily({ client, refreshToken }: GrantRequest, context: OAuthContext): Promise<Family> {
  const isInTenant = refreshToken?.tenant === client.tenant;
  const found = isInTenant ? await context.families.withFamily(refreshToken) : undefined;
  if (!found || found.family.clientId !== client.clientId || !isAlive(found, context.now)) throw refreshRefused();
  await checkReuse(found, client, context);
  const { family } = found;
  const hasEnded = !isAlive({ expiresAtSeconds: familyEndsAtSeconds(family, context.tools.limits) }, context.now);
  const isRevoked = isEndedBy(client.tokensFromMs, startOf(family), context.now);
  if (hasEnded || isRevoked || isFamilyFromFuture(family, context.now)) throw refreshRefused();
  return family;
}

/**
 * Refuses a refresh token that was used before. Its second use ends the family: one of the two users of the token stole
 * it. So does the use of a token that another use of its predecessor has replaced. Two concurrent uses are a race of
 * one client with itself: one succeeds, and the family stays valid.
 */
async function checkReuse(
  { digest, family }: RefreshTokenInFamily,
  client: Client,
  context: OAuthContext,
): Promise<void> {
  const { grace } = client.settings;
  if (family.current === digest || (grace && isInGrace(digest, family, grace, context.now))) return;
  const sinceMs = context.now - family.rotatedMs;
  if (sinceMs >= 0 || sinceMs < -ROTATION_MS) {
    await context.table.write(...endingFamily(family, client));
    const { userName: name, userStore } = family.user;
    const { traceId, sourceIp } = context;
    const log = context.tools.refusals({ traceId, sourceIp, operation: TOKEN_OPERATION });
    log({ tenant: homeOf(family.user, family.tenant), userStore, name }, "refresh token used twice");
  }
  throw grace && family.used?.digest === digest ? graceOver() : refreshRefused();
}

/** The used token after a use: a further use of the same one counts, and its time stays that of the first one. */
function usedAfter(digest: string, { used }: Family, nowMs: number): UsedToken {
  return used?.digest === digest ? { ...used, again: used.again + 1 } : { digest, usedMs: nowMs, again: 0 };
}

/** The requested scopes: those of the sign-in, or a part of them. Throws `scope.invalid`. */
function refreshNames({ form, names }: GrantRequest, { scopes }: Family): readonly string[] {
  if (!form.scope) return scopes;
  if (names.every((name) => scopes.includes(name))) return names;
  throw new Fault("scope.invalid", "You can only request scopes that were granted with this refresh token.");
}

/**
 * The resources of a refreshed token: the requested ones, which must be among those of the sign-in, or those (RFC 8707
 * section 2.2). No round trip of its own. Throws `target.invalid`.
 */
async function refreshTargets({ asked, apiIds, client }: GrantRequest, family: Family, context: OAuthContext) {
  const { audience } = family;
  if (asked.addresses.length > 0) {
    const wider = audience && asked.addresses.find((address) => !audience.includes(address));
    if (wider !== undefined) {
      throw new Fault("target.invalid", "You can only request resources that this refresh token was issued for.");
    }
    return resolveTargets(asked, { apiIds }, client, context.origin);
  }
  const kept = askedResources(audience, context.origin);
  const known = { apiIds: await context.apiResources.idsOf(client.tenant, kept.elsewhere) };
  return resolveTargets(kept, known, client, context.origin);
}

/** One sentence for every refused refresh token, so that it shows nothing of the reason. */
function refreshRefused(): Fault {
  return new Fault(
    "grant.invalid",
    "The refresh token is not valid: it is unknown, has expired, was used, or was revoked.",
  );
}

/** For clients that share a token, and may need a longer period or a higher limit. */
function graceOver(): Fault {
  return new Fault(
    "grant.invalid",
    "The refresh token is not valid: it was used before, and its grace period or its graceful reuse limit is over.",
  );
}

/**
 * The steps that end the access token that a new one replaces. A JWT needs a revocation, because no row of it exists;
 * none where it expires before every container would know of that.
 */
function replacing({ tenant, id, access }: Family, { token }: IssuedToken, nowMs: number) {
  if (access.digest !== undefined) return [removingAccessToken(access.digest)];
  if (!isAlive(access, nowMs + REVOCATION_FRESH_MS)) return [];
  return revokingGrant(tenant, id, token.issuedMs, Math.max(access.expiresAtSeconds, token.expiresAtSeconds));
}
