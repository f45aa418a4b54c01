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
interface WatchedFollower<Name = string> {
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
  /** The log group of the gateway's access log, and the vault of backups, where the stage has them copied. */
  readonly accessLog: Name;
  readonly backupVault: string | undefined;
  /** Whether the stage has the synthetic check. */
  readonly isChecked: boolean;
}

/** A server certificate: of which domain, and its ARN. */
export interface WatchedCertificate<Name = string> {
  readonly name: "Api" | "Mtls";
  readonly arn: Name;
}

/** What filters count in the gateway's access log, each with its pattern: the gateway has no metric of it. */
export const accessLogFilters = { TooManyRequests: '{ $.status = "429" }' } as const;
type AccessLogMetric = keyof typeof accessLogFilters;

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

/** The executions of functions of the whole account and region at one time, which a quota bounds. */
export const executions: Metric = {
  namespace: "AWS/Usage",
  name: "ResourceCount",
  dimensions: { Service: "Lambda", Resource: "ConcurrentExecutions", Type: "Resource", Class: "None" },
  stat: "Maximum",
};

/** The jobs of AWS Backup of a vault. */
export function ofBackups(vault: string, name: string): Metric {
  return { namespace: "AWS/Backup", name, dimensions: { BackupVaultName: vault }, stat: "Sum" };
}

/** What a filter counts in the gateway's access log. */
export function ofAccessLog<Name>({ stage }: Watched<Name>, name: AccessLogMetric): Metric {
  return { namespace: `${namespaceOf(stage)}/gateway`, name, dimensions: {}, stat: "Sum" };
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
  service: ServingName | FollowerName | "mail" | "canary",
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

/**
 * AWS's list prices for us-east-1 on demand, in US dollars (docs/scaling.md). Other regions differ by up to a third:
 * change them for your own figures.
 */
export const prices = {
  /** One function of 1 GB running on arm64 for one second. */
  gigabyteSecond: 0.0000133334,
  functionCall: 0.2 / 1_000_000,
  gatewayRequest: 1 / 1_000_000,
  readUnit: 0.125 / 1_000_000,
  writeUnit: 0.625 / 1_000_000,
  logByte: 0.5 / 1_073_741_824,
} as const;
