/** Access tokens in any format. */
import type { Confirmation } from "./confirmation.ts";
import { guestSubject } from "./guest-subject.ts";

/** The user on whose behalf an application acts. */
export interface TokenUser {
  readonly id: string;
  /** As it was spelled when the user was created. */
  readonly userName: string;
  readonly userStore: string;
  /**
   * The tenant of a guest: a user of another tenant than the application, which has `saas` (decision 0134). Absent for
   * users of the application's tenant.
   */
  readonly home?: string | undefined;
  /** References of the claims that a guest has agreed to give, besides those that its scopes stand for. */
  readonly given?: readonly string[] | undefined;
}

/** The tenant of a user: its own, which for a guest is not that of the application. */
export function homeOf({ home }: Pick<TokenUser, "home">, tenant: string): string {
  return home ?? tenant;
}

/** A user as what an application of a tenant gets names it. */
export function tokenUserOf({ id, userName, userStore }: TokenUser, home: string, tenant: string): TokenUser {
  return { id, userName, userStore, ...(home !== tenant && { home }) };
}

/** The sign-in of a person that a token is from. */
export interface SignInProof {
  /** When the password was entered, in seconds since 1970. */
  readonly atSeconds: number;
  /** What was proven, as `amr` names it (RFC 8176). */
  readonly methods: readonly string[];
}

/** One exchange that a token comes from. */
export interface Exchange {
  /** The client that the exchanged token was issued to. */
  readonly clientId: string;
  /** The grant of the exchanged token. */
  readonly grantId: string;
  /** When that token was issued, as revocations are compared with it. */
  readonly issuedMs: number;
  /** The token that the exchanging client presented for the actor; absent where the client acts itself. */
  readonly actor?: ExchangeActor | undefined;
}

/** An actor by a token of its own. */
export interface ExchangeActor {
  readonly grantId: string;
  /** When that token was issued, as revocations are compared with it. */
  readonly issuedMs: number;
  /** Absent for the exchanging client. */
  readonly userId?: string | undefined;
}

/** An access token. */
export interface AccessToken {
  readonly tenant: string;
  readonly clientId: string;
  readonly applicationId: string;
  /** Absent where the application acts on its own behalf. */
  readonly user?: TokenUser;
  /** The name of the user for the client, where that is not the id. No JWT has one. */
  readonly subject?: string | undefined;
  /** Names of single claims that UserInfo gives for it (OpenID Connect Core 1.0 section 5.5). */
  readonly claims?: readonly string[] | undefined;
  readonly scopes: readonly string[];
  /** The roles of the user that the scopes come from. */
  readonly roleIds: readonly string[];
  /** The grant that it is revoked with: the family of its refresh token, or a grant of this token alone. */
  readonly grantId: string;
  /** As callers see it (`iat`), in seconds since 1970. */
  readonly issuedAtSeconds: number;
  /**
   * The issue time that revocations are compared with (revocation-store.ts), in milliseconds since 1970. It can be some
   * seconds ahead of the clock.
   */
  readonly issuedMs: number;
  readonly expiresAtSeconds: number;
  /** The addresses of the resources that it is for (RFC 8707); absent for all of this service (decision 0080). */
  readonly audience?: readonly string[];
  /**
   * The user signed in for it in a browser: it permits exactly its scopes, as an exchanged token does. Absent for the
   * grant `password`, where the client had the password of the user.
   */
  readonly isDelegated?: boolean | undefined;
  /**
   * The sign-in that it is the first token of, where the person gave it the own account (`internal_login`). No later
   * one has it: neither a refreshed nor an exchanged token (decision 0145).
   */
  readonly proof?: SignInProof | undefined;
  /** The session in the browser that it ends with; absent where it outlives its session (decision 0116). */
  readonly sid?: string | undefined;
  /** The exchanges that it comes from, the latest first (decision 0081). */
  readonly exchanges?: readonly Exchange[];
  /** The key that the holder must prove to have; absent for a token that anybody who has it can use. */
  readonly cnf?: Confirmation;
}

/** Whom a token is about, for callers: the user, by its name for the client, or the client itself. */
export function shownSubject(token: AccessToken): string {
  return token.subject ?? (token.user ? publicSubject(token.user) : token.clientId);
}

/** The subject of a user whose application has chosen no other. */
export function publicSubject({ id, home }: Pick<TokenUser, "id" | "home">): string {
  return home === undefined ? id : guestSubject(id, home);
}

/**
 * All that a token is revoked with as a grant: its own grant; the session that it ends with; and what its user has
 * allowed its client, until the user takes it back (decision 0116).
 */
export function grantsOf({
  grantId,
  sid,
  user,
  clientId,
}: Pick<AccessToken, "grantId" | "sid" | "user" | "clientId">): readonly string[] {
  return [grantId, ...(sid === undefined ? [] : [sid]), ...(user ? [permissionOf(user.id, clientId)] : [])];
}

/** The grant that stands for everything that a user has allowed a client. */
export function permissionOf(userId: string, clientId: string): string {
  return `${userId} ${clientId}`;
}

/** The `sub` of a JWT, which no guest gets: the user, or the client itself (RFC 9068 section 2.2). */
export function subjectOf({ user, clientId }: AccessToken): string {
  return user?.id ?? clientId;
}

/** The `aud` of a token. Without resources it is for its client, and for all of this service. */
export function audienceOf({ audience, clientId }: AccessToken, origin: string): readonly string[] {
  return audience ?? [clientId, origin];
}

/** True until a token expires. */
export function isAlive({ expiresAtSeconds }: { readonly expiresAtSeconds: number }, nowMs: number): boolean {
  return expiresAtSeconds * 1_000 > nowMs;
}

/** How far the clock of another container may be ahead of this one. */
export const CLOCK_TOLERANCE_MS = 5_000;

/** True for what was issued by a clock that is ahead of this one: it is not valid until the time that it names. */
export function isFromFuture({ issuedAtSeconds }: { readonly issuedAtSeconds: number }, nowMs: number): boolean {
  return issuedAtSeconds * 1_000 > nowMs + CLOCK_TOLERANCE_MS;
}
