/** Retries with exponential back-off and full jitter. */
import { elapsed, pause } from "./clock.ts";

/** When and how long to retry. Times are in milliseconds. */
export interface RetryPolicy {
  /** Whether another attempt may succeed. */
  isTransient(error: unknown): boolean;
  /** The longest wait before the second attempt; it doubles from attempt to attempt, up to `mostMs`. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** Whether there is time for a wait of that length and another attempt, after a failure for that reason. */
  hasTime(waitMs: number, cause: unknown): boolean;
  /** The error to throw when there is none. */
  exhausted(cause: unknown): Error;
}

/** Repeats an attempt while it fails for transient reasons. Passes the number of earlier attempts to it. */
export async function retry<R>(policy: RetryPolicy, attempt: (before: number) => Promise<R>): Promise<R> {
  for (let before = 0; ; before += 1) {
    try {
      return await attempt(before);
    } catch (error) {
      if (!policy.isTransient(error)) throw error;
      const waitMs = Math.random() * Math.min(policy.mostMs, policy.firstMs * 2 ** before);
      if (!policy.hasTime(waitMs, error)) throw policy.exhausted(error);
      await pause(waitMs);
    }
  }
}

/** `hasTime` of a policy that starts attempts for a period from now on. The last of them may end later. */
export function startingWithin(periodMs: number): RetryPolicy["hasTime"] {
  const startMs = elapsed();
  return () => elapsed() - startMs <= periodMs;
}
