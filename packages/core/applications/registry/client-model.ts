/** What the token endpoint needs to know of an application: settings that are copied to the row of the client. */
import type { CountingRoles } from "../../directory/roles/model.ts";
import { canonicalName } from "../../kernel/distinguished-name.ts";
import { joseAlgorithm } from "../protocols/client-authentication.ts";
import { secretsOf, type UsableSecret } from "../protocols/client-secrets.ts";
import type { OidcClient } from "../protocols/model.ts";
import type { ClientAuthenticationMethod } from "../protocols/options.ts";
import { sectorOf } from "../protocols/sector.ts";
import { isFapi2 } from "../protocols/sign-in.ts";
import { type RegisteredKeys, registeredKeys } from "./client-keys.ts";
import type { Application, AssociatedRoleSettings } from "./model.ts";

/** The only method by which a client may authenticate, and what it is verified with (decision 0077). */
export interface ClientAuthentication {
  readonly method: ClientAuthenticationMethod;
  /** The only algorithm of assertions, by its name in JOSE. */
  readonly algorithm?: string | undefined;
  /** An assertion may be used more than once. */
  readonly allowsReuse: boolean;
  /** The subject of the certificate, in the form of distinguished-name.ts. */
  readonly subject?: string | undefined;
  /** For the methods that use the application's certificate. */
  readonly keys?: RegisteredKeys | undefined;
}

/** The kinds of keys that tokens are bound to, by the names of `accessToken.bindingType` (decision 0078). */
export const tokenBindings = ["DPoP", "certificate"] as const;
export type TokenBinding = (typeof tokenBindings)[number];

/** The stored settings of an OAuth client. */
export interface ClientRecord {
  /** The latest secret, sealed for `tenant/application id`. */
  readonly sealedSecret: string;
  /** From this second on the latest secret is refused; absent: it never expires. */
  readonly secretExpiresAtSeconds?: number | undefined;
  /** The other secrets, the newest first. */
  readonly formerSecrets?: readonly UsableSecret[] | undefined;
  /** False while the application is disabled: the client cannot be used. */
  readonly isEnabled: boolean;
  readonly state: "ACTIVE" | "REVOKED";
  readonly grantTypes: readonly string[];
  /** A public client authenticates without a secret. */
  readonly isPublic: boolean;
  readonly tokenType: string;
  readonly userTokenSeconds: number;
  readonly clientTokenSeconds: number;
  readonly refreshSeconds: number;
  /** Each refresh token can be used once. */
  readonly rotatesRefresh: boolean;
  /** Absent: the client may send its secret, in a header or in a form; a public client its id alone. */
  readonly authentication?: ClientAuthentication | undefined;
  /** The FAPI 2.0 Security Profile applies to it. */
  readonly isFapi2?: boolean | undefined;
  /** The kind of key that every token must be bound to; absent where tokens may be unbound. */
  readonly binding?: TokenBinding;
  /** A renewed refresh token expires when the one before it would have. */
  readonly keepsRefreshExpiry?: boolean | undefined;
  /** A used refresh token counts again for a moment; absent where it does not (decision 0157). */
  readonly grace?: ReuseBounds | undefined;
  /** The claim `scope` of a JWT is a list. */
  readonly listsScopes?: boolean | undefined;
  /** The sector of its pairwise subjects; absent for a client with public subjects. */
  readonly sector?: string | undefined;
  /** The origins of its scripts in browsers. */
  readonly origins?: readonly string[] | undefined;
  /** The claims about users in its access tokens. */
  readonly attributes?: readonly string[] | undefined;
  /** Users of other tenants may sign in (`saas`; decision 0134). */
  readonly takesGuests?: boolean | undefined;
  /** Only users who are assigned to the application may use it (`enableAuthorization`; decision 0170). */
  readonly needsAssignment?: boolean | undefined;
  /** The roles that count in tokens of users; absent where all of the tenant and of the application do. */
  readonly roles?: CountingRoles | undefined;
}

/** For how long after its first use, and how often, a used refresh token counts again. */
export interface ReuseBounds {
  readonly seconds: number;
  readonly times: number;
}

/** The methods for which the token endpoint needs the application's certificate. */
const WITH_KEYS: ReadonlySet<string> = new Set(["private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth"]);

/** Why a client cannot be used at all; `undefined` where it can. */
export function unusableBy({
  isEnabled,
  state,
}: Pick<ClientRecord, "isEnabled" | "state">): "disabled" | "revoked" | undefined {
  if (!isEnabled) return "disabled";
  return state === "ACTIVE" ? undefined : "revoked";
}

/** The client of an application, if it has one. */
export function clientOf(application: Application): ClientRecord | undefined {
  const { inbound, applicationEnabled, associatedRoles } = application;
  const { oidc } = inbound;
  const authentication = authenticationOf(application);
  const binding = tokenBindings.find((kind) => kind === oidc?.accessToken.bindingType);
  const sector = oidc && sectorOf(oidc);
  return (
    oidc && {
      ...usableOf(secretsOf(oidc)),
      isEnabled: applicationEnabled,
      state: oidc.state,
      grantTypes: oidc.grantTypes,
      isPublic: oidc.publicClient,
      // A JWT shows the id of the user.
      tokenType: sector === undefined ? oidc.accessToken.type : "Default",
      userTokenSeconds: oidc.accessToken.userAccessTokenExpiryInSeconds,
      clientTokenSeconds: oidc.accessToken.applicationAccessTokenExpiryInSeconds,
      refreshSeconds: oidc.refreshToken.expiryInSeconds,
      // Public clients must rotate refresh tokens (RFC 9700 section 2.2.2); others do by default.
      // FAPI 2.0 advises against it for its clients, whose refresh tokens are of no use to others (section 5.3.2.1).
      rotatesRefresh: oidc.publicClient || (oidc.refreshToken.renewRefreshToken ?? !isFapi2(oidc)),
      ...(authentication && { authentication }),
      ...(isFapi2(oidc) && { isFapi2: true }),
      ...(binding && { binding }),
      ...(oidc.refreshToken.extendRenewedRefreshTokenExpiryTime === false && { keepsRefreshExpiry: true }),
      ...graceOf(oidc.refreshToken),
      ...(oidc.accessToken.enableJwtScopeAsArray && { listsScopes: true }),
      ...(sector !== undefined && { sector }),
      ...(oidc.allowedOrigins.length > 0 && { origins: oidc.allowedOrigins }),
      ...(oidc.accessToken.accessTokenAttributes.length > 0 && { attributes: oidc.accessToken.accessTokenAttributes }),
      ...(application.advancedConfigurations.saas && { takesGuests: true }),
      ...(application.advancedConfigurations.enableAuthorization && { needsAssignment: true }),
      ...countingRoles(associatedRoles),
    }
  );
}

/** Of a client that does not rotate refresh tokens it has no effect. */
function graceOf(refreshToken: OidcClient["refreshToken"]): Pick<ClientRecord, "grace"> {
  const { gracefulRefreshTokenRotationValidityPeriod: seconds, gracefulRefreshTokenReuseLimit: times } = refreshToken;
  const isOn = refreshToken.gracefulRefreshTokenRotationEnabled && seconds !== undefined && times !== undefined;
  return isOn ? { grace: { seconds, times } } : {};
}

/** The copy of secrets in the row of a client. */
function usableOf([latest, ...former]: readonly [UsableSecret, ...UsableSecret[]]) {
  const { sealedSecret, expiresAtSeconds } = latest;
  return {
    sealedSecret,
    ...(expiresAtSeconds !== undefined && { secretExpiresAtSeconds: expiresAtSeconds }),
    ...(former.length > 0 && {
      formerSecrets: former.map((each) => ({
        sealedSecret: each.sealedSecret,
        ...(each.expiresAtSeconds !== undefined && { expiresAtSeconds: each.expiresAtSeconds }),
      })),
    }),
  };
}

/** All secrets of a client, the newest first. */
export function usableSecrets(client: ClientRecord): readonly UsableSecret[] {
  const { sealedSecret, secretExpiresAtSeconds: expiresAtSeconds, formerSecrets = [] } = client;
  return [{ sealedSecret, ...(expiresAtSeconds !== undefined && { expiresAtSeconds }) }, ...formerSecrets];
}

function authenticationOf({ inbound, advancedConfigurations }: Application): ClientAuthentication | undefined {
  const { tokenEndpointAuthMethod: method, ...settings } = { ...inbound.oidc?.clientAuthentication };
  if (!method) return undefined;
  const { tokenEndpointAuthSigningAlg: algorithm, tlsClientAuthSubjectDn: name } = settings;
  const subject = name === undefined ? undefined : canonicalName(name);
  return {
    // It was checked when it was set (protocols/client-authentication.ts).
    method: method as ClientAuthenticationMethod,
    ...(algorithm !== undefined && { algorithm: joseAlgorithm(algorithm) }),
    allowsReuse: settings.tokenEndpointAllowReusePvtKeyJwt ?? false,
    ...(subject !== undefined && { subject }),
    ...(WITH_KEYS.has(method) && { keys: registeredKeys(advancedConfigurations.certificate) }),
  };
}

/** The roles that an application chose, as `roles`; without that member where it chose none. */
export function countingRoles(associated: AssociatedRoleSettings | undefined): Pick<ClientRecord, "roles"> {
  const ids = associated?.roles?.map(({ id }) => id) ?? [];
  const ofApplication = associated?.allowedAudience === "APPLICATION";
  return ofApplication || ids.length > 0 ? { roles: { ofApplication, ids } } : {};
}

/** Whether every role that counts before a change counts after it. */
function keepsRoles(before: CountingRoles | undefined, after: CountingRoles | undefined): boolean {
  if (!after) return true;
  if (after.ofApplication && !before?.ofApplication) return false;
  if (after.ids.length === 0) return true;
  const kept = new Set(after.ids);
  return before !== undefined && before.ids.length > 0 && before.ids.every((id) => kept.has(id));
}

/**
 * Whether a change of a client revokes its tokens (decision 0021). A further secret, or one less, does not: only that
 * all are replaced (decision 0079).
 */
export function endsTokens(before: ClientRecord, after: ClientRecord): boolean {
  const kept = new Set(usableSecrets(after).map(({ sealedSecret }) => sealedSecret));
  return (
    !usableSecrets(before).some(({ sealedSecret }) => kept.has(sealedSecret)) ||
    (before.isEnabled && !after.isEnabled) ||
    !keepsRoles(before.roles, after.roles) ||
    (before.state === "ACTIVE" && after.state === "REVOKED") ||
    // Tokens from before are not bound to such a key.
    (after.binding !== undefined && after.binding !== before.binding)
  );
}
