/**
 * What operators see: one line per request, which is a log record and its metrics in one (CloudWatch embedded metric
 * format), and lines for warnings and errors. The types list every field that can leave, so bodies, headers and secrets cannot.
 */
import { Logger } from "@aws-lambda-powertools/logger";
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import type { Cost } from "../table/meter.ts";
import { type MetricName, NAMESPACE } from "./metric-names.ts";

/** The record of one request. */
interface RequestRecord {
  readonly traceId: string;
  /** The operation's id; empty where the path leads to none. */
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly durationMs: number;
  readonly cost: Cost;
  readonly tenant?: string;
  readonly subject?: string;
  /** The name of the failure. */
  readonly fault?: string;
  /** How many defects the answer did not stand or fall with: operations of many that failed. */
  readonly defects?: number;
  /** How the authorizer decided; this and what follows only in its own lines. */
  readonly decision?: string;
  readonly sourceIp?: string;
  /** The scope that a refused caller would have needed. */
  readonly neededScope?: string;
}

/** A thing that went wrong, for the people who run the service. */
interface Trouble {
  readonly traceId: string;
  readonly operation: string;
  readonly fault: string;
  readonly cause: unknown;
}

/** A change in who may get in, or a refusal: for the people who look after security. */
interface SecurityEvent {
  readonly traceId: string;
  readonly tenant: string;
  readonly userStore: string;
  /** A digest of the name that was tried, so that the log holds no names of people. */
  readonly nameDigest: string;
  readonly sourceIp: string;
  readonly reason: string;
}

/** A change of a user of a directory that is half done: an operator must repair the entry. */
export interface UndoFailure {
  readonly tenant: string;
  readonly userStore: string;
  /** `undefined`: an entry that was created and must be deleted. */
  readonly userId: string | undefined;
  readonly cause: unknown;
}

/** The voice of one function. */
export interface Observer {
  request(record: RequestRecord): void;
  trouble(trouble: Trouble): void;
  security(event: SecurityEvent): void;
  undoFailure(failure: UndoFailure): void;
  /** The age of the key that signs access tokens, where it was looked up. */
  signingKey(ageMs: number): void;
}

/** What the log holds of an error: its name, message and stack, and those of what caused it. No other member of it. */
interface Account {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly cause?: Account;
}

const CAUSES_MAX = 4;

const DAY_MS = 86_400_000;

const observers = new Map<string, Observer>();

/** The voice of a function: one for each service and container, so that what one part tells is in the line that another writes. */
export function newObserver(service: string): Observer {
  const observer = observers.get(service) ?? open(service);
  observers.set(service, observer);
  return observer;
}

function open(service: string): Observer {
  const logger = new Logger({ serviceName: service });
  const metrics = new Metrics({ namespace: NAMESPACE, serviceName: service });
  const count = (name: MetricName, value: number) => metrics.addMetric(name, MetricUnit.Count, value);
  let cold = true;
  /** What was told since the last line. */
  let refused = { SignInFailures: 0, LockedSignIns: 0 };
  let undoFailures = 0;
  let keyAgeMs: number | undefined;
  return {
    request({ cost, durationMs, ...record }) {
      // Filled and published without a pause in between, so requests that are served at the same time do not mix.
      count("Requests", 1);
      count("ServerErrors", record.status >= 500 || record.defects !== undefined ? 1 : 0);
      metrics.addMetric("Duration" satisfies MetricName, MetricUnit.Milliseconds, Math.round(durationMs * 1000) / 1000);
      count("RoundTrips", cost.roundTrips);
      count("ReadUnits", cost.readUnits);
      count("WriteUnits", cost.writeUnits);
      const { decision } = record;
      if (decision !== undefined) count("Refusals", decision === "refuse" ? 1 : 0);
      // Where sign-ins happen the counts are always there: that tells "none" from "unknown". Elsewhere they would only cost.
      if (decision !== undefined || refused.SignInFailures > 0) {
        count("SignInFailures", refused.SignInFailures);
        count("LockedSignIns", refused.LockedSignIns);
      }
      refused = { SignInFailures: 0, LockedSignIns: 0 };
      if (undoFailures > 0) count("DirectoryUndoFailures", undoFailures);
      undoFailures = 0;
      if (keyAgeMs !== undefined) count("SigningKeyAge", keyAgeMs / DAY_MS);
      keyAgeMs = undefined;
      for (const [name, value] of Object.entries({ ...record, coldStart: cold })) {
        if (value !== undefined) metrics.addMetadata(name, String(value));
      }
      metrics.publishStoredMetrics();
      cold = false;
    },
    trouble({ traceId, operation, fault, cause }) {
      logger.error("request failed", { traceId, operation, fault, cause: accountOf(cause) });
    },
    security(event) {
      refused.SignInFailures += 1;
      if (event.reason === "locked") refused.LockedSignIns += 1;
      logger.warn("sign-in refused", { ...event });
    },
    undoFailure({ cause, ...failure }) {
      undoFailures += 1;
      logger.error("directory undo failed", { ...failure, cause: accountOf(cause) });
    },
    signingKey(ageMs) {
      keyAgeMs = ageMs;
    },
  };
}

function accountOf(thrown: unknown, depth = 0): Account {
  if (!(thrown instanceof Error)) return { name: typeof thrown, message: "something else than an error was thrown" };
  const { name, message, stack, cause } = thrown;
  return {
    name,
    message,
    stack,
    ...(cause !== undefined && depth < CAUSES_MAX ? { cause: accountOf(cause, depth + 1) } : {}),
  };
}
