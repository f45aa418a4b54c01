/** The log and the metrics of deliveries: one line for each subscriber to which a run delivered or failed. */
import { Logger } from "@aws-lambda-powertools/logger";
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import type { MetricName } from "./metric-names.ts";
import { loggedErrorOf } from "./observe.ts";

/** One run of deliveries to one subscriber. It contains no secret, nothing of a message and no address. */
interface DeliveryLine {
  readonly tenant: string;
  readonly subscriber: string;
  readonly kind: string;
  readonly delivered: number;
  readonly failure?: string;
  readonly refusals: readonly string[];
  readonly isPaused: boolean;
  readonly lagMs: number;
  readonly defect?: unknown;
}

/** What the clients of an application were told of sessions that have ended. */
interface ToldLine {
  readonly tenant: string;
  readonly application: string;
  readonly told: number;
  readonly failure?: string;
  readonly isGivenUp?: true;
  readonly lagMs: number;
  readonly defect?: unknown;
}

/** Reports deliveries. */
export interface DeliveryReport {
  run(line: DeliveryLine): void;
  told(line: ToldLine): void;
  /** A run failed as a whole, or for one tenant. */
  defect(cause: unknown): void;
}

/** The reporter of a container. */
export function newDeliveryReport(service: string): DeliveryReport {
  const logger = new Logger({ serviceName: service });
  const metrics = new Metrics({ serviceName: service });
  const count = (name: MetricName, value: number) => metrics.addMetric(name, MetricUnit.Count, value);
  return {
    run({ defect, refusals, delivered, isPaused, failure, lagMs, ...subscriber }) {
      count("EventsDelivered", delivered);
      count("DeliveryFailures", failure === undefined ? 0 : 1);
      count("ReceiversPaused", isPaused ? 1 : 0);
      count("DeliveryDefects", defect === undefined ? 0 : 1);
      metrics.addMetric("DeliveryLag" satisfies MetricName, MetricUnit.Milliseconds, lagMs);
      metrics.publishStoredMetrics();
      if (isPaused) logger.error("receiver paused", { ...subscriber, failure });
      else if (failure !== undefined) logger.warn("delivery failed", { ...subscriber, failure });
      if (refusals.length > 0) logger.warn("messages refused", { ...subscriber, refusals: refusals.slice(0, 10) });
      if (defect !== undefined) logger.error("delivery defect", { ...subscriber, cause: loggedErrorOf(defect) });
    },
    told({ defect, told, failure, isGivenUp, lagMs, ...application }) {
      count("EventsDelivered", told);
      count("DeliveryFailures", failure === undefined ? 0 : 1);
      count("DeliveryDefects", defect === undefined ? 0 : 1);
      metrics.addMetric("DeliveryLag" satisfies MetricName, MetricUnit.Milliseconds, lagMs);
      metrics.publishStoredMetrics();
      if (isGivenUp) logger.error("client not told of a logout", { ...application, failure });
      else if (failure !== undefined) logger.warn("telling a client of a logout failed", { ...application, failure });
      if (defect !== undefined) logger.error("delivery defect", { ...application, cause: loggedErrorOf(defect) });
    },
    defect(cause) {
      count("DeliveryDefects", 1);
      metrics.publishStoredMetrics();
      logger.error("delivery defect", { cause: loggedErrorOf(cause) });
    },
  };
}
