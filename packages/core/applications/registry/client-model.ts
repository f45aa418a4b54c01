/** What the token endpoint needs to know of an application: settings that are copied to the row of the client. */
import type { Application } from "./model.ts";

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
}

/** The client of an application, if it has one. */
export function clientOf({ inbound: { oidc }, applicationEnabled }: Application): ClientRecord | undefined {
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
    }
  );
}

/** Whether a change of a client revokes its tokens (decision 0021). */
export function endsTokens(before: ClientRecord, after: ClientRecord): boolean {
  return (
    after.sealedSecret !== before.sealedSecret ||
    (before.isEnabled && !after.isEnabled) ||
    (before.state === "ACTIVE" && after.state === "REVOKED")
  );
}
