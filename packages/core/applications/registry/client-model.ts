/** What the token endpoint needs to know of an application: settings that are copied to the row of the client. */
import type { Application, AssociatedRoleSettings } from "./model.ts";

/** The stored settings of an OAuth client. */
export interface ClientRecord {
  /** Sealed for `tenant/application id`. */
  readonly sealedSecret: string;
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
  /** A renewed refresh token expires when the one before it would have. */
  readonly keepsRefreshExpiry?: boolean | undefined;
  /** The claim `scope` of a JWT is a list. */
  readonly listsScopes?: boolean | undefined;
  /** The roles that count in tokens of users; absent where all of the tenant and of the application do. */
  readonly roles?: CountingRoles | undefined;
}

/** Which roles count in tokens of users. */
export interface CountingRoles {
  /** Roles of the tenant do not count. */
  readonly ofApplication: boolean;
  /** The only ones that count; empty for all. */
  readonly ids: readonly string[];
}

/** The client of an application, if it has one. */
export function clientOf({
  inbound: { oidc },
  applicationEnabled,
  associatedRoles,
}: Application): ClientRecord | undefined {
  return (
    oidc && {
      sealedSecret: oidc.sealedSecret,
      isEnabled: applicationEnabled,
      state: oidc.state,
      grantTypes: oidc.grantTypes,
      isPublic: oidc.publicClient,
      tokenType: oidc.accessToken.type,
      userTokenSeconds: oidc.accessToken.userAccessTokenExpiryInSeconds,
      clientTokenSeconds: oidc.accessToken.applicationAccessTokenExpiryInSeconds,
      refreshSeconds: oidc.refreshToken.expiryInSeconds,
      // Public clients must rotate refresh tokens (RFC 9700 section 2.2.2); others do by default.
      rotatesRefresh: oidc.publicClient || oidc.refreshToken.renewRefreshToken !== false,
      ...(oidc.refreshToken.extendRenewedRefreshTokenExpiryTime === false && { keepsRefreshExpiry: true }),
      ...(oidc.accessToken.enableJwtScopeAsArray && { listsScopes: true }),
      ...countingRoles(associatedRoles),
    }
  );
}

function countingRoles(associated: AssociatedRoleSettings | undefined): Pick<ClientRecord, "roles"> {
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

/** Whether a change of a client revokes its tokens (decision 0021). */
export function endsTokens(before: ClientRecord, after: ClientRecord): boolean {
  return (
    after.sealedSecret !== before.sealedSecret ||
    (before.isEnabled && !after.isEnabled) ||
    !keepsRoles(before.roles, after.roles) ||
    (before.state === "ACTIVE" && after.state === "REVOKED")
  );
}
