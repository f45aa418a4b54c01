/**
 * Counts of round trips that do not depend on how busy the machine is: calls of the database that are made at the same
 * time are answered at the same time. Without it, a call whose answer is late can begin the next one of its chain after
 * the end of a later call of another chain, and counts as one round trip more.
 */
import { HttpTransport } from "#core/database/table/client/transport.ts";

/** Runs what calls the database from this process, and gives each call its answer once all pending ones have theirs. */
export const inLockstep = async <R>(run: () => Promise<R>): Promise<R> => {
  const { send: sending } = HttpTransport.prototype;
  let pending = 0;
  let waiting: (() => void)[] = [];
  const ended = async (): Promise<void> => {
    const all = new Promise<void>((open) => waiting.push(open));
    if (waiting.length === pending) {
      pending = 0;
      for (const open of waiting) open();
      waiting = [];
    }
    await all;
  };
  HttpTransport.prototype.send = function send(call) {
    pending += 1;
    return sending.call(this, call).finally(ended);
  };
  try {
    return await run();
  } finally {
    HttpTransport.prototype.send = sending;
  }
};
