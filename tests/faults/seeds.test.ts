/**
 * Seeded runs of the whole service behind a database in trouble. By the seed nothing, the service, the engine or both are
 * killed in the middle.
 */
import { describe, expect, test } from "vitest";
import { seedsOf } from "./seeds.ts";
import type { Victim } from "./service.ts";
import { PASSING_FAULTS, runPlan } from "./workload.ts";

const TROUBLE_MS = 4_500;
const ACKNOWLEDGED_LEAST = 30;
const kills: readonly (readonly Victim[])[] = [["both"], [], ["service"], ["engine", "engine"]];

describe("after throttling, conflicts, cut connections, lost responses, pages and delays", () => {
  test.concurrent.each(seedsOf())(
    "no acknowledged write is lost, and nothing is half written (seed %i)",
    async (seed) => {
      const victims = kills[seed % kills.length] ?? [];
      const { report, summary, faults, acknowledged } = await runPlan({
        seed,
        odds: PASSING_FAULTS,
        troubleMs: TROUBLE_MS,
        kills: victims,
        // A kill in the middle of several transactions: large-kills.test.ts.
        hasLarge: victims.length === 0,
      });
      process.stdout.write(`${summary}\n`);
      expect(report).toBe("");
      expect(acknowledged).toBeGreaterThan(ACKNOWLEDGED_LEAST);
      for (const kind of ["throttle", "conflict", "cut", "lost", "page", "delay"] as const) {
        expect(faults[kind], kind).toBeGreaterThan(0);
      }
    },
  );
});
