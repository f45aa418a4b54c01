/** The only module that reads the time. */

/** A source of time. Tests pass a fixed one. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds of a monotonic clock; only differences are meaningful. */
export function elapsed(): number {
  return performance.now();
}

/** Resolves after the given milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
