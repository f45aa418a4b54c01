/** What needs a person, as data: each alarm with what it watches and what it means. docs/operations.md says what to do. */
import { type Metric, ofFunction, ofGateway, ofService, ofTable, type Watched } from "./names.ts";

/** An alarm on a value that is worked out of metrics. */
export interface Alarm<Name = string> {
  readonly name: string;
  /** What has happened, in a sentence for whoever is woken by it. */
  readonly says: string;
  readonly metrics: Readonly<Record<string, Metric<Name | string>>>;
  /** The value, over the ids of the metrics. */
  readonly value: string;
  /** It rings above this. */
  readonly threshold: number;
  readonly periodSeconds: number;
  /** So many of so many periods. */
  readonly of: readonly [breaching: number, periods: number];
}

/** An alarm on a value takes no more metrics than that. */
export const METRICS_MAX = 10;

/** The most milliseconds that one request in a hundred may take. */
const SLOW_MS = 3_000;

/** The most days that one key should sign access tokens. */
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
    // Callers wait for each of these.
    functions.filter(({ service }) => service !== "founding").map((each) => ofFunction(each, "Throttles")),
  );
  const undecided = {
    ...byId(
      "crashes",
      authorizer.map((each) => ofFunction(each, "Errors")),
    ),
    errors: ofService("authorizer", "ServerErrors"),
  };
  const failures = {
    direct: ofService("authorizer", "SignInFailures"),
    tokens: ofService("oauth2", "SignInFailures"),
  };
  const busy = { reads: ofTable(watched, "ReadThrottleEvents"), writes: ofTable(watched, "WriteThrottleEvents") };
  return [
    {
      name: "ServerErrors",
      says: "More than 1 % of the answers are 5xx.",
      metrics: { errors: ofGateway(watched, "5xx"), requests: ofGateway(watched, "Count") },
      // One failure among few requests at night is for the next morning.
      value: "IF(errors >= 3, 100 * errors / requests, 0)",
      threshold: 1,
      periodSeconds: 60,
      of: [3, 5],
    },
    {
      name: "SlowAnswers",
      says: `One request in a hundred takes longer than ${SLOW_MS / 1_000} seconds.`,
      metrics: { p99: ofGateway(watched, "Latency", "p99"), requests: ofGateway(watched, "Count") },
      value: "IF(requests >= 20, p99, 0)",
      threshold: SLOW_MS,
      periodSeconds: 60,
      of: [5, 10],
    },
    {
      name: "FunctionCrashes",
      says: "A function ended without an answer: it crashed, ran out of memory or out of time.",
      metrics: crashes,
      value: sumOf(crashes),
      threshold: 0,
      periodSeconds: 300,
      of: [1, 1],
    },
    {
      name: "FunctionThrottles",
      says: "Lambda turned calls away: the account has no more functions to run at once.",
      metrics: refusedStarts,
      value: sumOf(refusedStarts),
      threshold: 0,
      periodSeconds: 300,
      of: [1, 1],
    },
    {
      name: "TableThrottles",
      says: "DynamoDB turns calls away faster than repeating them makes good.",
      metrics: busy,
      value: sumOf(busy),
      threshold: 50,
      periodSeconds: 300,
      of: [1, 1],
    },
    {
      name: "AuthorizerFailures",
      says: "The authorizer cannot decide, so nobody is let in.",
      metrics: undecided,
      value: sumOf(undecided),
      threshold: 0,
      periodSeconds: 60,
      of: [2, 5],
    },
    {
      name: "Refusals",
      says: "More than half of the requests are refused: a client has lost its credential, or somebody is looking for a way in.",
      metrics: { refused: ofService("authorizer", "Refusals"), requests: ofService("authorizer", "Requests") },
      value: "IF(refused >= 100, 100 * refused / requests, 0)",
      threshold: 50,
      periodSeconds: 300,
      of: [3, 3],
    },
    {
      name: "SignInFailures",
      says: "Hundreds of sign-ins fail: somebody is guessing passwords.",
      metrics: failures,
      value: sumOf(failures),
      threshold: 300,
      periodSeconds: 300,
      of: [1, 1],
    },
    {
      name: "SigningKeyAge",
      says: `The key that signs access tokens is older than ${KEY_DAYS_MAX} days.`,
      metrics: { days: ofService("oauth2", "SigningKeyAge", "Maximum") },
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

/** Of functions that nobody called there is no value, and a sum with `+` would have none either. */
function sumOf(metrics: object): string {
  return `SUM(FILL([${Object.keys(metrics).join(", ")}], 0))`;
}
