/** What happens when a session ends. */
import type { ClientLimits } from "../applications/protocols/limits.ts";
import type { Step } from "../table/table.ts";
import { addingLogout } from "../tokens/logout-store.ts";
import { FAMILY_SECONDS } from "../tokens/refresh-family-store.ts";
import { revocationTime, revokingGrant } from "../tokens/revocation-store.ts";
import { endOf } from "./lifetime.ts";
import type { SessionLimits } from "./model.ts";
import { keyOf, removingSession, type SessionWithClients } from "./session-store.ts";

/** The limits that say how long tokens of a grant can live. */
export type TokenLimits = Pick<ClientLimits, "accessTokenSecondsMax" | "refreshTokenSecondsMax">;

/** What decides on the steps that end a session. */
export interface EndLimits {
  readonly sessionLimits: SessionLimits;
  readonly tokenLimits: TokenLimits;
}

/** A request that has found a session open is over after less than that. */
const REQUEST_SECONDS = 60;

/**
 * The steps that end a session, have its clients told, and end the tokens that end with it. At most four steps; make
 * them again for every attempt. Unless the session was over before, they do not depend on the clients that were read:
 * one more may get its first code until the session is removed.
 */
export function endingSession(
  { session, clients }: SessionWithClients,
  { sessionLimits, tokenLimits }: EndLimits,
  nowMs: number,
): Step[] {
  const key = keyOf(session);
  const { tenant, sid } = session;
  const mayGetClients = nowMs / 1_000 < endOf(session, sessionLimits) + REQUEST_SECONDS;
  return [
    removingSession(key),
    ...(mayGetClients || clients.length > 0 ? [addingLogout({ kind: "session", ...key, endedMs: nowMs })] : []),
    ...(mayGetClients || clients.some(({ endsTokens }) => endsTokens)
      ? revokingGrant(tenant, sid, revocationTime(), lastTokenSeconds(tokenLimits, nowMs))
      : []),
  ];
}

/** When the last token of a grant that begins now can expire. */
export function lastTokenSeconds(
  { accessTokenSecondsMax, refreshTokenSecondsMax }: TokenLimits,
  nowMs: number,
): number {
  return Math.ceil(nowMs / 1_000) + Math.max(FAMILY_SECONDS, refreshTokenSecondsMax) + accessTokenSecondsMax;
}
