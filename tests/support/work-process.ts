/**
 * A process that measures work: V8 counts the blocks of every function from the moment that this module runs, so the
 * others are imported after that. See work.ts.
 */
import { Session } from "node:inspector";
import type { SizedCase } from "#tests/bounds/sized.ts";
import type { Measured, Order } from "./work.ts";
import { countNatives } from "./work-natives.ts";

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

/** What a module of cases exports. */
interface MeasuredModule {
  readonly cases: readonly SizedCase[];
  /** Ends what the module started. */
  readonly stop?: () => Promise<void>;
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

const [module = ""] = process.argv.slice(2);
const { cases, stop } = (await import(module)) as MeasuredModule;
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

const outcomeOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
    return "accepted";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

const measure = async (orders: readonly Order[]): Promise<Measured> => {
  const runs = orders.map(({ name, size }) => {
    const found = cases.find((each) => each.name === name);
    if (!found) throw new Error(`${module} has no case ${name}`);
    return found.prepare(size);
  });
  blocks();
  natives.elements = 0;
  natives.bytes = 0;
  const outcomes: string[] = [];
  for (const run of runs) outcomes.push(await outcomeOf(run));
  const { elements, bytes } = natives;
  return { steps: blocks() + elements, bytes, outcomes };
};

process.on("message", async (orders: readonly Order[]) => {
  try {
    process.send?.(await measure(orders));
  } catch (error) {
    process.send?.({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
process.on("disconnect", async () => {
  await stop?.();
  process.exit();
});
process.send?.({ cases: cases.map(({ prepare: _, ...rest }) => rest) });
