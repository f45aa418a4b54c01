/** Time that is virtual, so that a minute of many callers takes a moment, and is the same in every run. */
import { randomOf } from "./random.ts";

/**
 * The end of the time of the last one: the next begins later, because a container remembers the times that it saw. The
 * first one begins later than any real time, and always at the same: ids and leases depend on it. Ids that are made
 * after it in the same process continue from it, so a test that uses it needs modules of its own.
 */
let endedMs = Date.UTC(2100, 0);

/** Virtual time. */
export interface VirtualTime {
  /** Its milliseconds. */
  readonly now: () => number;
  /** Resolves after that many of them. */
  readonly pause: (ms: number) => Promise<void>;
  /** Runs what waits by `setTimeout` and reads `performance.now()` or `Date.now()`, in its time. */
  run<R>(during: () => Promise<R>): Promise<R>;
}

interface Timer {
  readonly atMs: number;
  readonly order: number;
  readonly go: () => void;
}

/** Begins at zero. The seed decides `Math.random()` while something runs: how long retries wait. */
export function virtualTime(seed = 1): VirtualTime {
  let timers: Timer[] = [];
  let [nowMs, order] = [0, 0];
  const ownMs = endedMs + 1;
  const random = randomOf(seed);

  const at = (ms: number, go: () => void): void => {
    order += 1;
    const timer = { atMs: nowMs + ms, order, go };
    let [from, to] = [0, timers.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((timers[middle]?.atMs ?? 0) <= timer.atMs) from = middle + 1;
      else to = middle;
    }
    timers.splice(from, 0, timer);
  };
  const pause = (ms: number): Promise<void> => new Promise((go) => at(ms, go));

  return {
    now: () => nowMs,
    pause,
    async run(during) {
      const { setTimeout: real } = globalThis;
      const { now } = performance;
      const { now: clock } = Date;
      const { random: unseeded } = Math;
      globalThis.setTimeout = ((go: () => void, ms = 0) => at(ms, go)) as typeof setTimeout;
      performance.now = () => nowMs;
      // Leases and the entries of times go by it: in real time, a busy machine would change what happens.
      Date.now = () => ownMs + Math.floor(nowMs);
      Math.random = () => random.upTo(1_000_000) / 1_000_000;
      try {
        let isOver = false;
        const result = during().finally(() => {
          isOver = true;
        });
        result.catch(() => undefined);
        while (!isOver) {
          await new Promise((next) => setImmediate(next));
          const [first] = timers;
          if (isOver || !first) continue;
          timers = timers.slice(1);
          nowMs = first.atMs;
          first.go();
        }
        return await result;
      } finally {
        globalThis.setTimeout = real;
        performance.now = now;
        Date.now = clock;
        Math.random = unseeded;
        endedMs = ownMs + Math.ceil(nowMs);
      }
    },
  };
}
