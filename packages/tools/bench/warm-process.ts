/**
 * Many requests to one function, in a process of its own: prints their processor time as its last line. A profile of
 * further requests says whose it is.
 */
import { readFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";
import { checkSuccess } from "./cold-start.ts";
import type { Warm } from "./warm.ts";

type Share = "own" | "libraries" | "database" | "engine";

const SAMPLE_US = 200;
const REQUEST_MS = 9_000;
const US_PER_MS = 1_000;

const [name = "", eventFile = "", calls = ""] = process.argv.slice(2);
const text = readFileSync(eventFile, "utf8");
const { handler } = (await import(new URL(`../../../functions/${name}.ts`, import.meta.url).href)) as {
  handler(event: unknown, context: unknown): Promise<unknown>;
};
const context = { functionName: name, getRemainingTimeInMillis: () => REQUEST_MS };

const serve = async (): Promise<void> => {
  for (let call = 0; call < Number(calls); call += 1) {
    const result = JSON.stringify(await handler(JSON.parse(text), context));
    if (call === 0 || call === Number(calls) - 1) checkSuccess(result);
  }
};

await serve();
const before = process.cpuUsage();
await serve();
const { user, system } = process.cpuUsage(before);
const shares = sharesIn(await profiled(serve));
const warm: Warm = { all: (user + system) / US_PER_MS / Number(calls), ...shares };
// Some clients keep connections: the process does not wait for them.
process.stdout.write(`\n${JSON.stringify(warm)}\n`, () => process.exit());

async function profiled(work: () => Promise<void>): Promise<Profiler.Profile> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: SAMPLE_US });
  await session.post("Profiler.start");
  await work();
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  return profile;
}

/** Each sample belongs to the nearest caller that is a file of this project or of a library. */
function sharesIn({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Record<Share, number> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const stackOf = (leaf: number): Profiler.Profile["nodes"][number]["callFrame"][] => {
    const frame = byId.get(leaf);
    const parent = parents.get(leaf);
    return frame ? [frame, ...(parent === undefined ? [] : stackOf(parent))] : [];
  };
  const owners = new Map(nodes.map(({ id }) => [id, ownerOf(stackOf(id))]));
  const sums: Record<Share, number> = { own: 0, libraries: 0, database: 0, engine: 0 };
  for (const [at, id] of samples.entries()) {
    const owner = owners.get(id);
    if (owner) sums[owner] += timeDeltas[at] ?? 0;
  }
  const all = Object.values(sums).reduce((sum, each) => sum + each, 0);
  return {
    own: sums.own / all,
    libraries: sums.libraries / all,
    database: sums.database / all,
    engine: sums.engine / all,
  };
}

/** `undefined` while the process waits. */
function ownerOf(stack: readonly { readonly functionName: string; readonly url: string }[]): Share | undefined {
  if (stack[0]?.functionName === "(idle)") return undefined;
  const urls = stack.map(({ url }) => url);
  // Answers of the database come without a caller: this process has no other connection.
  if (urls.some((url) => url.includes("/packages/core/database/table/client/"))) return "database";
  const nearest = urls.find((url) => url.startsWith("file:"));
  if (nearest) return nearest.includes("/node_modules/") ? "libraries" : "own";
  return urls.some((url) => /^node:(net|_http|internal\/stream)/.test(url)) ? "database" : "engine";
}
