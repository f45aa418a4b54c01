/** What happens when a session ends. */
import type { ClientLimits } from "../applications/protocols/limits.ts";
import type { Step } from "../table/table.ts";
import { addingLogout } from "../tokens/logout-store.ts";
import { FAMILY_SECONDS } from "../tokens/refresh-family-store.ts";
import { revocationTime, revokingGrant } from "../tokens/revocation-store.ts";
import { keyOf, removingSession, type SessionWithClients } from "./session-store.ts";

/** The limits that say how long tokens of a grant can live. */
export type TokenLimits = Pick<ClientLimits, "accessTokenSecondsMax" | "refreshTokenSecondsMax">;

/**
 * The steps that end a session, have its clients told, and end the tokens that end with it. At most four steps; make
 * them again for every attempt.
 */
export function endingSession({ session, clients }: SessionWithClients, limits: TokenLimits, nowMs: number): Step[] {
  const key = keyOf(session);
  const { tenant, sid } = session;
  return [
    removingSession(key),
    ...(clients.length > 0 ? [addingLogout({ kind: "session", ...key, endedMs: nowMs })] : []),
    ...(clients.some(({ endsTokens }) => endsTokens)
      ? revokingGrant(tenant, sid, revocationTime(), lastTokenSeconds(limits, nowMs))
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
