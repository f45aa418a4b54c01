/** How many requests and errors two versions of each function have, from CloudWatch (decision 0175). */
import {
  CloudWatchClient,
  type CloudWatchClientConfig,
  GetMetricDataCommand,
  type MetricDataQuery,
} from "@aws-sdk/client-cloudwatch";
import { DIMENSION, type MetricName, namespaceOf, VERSION_DIMENSION } from "#core/http/metric-names.ts";
import type { FunctionName } from "../../../stacks/plan.ts";
import { LIVE_ALIAS } from "../../../stacks/stage.ts";
import type { Sample } from "./comparison.ts";

/** Two versions that share the traffic of a function. */
export interface Pair {
  readonly service: FunctionName;
  readonly functionName: string;
  readonly from: string;
  readonly to: string;
}

/** What both have answered. */
export interface Compared extends Pair {
  readonly old: Sample;
  readonly fresh: Sample;
}

/** Reads samples. */
export interface Measures {
  /**
   * What the versions have answered since a moment. `wholeSinceMs`: from then on the new one has all traffic, and
   * Lambda no longer counts by version. Throws the errors of AWS.
   */
  read(pairs: readonly Pair[], span: Span): Promise<readonly Compared[]>;
  close(): void;
}

/** A time, in milliseconds. */
export interface Span {
  readonly sinceMs: number;
  readonly wholeSinceMs?: number | undefined;
  readonly nowMs: number;
}

const ATTEMPTS = 6;
const PERIOD_S = 60;
const PERIOD_MS = PERIOD_S * 1_000;
/** CloudWatch's limit of queries in one call. */
const QUERIES_MAX = 500;

/** Opens the metrics of a stage, in the region of the environment unless `config` says another. */
export function openMeasures(stage: string, config: CloudWatchClientConfig = {}): Measures {
  const client = new CloudWatchClient({ maxAttempts: ATTEMPTS, ...config });
  const sums = async (queries: readonly MetricDataQuery[], fromMs: number, toMs: number) => {
    const found = new Map<string, number>();
    for (let at = 0; at < queries.length; at += QUERIES_MAX) {
      for (let NextToken: string | undefined, isFirst = true; isFirst || NextToken; isFirst = false) {
        const page = await client.send(
          new GetMetricDataCommand({
            MetricDataQueries: queries.slice(at, at + QUERIES_MAX),
            StartTime: new Date(fromMs),
            EndTime: new Date(toMs),
            ...(NextToken && { NextToken }),
          }),
        );
        for (const { Id = "", Values = [] } of page.MetricDataResults ?? []) {
          found.set(
            Id,
            Values.reduce((sum, value) => sum + value, found.get(Id) ?? 0),
          );
        }
        NextToken = page.NextToken;
      }
    }
    return (id: string) => found.get(id) ?? 0;
  };
  return {
    async read(pairs, { sinceMs, wholeSinceMs, nowMs }) {
      // Periods are whole minutes. The one in which the traffic moved is left out, because it has both versions.
      const wholeMs = wholeSinceMs === undefined ? undefined : Math.ceil(wholeSinceMs / PERIOD_MS) * PERIOD_MS;
      const fromMs = Math.floor(sinceMs / PERIOD_MS) * PERIOD_MS;
      const shared = await sums(
        pairs.flatMap((pair, at) => sharedQueries(stage, pair, at)),
        fromMs,
        nowMs,
      );
      const whole =
        wholeMs === undefined || wholeMs >= nowMs ? () => 0 : await sums(pairs.flatMap(wholeQueries), wholeMs, nowMs);
      return pairs.map((pair, at) => ({
        ...pair,
        old: { requests: shared(`or${at}`), errors: shared(`oc${at}`) + shared(`oe${at}`) },
        fresh: {
          requests: shared(`nr${at}`) + whole(`wr${at}`),
          errors: shared(`nc${at}`) + shared(`ne${at}`) + whole(`wc${at}`),
        },
      }));
    },
    close: () => client.destroy(),
  };
}

/** Requests, crashes and errors of the old and the new version. AWS counts the first two by version without a price. */
function sharedQueries(stage: string, pair: Pair, at: number): readonly MetricDataQuery[] {
  const of = (prefix: string, version: string) => [
    lambdaQuery(`${prefix}r${at}`, "Invocations", { ...aliasOf(pair), ExecutedVersion: version }),
    lambdaQuery(`${prefix}c${at}`, "Errors", { ...aliasOf(pair), ExecutedVersion: version }),
    query(`${prefix}e${at}`, namespaceOf(stage), "ServerErrors" satisfies MetricName, {
      [DIMENSION]: pair.service,
      [VERSION_DIMENSION]: version,
    }),
  ];
  return [...of("o", pair.from), ...of("n", pair.to)];
}

/** Requests and crashes of the alias, of which the new version has all. */
function wholeQueries(pair: Pair, at: number): readonly MetricDataQuery[] {
  return [lambdaQuery(`wr${at}`, "Invocations", aliasOf(pair)), lambdaQuery(`wc${at}`, "Errors", aliasOf(pair))];
}

function aliasOf({ functionName }: Pair) {
  return { FunctionName: functionName, Resource: `${functionName}:${LIVE_ALIAS}` };
}

function lambdaQuery(id: string, name: string, dimensions: Readonly<Record<string, string>>): MetricDataQuery {
  return query(id, "AWS/Lambda", name, dimensions);
}

function query(
  Id: string,
  Namespace: string,
  MetricName: string,
  dimensions: Readonly<Record<string, string>>,
): MetricDataQuery {
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  return { Id, MetricStat: { Metric: { Namespace, MetricName, Dimensions }, Period: PERIOD_S, Stat: "Sum" } };
}
