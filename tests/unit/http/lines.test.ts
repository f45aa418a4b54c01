/** What all lines of a function have: which version wrote them, so that two versions can be compared. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { newObserver } from "#core/http/observe.ts";
import { newCheckReport } from "#core/http/observe-check.ts";
import { newDeliveryReport } from "#core/http/observe-delivery.ts";
import { newFeedReport } from "#core/http/observe-feed.ts";
import { runsVersion } from "#core/http/version.ts";

let lines: string[] = [];
beforeEach(() => {
  lines = [];
  for (const method of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, method).mockImplementation((...texts: unknown[]) => {
      lines.push(texts.map(String).join(" "));
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  runsVersion(undefined);
});
// biome-ignore lint/suspicious/noExplicitAny: the lines of any report
const written = (): readonly any[] => lines.map((line) => JSON.parse(line));

const cause = new Error("broken");
const request = { traceId: "t", operation: "o", method: "GET", durationMs: 1 };
const { cost } = newMeter();
const subscriber = { tenant: "t", subscriber: "s", kind: "webhook", delivered: 0, refusals: ["r"], lagMs: 1 };

describe("every line has the version of the function", () => {
  let services = 0;
  const reports: Readonly<Record<string, (service: string) => void>> = {
    "of a request": (service) => newObserver(service).request({ ...request, status: 200, cost }),
    "of a failure": (service) => newObserver(service).failure({ traceId: "t", operation: "o", fault: "f", cause }),
    "of a refused sign-in": (service) =>
      newObserver(service).security({
        ...{ traceId: "t", operation: "o", tenant: "t", userStore: "u", nameDigest: "d" },
        ...{ sourceIp: "192.0.2.1", reason: "r" },
      }),
    "of a half-changed user": (service) =>
      newObserver(service).undoFailure({ tenant: "t", userStore: "u", userId: undefined, cause }),
    "of a check": () => newCheckReport()({ durations: { token: 1 }, failure: { step: "token", reason: "slow" } }),
    "of a delivery": (service) => newDeliveryReport(service).run({ ...subscriber, isPaused: true, defect: cause }),
    "of a feed": (service) => newFeedReport(service).refused({ failed: 1, of: 2, causes: [] }),
  };
  test.each(Object.entries(reports))("%s", (_, report) => {
    runsVersion("7");
    report(`service-${++services}`);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of written()) expect(line).toMatchObject({ version: "7" });
  });
  test.each(Object.entries(reports))("%s, and none outside of Lambda", (_, report) => {
    report(`service-${++services}`);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of written()) expect(line).not.toHaveProperty("version");
  });
  test("because no other file makes a logger or metrics", () => {
    const folder = join(import.meta.dirname, "../../../packages/core");
    const makers = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && /new (Logger|Metrics)\(/.test(readFileSync(join(folder, file), "utf8")),
    );
    expect(makers).toEqual(["http/lines.ts"]);
  });
});

describe("errors are counted for the version", () => {
  const dimensionsOf = () =>
    written().flatMap(({ _aws, service, version, ServerErrors }) =>
      (_aws?.CloudWatchMetrics ?? []).map(({ Dimensions }: { Dimensions: string[][] }) => ({
        dimensions: [...(Dimensions[0] ?? [])].sort(),
        service,
        version,
        ServerErrors,
      })),
    );
  test("and for the service as before", () => {
    runsVersion("7");
    newObserver("errors").request({ ...request, status: 503, cost });
    expect(dimensionsOf()).toHaveLength(2);
    expect(dimensionsOf()).toEqual(
      expect.arrayContaining([
        { dimensions: ["service"], service: "errors", version: "7", ServerErrors: 1 },
        { dimensions: ["service", "version"], service: "errors", version: "7", ServerErrors: 1 },
      ]),
    );
  });
  test("which writes no metric of its own without errors: each one costs", () => {
    runsVersion("7");
    newObserver("well").request({ ...request, status: 404, cost });
    expect(dimensionsOf()).toEqual([{ dimensions: ["service"], service: "well", version: "7", ServerErrors: 0 }]);
  });
});
