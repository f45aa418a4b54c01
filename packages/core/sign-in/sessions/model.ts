/** Sessions of users in browsers. */
import type { ToldClient } from "../../tokens/logout-model.ts";
import type { TokenUser } from "../../tokens/model.ts";

/** A session of a user in a browser. */
export interface Session {
  readonly tenant: string;
  readonly user: TokenUser;
  /** Names the session to applications (`sid`) and to callers of the API; it is no secret. */
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
  /** Where the user last entered the password: as people recognise it, and nothing is decided by it. */
  readonly ip: string;
  readonly userAgent?: string | undefined;
}

/** A client that got a code in a session. */
export interface SessionClient extends ToldClient {
  /** True where its tokens end with the session. */
  readonly endsTokens?: boolean | undefined;
}

/** How long the session of a browser lasts, in seconds. */
export interface SessionLimits {
  /** It ends after this time without use. */
  readonly idleSeconds: number;
  /** It ends after this time, however often it is used. */
  readonly longestSeconds: number;
}

/** The sessions that a user can have at once: one more ends the one that was used longest ago. */
export const SESSIONS_MAX = 50;

/** The characters of a browser's name for itself that are kept. */
const USER_AGENT_MAX = 512;

/** What is kept of the header `User-Agent`. */
export function userAgentOf(header: string | undefined): string | undefined {
  return header ? header.toWellFormed().slice(0, USER_AGENT_MAX) : undefined;
}
