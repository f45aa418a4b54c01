/**
 * Counts the work of code: steps that V8 counted (blocks of functions, elements that built-in functions visit), and
 * characters that built-in functions read. Unlike time, it is the same on every machine. Regular expressions do not
 * count: tests/unit/regular-expressions.test.ts proves that they are linear.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { SizedCase } from "#tests/bounds/sized.ts";

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

/** A process that measures the cases of a module. */
export interface WorkMeter {
  /** The cases of the module. */
  readonly cases: readonly Omit<SizedCase, "prepare">[];
  measure(order: Order): Promise<Measured>;
  stop(): void;
}

/** Starts a process for the cases of a module. Measures one case after the other. */
export const startMeter = async (module: URL): Promise<WorkMeter> => {
  // Options of this process, such as loaders of the test runner, do not apply to the other one.
  const child = fork(fileURLToPath(new URL("./work-process.ts", import.meta.url)), [module.href], { execArgv: [] });
  const answer = <Answer>(): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        child.off("message", onMessage).off("exit", onExit);
        act();
      };
      const onExit = (code: number | null) => settle(() => reject(new Error(`the process ended with code ${code}`)));
      const onMessage = (given: unknown) => {
        const message = given as Answer & { readonly failed?: string };
        settle(() => (message.failed === undefined ? resolve(message) : reject(new Error(message.failed))));
      };
      child.on("message", onMessage).on("exit", onExit);
    });
  const { cases } = await answer<Pick<WorkMeter, "cases">>();
  return {
    cases,
    async measure(order) {
      child.send(order);
      return answer<Measured>();
    },
    stop() {
      child.disconnect();
    },
  };
};
