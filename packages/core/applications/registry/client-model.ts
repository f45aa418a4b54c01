/** What the token endpoint needs to know of an application: settings that are copied to the row of the client. */
import type { Application } from "./model.ts";

/** The kinds of keys that tokens are bound to, by the names of `accessToken.bindingType` (decision 0078). */
export const tokenBindings = ["DPoP", "certificate"] as const;
export type TokenBinding = (typeof tokenBindings)[number];

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
  /** The kind of key that every token must be bound to; absent where tokens may be unbound. */
  readonly binding?: TokenBinding;
}

/** The client of an application, if it has one. */
export function clientOf({ inbound: { oidc }, applicationEnabled }: Application): ClientRecord | undefined {
  const binding = tokenBindings.find((kind) => kind === oidc?.accessToken.bindingType);
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
      ...(binding && { binding }),
    }
  );
}

/** Whether a change of a client revokes its tokens (decision 0021). */
export function endsTokens(before: ClientRecord, after: ClientRecord): boolean {
  return (
    after.sealedSecret !== before.sealedSecret ||
    (before.isEnabled && !after.isEnabled) ||
    (before.state === "ACTIVE" && after.state === "REVOKED") ||
    // Tokens from before are not bound to such a key.
    (after.binding !== undefined && after.binding !== before.binding)
  );
}
