/** Moving the traffic of a stage to new versions, and back (decision 0071), on a fake of Lambda and CloudWatch. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeAws, fakeAws, served } from "#tests/support/fake-aws.ts";
import { openBrakes } from "#tools/traffic/brakes.ts";
import { type Fleet, openFleet } from "#tools/traffic/fleet.ts";
import { goBack, latestOf } from "#tools/traffic/going-back.ts";
import { openMeasures } from "#tools/traffic/measures.ts";
import { type Outcome, type Shifting, shift } from "#tools/traffic/shift.ts";

const STAGE = "production";
const NOW_MS = Date.parse("2026-11-22T17:00:00Z");
const MINUTE_MS = 60_000;

let aws: FakeAws;
let fleet: Fleet;
let lines: string[];
beforeEach(async () => {
  aws = await fakeAws(STAGE);
  fleet = openFleet(STAGE, { ...aws.config, maxAttempts: 1 });
  lines = [];
});
afterEach(async () => {
  fleet.close();
  await aws.close();
});

const run = async (options: Partial<Shifting> = {}): Promise<Outcome> => {
  const brakes = openBrakes(STAGE, { ...aws.config, maxAttempts: 1 });
  const measures = openMeasures(STAGE, { ...aws.config, maxAttempts: 1 });
  const plan = { percents: [10, 50], minutes: 5 };
  const parts = { fleet, brakes, measures, plan, provisioned: {}, isDry: false };
  const given = { ...parts, now: () => NOW_MS, wait: async () => undefined };
  try {
    return await shift({ ...given, print: (line) => lines.push(line), ...options });
  } finally {
    brakes.close();
    measures.close();
  }
};
const rollback = async (): Promise<void> => {
  const latest = latestOf(await fleet.read());
  if (latest) await goBack(fleet, latest.at, () => undefined);
};
const all = (state: string) => Object.fromEntries(served.map((service) => [service, state]));

describe("a shift", () => {
  test("gives the new versions each share in turn, watches after each, and ends with all traffic", async () => {
    aws.deploy(...served);
    const shares: string[] = [];
    let waitedMs = 0;
    const wait = async (ms: number) => {
      waitedMs += ms;
      const [share] = new Set(Object.values(aws.traffic()));
      if (share !== shares.at(-1)) shares.push(share ?? "");
    };
    expect(await run({ wait })).toBe("moved");
    expect(shares).toEqual(["1+2:0.1", "1+2:0.5", "2"]);
    expect(waitedMs).toBe(3 * 5 * MINUTE_MS);
    expect(aws.traffic()).toEqual(all("2"));
    expect(aws.calls.filter((call) => call === "DescribeAlarms").length).toBeGreaterThan(3 * 5);
  });
  test("moves the functions that the deployment changed, and no others", async () => {
    aws.deploy("scim2", "authorizer");
    expect(await run()).toBe("moved");
    expect(aws.traffic()).toEqual({ ...all("1"), scim2: "2", authorizer: "2" });
    expect(new Set(aws.changes.map((change) => change.split(" ")[0]))).toEqual(new Set(["scim2", "authorizer"]));
  });
  test("moves all at once where the stage says so", async () => {
    aws.deploy("scim2");
    expect(await run({ plan: { percents: [], minutes: 0 } })).toBe("moved");
    expect(aws.changes).toEqual(["scim2 1 {}", "scim2 2 {}"]);
  });
  test("does nothing where every function serves its newest version", async () => {
    expect(await run()).toBe("moved");
    expect(aws.changes).toEqual([]);
    expect(lines.at(-1)).toBe("Every function serves the version that was deployed last.");
  });
  test("says what it would do, and changes nothing", async () => {
    aws.deploy("scim2");
    expect(await run({ isDry: true, provisioned: { scim2: 2 } })).toBe("moved");
    expect(aws.changes).toEqual([]);
    expect(aws.calls.filter((call) => !/^GET|^DescribeAlarms$/.test(call))).toEqual([]);
    expect(lines).toContain("scim2                   version 1; deployed: version 2");
    expect(lines.at(-1)).toBe("1 functions, 10 %, 50 %, 100 %, 5 minutes each.");
  });
});

describe("an alarm", () => {
  test.each([
    ["at the first share", "1+2:0.1"],
    ["after all traffic has moved", "2"],
  ])("%s moves all traffic back", async (_, when) => {
    aws.deploy(...served);
    const wait = async () => {
      if (aws.traffic().scim2 === when) aws.raise("ServerErrors");
    };
    expect(await run({ wait })).toBe("back");
    expect(aws.traffic()).toEqual(all("1"));
    expect(lines).toContain("Going back: alarms are raised: ServerErrors (docs/alarms.md).");
    // Nothing is left of the shift: it is not what a rollback would take back.
    expect(latestOf(await fleet.read())).toBeUndefined();
  });
  test("that is raised before prevents the shift, unless a repair ignores it", async () => {
    aws.deploy("oauth2");
    aws.raise("AuthorizerFailures");
    expect(await run()).toBe("refused");
    expect(aws.changes).toEqual([]);
    expect(lines.at(-1)).toMatch(/^Refused, because alarms are raised: AuthorizerFailures\./);
    expect(await run({ brakes: undefined })).toBe("moved");
    expect(aws.traffic().oauth2).toBe("2");
  });
  test("that no deployment causes does not stop it", async () => {
    aws.deploy("oauth2");
    for (const name of ["SigningKeyAge", "SignInFailures", "TableErrors"]) aws.raise(name);
    expect(await run()).toBe("moved");
  });
  test("of the synthetic check prevents it, where the stage has the check", async () => {
    aws.deploy("oauth2");
    aws.raise("CheckFails");
    expect(await run()).toBe("refused");
    expect(lines.at(-1)).toMatch(/^Refused, because alarms are raised: CheckFails\./);
  });
  test("that is missing is no brake, so nothing moves", async () => {
    aws.deploy("oauth2");
    aws.removeAlarm("SlowAnswers");
    await expect(run()).rejects.toThrow(/do not exist: identity-admin-api-production-SlowAnswers\. Deploy again/);
    expect(aws.changes).toEqual([]);
  });
});

describe("a new version that does not work", () => {
  const count = (name: string, service: (typeof served)[number], version: string, sum: number) => {
    const { functionName } = aws.function(service);
    aws.metrics.sums.set(`${name} ${functionName} ${functionName}:live ${version}`, sum);
  };
  test.each([
    [
      "ends without an answer",
      () => aws.crash("Runtime.ImportModuleError", "no module"),
      "Runtime.ImportModuleError: no module",
    ],
    ["answers 500", () => ({ statusCode: 500 }), "status 500"],
    ["answers 503", () => ({ statusCode: 503 }), "status 503"],
    ["answers nothing", () => ({}), "an answer without a status"],
  ])("because it %s gets no traffic", async (_, answer, reason) => {
    aws.deploy(...served);
    const { of } = aws.answers;
    aws.answers.of = (service, version, event) => (service === "audit" ? answer() : of(service, version, event));
    expect(await run()).toBe("back");
    expect(aws.changes).toEqual([]);
    expect(lines.find((line) => line.startsWith("Going back: version 2 of audit does not work. "))).toContain(reason);
  });
  test.each(served)("is noticed before it gets traffic: %s", async (broken) => {
    aws.deploy(...served);
    const { of } = aws.answers;
    aws.answers.of = (service, version, event) => (service === broken ? {} : of(service, version, event));
    expect(await run()).toBe("back");
    expect(aws.changes).toEqual([]);
    expect(lines.some((line) => line.startsWith(`Going back: version 2 of ${broken} does not work.`))).toBe(true);
  });
  test("because the authorizer refuses with an error of its own gets no traffic", async () => {
    aws.deploy("authorizer");
    const context = { decision: "refuse", fault: "service.unavailable" };
    aws.answers.of = () => ({ isAuthorized: true, context });
    expect(await run()).toBe("back");
    expect(aws.changes).toEqual([]);
  });
  test("is asked what the catalogue has for it, and only the new version is", async () => {
    aws.deploy("webhooks", "authorizer");
    const asked: string[] = [];
    const { of } = aws.answers;
    aws.answers.of = (service, version, event) => {
      asked.push(`${service} ${version} ${(event as { rawPath: string }).rawPath}`);
      return of(service, version, event);
    };
    expect(await run()).toBe("moved");
    expect(asked).toContain("webhooks 2 /t/canary.invalid/api/server/v1/webhooks");
    expect(asked.filter((each) => each.startsWith("authorizer 2"))).toHaveLength(3);
    expect(asked.filter((each) => / 1 /.test(each))).toEqual([]);
  });
  test("is taken back where it fails more often than the old one, although no alarm is raised", async () => {
    aws.deploy(...served);
    count("Invocations", "scim2", "1", 900);
    count("Invocations", "scim2", "2", 100);
    aws.metrics.sums.set("ServerErrors scim2 2", 30);
    expect(await run()).toBe("back");
    expect(aws.traffic()).toEqual(all("1"));
    expect(lines).toContain(
      "Going back: a new version is worse than the one before it. scim2: 30 of 100 requests failed in version 2, 0 of " +
        "900 in version 1.",
    );
  });
  test("is taken back where it crashes", async () => {
    aws.deploy("scim1");
    count("Invocations", "scim1", "1", 90);
    count("Invocations", "scim1", "2", 10);
    count("Errors", "scim1", "2", 10);
    expect(await run()).toBe("back");
    expect(aws.traffic()).toEqual(all("1"));
  });
  test("stays where both versions fail alike, and where two requests failed", async () => {
    aws.deploy("scim1", "scim2");
    count("Invocations", "scim2", "1", 900);
    count("Invocations", "scim2", "2", 100);
    aws.metrics.sums.set("ServerErrors scim2 1", 270);
    aws.metrics.sums.set("ServerErrors scim2 2", 35);
    count("Invocations", "scim1", "1", 900);
    count("Invocations", "scim1", "2", 4);
    aws.metrics.sums.set("ServerErrors scim1 2", 2);
    expect(await run()).toBe("moved");
    expect(lines).toContain("Too few requests to compare: scim1 (4). These versions have answered the calls of trial.");
  });
  test("is compared from the beginning of the shift, and by the alias once it has all traffic", async () => {
    aws.deploy("scim2");
    let nowMs = NOW_MS;
    const wait = async (ms: number) => {
      nowMs += ms;
    };
    const { functionName } = aws.function("scim2");
    // Requests of the alias since then.
    aws.metrics.sums.set(`Invocations ${functionName} ${functionName}:live`, 500);
    expect(await run({ wait, now: () => nowMs, plan: { percents: [10], minutes: 2 } })).toBe("moved");
    const starts = new Set(aws.metrics.spans.map(({ from }) => from * 1_000 - NOW_MS));
    expect(starts).toEqual(new Set([0, 2 * MINUTE_MS]));
    expect(lines.filter((line) => line.startsWith("Too few"))).toHaveLength(1);
  });
});

describe("a shift that cannot see or change moves back", () => {
  test("where CloudWatch has no metrics for it", async () => {
    aws.deploy(...served);
    aws.hook.before = (call) => (call === "GetMetricData" ? aws.refuse(403, "AccessDeniedException") : undefined);
    expect(await run()).toBe("back");
    expect(aws.traffic()).toEqual(all("1"));
  });
  test("where a new version cannot be called", async () => {
    aws.deploy(...served);
    aws.hook.before = (call) => (call === "POST invocations" ? aws.refuse(403, "AccessDeniedException") : undefined);
    expect(await run()).toBe("back");
    expect(aws.traffic()).toEqual(all("1"));
  });
  test("where CloudWatch does not answer", async () => {
    aws.deploy(...served);
    const wait = async () => {
      aws.hook.before = (call) => (call === "DescribeAlarms" ? aws.refuse(403, "AccessDeniedException") : undefined);
    };
    expect(await run({ wait })).toBe("back");
    expect(aws.traffic()).toEqual(all("1"));
  });
  test("where one function cannot be changed", async () => {
    aws.deploy(...served);
    let isOnce = true;
    aws.hook.before = (call, service) => {
      const isStep = call === "PUT aliases" && service === "scim2" && aws.changes.length >= 2 * served.length;
      if (!isStep || !isOnce) return;
      isOnce = false;
      aws.refuse(429, "TooManyRequestsException");
    };
    expect(await run()).toBe("back");
    expect(aws.traffic()).toEqual(all("1"));
  });
  test("where it is interrupted", async () => {
    aws.deploy(...served);
    const wait = async () => {
      throw new Error("it was interrupted.");
    };
    expect(await run({ wait })).toBe("back");
    expect(aws.traffic()).toEqual(all("1"));
    expect(lines).toContain("Going back: it was interrupted.");
  });
  test("and says loudly which functions did not go back", async () => {
    aws.deploy("scim1", "scim2");
    const wait = async () => {
      aws.raise("ServerErrors");
      aws.hook.before = (call, service) =>
        call === "PUT aliases" && service === "scim2" ? aws.refuse(403, "AccessDeniedException") : undefined;
    };
    await expect(run({ wait })).rejects.toThrow(/These functions did NOT go back; run it again:\n {2}scim2: /);
    expect(aws.traffic()).toMatchObject({ scim1: "1", scim2: "1+2:0.1" });
    aws.hook.before = () => undefined;
    await rollback();
    expect(aws.traffic()).toEqual(all("1"));
  });
});

/** Ends a run without its way back, as `kill -9` does: from then on every call fails. */
const killed = async (isTime: () => boolean, options: Partial<Shifting> = {}): Promise<void> => {
  aws.hook.before = () => {
    if (isTime()) aws.refuse(500, "Killed");
  };
  await expect(run(options)).rejects.toThrow();
  aws.hook.before = () => undefined;
};

describe("a run that was killed", () => {
  test.each([
    ["while the shift is recorded", 3],
    ["between two functions of the first share", served.length + 4],
    ["between two functions of the last step", 3 * served.length + 4],
  ])("%s is continued as the same shift, which goes back as one", async (_, changes) => {
    aws.deploy(...served);
    await killed(() => aws.changes.length >= changes);
    expect(new Set(Object.values(aws.traffic())).size).toBeGreaterThanOrEqual(changes < served.length ? 1 : 2);
    expect(await run({ now: () => NOW_MS + MINUTE_MS })).toBe("moved");
    expect(lines.some((line) => line.startsWith("Continues the shift of 2026-11-22T17:00:00Z"))).toBe(true);
    expect(aws.traffic()).toEqual(all("2"));
    await rollback();
    expect(aws.traffic()).toEqual(all("1"));
  });
  test("between two functions of a move at once is continued too", async () => {
    aws.deploy(...served);
    const plan = { percents: [], minutes: 0 };
    await killed(() => aws.changes.length >= served.length + 4, { plan });
    expect(await run({ now: () => NOW_MS + MINUTE_MS, plan })).toBe("moved");
    await rollback();
    expect(aws.traffic()).toEqual(all("1"));
  });
  test("goes back where an alarm was raised meanwhile", async () => {
    aws.deploy(...served);
    await killed(() => aws.changes.length >= 3 * served.length + 4);
    aws.raise("SlowAnswers");
    expect(await run()).toBe("back");
    expect(aws.traffic()).toEqual(all("1"));
  });
  test("is not what somebody leaves who sets a share by hand: going back does not take an earlier shift along", async () => {
    aws.deploy("scim2");
    expect(await run()).toBe("moved");
    aws.deploy("scim2");
    aws.function("scim2").alias.weights = { "3": 0.2 };
    expect(await run({ now: () => NOW_MS + MINUTE_MS, wait: async () => void aws.raise("ServerErrors") })).toBe("back");
    expect(aws.traffic().scim2).toBe("2");
  });
  test("moves to the version of a deployment that came meanwhile", async () => {
    aws.deploy("scim2");
    await killed(() => aws.traffic().scim2 === "1+2:0.1");
    aws.deploy("scim2");
    expect(await run()).toBe("moved");
    expect(aws.traffic().scim2).toBe("3");
    await rollback();
    expect(aws.traffic().scim2).toBe("1");
  });
});

describe("going back", () => {
  const moved = async (minute: number, ...services: typeof served) => {
    aws.deploy(...services);
    expect(await run({ now: () => NOW_MS + minute * MINUTE_MS, plan: { percents: [], minutes: 0 } })).toBe("moved");
  };
  test("takes back the functions of the latest shift alone, then those of the one before", async () => {
    await moved(0, ...served);
    await moved(1, "scim2", "oauth2");
    await moved(2, "scim2");
    expect(aws.traffic()).toEqual({ ...all("2"), scim2: "4", oauth2: "3" });
    await rollback();
    expect(aws.traffic()).toEqual({ ...all("2"), scim2: "3", oauth2: "3" });
    await rollback();
    expect(aws.traffic()).toEqual(all("2"));
    await rollback();
    expect(aws.traffic()).toEqual(all("1"));
    expect(latestOf(await fleet.read())).toBeUndefined();
  });
  test("goes to what had the traffic, not to the number before", async () => {
    aws.deploy("scim2");
    aws.raise("ServerErrors");
    // Version 2 is never used.
    expect(await run()).toBe("refused");
    aws.clear("ServerErrors");
    await moved(1, "scim2");
    await rollback();
    expect(aws.traffic().scim2).toBe("1");
  });
  test("remembers as many shifts as a description holds", async () => {
    for (let minute = 0; minute < 12; minute += 1) await moved(minute, "scim2");
    expect(aws.traffic().scim2).toBe("13");
    for (let back = 0; back < 8; back += 1) await rollback();
    expect(aws.traffic().scim2).toBe("5");
    await rollback();
    expect(aws.traffic().scim2).toBe("5");
  });
  test("wins over a shift that runs, which then stops", async () => {
    aws.deploy(...served);
    let isOnce = true;
    const wait = async () => {
      if (isOnce) await rollback();
      isOnce = false;
    };
    expect(await run({ wait, plan: { percents: [10, 50], minutes: 1 } })).toBe("back");
    expect(aws.traffic()).toEqual(all("1"));
    expect(lines).toContain("Going back: another run changed the traffic.");
  });
});

describe("environments that are kept started", () => {
  const provisioned = { scim2: 2, authorizer: 5 };

  test("are started for the new version before it gets traffic, and end for the old one when it has none", async () => {
    expect(await run({ provisioned })).toBe("moved");
    expect(aws.function("scim2").kept).toEqual({ "1": 2 });
    aws.deploy("scim2");
    const during: unknown[] = [];
    const wait = async () => void during.push({ ...aws.function("scim2").kept });
    expect(await run({ provisioned, wait })).toBe("moved");
    expect(new Set(during.map((kept) => JSON.stringify(kept)))).toEqual(new Set(['{"1":2,"2":2}']));
    expect(aws.function("scim2").kept).toEqual({ "2": 2 });
    expect(aws.function("authorizer").kept).toEqual({ "1": 5 });
    expect(aws.function("scim1").kept).toEqual({});
  });
  test("follow the setting, also without a deployment", async () => {
    await run({ provisioned });
    await run({ provisioned: { scim2: 3 } });
    expect(aws.function("scim2").kept).toEqual({ "1": 3 });
    expect(aws.function("authorizer").kept).toEqual({});
  });
  test("go back with the traffic", async () => {
    await run({ provisioned });
    aws.deploy(...served);
    expect(await run({ provisioned, wait: async () => void aws.raise("ServerErrors") })).toBe("back");
    expect(aws.function("scim2").kept).toEqual({ "1": 2 });
    expect(aws.function("authorizer").kept).toEqual({ "1": 5 });
  });
  test("that AWS cannot start leave the traffic where it is", async () => {
    aws.deploy("scim2");
    aws.hook.before = (call) =>
      call === "PUT provisioned-concurrency" ? aws.refuse(400, "InvalidParameterValueException") : undefined;
    expect(await run({ provisioned })).toBe("back");
    expect(aws.traffic()).toEqual(all("1"));
  });
});

test("a stage without one of its functions is refused, with what to check", async () => {
  aws.removeFunction("scim1");
  await expect(run()).rejects.toThrow(/The stage production has no function scim1 .* Check AWS_REGION/);
});
