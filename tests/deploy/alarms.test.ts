/**
 * The alarms of production, evaluated over invented traffic as CloudWatch evaluates them: which outages raise which alarm,
 * at few requests and at many, and which everyday events raise none.
 */
import { describe, expect, test } from "vitest";
import type { Inputs } from "./support/evaluation.ts";
import { deploymentOf, part } from "./support/stages.ts";

const production = deploymentOf("production");

/** The gateway in one minute: requests, responses with 5xx, and the time that the slow ones take. */
interface Minute {
  readonly requests: number;
  readonly errors: number;
  /** Milliseconds of the slowest tenth, and of the slowest hundredth. */
  readonly p90?: number;
  readonly p99?: number;
  /** What the synthetic check wrote: 1 or 0 for each check, and the days of the authorities of clients. */
  readonly checks?: readonly number[];
  readonly authorityDays?: number;
}

interface Query {
  readonly id: string;
  readonly expression?: string;
  readonly metric?: Inputs;
}

/** The value of a metric of the gateway over a period; `undefined` without data. */
function statisticOf(metric: Inputs, minutes: readonly Minute[]): number | undefined {
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  const least = (values: readonly number[]) => (values.length === 0 ? undefined : Math.min(...values));
  const name = `${metric.metricName} ${metric.stat}`;
  if (name === "CheckSuccess Minimum") return least(minutes.flatMap(({ checks = [] }) => checks));
  if (name === "AuthorityDaysLeft Minimum") return least(minutes.flatMap(({ authorityDays = [] }) => authorityDays));
  const withTraffic = minutes.filter(({ requests }) => requests > 0);
  if (withTraffic.length === 0) return undefined;
  switch (name) {
    case "5xx Sum":
      return sum(withTraffic.map(({ errors }) => errors));
    case "Count Sum":
      return sum(withTraffic.map(({ requests }) => requests));
    case "Latency p99":
      return Math.max(...withTraffic.map(({ p99 = 50 }) => p99));
    case "Latency p90":
      // Of a period: the share of minutes whose own p90 is high decides. One slow minute in fifteen is below a tenth.
      return withTraffic.map(({ p90 = 30 }) => p90).sort((a, b) => a - b)[Math.floor(withTraffic.length * 0.9)];
    default:
      throw new Error(`the test knows no metric ${name}`);
  }
}

/** CloudWatch's functions that alarms use. A quota is 1,000. */
const mathFunctions = {
  IF: (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise),
  FILL: (values: readonly (number | undefined)[], filler: number) => values.map((value) => value ?? filler),
  SUM: (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0),
  MAX: (values: readonly number[]) => Math.max(...values),
  SERVICE_QUOTA: () => 1_000,
};

/** Evaluates a metric expression; `undefined` where a metric without a filler has no data. */
function evaluate(expression: string, values: Readonly<Record<string, number | undefined>>): number | undefined {
  const isFilled = expression.includes("FILL(");
  if (!isFilled && Object.values(values).some((value) => value === undefined)) return undefined;
  const names = [...Object.keys(mathFunctions), ...Object.keys(values)];
  const run = new Function(...names, `return (${expression});`);
  return run(...Object.values(mathFunctions), ...Object.values(values));
}

/** The minute in which an alarm is raised first; `undefined` if it stays quiet. */
function raised(name: string, traffic: readonly Minute[]): number | undefined {
  const { inputs } = production.one("aws:cloudwatch/metricAlarm:MetricAlarm", `${name}Alarm`);
  const queries = inputs.metricQueries as unknown as readonly Query[];
  const metrics = queries.filter(({ metric }) => metric);
  const expression = queries.find(({ id }) => id === "value")?.expression ?? "";
  const periodMinutes = Number(part(metrics[0] as unknown as Inputs, "metric").period) / 60;
  const isBreaching: boolean[] = [];
  for (let start = 0; start + periodMinutes <= traffic.length; start += periodMinutes) {
    const minutes = traffic.slice(start, start + periodMinutes);
    const values = Object.fromEntries(metrics.map(({ id, metric }) => [id, statisticOf(metric as Inputs, minutes)]));
    const value = evaluate(expression, values);
    const isBeyond = (at: number) =>
      inputs.comparisonOperator === "LessThanThreshold" ? at < Number(inputs.threshold) : at > Number(inputs.threshold);
    isBreaching.push(value === undefined ? inputs.treatMissingData === "breaching" : isBeyond(value));
    const last = isBreaching.slice(-Number(inputs.evaluationPeriods));
    if (last.filter(Boolean).length >= Number(inputs.datapointsToAlarm)) return start + periodMinutes;
  }
  return undefined;
}

const many = (count: number, minute: Minute): Minute[] => Array.from({ length: count }, () => minute);
const errorAlarms = ["ServerErrors", "ServerErrorsAtLowTraffic"];
const slowAlarms = ["SlowAnswers", "SlowAnswersAtLowTraffic"];
const first = (alarms: readonly string[], traffic: readonly Minute[]) => {
  const times = alarms.map((name) => raised(name, traffic)).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
};

describe("server errors raise an alarm", () => {
  test.each<[string, readonly Minute[], number]>([
    ["2 requests a minute, all fail", many(60, { requests: 2, errors: 2 }), 15],
    ["2 requests a minute, one in ten fails", many(60, { requests: 2, errors: 0.2 }), 15],
    ["30 requests a minute, one in five fails", many(60, { requests: 30, errors: 6 }), 3],
    ["10,000 requests a minute, 2 % fail", many(60, { requests: 10_000, errors: 200 }), 3],
    ["10,000 requests a minute, all fail", many(60, { requests: 10_000, errors: 10_000 }), 3],
  ])("%s", (_, traffic, within) => {
    expect(first(errorAlarms, traffic)).toBeLessThanOrEqual(within);
  });
  test.each<[string, readonly Minute[]]>([
    ["no traffic at all", many(120, { requests: 0, errors: 0 })],
    ["one failure among 2 requests a minute", [{ requests: 2, errors: 1 }, ...many(119, { requests: 2, errors: 0 })]],
    ["10,000 requests a minute, one in two thousand fails", many(120, { requests: 10_000, errors: 5 })],
    ["a burst of one minute", [{ requests: 500, errors: 20 }, ...many(119, { requests: 500, errors: 0 })]],
  ])("but not: %s", (_, traffic) => {
    expect(first(errorAlarms, traffic)).toBeUndefined();
  });
});

describe("slow responses raise an alarm", () => {
  test.each<[string, readonly Minute[], number]>([
    ["2 requests a minute, all slow", many(60, { requests: 2, errors: 0, p90: 5_000, p99: 5_000 }), 30],
    ["10,000 requests a minute, one in fifty slow", many(60, { requests: 10_000, errors: 0, p99: 4_000 }), 5],
  ])("%s", (_, traffic, within) => {
    expect(first(slowAlarms, traffic)).toBeLessThanOrEqual(within);
  });
  test.each<[string, readonly Minute[]]>([
    ["no traffic at all", many(120, { requests: 0, errors: 0 })],
    [
      "a cold start of 4 seconds in an hour of 2 requests a minute",
      [{ requests: 2, errors: 0, p90: 4_000, p99: 4_000 }, ...many(119, { requests: 2, errors: 0 })],
    ],
  ])("but not: %s", (_, traffic) => {
    expect(first(slowAlarms, traffic)).toBeUndefined();
  });
});

describe("the synthetic check raises an alarm", () => {
  const quiet = { requests: 0, errors: 0 };
  const well = { ...quiet, checks: [1] };
  const failing = { ...quiet, checks: [0] };
  test.each<[string, readonly Minute[], number]>([
    ["an outage without any other traffic", many(60, failing), 3],
    ["checks that do not run: no schedule, no function, no metric", many(60, quiet), 3],
    ["an outage that begins later", [...many(30, well), ...many(30, failing)], 33],
    ["checks of which every other one fails", many(30, well).flatMap((minute) => [failing, minute]), 5],
  ])("%s", (_, minutes, within) => {
    expect(raised("CheckFails", minutes)).toBeLessThanOrEqual(within);
  });
  test.each<[string, readonly Minute[]]>([
    ["checks that succeed", many(120, well)],
    ["one check that fails, such as at a deployment", [failing, ...many(119, well)]],
    [
      "two minutes without a check, which came later",
      [quiet, quiet, { ...quiet, checks: [1, 1, 1] }, ...many(60, well)],
    ],
    ["a minute with two checks, one of which fails", [{ ...quiet, checks: [1, 0] }, ...many(60, well)]],
  ])("but not: %s", (_, minutes) => {
    expect(raised("CheckFails", minutes)).toBeUndefined();
  });
  test("for authorities of clients that expire within 30 days or have expired, also where no check ran since", () => {
    const days = (authorityDays: number) => raised("ClientAuthorityExpires", many(120, { ...well, authorityDays }));
    expect([days(29.9), days(-3), days(31)]).toEqual([60, 60, undefined]);
    expect(raised("ClientAuthorityExpires", many(120, quiet))).toBeUndefined();
  });
});

/** What CloudWatch has of the cause of each alarm, in one period: by the name of the metric. */
const causes: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  CheckFails: { CheckSuccess: 0 },
  ServerErrors: { "5xx": 5, Count: 100 },
  ServerErrorsAtLowTraffic: { "5xx": 2, Count: 30 },
  SlowAnswers: { Latency: 3_100, Count: 20 },
  SlowAnswersAtLowTraffic: { Latency: 3_100, Count: 10 },
  FunctionCrashes: { Errors: 1 },
  FunctionCrashes2: { Errors: 1 },
  FunctionThrottles: { Throttles: 1 },
  FunctionThrottles2: { Throttles: 1 },
  ExecutionsNearQuota: { ResourceCount: 810 },
  TooManyRequests: { TooManyRequests: 301 },
  ClientErrors: { "4xx": 300, Count: 490 },
  TableThrottles: { ReadThrottleEvents: 30, WriteThrottleEvents: 30 },
  HotPartition: { ReadKeyRangeThroughputThrottleEvents: 60, WriteKeyRangeThroughputThrottleEvents: 0 },
  TableErrors: { SystemErrors: 3 },
  AuthorizerFailures: { Errors: 0, ServerErrors: 1 },
  Refusals: { Refusals: 100, Requests: 190 },
  SignInFailures: { SignInFailures: 101 },
  SigningKeyAge: { SigningKeyAge: 91 },
  HalfChangedUsers: { DirectoryUndoFailures: 1 },
  FeedFallsBehind: { IteratorAge: 300_001 },
  DeliveryDefects: { DeliveryDefects: 1 },
  DeliveriesFail: { DeliveryFailures: 91, EventsDelivered: 9 },
  MailsComeBack: { MailsBounced: 50, EventsDelivered: 900 },
  MailsAreUnwanted: { MailsComplained: 2, EventsDelivered: 900 },
  ReceiversPaused: { ReceiversPaused: 1 },
  UndeliveredChanges: { ApproximateNumberOfMessagesVisible: 1 },
  BackupFails: { NumberOfCopyJobsFailed: 1 },
  ApiCertificateExpires: { DaysToExpiry: 29 },
  MtlsCertificateExpires: { DaysToExpiry: 29 },
  ClientAuthorityExpires: { AuthorityDaysLeft: 29 },
};
/** The same where all is well. Other metrics are 0, or have no data. */
const healthy: Readonly<Record<string, number>> = {
  ...{ CheckSuccess: 1, Count: 10_000, "5xx": 5, "4xx": 1_000, Latency: 200, ResourceCount: 700, Requests: 10_000 },
  ...{ Refusals: 200, SignInFailures: 20, SigningKeyAge: 20, IteratorAge: 2_000, EventsDelivered: 900 },
  ...{
    DeliveryFailures: 30,
    DaysToExpiry: 60,
    AuthorityDaysLeft: 300,
    TooManyRequests: 10,
    SystemErrors: 1,
    MailsBounced: 9,
  },
};

describe("each alarm of production", () => {
  const alarms = production.ofType("aws:cloudwatch/metricAlarm:MetricAlarm").map(({ name }) => name.slice(0, -5));
  const isBreaching = (name: string, given: Readonly<Record<string, number>>) => {
    const { inputs } = production.one("aws:cloudwatch/metricAlarm:MetricAlarm", `${name}Alarm`);
    const queries = inputs.metricQueries as unknown as readonly Query[];
    const values = Object.fromEntries(
      queries.flatMap(({ id, metric }) => (metric ? [[id, given[String(metric.metricName)]]] : [])),
    );
    const value = evaluate(queries.find(({ id }) => id === "value")?.expression ?? "", values);
    if (value === undefined) return inputs.treatMissingData === "breaching";
    return inputs.comparisonOperator === "LessThanThreshold"
      ? value < Number(inputs.threshold)
      : value > Number(inputs.threshold);
  };

  test("has its cause here", () => expect(Object.keys(causes).sort()).toEqual(alarms.sort()));
  test.each(Object.entries(causes))("%s is raised by its cause, and is quiet on a day like others", (name, cause) => {
    expect([isBreaching(name, cause), isBreaching(name, healthy), isBreaching(name, { ...healthy, ...cause })]).toEqual(
      [true, false, true],
    );
  });
});
