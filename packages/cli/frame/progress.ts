/** Progress of long work, on standard error: a bar on a terminal, plain lines elsewhere. */
import { SingleBar } from "cli-progress";

/** Work that goes on. */
export interface Progress {
  add(count?: number): void;
  stop(): void;
}

/** Lines of a log are written for each tenth of the work. */
const LINES = 10;

/** Starts to show the progress of some work. `isQuiet` shows none. */
export function progressOf(label: string, total: number, isQuiet = false): Progress {
  if (isQuiet || total === 0) return { add: () => undefined, stop: () => undefined };
  return process.stderr.isTTY && !process.env.CI ? barOf(label, total) : linesOf(label, total);
}

function barOf(label: string, total: number): Progress {
  const bar = new SingleBar({
    format: `${label} {bar} {value}/{total} {eta_formatted}`,
    clearOnComplete: true,
    stream: process.stderr,
  });
  bar.start(total, 0);
  return { add: (count = 1) => bar.increment(count), stop: () => bar.stop() };
}

function linesOf(label: string, total: number): Progress {
  // Short work needs no lines, so that a plan without changes says nothing.
  if (total < LINES) return { add: () => undefined, stop: () => undefined };
  let [done, shown] = [0, 0];
  return {
    add(count = 1) {
      done += count;
      const tenth = Math.floor((done * LINES) / total);
      if (tenth === shown) return;
      shown = tenth;
      process.stderr.write(`${label} ${done}/${total}\n`);
    },
    stop: () => undefined,
  };
}
