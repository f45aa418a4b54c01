/** Calls the function that delivers changes, as the stream of the table and the schedule do on AWS. */
import type { LambdaFunction } from "./gateway.ts";

/** A loop that runs. */
export interface DeliveryLoop {
  /** Ends it, after the run that has begun. */
  stop(): Promise<void>;
}

/** Starts a run after each pause. Runs do not overlap. */
export function startDeliveryLoop(deliver: LambdaFunction, pauseMs: number): DeliveryLoop {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let isStopped = false;
  const next = () => {
    if (isStopped) return;
    timer = setTimeout(() => {
      // The function reports its errors itself.
      running = Promise.resolve(deliver({ all: true } as never, {} as never)).then(next, next);
    }, pauseMs);
  };
  next();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
