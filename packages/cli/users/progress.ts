/** A progress bar on standard error. */
import { SingleBar } from "cli-progress";

/** Starts a bar. `total` 0 shows a count without an end. */
export function progressOf(title: string, total: number, done = 0) {
  const bar = new SingleBar({
    format: `${title} {bar} {value}/{total} {eta_formatted}`,
    clearOnComplete: true,
    stream: process.stderr,
  });
  bar.start(total, done);
  return {
    add: (count: number) => bar.increment(count),
    stop: () => bar.stop(),
  };
}
