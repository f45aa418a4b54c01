/**
 * A thread that measures work: V8 counts the blocks of every function from the moment the thread starts, so modules are
 * imported after that. See work.ts.
 */
import { Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import type { Measured, Order, WorkCase } from "./work.ts";
import { countNatives } from "./work-natives.ts";

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

const session = new Session();
session.connect();

/** Commands of the profiler call back before `post` returns. */
const post = <Result>(method: string, parameters: object = {}): Result => {
  let answer: unknown;
  session.post(method, parameters, (error: unknown, result: unknown) => {
    if (error) throw error;
    answer = result;
  });
  return answer as Result;
};

post("Profiler.enable");
post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

const { module } = workerData as { readonly module: string };
const { cases } = (await import(module)) as { readonly cases: readonly WorkCase[] };
const natives = countNatives();

/** The blocks that ran since the last call. The functions of this measurement itself do not count. */
const blocks = (): number => {
  const { result } = post<Coverage>("Profiler.takePreciseCoverage");
  let sum = 0;
  for (const { url, functions } of result) {
    if (url.includes("/tests/support/work-")) continue;
    for (const { ranges } of functions) for (const { count } of ranges) sum += count;
  }
  return sum;
};

const measure = async ({ name, size }: Order): Promise<Measured> => {
  const found = cases.find((each) => each.name === name);
  if (!found) throw new Error(`${module} has no case ${name}`);
  const run = found.prepare(size);
  blocks();
  natives.elements = 0;
  natives.bytes = 0;
  let outcome = "accepted";
  try {
    await run();
  } catch (error) {
    outcome = error instanceof Error ? error.message : String(error);
  }
  const { elements, bytes } = natives;
  return { steps: blocks() + elements, bytes, outcome };
};

parentPort?.on("message", async (order: Order) => {
  try {
    parentPort?.postMessage(await measure(order));
  } catch (error) {
    parentPort?.postMessage({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
parentPort?.postMessage({ names: cases.map(({ name }) => name) });
