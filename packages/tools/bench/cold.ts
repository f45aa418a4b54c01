/**
 * `npm run bench -- cold [rounds]`: the processor time of cold starts, each in a fresh process, next to that of a bare
 * handler with the same SDK client. It interleaves the rounds and compares processor time, because machines are shared.
 */
import { join } from "node:path";
import { build } from "esbuild";
import { BUNDLE, buildOptions, bundleFunction, root } from "../deploy/bundle.ts";
import { recordCases } from "./cold-cases.ts";
import { type ColdStart, coldStart, type Started } from "./cold-start.ts";

const directory = join(root, ".build/cold");
const BARE_MEMORY_MB = 512;

/** One line of the result: medians in milliseconds. */
interface Line extends ColdStart {
  readonly name: string;
  readonly ratio: number;
  readonly goal: number | undefined;
}

/** Measures and prints the cold starts, in that many rounds. */
export async function measureColdStarts(rounds: number): Promise<void> {
  const program = await built("packages/tools/bench/cold-process.ts", "process");
  const bare = await built("packages/tools/bench/cold-bare.ts", "bare");
  const { cases, close } = await recordCases(directory);
  try {
    for (const name of new Set(cases.map((each) => each.function))) await bundleFunction(name, join(directory, name));
    const [first] = cases;
    if (!first) throw new Error("no cold start to measure");
    const starts: readonly (Started & { readonly name: string; readonly goal?: number })[] = [
      { ...first, name: "bare handler", bundle: bare, memoryMb: BARE_MEMORY_MB, goal: 1 },
      ...cases.map((each) => ({ ...each, bundle: join(directory, each.function, BUNDLE) })),
    ];
    const measured = starts.map((): ColdStart[] => []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [at, each] of starts.entries()) measured[at]?.push(await coldStart(program, each));
    }
    const bareMs = totalOf(medians(measured[0] ?? []));
    print(
      starts.map(({ name, goal }, at) => {
        const cold = medians(measured[at] ?? []);
        return { ...cold, name, goal, ratio: totalOf(cold) / bareMs };
      }),
      rounds,
    );
  } finally {
    await close();
  }
}

/** Bundles a file of this project as functions are. Returns the path of the bundle. */
async function built(file: string, name: string): Promise<string> {
  const outdir = join(directory, name);
  await build({ ...buildOptions(name, outdir), entryPoints: [file] });
  return join(outdir, BUNDLE);
}

/** What Lambda bills for an init: everything, from the start of Node.js. */
function totalOf({ nodeMs, initMs, requestMs }: ColdStart): number {
  return nodeMs + initMs + requestMs;
}

function medians(starts: readonly ColdStart[]): ColdStart {
  const median = (pick: (start: ColdStart) => number) =>
    starts.map(pick).sort((a, b) => a - b)[Math.floor(starts.length / 2)] ?? Number.NaN;
  return {
    nodeMs: median(({ nodeMs }) => nodeMs),
    initMs: median(({ initMs }) => initMs),
    requestMs: median(({ requestMs }) => requestMs),
  };
}

function print(lines: readonly Line[], rounds: number): void {
  console.log(`\nCold starts: milliseconds of processor time, medians of ${rounds} interleaved rounds`);
  console.log(
    `${"".padEnd(30)} ${["node", "init", "request", "all", "ratio", "goal"].map((h) => h.padStart(8)).join("")}`,
  );
  for (const { name, goal, ratio, ...cold } of lines) {
    const numbers = [cold.nodeMs, cold.initMs, cold.requestMs, totalOf(cold)].map((ms) => ms.toFixed(0).padStart(8));
    console.log(
      `${name.padEnd(30)} ${numbers.join("")}${ratio.toFixed(2).padStart(8)}${(goal?.toFixed(1) ?? "").padStart(8)}`,
    );
  }
}
