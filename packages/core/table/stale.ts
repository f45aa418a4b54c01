/** Optimistic locking: read, change, write if nobody else did; otherwise once more. */

import { elapsed, pause } from "../platform/clock.ts";
import { Fault } from "../platform/faults.ts";

const RETRY_FOR_MS = 8_000;
const BACKOFF_FIRST_MS = 5;
/** Long enough for some hundred writers of one thing to come one after the other. */
const BACKOFF_MOST_MS = 1_600;

/** A write lost a race: what it was based on has changed. */
class Stale extends Error {}

/** The `otherwise` of a step that must be decided again on what is there now. */
export function stale(): Error {
  return new Stale("changed in between");
}

/**
 * Repeats an attempt that ends in `stale`, with full jitter. The attempt is told how many went before it.
 * Throws `resource.contended` after 8 seconds.
 */
export async function whileStale<R>(attempt: (before: number) => Promise<R>): Promise<R> {
  const start = elapsed();
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt(tries);
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      if (elapsed() - start > RETRY_FOR_MS) {
        throw new Fault("resource.contended", "Others keep changing the same thing. Try again in a moment.");
      }
      await pause(Math.random() * Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** tries));
    }
  }
}
