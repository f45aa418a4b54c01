/** What the token endpoint must know of an application: the part of its settings that is copied beside its client id. */
import type { Application } from "./model.ts";

/** An OAuth client as it is kept. */
export interface ClientRecord {
  /** Sealed for `tenant/application id`. */
  readonly sealedSecret: string;
  /** False while nobody may use it: the application is disabled. */
  readonly isEnabled: boolean;
  readonly state: "ACTIVE" | "REVOKED";
  readonly grantTypes: readonly string[];
  /** True where the client holds no secret that is worth the name. */
  readonly isPublic: boolean;
  readonly tokenType: string;
  readonly userTokenSeconds: number;
  readonly clientTokenSeconds: number;
  readonly refreshSeconds: number;
  /** Whether a refresh token may be used once only. */
  readonly rotatesRefresh: boolean;
}

/** The client of an application; `undefined` where it has none. */
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
      // Who cannot keep a secret must use each refresh token once (RFC 9700 section 2.2.2); others do unless told not to.
      rotatesRefresh: oidc.publicClient || oidc.refreshToken.renewRefreshToken !== false,
    }
  );
}

/** Whether a change of a client ends the tokens that it has (reference access.md section 1.8). */
export function endsTokens(before: ClientRecord, after: ClientRecord): boolean {
  return (
    after.sealedSecret !== before.sealedSecret ||
    (before.isEnabled && !after.isEnabled) ||
    (before.state === "ACTIVE" && after.state === "REVOKED")
  );
}
