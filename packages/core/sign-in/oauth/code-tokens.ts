/**
 * What a sign-in in a browser entitles its application to, and the tokens for it: at the token endpoint, and in answers
 * that go through the browser.
 */
import type { Client } from "../../applications/registry/client-store.ts";
import { reservedScope } from "../../kernel/domain/system-apis.ts";
import type { AuthorizationCode } from "../../tokens/code-store.ts";
import type { Confirmation } from "../../tokens/confirmation.ts";
import { homeOf } from "../../tokens/model.ts";
import { isEndedBy } from "../../tokens/revocation-store.ts";
import { namedNeeds } from "../openid/memberships.ts";
import { type AccountStatus, readKnownAccount } from "./account-status.ts";
import type { OAuthContext } from "./context.ts";
import { checkGuestTargets, findAccount, takesGuest } from "./guests.ts";
import { type IssuedToken, issueAccessToken } from "./issue.ts";
import { type OpenIdSettings, openIdSettings } from "./open-id.ts";
import { NOTHING, userScopes } from "./scopes.ts";
import { type AskedTargets, audienceFor, resolveTargets } from "./targets.ts";

/** What a sign-in entitles to now. */
export interface SignInRights {
  readonly status: AccountStatus;
  /** Absent without the scope `openid`. */
  readonly openId: OpenIdSettings | undefined;
  readonly scopes: readonly string[];
  /** Those of them that are scopes of OpenID Connect. */
  readonly signInScopes: readonly string[];
  readonly roleIds: readonly string[];
  readonly audience: { readonly audience?: readonly string[] };
}

/**
 * Reads what a sign-in entitles its client to, for some targets. One round trip, and those of roles. `undefined` where
 * it has ended since, or its application does not exist any more. Throws `target.invalid`.
 */
export async function rightsOf(
  code: AuthorizationCode,
  client: Client,
  asked: AskedTargets,
  context: OAuthContext,
): Promise<SignInRights | undefined> {
  const { tenant, user, signedIn, scopes: names } = code;
  const isGuest = user.home !== undefined;
  if (isGuest && (client.settings.needsAssignment || !takesGuest(client, code, context.now))) return undefined;
  checkGuestTargets(user, asked);
  const find = () => findAccount(user, client, context);
  const settings = code.idToken ? openIdSettings({ ...code, granted: signedIn.scopes }, context) : undefined;
  const ofToken = namedNeeds(client.settings.attributes ?? []);
  const needsRoles = async () => ofToken.roles || (await settings)?.needs.roles === true;
  const { clientId } = client;
  const endsWith = endingWith(code);
  const account = {
    ...{ tenant, home: homeOf(user, tenant), names, clientId, ...endsWith },
    ...{ find, userId: user.id, likely: code.memberships, needsRoles },
  };
  const [status, apiIds, openId] = await Promise.all([
    readKnownAccount(account, context),
    context.apiResources.idsOf(tenant, asked.elsewhere),
    settings,
  ]);
  if (!status || isEndedBy(status.userFromMs, code, context.now) || (code.idToken && !openId)) return undefined;
  const targets = resolveTargets(asked, { apiIds }, client, context.origin);
  const granted = isGuest ? NOTHING : userScopes({ names, places: status.places, targets, ...client }, status.roles);
  // A name that an API has is a scope of the API, whatever a tenant calls its scopes of OpenID Connect.
  const signInScopes = signedIn.scopes.filter((name) => !reservedScope(name) && !status.places.has(name));
  const scopes = [...granted.scopes, ...signInScopes];
  return { status, openId, scopes, signInScopes, roleIds: granted.roleIds, audience: audienceFor(targets) };
}

/** The session with which the tokens of a sign-in end, if they do. */
export function endingWith({ signedIn }: AuthorizationCode): { readonly sid?: string } {
  return signedIn.endsWithSession ? { sid: signedIn.sid } : {};
}

/** The access token of a sign-in. */
export function accessTokenOf(
  code: AuthorizationCode,
  client: Client,
  { status, scopes, roleIds, audience }: SignInRights,
  bound: { readonly cnf?: Confirmation },
  context: OAuthContext,
): Promise<IssuedToken> {
  const { user, grantId, issuedMs, claims, signedIn } = code;
  const grant = {
    user,
    scopes,
    roleIds,
    ...audience,
    grantId,
    knownMs: Math.max(status.knownMs, issuedMs),
    isDelegated: true,
    proof: { atSeconds: signedIn.authSeconds, methods: signedIn.methods ?? ["pwd"] },
    account: status,
    ...(claims && { claims: claims.userInfo }),
    ...endingWith(code),
    ...bound,
  };
  return issueAccessToken(client, grant, context);
}
