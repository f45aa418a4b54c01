/** The monitoring of a stage: a dashboard, alarms, and saved log queries. */
import { operations } from "#core/catalogue.ts";
import type { MadeFunction } from "../functions.ts";
import { componentName, type FunctionName, plan } from "../plan.ts";
import type { Settings, Stage } from "../stage.ts";
import { alarmsOf } from "./alarms.ts";
import { dashboardBody } from "./dashboard.ts";
import type { Metric, Watched } from "./names.ts";
import { savedQueries } from "./queries.ts";

/** The monitored parts of a stage. */
interface Parts {
  readonly stage: Stage;
  readonly settings: Settings;
  readonly gateway: sst.aws.ApiGatewayV2;
  readonly table: sst.aws.Dynamo;
  readonly functions: Readonly<Record<FunctionName, MadeFunction>>;
}

/** A name that AWS may not have assigned yet. */
type Name = $util.Input<string>;

/** Creates the monitoring of a stage. */
export function monitoring(parts: Parts): void {
  const watched = watchedOf(parts);
  new aws.cloudwatch.Dashboard("Dashboard", {
    dashboardName: named(parts),
    dashboardBody: $resolve(watched).apply((names) => dashboardBody(names as Watched, tokenOperation())),
  });
  raiseAlarms(parts, watched);
  saveQueries(parts, watched);
}

function watchedOf({ stage, gateway, table, functions }: Parts): Watched<Name> {
  return {
    app: $app.name,
    stage: stage.name,
    region: aws.getRegionOutput().region,
    apiId: gateway.nodes.api.id,
    tableName: table.name,
    functions: (Object.entries(functions) as [FunctionName, MadeFunction][]).map(([service, { lambda, log }]) => ({
      service,
      functionName: lambda.name,
      logGroup: log.name,
      memoryMb: Number.parseInt(plan[service].memory, 10),
    })),
  };
}

/** The id of the operation that issues tokens. */
function tokenOperation(): string {
  const found = Object.entries(operations).find(([, { path }]) => path === "/oauth2/token");
  if (!found) throw new Error("no operation of the catalogue issues tokens");
  return found[0];
}

function raiseAlarms(parts: Parts, watched: Watched<Name>): void {
  const topic = new aws.sns.Topic("Alarms", { name: `${named(parts)}-alarms` });
  const { alarmEmail } = parts.settings;
  if (alarmEmail !== undefined) {
    new aws.sns.TopicSubscription("AlarmEmail", { topic: topic.arn, protocol: "email", endpoint: alarmEmail });
  }
  for (const { name, problem, action, metrics, value, threshold, periodSeconds, of } of alarmsOf(watched)) {
    new aws.cloudwatch.MetricAlarm(`${name}Alarm`, {
      name: `${named(parts)}-${name}`,
      alarmDescription: `${problem} ${action} Steps: docs/operations.md, "${name}".`,
      comparisonOperator: "GreaterThanThreshold",
      threshold,
      datapointsToAlarm: of[0],
      evaluationPeriods: of[1],
      // No traffic is not a problem.
      treatMissingData: "notBreaching",
      metricQueries: [
        ...Object.entries(metrics).map(([id, metric]) => queryOf(id, metric, periodSeconds)),
        { id: "value", expression: value, label: name, returnData: true },
      ],
      alarmActions: [topic.arn],
      okActions: [topic.arn],
    });
  }
}

function queryOf(id: string, { namespace, name, dimensions, stat }: Metric<Name>, period: number) {
  return {
    id,
    metric: { namespace, metricName: name, dimensions: { ...dimensions }, stat, period },
  };
}

function saveQueries(parts: Parts, { functions }: Watched<Name>): void {
  const groups = { functions: functions.map(({ logGroup }) => logGroup), gateway: [parts.gateway.nodes.logGroup.name] };
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
