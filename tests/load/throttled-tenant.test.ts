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

const run = (throttling: "refused" | "awaited") =>
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
    },
  );

const shareOf = ({ inTime, requests }: Served): number => inTime / requests;
const heldOf = ({ heldMs, requests, refused }: Served): number => heldMs / (requests - refused);

test("all other tenants keep 99.9 % within their time, and the throttled one is served at its limit", async () => {
  const served = await run("refused");
  const hot = served.get(HOT) as Served;
  const shares = OTHERS.map((tenant) => shareOf(served.get(tenant) as Served));
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.999);
  // At its limit of each second, and the burst of the first.
  expect(hot.inTime).toBeGreaterThan(LIMIT * 4.5);
  expect(hot.refused).toBe(0);
  expect(heldOf(hot)).toBeLessThan(40);
});

test("where throttled calls are awaited, one tenant takes the environments of all", async () => {
  const served = await run("awaited");
  const shares = OTHERS.map((tenant) => shareOf(served.get(tenant) as Served));
  expect(Math.max(...shares)).toBeLessThan(0.5);
});
