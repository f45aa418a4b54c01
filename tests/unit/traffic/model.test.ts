/**
 * A model of a shift under traffic: requests come at random to versions by their shares, metrics come a minute late, and
 * no alarm is ever raised. It shows what the calls of trial and the comparison notice by themselves, at few requests and
 * at many; it does not show that AWS counts as documented.
 */
import { describe, expect, test } from "vitest";
import { served } from "#tests/support/fake-aws.ts";
import { isWorse, type Sample } from "#tools/traffic/comparison.ts";
import type { Fleet, Live } from "#tools/traffic/fleet.ts";
import type { Measures } from "#tools/traffic/measures.ts";
import { shift } from "#tools/traffic/shift.ts";
import type { FunctionName } from "../../../stacks/plan.ts";

const START_MS = Date.parse("2026-11-28T12:00:00Z");
const MINUTE_MS = 60_000;
const PLAN = { percents: [10], minutes: 5 };
const WINDOW_MS = (PLAN.percents.length + 1) * PLAN.minutes * MINUTE_MS;
const LATE_MS = MINUTE_MS;

/** How a new version fails. */
interface Fault {
  readonly service: FunctionName;
  /** What it gives to a call of trial; `undefined`: what a working one gives. */
  readonly trial?: "crash" | "500";
  /** The probability with which a request of a caller fails. */
  readonly share: number;
}

interface World {
  readonly perMinute: number;
  readonly fault?: Fault;
  /** The probability with which a request fails in any version. */
  readonly background?: number;
  readonly seed: number;
}

/** Every request passes the authorizer. Of the others, two serve most, and each has one in a hundred. */
const shareOf = (service: FunctionName): number => {
  if (service === "authorizer") return 1;
  const rest = served.length - 3;
  return service === "scim2" ? 0.6 : service === "oauth2" ? 0.4 - rest * 0.01 : 0.01;
};

const randomOf = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const run = async ({ perMinute, fault, background = 0, seed }: World) => {
  const random = randomOf(seed);
  let nowMs = START_MS;
  const functions = new Map<FunctionName, Live>(
    served.map((service) => [
      service,
      { service, functionName: service, version: "1", shifts: [], newest: "2", revision: "" },
    ]),
  );
  const lines: string[] = [];
  /** By function, version and minute. */
  const counted = new Map<string, { requests: number; errors: number }>();
  let failed = 0;
  /** How many of so many requests are hit. */
  const hit = (count: number, probability: number): number => {
    let hits = 0;
    if (probability > 0) for (let at = 0; at < count; at += 1) hits += random() < probability ? 1 : 0;
    return hits;
  };
  const serve = (service: FunctionName, version: string, requests: number) => {
    const broken = version === "2" && service === fault?.service ? hit(requests, fault.share) : 0;
    failed += broken;
    const key = `${service} ${version} ${Math.floor(nowMs / MINUTE_MS)}`;
    const before = counted.get(key) ?? { requests: 0, errors: 0 };
    const errors = before.errors + broken + hit(requests - broken, background);
    counted.set(key, { requests: before.requests + requests, errors });
  };
  const wait = async (ms: number) => {
    for (const live of functions.values()) {
      const mean = (perMinute * shareOf(live.service) * ms) / MINUTE_MS;
      const count = Math.floor(mean) + (random() < mean % 1 ? 1 : 0);
      const shared = live.share ? hit(count, live.share.weight) : 0;
      if (live.share) serve(live.service, live.share.version, shared);
      serve(live.service, live.version, count - shared);
    }
    nowMs += ms;
  };
  const sampleOf = (service: FunctionName, version: string, fromMs: number): Sample => {
    const sample = { requests: 0, errors: 0 };
    for (let ms = fromMs; ms + MINUTE_MS + LATE_MS <= nowMs; ms += MINUTE_MS) {
      const one = counted.get(`${service} ${version} ${Math.floor(ms / MINUTE_MS)}`);
      sample.requests += one?.requests ?? 0;
      sample.errors += one?.errors ?? 0;
    }
    return sample;
  };
  const fleet: Fleet = {
    read: async () => [...functions.values()],
    async point({ service }, traffic) {
      const live = functions.get(service);
      if (live) functions.set(service, { ...live, share: undefined, ...traffic });
    },
    stateOf: async () => "Active",
    async call({ service }) {
      const well =
        service === "authorizer" ? { isAuthorized: true, context: { decision: "public" } } : { statusCode: 200 };
      if (service !== fault?.service || !fault.trial) return { answer: well };
      if (fault.trial === "crash") return { answer: {}, failure: "Runtime.ImportModuleError" };
      return { answer: service === "authorizer" ? { context: { decision: "refuse" } } : { statusCode: 500 } };
    },
    keptOf: async () => [],
    keep: async () => undefined,
    close: () => undefined,
  };
  const measures: Measures = {
    read: async (pairs, { sinceMs }) =>
      pairs.map((pair) => ({
        ...pair,
        old: sampleOf(pair.service, pair.from, sinceMs),
        fresh: sampleOf(pair.service, pair.to, sinceMs),
      })),
    close: () => undefined,
  };
  const brakes = { raised: async () => [], close: () => undefined };
  const outcome = await shift({
    ...{ fleet, brakes, measures, plan: PLAN, provisioned: {}, isDry: false },
    ...{ now: () => nowMs, wait, print: (line) => lines.push(line) },
  });
  const versions = new Set([...functions.values()].map(({ version }) => version));
  return { outcome, failed, lines, versions, tookMs: nowMs - START_MS };
};

describe("a function that is broken as a whole is taken back before a caller meets it", () => {
  for (const perMinute of [2, 10_000]) {
    test.each(served)(`${perMinute} requests a minute: %s`, async (service) => {
      for (const trial of ["crash", "500"] as const) {
        const { outcome, failed, versions, tookMs } = await run({
          perMinute,
          fault: { service, trial, share: 1 },
          seed: 1,
        });
        expect({ outcome, failed, versions: [...versions] }).toEqual({ outcome: "back", failed: 0, versions: ["1"] });
        expect(tookMs).toBeLessThan(WINDOW_MS);
      }
    });
  }
});

describe("a function that fails for requests which no call of trial makes", () => {
  test.each(served)("is taken back at 10,000 requests a minute, before all traffic has it: %s", async (service) => {
    const { outcome, failed, tookMs } = await run({ perMinute: 10_000, fault: { service, share: 0.3 }, seed: 2 });
    expect(outcome).toBe("back");
    expect(tookMs).toBeLessThanOrEqual(PLAN.minutes * MINUTE_MS);
    // Three tenths of a tenth of the requests until then, as chance has it.
    const requests = (10_000 * shareOf(service) * tookMs) / MINUTE_MS;
    expect(failed / requests).toBeLessThan(0.1);
  });
  test("is not seen at 2 requests a minute: the shift says which functions were not compared", async () => {
    const { lines } = await run({ perMinute: 2, fault: { service: "audit", share: 0.3 }, seed: 3 });
    const said = lines.filter((line) => line.startsWith("Too few requests to compare"));
    expect(said).toHaveLength(2);
    for (const line of said) expect(line).toContain("audit (");
  });
});

describe("versions that are as good as the old ones are not taken back", () => {
  test.each([
    [10_000, 0.002],
    [10_000, 0.05],
    [200, 0.05],
    [2, 0.5],
  ])("%i requests a minute of which a share of %d fails in both", async (perMinute, background) => {
    const outcomes = new Set<string>();
    for (let seed = 0; seed < 25; seed += 1) outcomes.add((await run({ perMinute, background, seed })).outcome);
    expect([...outcomes]).toEqual(["moved"]);
  });
});

describe("the comparison", () => {
  const cases: readonly (readonly [string, Sample, Sample, boolean])[] = [
    ["none failed", { requests: 100, errors: 0 }, { requests: 900, errors: 0 }, false],
    ["two of two failed", { requests: 2, errors: 2 }, { requests: 900, errors: 0 }, false],
    ["three of three failed", { requests: 3, errors: 3 }, { requests: 900, errors: 0 }, true],
    ["three of three failed, and little is known", { requests: 3, errors: 3 }, { requests: 9, errors: 0 }, false],
    ["all fail in both", { requests: 100, errors: 100 }, { requests: 900, errors: 900 }, false],
    ["errors without a count of requests", { requests: 0, errors: 40 }, { requests: 900, errors: 0 }, true],
    ["one in a thousand, out of many", { requests: 100_000, errors: 100 }, { requests: 900_000, errors: 90 }, false],
    ["one in fifty, out of many", { requests: 100_000, errors: 2_000 }, { requests: 900_000, errors: 900 }, true],
    ["twice as many as before", { requests: 10_000, errors: 1_000 }, { requests: 90_000, errors: 4_500 }, true],
  ];
  test.each(cases)("%s", (_, fresh, old, worse) => expect(isWorse(fresh, old)).toBe(worse));
});
