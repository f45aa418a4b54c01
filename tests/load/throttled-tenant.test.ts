/**
 * One tenant calls at ten times the rate that its partition serves (decision 0177): what others notice. In virtual time
 * over the table of the service, so every run is the same; it says nothing of how fast AWS splits a partition.
 */
import { expect, test } from "vitest";
import { runFleet, type Served } from "#tests/support/throttled-fleet.ts";

const HOT = "hot.com";
const OTHERS = Array.from({ length: 30 }, (_, at) => `tenant-${at}.com`);
const LIMIT = 100;
const TIMES = 10;
/** One run has 100 requests of each tenant, which cannot tell 99.9 % from all of them. */
const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);

const run = (throttling: "refused" | "awaited", seed: number) =>
  runFleet(
    [
      { tenants: [HOT], perSecond: LIMIT * TIMES },
      { tenants: OTHERS, perSecond: 20 },
    ],
    {
      throttling,
      environments: 100,
      limits: (partition) => (partition.startsWith(`T#${HOT}#LOG#`) ? LIMIT : Number.POSITIVE_INFINITY),
      seconds: 5,
      timeMs: 200,
      seed,
    },
  );

const heldOf = ({ heldMs, requests, refused }: Served): number => heldMs / (requests - refused);

/** The share of the requests of a tenant that were answered in time, over all runs. */
function shareOf(runs: readonly Map<string, Served>[], tenant: string): number {
  const [inTime, requests] = (["inTime", "requests"] as const).map((field) =>
    runs.reduce((sum, served) => sum + (served.get(tenant)?.[field] ?? 0), 0),
  ) as [number, number];
  return inTime / requests;
}

test("all other tenants keep 99.9 % within their time, and the throttled one is served at its limit", async () => {
  const runs: Map<string, Served>[] = [];
  for (const seed of SEEDS) runs.push(await run("refused", seed));
  const shares = OTHERS.map((tenant) => shareOf(runs, tenant));
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.999);
  for (const served of runs) {
    const hot = served.get(HOT) as Served;
    // At its limit of each second, and the burst of the first.
    expect(hot.inTime).toBeGreaterThan(LIMIT * 4.5);
    // The moment in which the burst is used up is the only one that can take all environments.
    expect(hot.refused).toBeLessThan(LIMIT * TIMES * 0.01);
    expect(heldOf(hot)).toBeLessThan(40);
  }
});

test("where throttled calls are awaited, one tenant takes the environments of all", async () => {
  const served = await run("awaited", 1);
  const shares = OTHERS.map((tenant) => shareOf([served], tenant));
  expect(Math.max(...shares)).toBeLessThan(0.5);
});
