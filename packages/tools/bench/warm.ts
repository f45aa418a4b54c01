/**
 * `npm run bench -- warm [calls]`: the processor time of a request in a function that has served many, and whose it is:
 * our code's, the libraries', or that of calling the database. Each function runs in a process of its own, from its
 * sources, without gateway and authorizer; the database runs in another.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../deploy/bundle.ts";
import { type ColdCase, recordCases } from "./cold-cases.ts";
import { runAsFunction } from "./cold-start.ts";

const PROGRAM = join(root, "packages/tools/bench/warm-process.ts");

/** The cases that are measured, and the most milliseconds of all of a request, and of our code, that are the goal. */
const GOALS: ReadonlyMap<string, { readonly all: number; readonly own: number } | undefined> = new Map([
  ["scim2, reads a user", { all: 0.8, own: 0.3 }],
  ["scim2, lists users", undefined],
  ["applications, lists", undefined],
  ["oauth2, issues a JWT", undefined],
  ["authorizer, by password", undefined],
  ["authorizer, by JWT", undefined],
]);

/** Milliseconds of processor time for one request. */
export interface Warm {
  /** All threads of the process, without a profiler. */
  readonly all: number;
  /** Shares of the main thread, by a profile: they sum up to 1. */
  readonly own: number;
  readonly libraries: number;
  readonly database: number;
  readonly engine: number;
}

/** Measures and prints all cases, each with that many requests after as many that warm it up. */
export async function measureWarm(calls: number): Promise<void> {
  const directory = join(root, ".build/warm");
  await mkdir(directory, { recursive: true });
  const { cases, endpoint, close } = await recordCases(directory);
  try {
    console.log(`\nWarm functions: milliseconds of processor time for a request, ${calls} requests each`);
    console.log(
      `${"".padEnd(26)}${["all", "our code", "libraries", "database", "Node.js"].map((head) => head.padStart(11)).join("")}   goal`,
    );
    for (const each of cases) {
      if (GOALS.has(each.name)) print(each.name, await measure(each, endpoint, calls));
    }
  } finally {
    await close();
  }
}

function measure(each: ColdCase, endpoint: string, calls: number): Promise<Warm> {
  return runAsFunction<Warm>([PROGRAM, each.function, each.event, String(calls)], {
    memoryMb: each.memoryMb,
    environment: { ...each.environment, DYNAMODB_ENDPOINT: endpoint },
  });
}

function print(name: string, { all, own, libraries, database, engine }: Warm): void {
  const cells = [all, ...[own, libraries, database, engine].map((share) => share * all)];
  const goal = GOALS.get(name);
  console.log(
    `${name.padEnd(26)}${cells.map((ms) => ms.toFixed(2).padStart(11)).join("")}   ${goal ? `${goal.all}, our code ${goal.own}` : ""}`,
  );
}
