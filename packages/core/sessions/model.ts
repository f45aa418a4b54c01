/** Sessions of users in browsers. */
import type { TokenUser } from "../tokens/model.ts";

/** A session of a user in a browser. */
export interface Session {
  readonly tenant: string;
  readonly user: TokenUser;
  /** Names the session to applications (`sid`); it is no secret. */
  readonly sid: string;
  /** When the user last entered the password, in seconds since 1970. */
  readonly authSeconds: number;
  /** The same time, as revocations are compared with it. */
  readonly startedMs: number;
  /** What the user has proven; absent for a password alone. */
  readonly methods?: readonly string[] | undefined;
  /** When the session was last used, in seconds. */
  readonly seenSeconds: number;
  /** When it ends, however often it is used. */
  readonly endsAtSeconds: number;
}

/** How long the session of a browser lasts, in seconds. */
export interface SessionLimits {
  /** It ends after this time without use. */
  readonly idleSeconds: number;
  /** It ends after this time, however often it is used. */
  readonly longestSeconds: number;
}

/** When a session ends if it is not used again, in seconds since 1970. Shorter limits hold for it too. */
export function endOf(
  { authSeconds, seenSeconds, endsAtSeconds }: Session,
  { idleSeconds, longestSeconds }: SessionLimits,
): number {
  return Math.min(endsAtSeconds, authSeconds + longestSeconds, seenSeconds + idleSeconds);
}
