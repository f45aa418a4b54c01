/** Clocks that advance on request only, so that caches with a life of some seconds behave the same on every machine. */

/** Stops the clocks that the service reads. */
export interface StillTime {
  /** Advances the clocks by some milliseconds. */
  pass(milliseconds: number): void;
  /** Lets the clocks run again. */
  resume(): void;
}

/**
 * Stops `Date.now` and `performance.now` of this process, which `packages/core/kernel` reads the time from: now, or
 * at another moment (milliseconds since 1970).
 */
export const stopTime = (at = Date.now()): StillTime => {
  const { now: dateNow } = Date;
  const elapsedNow = performance.now.bind(performance);
  const [date, elapsed] = [at, elapsedNow()];
  let passed = 0;
  Date.now = () => date + passed;
  performance.now = () => elapsed + passed;
  return {
    pass(milliseconds) {
      passed += milliseconds;
    },
    resume() {
      Date.now = dateNow;
      performance.now = elapsedNow;
    },
  };
};
