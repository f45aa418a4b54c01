/**
 * The names that monitoring needs: those of the deployed resources, for metrics and logs. During a deployment AWS may
 * not have assigned a name yet, so the type of names is a parameter.
 */
import { DIMENSION, type MetricName, namespaceOf } from "#core/http/metric-names.ts";
import type { FollowerName, ServingName } from "../plan.ts";

/** A monitored function, by its names on AWS. */
export interface WatchedFunction<Name = string> {
  /** The name of its service, which is the dimension of its own metrics. */
  readonly service: ServingName;
  readonly functionName: Name;
  readonly logGroup: Name;
  readonly memoryMb: number;
}

/** A monitored function that follows the changes of the table. */
export interface WatchedFollower<Name = string> {
  readonly follower: FollowerName;
  readonly functionName: Name;
}

/** A monitored stage, by its names on AWS. */
export interface Watched<Name = string> {
  readonly app: string;
  readonly stage: string;
  readonly region: Name;
  readonly apiId: Name;
  readonly tableName: Name;
  readonly functions: readonly WatchedFunction<Name>[];
  readonly followers: readonly WatchedFollower<Name>[];
  /** The queue of what they could not deliver. */
  readonly undeliveredName: Name;
  /** The server certificates of the domains. */
  readonly certificates: readonly WatchedCertificate<Name>[];
  /** Whether the stage has the synthetic check. */
  readonly isChecked: boolean;
}

/** A server certificate: of which domain, and its ARN. */
export interface WatchedCertificate<Name = string> {
  readonly name: "Api" | "Mtls";
  readonly arn: Name;
}

/** The statistic over a period. */
export type Stat = "Sum" | "Maximum" | "Minimum" | "p50" | "p90" | "p99";

/** One metric with its statistic. */
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

/** Lambda's metric of a function. */
export function ofFunction<Name>(
  { functionName }: Pick<WatchedFunction<Name>, "functionName">,
  name: string,
  stat: Stat = "Sum",
): Metric<Name> {
  return { namespace: "AWS/Lambda", name, dimensions: { FunctionName: functionName }, stat };
}

/** A metric of the table; of one kind of call, if it is one of those that AWS writes for each. */
export function ofTable<Name>(
  { tableName }: Watched<Name>,
  name: string,
  stat: Stat = "Sum",
  call?: string,
): Metric<Name | string> {
  return {
    namespace: "AWS/DynamoDB",
    name,
    dimensions: { TableName: tableName, ...(call !== undefined && { Operation: call }) },
    stat,
  };
}

/** The messages in the queue of what could not be delivered. */
export function ofUndelivered<Name>({ undeliveredName }: Watched<Name>): Metric<Name> {
  return {
    namespace: "AWS/SQS",
    name: "ApproximateNumberOfMessagesVisible",
    dimensions: { QueueName: undeliveredName },
    stat: "Maximum",
  };
}

/** The days until a certificate of ACM expires. */
export function ofCertificate<Name>(arn: Name): Metric<Name> {
  return {
    namespace: "AWS/CertificateManager",
    name: "DaysToExpiry",
    dimensions: { CertificateArn: arn },
    stat: "Minimum",
  };
}

/** A metric that the functions of a service write into their logs. */
export function ofService<Name>(
  { stage }: Watched<Name>,
  service: ServingName | "canary",
  name: MetricName,
  stat: Stat = "Sum",
): Metric {
  return {
    namespace: namespaceOf(stage),
    name,
    dimensions: { [DIMENSION]: service },
    stat,
  };
}
