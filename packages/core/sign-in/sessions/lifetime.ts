/** When sessions end by themselves. */
import { isEndedBy } from "../../tokens/revocation-store.ts";
import type { Session, SessionLimits } from "./model.ts";

/** When a session ends if it is not used again, in seconds since 1970. Shorter limits hold for it too. */
export function endOf(
  { authSeconds, seenSeconds, endsAtSeconds }: Session,
  { idleSeconds, longestSeconds }: SessionLimits,
): number {
  return Math.min(endsAtSeconds, authSeconds + longestSeconds, seenSeconds + idleSeconds);
}

/** Whether a change of the account of its user has ended a session. `userFromMs`: the latest revocation of the user. */
export function isEndedByAccount({ startedMs, authSeconds }: Session, userFromMs: number, nowMs: number): boolean {
  return isEndedBy(userFromMs, { issuedMs: startedMs, issuedAtSeconds: authSeconds }, nowMs);
}
