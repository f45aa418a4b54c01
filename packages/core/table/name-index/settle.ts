/** Trying again while others write. */

import { elapsed, pause } from "../../platform/clock.ts";
import { Fault } from "../../platform/faults.ts";

const WAIT_FIRST_MS = 2;
const WAIT_MOST_MS = 100;

/** What was read is not how things are any more: the attempt must start over. Never leaves the index. */
export class Moved extends Error {}

/**
 * Attempts until an attempt does not end in `Moved`: a second time at once, because a split is done in one step, and
 * from then on with jitter.
 * @param attempt is told how many went before it
 * @throws `service.unavailable` once the deadline (in milliseconds) has passed
 */
export async function settle<R>(deadlineMs: number, attempt: (before: number) => Promise<R>): Promise<R> {
  const start = elapsed();
  for (let before = 0; ; before += 1) {
    try {
      return await attempt(before);
    } catch (error) {
      if (!(error instanceof Moved)) throw error;
      if (elapsed() - start > deadlineMs) {
        throw new Fault("service.unavailable", "The service is busy. Try again in a moment.", { cause: error });
      }
      if (before > 0) await pause(Math.random() * Math.min(WAIT_MOST_MS, WAIT_FIRST_MS * 2 ** before));
    }
  }
}

/** Runs tasks side by side, at most `width` at a time. A failure is thrown once all have ended. */
export async function sideBySide<T>(
  items: readonly T[],
  width: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const lane = async (): Promise<void> => {
    for (const item of waiting) await task(item);
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, lane));
  const failed = lanes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}
