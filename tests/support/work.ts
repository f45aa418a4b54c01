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

/** What some runs did together. */
export interface Measured {
  readonly steps: number;
  /** Characters and bytes that built-in functions read. */
  readonly bytes: number;
  /** Of each run: `accepted`, or the message of the error. */
  readonly outcomes: readonly string[];
}

/** A process that measures the cases of a module. */
export interface WorkMeter {
  /** The cases of the module. */
  readonly cases: readonly Omit<SizedCase, "prepare">[];
  /** Runs cases one after the other. Counting takes longer than most of them: it counts once for all. */
  measure(...orders: readonly Order[]): Promise<Measured>;
  stop(): void;
}

/**
 * Optimized code does not count the functions that it inlines: when V8 optimizes depends on what ran before. Sparkplug
 * inlines nothing; its code is faster than the interpreter.
 */
const FLAGS = ["--no-opt", "--no-maglev", "--no-lazy-feedback-allocation", "--always-sparkplug"];

/** Starts a process for the cases of a module. Measures one case after the other. */
export const startMeter = async (module: URL): Promise<WorkMeter> => {
  // Options of this process, such as loaders of the test runner, do not apply to the other one.
  const child = fork(fileURLToPath(new URL("./work-process.ts", import.meta.url)), [module.href], { execArgv: FLAGS });
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
  let last: Promise<unknown> = Promise.resolve();
  const { cases } = await answer<Pick<WorkMeter, "cases">>();
  return {
    cases,
    measure(...orders) {
      // A test that was given up waits for its answer here: the next one must not take that for its own.
      const measured = last.then(() => {
        child.send(orders);
        return answer<Measured>();
      });
      last = measured.catch(() => undefined);
      return measured;
    },
    stop() {
      child.disconnect();
    },
  };
};
