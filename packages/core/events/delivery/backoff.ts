/** When a delivery that failed is tried again. Pure. */
import type { Failures, Outcome, Progress } from "./model.ts";

const SECOND_MS = 1_000;
const FIRST_MS = 5 * SECOND_MS;
const FACTOR = 3;
const MOST_MS = 60 * 60 * SECOND_MS;

/** A subscriber is paused whose receiver does not accept something for so long. */
export const GIVE_UP_MS = 24 * 60 * 60 * SECOND_MS;

/** No failure. */
export const noFailures: Failures = { failures: 0, firstFailureMs: 0, nextAttemptMs: 0 };

/**
 * The failures after a further one, with the time of the next attempt; `undefined` after a day of failures. Waits grow
 * threefold from 5 seconds to an hour; each is between half and all of that by `random` (0 to 1), and at least what the
 * receiver asked for.
 */
export function afterFailure(
  before: Failures,
  { afterMs = 0 }: Extract<Outcome, { readonly kind: "failed" }>,
  nowMs: number,
  random: number,
): Failures | undefined {
  const firstFailureMs = before.failures === 0 ? nowMs : before.firstFailureMs;
  if (nowMs - firstFailureMs >= GIVE_UP_MS) return undefined;
  const failures = before.failures + 1;
  const most = Math.min(MOST_MS, FIRST_MS * FACTOR ** (failures - 1));
  const waitMs = Math.max((most / 2) * (1 + random), Math.min(afterMs, GIVE_UP_MS));
  return { failures, firstFailureMs, nextAttemptMs: Math.ceil(nowMs + waitMs) };
}

/** The progress after the receiver accepted something. The last failure stays while something of it is held. */
export function afterSuccess({ lastFailure, ...progress }: Progress, nowMs: number): Progress {
  const isHeld = progress.held.length > 0 && lastFailure !== undefined;
  return { ...progress, ...noFailures, lastDeliveryMs: nowMs, ...(isHeld && { lastFailure }) };
}
