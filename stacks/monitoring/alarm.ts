/** What an alarm is, and how the metrics of several functions become one value. */
import { type Metric, ofFunction, type WatchedFunction } from "./names.ts";

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
  /** The alarm is raised above this value; below it if `isBelow` is set. */
  readonly threshold: number;
  readonly isBelow?: true;
  readonly periodSeconds: number;
  /** The number of breaching periods, of the last number of periods. */
  readonly of: readonly [breaching: number, periods: number];
  /**
   * What a period without data means. Only a metric that is always written breaches by its absence; without traffic
   * there are no requests, and no errors either.
   */
  readonly missing: "breaching" | "notBreaching" | "ignore";
  /** True for what no deployment causes. All other alarms stop a shift of traffic to new versions (decision 0071). */
  readonly isUnrelated?: true;
}

/** CloudWatch's limit of metrics in one alarm. */
export const METRICS_MAX = 10;

/**
 * An alarm on a metric of functions, in as many alarms as CloudWatch's limit of metrics demands: the second has the
 * name of the first and a 2.
 */
export function inGroups<Name>(
  name: string,
  functions: readonly WatchedFunction<Name>[],
  metric: "Errors" | "Throttles",
  alarm: Omit<Alarm<Name>, "name" | "metrics" | "value">,
): readonly Alarm<Name>[] {
  const groups = Math.max(1, Math.ceil(functions.length / METRICS_MAX));
  return Array.from({ length: groups }, (_, at) => {
    const some = functions.slice(at * METRICS_MAX, (at + 1) * METRICS_MAX);
    const metrics = byId(
      metric.toLowerCase(),
      some.map((each) => ofFunction(each, metric)),
    );
    return { ...alarm, name: at === 0 ? name : `${name}${at + 1}`, metrics, value: sumOf(metrics) };
  });
}

/** Metrics with ids. */
export function byId<Name>(prefix: string, metrics: readonly Metric<Name>[]): Record<string, Metric<Name>> {
  return Object.fromEntries(metrics.map((metric, index) => [`${prefix}${index}`, metric]));
}

/** A function without calls has no value, and a sum with `+` would have none either. */
export function sumOf(metrics: object): string {
  return `SUM(FILL([${Object.keys(metrics).join(", ")}], 0))`;
}
