/** When a delivery that failed is tried again. Pure. */
import type { Outcome, Progress } from "./model.ts";

const SECOND_MS = 1_000;
const FIRST_MS = 5 * SECOND_MS;
const FACTOR = 3;
const MOST_MS = 60 * 60 * SECOND_MS;

/** A subscriber whose receiver accepts nothing for so long is paused. */
export const GIVE_UP_MS = 24 * 60 * 60 * SECOND_MS;

/**
 * The progress after a failed attempt: with the time of the next one, or with a pause after a day of failures. Waits
 * grow threefold from 5 seconds to an hour; each is between half and all of that by `random` (0 to 1), and at least
 * what the receiver asked for.
 */
export function afterFailure(
  progress: Progress,
  { what, afterMs = 0 }: Extract<Outcome, { readonly kind: "failed" }>,
  nowMs: number,
  random: number,
): Progress {
  const firstFailureMs = progress.failures === 0 ? nowMs : progress.firstFailureMs;
  const failures = progress.failures + 1;
  const failed: Progress = { ...progress, failures, firstFailureMs, lastFailure: what };
  if (nowMs - firstFailureMs >= GIVE_UP_MS) {
    return { ...failed, nextAttemptMs: 0, pause: { reason: `No delivery succeeded for a day. ${what}`, atMs: nowMs } };
  }
  const most = Math.min(MOST_MS, FIRST_MS * FACTOR ** (failures - 1));
  const waitMs = Math.max((most / 2) * (1 + random), Math.min(afterMs, GIVE_UP_MS));
  return { ...failed, nextAttemptMs: Math.ceil(nowMs + waitMs) };
}

/** The progress after the receiver accepted something. */
export function afterSuccess({ lastFailure: _, ...progress }: Progress, nowMs: number): Progress {
  return { ...progress, failures: 0, firstFailureMs: 0, nextAttemptMs: 0, lastDeliveryMs: nowMs };
}
