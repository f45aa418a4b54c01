/**
 * What monitoring has to know of what was deployed: the names under which AWS counts and keeps logs. While a stage is
 * deployed a name may be one that AWS has still to give, so its type is left open.
 */
import { DIMENSION, type MetricName, NAMESPACE } from "#core/http/metric-names.ts";
import type { FunctionName } from "../plan.ts";

/** A function as AWS knows it. */
export interface WatchedFunction<Name = string> {
  /** The name of its service, which is the dimension of its own metrics. */
  readonly service: FunctionName;
  readonly functionName: Name;
  readonly logGroup: Name;
  readonly memoryMb: number;
}

/** A stage as AWS knows it. */
export interface Watched<Name = string> {
  readonly app: string;
  readonly stage: string;
  readonly region: Name;
  readonly apiId: Name;
  readonly tableName: Name;
  readonly functions: readonly WatchedFunction<Name>[];
}

/** How the values of a period become one. */
export type Stat = "Sum" | "Maximum" | "p50" | "p99";

/** One metric: namespace, name, dimensions and how it is summed up. */
export interface Metric<Name = string> {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, Name>>;
  readonly stat: Stat;
}

/** A metric of the gateway. */
export function ofGateway<Name>({ apiId }: Watched<Name>, name: string, stat: Stat = "Sum"): Metric<Name> {
  return {
    namespace: "AWS/ApiGateway",
    name,
    dimensions: { ApiId: apiId },
    stat,
  };
}

/** A metric that Lambda keeps of a function. */
export function ofFunction<Name>(
  { functionName }: WatchedFunction<Name>,
  name: string,
  stat: Stat = "Sum",
): Metric<Name> {
  return { namespace: "AWS/Lambda", name, dimensions: { FunctionName: functionName }, stat };
}

/** A metric of the table. */
export function ofTable<Name>({ tableName }: Watched<Name>, name: string, stat: Stat = "Sum"): Metric<Name> {
  return {
    namespace: "AWS/DynamoDB",
    name,
    dimensions: { TableName: tableName },
    stat,
  };
}

/** A metric that the functions of a service write themselves. */
export function ofService(service: FunctionName, name: MetricName, stat: Stat = "Sum"): Metric {
  return {
    namespace: NAMESPACE,
    name,
    dimensions: { [DIMENSION]: service },
    stat,
  };
}
