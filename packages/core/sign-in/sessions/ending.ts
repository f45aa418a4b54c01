/** What happens when a session ends. */
import type { ClientLimits } from "../../applications/protocols/limits.ts";
import type { Step } from "../../database/table/table.ts";
import { addingLogout } from "../../tokens/logout-store.ts";
import { lastTokenSeconds } from "../../tokens/refresh-family-store.ts";
import { endingPages, revocationTime, revokingGrant } from "../../tokens/revocation-store.ts";
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
function endingSession(
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

/** The longest that a page of sign-in can be open, from the password on. */
const PAGES_SECONDS = 2 * 60 * 60;

/**
 * The steps that end some sessions, each as `endingSession` does, and the pages of sign-in that are open for their
 * users: such a page must not bring a session back (decision 0146). Four steps for each session, one for each user;
 * make them again for every attempt.
 */
export function endingSessions(ended: readonly SessionWithClients[], limits: EndLimits, nowMs: number): Step[] {
  const users = new Map(
    ended.map(({ session: { tenant, user } }) => [`${tenant}#${user.id}`, { tenant, id: user.id }]),
  );
  const untilSeconds = Math.ceil(nowMs / 1_000) + PAGES_SECONDS;
  return [
    ...ended.flatMap((each) => endingSession(each, limits, nowMs)),
    ...[...users.values()].map(({ tenant, id }) => endingPages(tenant, id, untilSeconds)),
  ];
}
