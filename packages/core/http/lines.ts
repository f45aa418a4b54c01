/**
 * The logger and the metrics of a function. Every line has the version of the function that wrote it, so that a new
 * version can be compared with the one before (decision 0175).
 */
import { Logger } from "@aws-lambda-powertools/logger";
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import { type MetricName, VERSION_DIMENSION } from "./metric-names.ts";
import { runningVersion } from "./version.ts";

/** The logger of a service. */
export function newLogger(service: string): Logger {
  const version = runningVersion();
  return new Logger({ serviceName: service, ...(version !== undefined && { persistentKeys: { version } }) });
}

/** The metrics of a service, and the fields of their lines. */
export interface Measures {
  count(name: MetricName, value: number): void;
  milliseconds(name: MetricName, value: number): void;
  /** Writes what was added since the last line as one line. */
  publish(fields?: Readonly<Record<string, unknown>>): void;
}

/** The metrics of a service. */
export function newMeasures(service: string): Measures {
  const metrics = new Metrics({ serviceName: service });
  return {
    count(name, value) {
      metrics.addMetric(name, MetricUnit.Count, value);
      if (name === "ServerErrors" && value > 0) countOfVersion(metrics, value);
    },
    milliseconds: (name, value) => metrics.addMetric(name, MetricUnit.Milliseconds, value),
    publish(fields = {}) {
      for (const [name, value] of Object.entries({ ...fields, version: runningVersion() })) {
        if (value !== undefined) metrics.addMetadata(name, String(value));
      }
      metrics.publishStoredMetrics();
    },
  };
}

/**
 * Errors of one version, in a line of their own. A version without errors has no such metric: each one costs for every
 * hour in which it is written.
 */
function countOfVersion(metrics: Metrics, errors: number): void {
  const version = runningVersion();
  if (version === undefined) return;
  const one = metrics.singleMetric();
  one.addDimension(VERSION_DIMENSION, version);
  one.addMetric("ServerErrors" satisfies MetricName, MetricUnit.Count, errors);
}
