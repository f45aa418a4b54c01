/** Issues a code for a request of a user who is signed in and has agreed. */
import type { Client } from "../applications/registry/client-store.ts";
import type { Application } from "../applications/registry/model.ts";
import { roleIdsOf } from "../auth/role-ids.ts";
import { systemScopes } from "../domain/system-apis.ts";
import { isFor } from "../identities/roles/model.ts";
import type { OidcScope } from "../oidc-scopes/model.ts";
import { newId } from "../platform/ids.ts";
import type { Step } from "../table/table.ts";
import { type AuthorizationCode, type IdTokenPlan, storingCode } from "../tokens/code-store.ts";
import { newOpaque } from "../tokens/opaque.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { SignInContext } from "./context.ts";
import { type Current, notingCode } from "./session.ts";
import { type ClaimedUser, claimsFor, subjectFor } from "./user-claims.ts";

/** The scope that asks for an ID token, and the one that asks for a refresh token. */
export const OPENID = "openid";
const OFFLINE = "offline_access";

/** The scopes of OpenID Connect among requested ones. */
export function signInScopes(requested: readonly string[], known: readonly OidcScope[]): readonly string[] {
  const names = new Set([...known.map(({ name }) => name), OFFLINE]);
  return requested.filter((name) => names.has(name) && !systemScopes.has(name));
}

/** Who asks for a code, and for what. */
export interface CodeRequest {
  readonly request: AuthorizationRequest;
  readonly application: Application;
  readonly client: Client;
}

/** A new code, and the steps that store it with the session. */
export async function newCode(
  { request, application, client }: CodeRequest,
  current: Current,
  known: readonly OidcScope[],
  context: SignInContext,
): Promise<{ readonly text: string; readonly steps: readonly Step[] }> {
  const { session, user, clientFromMs } = current;
  const { tenant, clientId, applicationId, to, isRedirectSent, challenge, dpopKey, scopes, resources, nonce } = request;
  const granted = signInScopes(scopes, known);
  const idToken = granted.includes(OPENID)
    ? await planOf(application, user, tenant, { granted, known, nonce }, context)
    : undefined;
  const endsTokens = application.inbound.oidc?.accessToken.revokeTokensWhenIDPSessionTerminated === true;
  const text = newOpaque("ac_");
  const code: AuthorizationCode = {
    tenant,
    clientId,
    applicationId,
    user: session.user,
    redirectUri: to.redirectUri,
    isRedirectSent,
    ...(challenge && { challenge }),
    ...(dpopKey !== undefined && { dpopKey }),
    scopes,
    resources,
    signedIn: {
      authSeconds: session.authSeconds,
      sid: session.sid,
      scopes: granted,
      ...(endsTokens && { endsWithSession: true }),
    },
    ...(idToken && { idToken }),
    grantId: newId(),
    issuedMs: Math.max(context.now, clientFromMs, client.tokensFromMs),
    issuedAtSeconds: Math.floor(context.now / 1_000),
  };
  const subject = subjectFor({ user, tenant, groupNames: [], roleNames: [] }, application);
  const noted = { clientId, applicationId, subject, ...(endsTokens && { endsTokens }) };
  return { text, steps: [...notingCode(current, noted), storingCode(text, code)] };
}

async function planOf(
  application: Application,
  user: Current["user"],
  tenant: string,
  {
    granted,
    known,
    nonce,
  }: {
    readonly granted: readonly string[];
    readonly known: readonly OidcScope[];
    readonly nonce: string | undefined;
  },
  context: SignInContext,
): Promise<IdTokenPlan> {
  const { idToken } = application.inbound.oidc ?? {};
  const scopes = known.filter(({ name }) => granted.includes(name));
  const claimed = await claimedUser(user, tenant, application, scopes, context);
  const claims = { sub: subjectFor(claimed, application), ...claimsFor(claimed, application, scopes) };
  return {
    algorithm: idToken?.idTokenSignedResponseAlg === "ES256" ? "ES256" : "RS256",
    lifeSeconds: idToken?.expiryInSeconds || DEFAULT_SECONDS,
    audience: idToken?.audience ?? [],
    ...(nonce !== undefined && { nonce }),
    claims: JSON.stringify(claims),
  };
}

/** The life of an ID token whose application has none. */
const DEFAULT_SECONDS = 3_600;

/**
 * A user with the names of its groups and roles, where claims of the scopes or of the application need them. No round
 * trip where they do not; up to two where they do.
 */
export async function claimedUser(
  user: Current["user"],
  tenant: string,
  { id, claimConfiguration }: Application,
  scopes: readonly OidcScope[],
  { groups, roles }: Pick<SignInContext, "groups" | "roles">,
): Promise<ClaimedUser> {
  const wanted = [
    ...scopes.flatMap(({ claims }) => claims),
    ...claimConfiguration.claimMappings.map(({ localClaim }) => localClaim.uri ?? ""),
  ];
  const needs = (word: RegExp) => wanted.some((name) => word.test(name));
  const [needsGroups, needsRoles] = [needs(/(^|\/)groups?$/), needs(/(^|\/)roles?$/)];
  const [found, ofUser] = await Promise.all([
    needsGroups ? groups.findMany(tenant, user.groupIds) : [],
    needsRoles ? roleIdsOf({ groups, roles }, tenant, user).then((ids) => roles.findMany(tenant, ids)) : [],
  ]);
  return {
    user,
    tenant,
    groupNames: found.flatMap((group) => (group ? [group.displayName] : [])),
    roleNames: ofUser.filter((role) => isFor(role, id)).map(({ name }) => name),
  };
}
