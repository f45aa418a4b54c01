/**
 * What operators see: one line per request, which is a log record and its metrics in one (CloudWatch embedded metric
 * format), and lines for warnings and errors. The types list every field that can leave, so bodies, headers and secrets cannot.
 */
import { Logger } from "@aws-lambda-powertools/logger";
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import type { Cost } from "../table/meter.ts";

const NAMESPACE = "IdentityAdminApi";

/** The record of one request. */
export interface RequestRecord {
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
  /** How the authorizer decided; this and what follows only in its own lines. */
  readonly decision?: string;
  readonly sourceIp?: string;
  /** The scope that a refused caller would have needed. */
  readonly neededScope?: string;
}

/** A thing that went wrong, for the people who run the service. */
export interface Trouble {
  readonly traceId: string;
  readonly operation: string;
  readonly fault: string;
  readonly cause: unknown;
}

/** A change in who may get in, or a refusal: for the people who look after security. */
export interface SecurityEvent {
  readonly traceId: string;
  readonly tenant: string;
  readonly userStore: string;
  /** A digest of the name that was tried, so that the log holds no names of people. */
  readonly nameDigest: string;
  readonly sourceIp: string;
  readonly reason: string;
}

/** The voice of one function. */
export interface Observer {
  request(record: RequestRecord): void;
  trouble(trouble: Trouble): void;
  security(event: SecurityEvent): void;
}

/** What the log holds of an error: its name, message and stack, and those of what caused it. No other member of it. */
interface Account {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly cause?: Account;
}

const CAUSES_MAX = 4;

const accountOf = (thrown: unknown, depth = 0): Account => {
  if (!(thrown instanceof Error)) return { name: typeof thrown, message: "something else than an error was thrown" };
  const { name, message, stack, cause } = thrown;
  return {
    name,
    message,
    stack,
    ...(cause !== undefined && depth < CAUSES_MAX ? { cause: accountOf(cause, depth + 1) } : {}),
  };
};

/** Opens the voice of a function. */
export const newObserver = (service: string): Observer => {
  const logger = new Logger({ serviceName: service });
  const metrics = new Metrics({ namespace: NAMESPACE, serviceName: service });
  let cold = true;
  return {
    request({ cost, durationMs, ...record }) {
      // Filled and published without a pause in between, so requests that are served at the same time do not mix.
      metrics.addMetric("Requests", MetricUnit.Count, 1);
      metrics.addMetric("ServerErrors", MetricUnit.Count, record.status >= 500 ? 1 : 0);
      metrics.addMetric("Duration", MetricUnit.Milliseconds, Math.round(durationMs * 1000) / 1000);
      metrics.addMetric("RoundTrips", MetricUnit.Count, cost.roundTrips);
      metrics.addMetric("ReadUnits", MetricUnit.Count, cost.readUnits);
      metrics.addMetric("WriteUnits", MetricUnit.Count, cost.writeUnits);
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
      logger.warn("sign-in refused", { ...event });
    },
  };
};
