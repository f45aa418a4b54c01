/** What a token stands for, whichever way it is written. */

/** The person on whose behalf an application acts. */
export interface TokenUser {
  readonly id: string;
  /** As it was written when the user was made. */
  readonly userName: string;
  readonly userStore: string;
}

/** An access token. */
export interface AccessToken {
  readonly tenant: string;
  readonly clientId: string;
  readonly applicationId: string;
  /** Absent where the application acts on its own account. */
  readonly user?: TokenUser;
  readonly scopes: readonly string[];
  /** The roles of the user that the scopes rest on. */
  readonly roleIds: readonly string[];
  /** What it is revoked with: the family of its refresh token; where there is none, itself. */
  readonly grantId: string;
  /** As callers see it, in seconds since 1970. */
  readonly issuedAtSeconds: number;
  /**
   * From when on what the token says is known to hold, in milliseconds since 1970: what revocations are held against
   * (revocation.ts). It can lie some seconds ahead of the clock.
   */
  readonly issuedMs: number;
  readonly expiresAtSeconds: number;
}

/** Whom a token names: the user, or the client itself (RFC 9068 section 2.2). */
export function subjectOf({ user, clientId }: AccessToken): string {
  return user?.id ?? clientId;
}

/** True while a token has not reached its end. */
export function isAlive({ expiresAtSeconds }: { readonly expiresAtSeconds: number }, nowMs: number): boolean {
  return expiresAtSeconds * 1_000 > nowMs;
}
