/** The only place that reads the time. */

/** A source of time. Tests pass one that stands still. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds of a clock that never jumps; only differences mean something. */
export function elapsed(): number {
  return performance.now();
}

/** Resolves after the given milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
