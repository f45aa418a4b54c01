/** The seeded runs with calls that are never responded to, more pages, and kills in the middle of large changes. */
import { expect, test } from "vitest";
import { seedsOf } from "./seeds.ts";
import { PASSING_FAULTS, runPlan } from "./workload.ts";

const TROUBLE_MS = 10_000;
const WRITES = 150;

test.each(seedsOf(2))("no acknowledged write is lost among silent calls and kills (seed %i)", async (seed) => {
  const { report, summary } = await runPlan({
    seed,
    odds: { ...PASSING_FAULTS, hang: 0.02, silent: 0.02, page: 0.05 },
    troubleMs: TROUBLE_MS,
    writes: WRITES,
    kills: ["service", "both"],
    hasLarge: true,
  });
  process.stdout.write(`${summary}\n`);
  expect(report).toBe("");
});
