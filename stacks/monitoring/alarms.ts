/**
 * The alarms, as data: what each watches, what it means, and what an operator does first. docs/operations.md has the
 * steps.
 */
import { type Metric, ofFunction, ofGateway, ofService, ofTable, type Watched } from "./names.ts";

/** An alarm on a value that is computed from metrics. */
export interface Alarm<Name = string> {
  readonly name: string;
  /** What is wrong. */
  readonly problem: string;
  /** What the operator reads or does first. */
  readonly action: string;
  readonly metrics: Readonly<Record<string, Metric<Name | string>>>;
  /** The value, over the ids of the metrics. */
  readonly value: string;
  /** The alarm is raised above this value. */
  readonly threshold: number;
  readonly periodSeconds: number;
  /** The number of breaching periods, of the last number of periods. */
  readonly of: readonly [breaching: number, periods: number];
}

/** CloudWatch's limit of metrics in one alarm. */
export const METRICS_MAX = 10;

/** Milliseconds: the limit of the p99 of requests. */
const SLOW_MS = 3_000;

/** Days after which a signing key should be replaced. */
const KEY_DAYS_MAX = 90;

/** The alarms of a stage. */
export function alarmsOf<Name>(watched: Watched<Name>): readonly Alarm<Name>[] {
  const { functions } = watched;
  const authorizer = functions.filter(({ service }) => service === "authorizer");
  const others = functions.filter(({ service }) => service !== "authorizer");
  const crashes = byId(
    "crashes",
    others.map((each) => ofFunction(each, "Errors")),
  );
  const refusedStarts = byId(
    "throttles",
    // Only functions for which a caller waits.
    functions.filter(({ service }) => service !== "bootstrap").map((each) => ofFunction(each, "Throttles")),
  );
  const authorizerFailures = {
    ...byId(
      "crashes",
      authorizer.map((each) => ofFunction(each, "Errors")),
    ),
    errors: ofService(watched, "authorizer", "ServerErrors"),
  };
  const failures = {
    direct: ofService(watched, "authorizer", "SignInFailures"),
    tokens: ofService(watched, "oauth2", "SignInFailures"),
  };
  const busy = { reads: ofTable(watched, "ReadThrottleEvents"), writes: ofTable(watched, "WriteThrottleEvents") };
  return [
    {
      name: "ServerErrors",
      problem: "More than 1 % of the responses are 5xx.",
      action:
        'Open the saved query "errors by operation", then "causes of failures". If it began with a deployment, deploy the previous version.',
      metrics: { errors: ofGateway(watched, "5xx"), requests: ofGateway(watched, "Count") },
      // A single failure among few requests at night raises no alarm.
      value: "IF(errors >= 3, 100 * errors / requests, 0)",
      threshold: 1,
      periodSeconds: 60,
      of: [3, 5],
    },
    {
      name: "SlowAnswers",
      problem: `One request in a hundred takes longer than ${SLOW_MS / 1_000} seconds.`,
      action: 'Open "latency by operation". If every operation is slow, read "Throttles" on the dashboard.',
      metrics: { p99: ofGateway(watched, "Latency", "p99"), requests: ofGateway(watched, "Count") },
      value: "IF(requests >= 20, p99, 0)",
      threshold: SLOW_MS,
      periodSeconds: 60,
      of: [5, 10],
    },
    {
      name: "FunctionCrashes",
      problem: "A function ended without a response: it crashed, or ran out of memory or time.",
      action:
        'Search its log for "Task timed out", "Runtime exited" and "OutOfMemory". After a deployment read the first error in its log.',
      metrics: crashes,
      value: sumOf(crashes),
      threshold: 0,
      periodSeconds: 300,
      of: [1, 1],
    },
    {
      name: "FunctionThrottles",
      problem: "Lambda refused calls: the account's quota of concurrent executions is used up.",
      action: 'Read "Concurrent executions" on the dashboard. Raise the quota, or lower the throttle of the stage.',
      metrics: refusedStarts,
      value: sumOf(refusedStarts),
      threshold: 0,
      periodSeconds: 300,
      of: [1, 1],
    },
    {
      name: "TableThrottles",
      problem: "DynamoDB refuses calls, and retries do not catch up. Requests are slow or return 503.",
      action: "Wait up to 30 minutes: the table grows with its traffic. If it stays, one partition is hot.",
      metrics: busy,
      value: sumOf(busy),
      threshold: 50,
      periodSeconds: 300,
      of: [1, 1],
    },
    {
      name: "AuthorizerFailures",
      problem: "The authorizer fails: every request returns 401, 500 or 503.",
      action: 'If there was a deployment, deploy the previous version now. Otherwise open "causes of failures".',
      metrics: authorizerFailures,
      value: sumOf(authorizerFailures),
      threshold: 0,
      periodSeconds: 60,
      of: [2, 5],
    },
    {
      name: "Refusals",
      problem: "More than half of the requests are refused: a client has a wrong credential, or this is an attack.",
      action: 'Open "refusals by operation and scope": one source and one operation is a client; many are an attack.',
      metrics: {
        refused: ofService(watched, "authorizer", "Refusals"),
        requests: ofService(watched, "authorizer", "Requests"),
      },
      value: "IF(refused >= 100, 100 * refused / requests, 0)",
      threshold: 50,
      periodSeconds: 300,
      of: [3, 3],
    },
    {
      name: "SignInFailures",
      problem: "Hundreds of sign-ins fail within 5 minutes: passwords are being guessed.",
      action: 'Open "refused sign-ins by source and name". Block the source. Names lock themselves after 10 failures.',
      metrics: failures,
      value: sumOf(failures),
      threshold: 300,
      periodSeconds: 300,
      of: [1, 1],
    },
    {
      name: "SigningKeyAge",
      problem: `The key that signs access tokens is older than ${KEY_DAYS_MAX} days.`,
      action: 'Run "npm run keys -- rotate" in working hours. No token ends.',
      metrics: { days: ofService(watched, "oauth2", "SigningKeyAge", "Maximum") },
      value: "days",
      threshold: KEY_DAYS_MAX,
      periodSeconds: 3_600,
      of: [1, 24],
    },
  ];
}

function byId<Name>(prefix: string, metrics: readonly Metric<Name>[]): Record<string, Metric<Name>> {
  return Object.fromEntries(metrics.map((metric, index) => [`${prefix}${index}`, metric]));
}

/** A function without calls has no value, and a sum with `+` would have none either. */
function sumOf(metrics: object): string {
  return `SUM(FILL([${Object.keys(metrics).join(", ")}], 0))`;
}
