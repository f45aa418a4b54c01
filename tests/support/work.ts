/**
 * Counts the work of code: steps that V8 counted (blocks of functions, elements that built-in functions visit), and
 * characters that built-in functions read. Unlike time, it is the same on every machine. Regular expressions do not
 * count: tests/unit/regular-expressions.test.ts proves that they are linear.
 */
import { Worker } from "node:worker_threads";

/** One computation on input. The module of the cases exports them as `cases`. */
export interface WorkCase {
  readonly name: string;
  /** Makes an input of a size, which is not counted, and returns the computation on it. */
  readonly prepare: (size: number) => () => unknown;
}

/** Which case to measure, and with what size. */
export interface Order {
  readonly name: string;
  readonly size: number;
}

/** What one run did. */
export interface Measured {
  readonly steps: number;
  /** Characters and bytes that built-in functions read. */
  readonly bytes: number;
  /** `accepted`, or the message of the error. */
  readonly outcome: string;
}

/** A thread that measures the cases of a module. */
export interface WorkMeter {
  readonly names: readonly string[];
  measure(order: Order): Promise<Measured>;
  stop(): Promise<void>;
}

/** Starts a thread for the cases of a module. Measures one case after the other. */
export const startMeter = async (module: URL): Promise<WorkMeter> => {
  // Options of this process, such as loaders of the test runner, do not apply to the thread.
  const thread = new Worker(new URL("./work-thread.ts", import.meta.url), {
    workerData: { module: module.href },
    execArgv: [],
  });
  const answer = <Answer>(): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        thread.off("message", onMessage).off("error", onError).off("exit", onExit);
        act();
      };
      const onError = (error: unknown) => settle(() => reject(error));
      const onExit = (code: number) => settle(() => reject(new Error(`the thread ended with code ${code}`)));
      const onMessage = (message: Answer & { readonly failed?: string }) =>
        settle(() => (message.failed === undefined ? resolve(message) : reject(new Error(message.failed))));
      thread.on("message", onMessage).on("error", onError).on("exit", onExit);
    });
  const { names } = await answer<{ readonly names: readonly string[] }>();
  return {
    names,
    async measure(order) {
      thread.postMessage(order);
      return answer<Measured>();
    },
    async stop() {
      await thread.terminate();
    },
  };
};
