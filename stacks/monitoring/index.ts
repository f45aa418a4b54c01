/** The monitoring of a stage: a dashboard, alarms, and saved log queries. */
import { operations } from "#core/service/catalogue.ts";
import { vaultName } from "../backup.ts";
import type { Feed } from "../feed.ts";
import type { MadeFunction, ServingFunctions } from "../functions.ts";
import { componentName, type FollowerName, plan, type ServingName } from "../plan.ts";
import { hasCanary, type Settings, type Stage } from "../stage.ts";
import { alarmsOf } from "./alarms.ts";
import { dashboardBody } from "./dashboard.ts";
import { accessLogFilters, type Metric, ofAccessLog, type Watched, type WatchedCertificate } from "./names.ts";
import { savedQueries } from "./queries.ts";

/** The monitored parts of a stage. */
interface Parts {
  readonly stage: Stage;
  readonly settings: Settings;
  readonly gateway: sst.aws.ApiGatewayV2;
  readonly table: sst.aws.Dynamo;
  readonly certificates: readonly WatchedCertificate<Name>[];
  readonly functions: ServingFunctions;
  readonly feed: Feed;
}

/** A name that AWS may not have assigned yet. */
type Name = $util.Input<string>;

/** Creates the monitoring of a stage. */
export function monitoring(parts: Parts): void {
  const watched = watchedOf(parts);
  // Records only refused calls: while there are none, it costs the monthly price of its two rules (docs/scaling.md).
  new aws.dynamodb.ContributorInsights("ThrottledKeys", { tableName: parts.table.name, mode: "THROTTLED_KEYS" });
  const alarmArns = raiseAlarms(parts, watched);
  new aws.cloudwatch.Dashboard("Dashboard", {
    dashboardName: named(parts),
    dashboardBody: $resolve({ watched, alarmArns }).apply(({ watched: names, alarmArns: arns }) =>
      dashboardBody(names as Watched, arns, tokenOperation()),
    ),
  });
  saveQueries(parts, watched);
}

function watchedOf({ stage, settings, gateway, table, certificates, functions, feed }: Parts): Watched<Name> {
  return {
    app: $app.name,
    stage: stage.name,
    region: aws.getRegionOutput().region,
    apiId: gateway.nodes.api.id,
    tableName: table.name,
    certificates,
    isChecked: hasCanary(stage, settings),
    functions: (Object.entries(functions) as [ServingName, MadeFunction][]).map(([service, { lambda, log }]) => ({
      service,
      functionName: lambda.name,
      logGroup: log.name,
      memoryMb: Number.parseInt(plan[service].memory, 10),
    })),
    followers: (Object.entries(feed.followers) as [FollowerName, MadeFunction][]).map(([follower, { lambda }]) => ({
      follower,
      functionName: lambda.name,
    })),
    undeliveredName: feed.failures.name,
    accessLog: gateway.nodes.logGroup.name,
    backupVault: settings.backupCopyTo === undefined ? undefined : vaultName(stage),
  };
}

/** The id of the operation that issues tokens. */
function tokenOperation(): string {
  const found = Object.entries(operations).find(([, { path }]) => path === "/oauth2/token");
  if (!found) throw new Error("no operation of the catalogue issues tokens");
  return found[0];
}

/** Creates the alarms with their topics. Returns the ARNs of the alarms. */
function raiseAlarms(parts: Parts, watched: Watched<Name>): readonly $util.Output<string>[] {
  const key = topicKey(parts);
  const urgent = topicOf(parts, "Alarms", "alarms", key);
  const later = topicOf(parts, "Notices", "notices", key);
  countAccessLog(watched);
  return alarmsOf(watched).map((alarm) => {
    const { name, problem, action, metrics, value, threshold, isBelow, isUrgent, periodSeconds, of, missing } = alarm;
    const topic = isUrgent ? urgent : later;
    const made = new aws.cloudwatch.MetricAlarm(`${name}Alarm`, {
      name: `${named(parts)}-${name}`,
      alarmDescription: `${problem} ${action} Steps: docs/alarms.md, "${name}".`,
      comparisonOperator: isBelow ? "LessThanThreshold" : "GreaterThanThreshold",
      threshold,
      datapointsToAlarm: of[0],
      evaluationPeriods: of[1],
      treatMissingData: missing ?? "notBreaching",
      metricQueries: [
        ...Object.entries(metrics).map(([id, metric]) => queryOf(id, metric, periodSeconds)),
        { id: "value", expression: value, label: name, returnData: true },
      ],
      alarmActions: [topic.arn],
      okActions: [topic.arn],
    });
    return made.arn;
  });
}

/** A topic of alarms, with the address of the stage as its subscriber. */
function topicOf(parts: Parts, title: string, name: string, key: aws.kms.Key): aws.sns.Topic {
  const topic = new aws.sns.Topic(title, { name: `${named(parts)}-${name}`, kmsMasterKeyId: key.keyId });
  const { alarmEmail } = parts.settings;
  if (alarmEmail !== undefined) {
    new aws.sns.TopicSubscription(`${title}Email`, { topic: topic.arn, protocol: "email", endpoint: alarmEmail });
  }
  return topic;
}

/** Counts what the gateway has no metric of, in its access log. */
function countAccessLog(watched: Watched<Name>): void {
  for (const [name, pattern] of Object.entries(accessLogFilters)) {
    const metric = ofAccessLog(watched, name as keyof typeof accessLogFilters);
    new aws.cloudwatch.LogMetricFilter(`${name}Filter`, {
      logGroupName: watched.accessLog,
      pattern,
      metricTransformation: { name: metric.name, namespace: metric.namespace, value: "1" },
    });
  }
}

/** The key of the topic. CloudWatch cannot publish to a topic that AWS's own key for SNS encrypts. */
function topicKey(parts: Parts) {
  return new aws.kms.Key("AlarmsKey", {
    description: `Encrypts the alarms of ${named(parts)}`,
    enableKeyRotation: true,
    policy: $jsonStringify({
      Version: "2012-10-17",
      Statement: [
        {
          Sid: "Account",
          Effect: "Allow",
          Principal: { AWS: $interpolate`arn:aws:iam::${aws.getCallerIdentityOutput().accountId}:root` },
          Action: "kms:*",
          Resource: "*",
        },
        {
          Sid: "Alarms",
          Effect: "Allow",
          Principal: { Service: "cloudwatch.amazonaws.com" },
          Action: ["kms:Decrypt", "kms:GenerateDataKey*"],
          Resource: "*",
          Condition: { StringEquals: { "aws:SourceAccount": aws.getCallerIdentityOutput().accountId } },
        },
      ],
    }),
  });
}

function queryOf(id: string, { namespace, name, dimensions, stat }: Metric<Name>, period: number) {
  return {
    id,
    metric: { namespace, metricName: name, dimensions: { ...dimensions }, stat, period },
  };
}

function saveQueries(parts: Parts, { functions }: Watched<Name>): void {
  const ofFunctions = functions.map(({ logGroup }) => logGroup);
  const ofGateway = [parts.gateway.nodes.logGroup.name];
  const groups = { functions: ofFunctions, gateway: ofGateway, all: [...ofFunctions, ...ofGateway] };
  for (const { name, source, text } of savedQueries) {
    new aws.cloudwatch.QueryDefinition(`Query${componentName(name.replaceAll(" ", "-"))}`, {
      name: `${named(parts)}/${name}`,
      logGroupNames: groups[source],
      queryString: text,
    });
  }
}

function named({ stage }: Parts): string {
  return `${$app.name}-${stage.name}`;
}
