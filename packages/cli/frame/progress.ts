/** Progress of long work, on standard error: a bar on a terminal, plain lines elsewhere. */
import { SingleBar } from "cli-progress";

/** Work that goes on. */
export interface Progress {
  add(count?: number): void;
  stop(): void;
}

export interface ProgressOptions {
  /** Shows none. */
  readonly isQuiet?: boolean | undefined;
  /** What an earlier run has done. */
  readonly done?: number;
}

/** Lines of a log are written for each tenth of the work, */
const LINES = 10;
/** or after so many steps of work whose end is not known. */
const STEPS = 500;
const NOTHING: Progress = { add: () => undefined, stop: () => undefined };

/** Starts to show the progress of some work. `total` is `undefined` where the end is not known. */
export function progressOf(
  label: string,
  total: number | undefined,
  { isQuiet = false, done = 0 }: ProgressOptions = {},
): Progress {
  if (isQuiet || total === 0) return NOTHING;
  if (process.stderr.isTTY && !process.env.CI) return barOf(label, total, done);
  return total === undefined ? countOf(label, done) : linesOf(label, total, done);
}

function barOf(label: string, total: number | undefined, done: number): Progress {
  const bar = new SingleBar({
    format: total === undefined ? `${label} {value}` : `${label} {bar} {value}/{total} {eta_formatted}`,
    clearOnComplete: true,
    stream: process.stderr,
  });
  bar.start(total ?? 0, done);
  return { add: (count = 1) => bar.increment(count), stop: () => bar.stop() };
}

function linesOf(label: string, total: number, before: number): Progress {
  // Short work needs no lines.
  if (total < LINES) return NOTHING;
  const tenthOf = (done: number) => Math.floor((done * LINES) / total);
  let done = before;
  return {
    add(count = 1) {
      done += count;
      if (tenthOf(done) > tenthOf(done - count)) process.stderr.write(`${label} ${done}/${total}\n`);
    },
    stop: () => undefined,
  };
}

function countOf(label: string, before: number): Progress {
  let done = before;
  return {
    add(count = 1) {
      done += count;
      if (Math.floor(done / STEPS) > Math.floor((done - count) / STEPS)) process.stderr.write(`${label} ${done}\n`);
    },
    stop: () => undefined,
  };
}
