/** ID tokens of the token endpoint: what they need is read together with the account of the user. */
import type { Application } from "../applications/registry/model.ts";
import type { OidcScope } from "../oidc-scopes/model.ts";
import { idTokenOf } from "../openid/id-token.ts";
import { claimedUser, type MembershipNeeds, membershipNeeds } from "../openid/memberships.ts";
import { claimsFor, subjectFor } from "../openid/user-claims.ts";
import { issuerAt } from "../tokens/jwt.ts";
import type { AccountStatus } from "./account-status.ts";
import type { OAuthContext } from "./context.ts";
import type { IssuedToken } from "./issue.ts";

/** The settings by which an ID token is made. */
export interface OpenIdSettings {
  readonly application: Application;
  /** The granted scopes of OpenID Connect. */
  readonly scopes: readonly OidcScope[];
  readonly needs: MembershipNeeds;
}

/** Reads them. One round trip. `undefined` where the application does not exist any more. */
export async function openIdSettings(
  {
    tenant,
    applicationId,
    granted,
  }: Readonly<Record<"tenant" | "applicationId", string>> & {
    readonly granted: readonly string[];
  },
  { applications, oidcScopes }: OAuthContext,
): Promise<OpenIdSettings | undefined> {
  const [application, known] = await Promise.all([applications.find(tenant, applicationId), oidcScopes.all(tenant)]);
  if (!application) return undefined;
  const scopes = known.filter(({ name }) => granted.includes(name));
  return { application, scopes, needs: membershipNeeds(application, scopes) };
}

/** What a sign-in says of itself in an ID token. */
export interface IdTokenSource {
  readonly tenant: string;
  readonly clientId: string;
  readonly signedIn: { readonly authSeconds: number; readonly sid: string };
  readonly nonce?: string | undefined;
}

/** Signs an ID token. No round trip, but one where claims need names of groups that are not read yet. */
export async function issueIdToken(
  { tenant, clientId, signedIn, nonce }: IdTokenSource,
  { application, scopes, needs }: OpenIdSettings,
  { user, roles, stores }: AccountStatus,
  { text, token }: IssuedToken,
  { origin, table, tools, now }: OAuthContext,
): Promise<string> {
  const claimed = await claimedUser({ user, tenant, needs }, application.id, stores, roles);
  const { claims, algorithm, lifeSeconds } = idTokenOf(application, {
    issuer: issuerAt(origin).issuerOf(tenant),
    clientId,
    subject: subjectFor(claimed, application),
    claims: claimsFor(claimed, application, scopes),
    signedIn,
    nonce,
    issuedAtSeconds: token.issuedAtSeconds,
    accessToken: text,
  });
  return tools.idTokens.sign(table, claims, algorithm, lifeSeconds, now);
}
