/** Issues a code for a request of a user who is signed in and has agreed. */

import type { OidcScope } from "../../applications/oidc-scopes/model.ts";
import type { Client } from "../../applications/registry/client-store.ts";
import type { Application } from "../../applications/registry/model.ts";
import type { Step } from "../../database/table/table.ts";
import { newId } from "../../kernel/ids.ts";
import { type AuthorizationCode, type ClaimNames, storingCode } from "../../tokens/code-store.ts";
import { tokenUserOf } from "../../tokens/model.ts";
import { newOpaque } from "../../tokens/opaque.ts";
import { impliedClaims } from "../openid/guest-claims.ts";
import { OPENID, signInScopes } from "../openid/scopes.ts";
import { claimsAskedFor, knownClaims } from "../openid/user-claims.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { SignInContext } from "./context.ts";
import { subjectAt } from "./hints.ts";
import { type Current, notingCode } from "./session.ts";
import { shownClaims } from "./sso/claims.ts";

/** Who asks for a code, and for what. */
export interface CodeRequest {
  readonly request: AuthorizationRequest;
  readonly application: Application;
  readonly client: Client;
  /** What a guest gives besides what the scopes stand for; absent for a user of the tenant. */
  readonly given?: readonly string[] | undefined;
}

/** What is known of the tenant of a request. */
export interface TenantFacts {
  /** The scopes of OpenID Connect. */
  readonly known: readonly OidcScope[];
  /** The id of the role that everyone has, where the request may need roles. */
  readonly everyoneId: string | undefined;
}

/** Scopes for which the token endpoint reads no roles, unless the tenant gave them claims about roles. */
const WITHOUT_ROLES: ReadonlySet<string> = new Set([
  ...["openid", "profile", "email", "address", "phone", "groups", "offline_access"],
]);

/** Reads what is known of a tenant, for some scopes. One round trip. */
export async function tenantFacts(
  tenant: string,
  scopes: readonly string[],
  { oidcScopes, roles }: Pick<SignInContext, "oidcScopes" | "roles">,
): Promise<TenantFacts> {
  const mayNeedRoles = scopes.some((name) => !WITHOUT_ROLES.has(name));
  const [known, everyoneId] = await Promise.all([
    oidcScopes.all(tenant),
    mayNeedRoles ? roles.idOfEveryone(tenant) : undefined,
  ]);
  return { known, everyoneId };
}

/** A code before it is stored. */
export interface NewCode {
  readonly text: string;
  readonly code: AuthorizationCode;
  /** The steps that note it in the session. */
  readonly noting: readonly Step[];
  /** The step that stores it. */
  readonly storing: Step;
}

/** A new code, and the steps that store it with the session. */
export async function newCode(
  asked: CodeRequest,
  current: Current,
  facts: TenantFacts,
  context: SignInContext,
): Promise<NewCode> {
  const { request, application, given = [] } = asked;
  const { tenant, clientId } = request;
  const { user, session } = current;
  const home = session.tenant;
  const isGuest = home !== tenant;
  const endsTokens = endsWithSession(application);
  const subject = await subjectAt({ user, home, ...(isGuest && { given }) }, tenant, application, context);
  const noted = {
    ...{ clientId, applicationId: application.id, subject },
    ...(isGuest && { tenant }),
    ...(endsTokens && { endsTokens }),
  };
  const text = newOpaque("ac_");
  const code = codeOf(asked, current, facts, context.now);
  return { text, code, noting: notingCode(current, noted), storing: storingCode(text, code) };
}

/**
 * What a code stands for. The token endpoint reads the claims; it is told which groups and roles the user has now, so
 * that it can read them together with the user.
 */
function codeOf(
  { request, application, client, given = [] }: CodeRequest,
  { session, user, clientFromMs }: Current,
  { known, everyoneId }: TenantFacts,
  nowMs: number,
): AuthorizationCode {
  const { tenant, clientId, to, isRedirectSent, challenge, dpopKey, resources, nonce } = request;
  const home = session.tenant;
  const isGuest = home !== tenant;
  const granted = signInScopes(request.scopes, known);
  const claims = claimNamesOf(request, application, known);
  const roleIds = [...(everyoneId === undefined || isGuest ? [] : [everyoneId]), ...user.roleIds];
  return {
    tenant,
    clientId,
    applicationId: application.id,
    // As it is called now: the session may be older than the name.
    user: { ...tokenUserOf(user, home, tenant), ...(isGuest && { given }) },
    memberships: {
      groupIds: user.groupIds.slice(0, MEMBERSHIPS_MAX),
      roleIds: roleIds.slice(0, MEMBERSHIPS_MAX),
    },
    redirectUri: to.redirectUri,
    isRedirectSent,
    ...(challenge && { challenge }),
    ...(dpopKey !== undefined && { dpopKey }),
    scopes: isGuest ? granted : request.scopes,
    resources,
    signedIn: {
      authSeconds: session.authSeconds,
      ...(session.methods && { methods: session.methods }),
      sid: session.sid,
      scopes: granted,
      ...(endsWithSession(application) && { endsWithSession: true }),
    },
    ...(granted.includes(OPENID) && { idToken: { ...(nonce !== undefined && { nonce }) } }),
    ...(claims && { claims }),
    grantId: newId(),
    issuedMs: Math.max(
      nowMs,
      clientFromMs,
      client.tokensFromMs,
      client.assignedFromMs,
      isGuest ? client.guestsFromMs : 0,
    ),
    issuedAtSeconds: Math.floor(nowMs / 1_000),
  };
}

/** Whether the tokens of an application end with the session. */
function endsWithSession({ inbound: { oidc } }: Application): boolean {
  return oidc?.accessToken.revokeTokensWhenIDPSessionTerminated === true;
}

/** The single claims that a request asks for and the application may have; `undefined` for none. */
export function claimNamesOf(
  { claims }: AuthorizationRequest,
  application: Application,
  known: readonly OidcScope[],
): ClaimNames | undefined {
  // A name can have a language, which no value here has (OpenID Connect Core 1.0 section 5.2).
  const namesIn = (asked: readonly { readonly name: string }[] = []) =>
    knownClaims(
      asked.map(({ name }) => name.split("#", 1)[0] ?? ""),
      application,
      known,
    );
  const [idToken, userInfo] = [namesIn(claims?.idToken), namesIn(claims?.userInfo)];
  return idToken.length + userInfo.length > 0 ? { idToken, userInfo } : undefined;
}

/**
 * What a request asks a guest to give besides what its scopes stand for everywhere: single claims, what scopes of the
 * tenant add, what the application is configured for, and the subject.
 */
export function guestClaims(
  request: AuthorizationRequest,
  application: Application,
  known: readonly OidcScope[],
): readonly string[] {
  const shown = shownClaims(request, application, true);
  if (shown) return shown;
  const { idToken = [], userInfo = [] } = claimNamesOf(request, application, known) ?? {};
  const scopes = known.filter(({ name }) => request.scopes.includes(name));
  const implied = impliedClaims(request.scopes);
  const asked = claimsAskedFor(application, { scopes, claims: [...idToken, ...userInfo] });
  return asked.filter((reference) => !implied.has(reference));
}

/** The single claims of a request that its scopes do not give; in other protocols, what its answer says of the user. */
export function furtherClaims(
  request: AuthorizationRequest,
  application: Application,
  known: readonly OidcScope[],
): readonly string[] {
  const shown = shownClaims(request, application, false);
  if (shown) return shown;
  const ofScopes = new Set(known.flatMap(({ name, claims }) => (request.scopes.includes(name) ? claims : [])));
  const { idToken = [], userInfo = [] } = claimNamesOf(request, application, known) ?? {};
  return [...new Set([...idToken, ...userInfo])].filter((name) => !ofScopes.has(name));
}

/** The most groups, and the most roles, in the row of a code. */
const MEMBERSHIPS_MAX = 20;
