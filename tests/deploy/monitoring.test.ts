/** The monitoring of a stage, compared with docs/operations.md. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { services as endpointGroups } from "#core/kernel/operation/services.ts";
import { METRICS_MAX } from "../../stacks/monitoring/alarm.ts";
import { partitions } from "../../stacks/partitions.ts";
import { componentName, type FunctionName, followerNames, plan } from "../../stacks/plan.ts";
import { dashboardPicture } from "./support/dashboard-picture.ts";
import type { Inputs } from "./support/evaluation.ts";
import { deploymentOf, part, type StageName } from "./support/stages.ts";

const production = deploymentOf("production");
const guide = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");
const alarmGuide = readFileSync(new URL("../../docs/alarms.md", import.meta.url), "utf8");

const alarmArn = ({ name }: Inputs) => `arn:aws:cloudwatch:eu-west-1:123456789012:alarm:${name}`;

describe("alarms", () => {
  const alarms = production.ofType("aws:cloudwatch/metricAlarm:MetricAlarm");
  const named = alarms.map(
    ({ inputs }) => [String(inputs.name).replace("identity-admin-api-production-", ""), inputs] as const,
  );
  const queriesOf = (inputs: Inputs) => inputs.metricQueries as readonly Inputs[];
  /** The services whose own metrics an alarm reads. */
  const servicesIn = (alarm: string) =>
    queriesOf(production.one("aws:cloudwatch/metricAlarm:MetricAlarm", `${alarm}Alarm`).inputs)
      .flatMap(({ metric }) => (metric ? [String(part(metric as Inputs, "dimensions").service)] : []))
      .sort();
  /** The services of which the dashboard draws a metric in a line of its own. */
  const shownOf = (metric: string) => {
    const { dashboardBody } = production.one("aws:cloudwatch/dashboard:Dashboard", "Dashboard").inputs;
    const drawn = String(dashboardBody).matchAll(
      new RegExp(`"${metric}","service","([\\w-]+)",\\{"stat":"Sum","label"`, "g"),
    );
    return [...drawn].map(([, service]) => service).sort();
  };

  /** Those that wake somebody: callers do not get what they ask for, or soon will not. */
  const urgent: readonly string[] = [
    ...["AuthorizerFailures", "CheckFails", "ExecutionsNearQuota", "FeedFallsBehind", "FunctionCrashes"],
    ...["FunctionCrashes2", "FunctionThrottles", "FunctionThrottles2", "HotPartition", "ServerErrors"],
    ...["ServerErrorsAtLowTraffic", "SlowAnswers", "SlowAnswersAtLowTraffic", "TableErrors", "TableThrottles"],
    "TooManyRequests",
  ];

  test("are these", () => {
    expect(named.map(([name]) => name).sort()).toEqual([
      "ApiCertificateExpires",
      "AuthorizerFailures",
      "BackupFails",
      "CheckFails",
      "ClientAuthorityExpires",
      "ClientErrors",
      "DeliveriesFail",
      "DeliveryDefects",
      "ExecutionsNearQuota",
      "FeedFallsBehind",
      "FunctionCrashes",
      "FunctionCrashes2",
      "FunctionThrottles",
      "FunctionThrottles2",
      "HalfChangedUsers",
      "HotPartition",
      "MailsAreUnwanted",
      "MailsComeBack",
      "MtlsCertificateExpires",
      "ReceiversPaused",
      "Refusals",
      "ServerErrors",
      "ServerErrorsAtLowTraffic",
      "SignInFailures",
      "SigningKeyAge",
      "SlowAnswers",
      "SlowAnswersAtLowTraffic",
      "TableErrors",
      "TableThrottles",
      "TooManyRequests",
      "UndeliveredChanges",
    ]);
  });
  test("cost with the metrics of functions, dashboard, keys and check what docs/scaling.md says", () => {
    const scaling = readFileSync(new URL("../../docs/scaling.md", import.meta.url), "utf8");
    const inAlarms = alarms.flatMap(({ inputs }) => queriesOf(inputs).filter(({ metric }) => metric)).length;
    // Each function of the gateway and the authorizer writes six. The authorizer and the token endpoint write three
    // more, the function of sign-in two.
    const ofFunctions = 6 * (Object.keys(endpointGroups).length + 1) + 8;
    const keys = production.ofType("aws:kms/key:Key").length;
    const [dashboard, throttledKeys, check, schedule, refusedByGateway] = [3, 1, 3.22, 0.27, 0.3];
    const fixed =
      dashboard + inAlarms * 0.1 + ofFunctions * 0.3 + keys + throttledKeys + check + schedule + refusedByGateway;
    expect(scaling).toContain(`by their ${inAlarms} metrics`);
    expect(scaling).toContain(`${ofFunctions} at 0.30`);
    const shown = Math.round(fixed);
    expect(scaling).toContain(`| fixed | ${shown} | ${shown} | ${shown} |`);
    expect(scaling).toContain(`| \`production\` without requests | ${shown} USD |`);
  });
  test.each(named)(
    "%s notifies the topic, also when it ends, and names the problem, the action and its section of the guide",
    (name, inputs) => {
      const topic = production.one("aws:sns/topic:Topic", urgent.includes(name) ? "Alarms" : "Notices");
      expect(String(inputs.alarmActions)).toContain(String(topic.inputs.name));
      expect(inputs.okActions).toEqual(inputs.alarmActions);
      expect(inputs.alarmDescription).toMatch(new RegExp(`docs/alarms\\.md, "${name}"\\.$`));
      const section = alarmGuide.split(/^## /m).find((each) => each.startsWith(`${name}\n`)) ?? "";
      expect(section).toContain("**Users see**");
      const [commands = ""] = section.match(/(?<=```sh\n)[^`]+/) ?? [];
      expect(commands.trim().split("\n")).toHaveLength(3);
      expect(section).toMatch(/roll(ed)?\s+back|way back|go back|Commands and steps are those/i);
    },
  );
  test.each(named)("%s has at most the number of metrics that CloudWatch accepts, and one value", (_, inputs) => {
    const queries = queriesOf(inputs);
    expect(queries.filter(({ metric }) => metric).length).toBeLessThanOrEqual(METRICS_MAX);
    expect(queries.filter(({ returnData }) => returnData).map(({ id }) => id)).toEqual(["value"]);
    const ids = queries.map(({ id }) => String(id));
    expect(new Set(ids).size).toBe(ids.length);
    const used = String(queries.at(-1)?.expression).match(/\b[a-z]\w*/g) ?? [];
    expect(used.filter((id) => !ids.includes(id))).toEqual([]);
  });
  test("treat a period without data by what its absence means", () => {
    const byMissing = Map.groupBy(named, ([, inputs]) => String(inputs.treatMissingData));
    expect([...byMissing.keys()].sort()).toEqual(["breaching", "ignore", "notBreaching"]);
    expect(byMissing.get("breaching")?.map(([name]) => name)).toEqual(["CheckFails"]);
    expect(
      byMissing
        .get("ignore")
        ?.map(([name]) => name)
        .sort(),
    ).toEqual(["ApiCertificateExpires", "ClientAuthorityExpires", "MtlsCertificateExpires", "SigningKeyAge"]);
  });
  test("the guide names log groups that exist", () => {
    const [, services = ""] = /^FUNCTIONS="([^"]+)"$/m.exec(alarmGuide) ?? [];
    const logs = production.ofType("aws:cloudwatch/logGroup:LogGroup").map(({ inputs }) => String(inputs.name));
    const ofFunctions = services.split(" ").map((service) => `/aws/lambda/identity-admin-api-production-${service}`);
    expect(services.split(" ").sort()).toEqual([...Object.keys(endpointGroups), "authorizer"].sort());
    expect(logs).toEqual(expect.arrayContaining(ofFunctions));
    expect(logs.some((name) => name.startsWith("/aws/vendedlogs/apis/identity-admin-api-production"))).toBe(true);
  });
  test("go to a topic that CloudWatch can publish to although it is encrypted", () => {
    const topic = production.one("aws:sns/topic:Topic", "Alarms");
    expect(topic.inputs.kmsMasterKeyId).toBe("AlarmsKey");
    const { policy } = production.one("aws:kms/key:Key", "AlarmsKey").inputs;
    expect(JSON.parse(String(policy)).Statement).toContainEqual(
      expect.objectContaining({
        Effect: "Allow",
        Principal: { Service: "cloudwatch.amazonaws.com" },
        Action: ["kms:Decrypt", "kms:GenerateDataKey*"],
      }),
    );
  });
  test("cover every function; those of the synthetic check and those of the stream by their own alarms", () => {
    const followers = followerNames.map((name) => `${componentName(name)}Function`);
    const watched = (alarm: string) =>
      queriesOf(production.one("aws:cloudwatch/metricAlarm:MetricAlarm", `${alarm}Alarm`).inputs)
        .flatMap(({ metric }) => (metric ? [part(metric as Inputs, "dimensions").FunctionName] : []))
        .sort();
    const names = production
      .ofType("aws:lambda/function:Function")
      .filter(({ name }) => !name.startsWith("Canary") && !followers.includes(name) && name !== "MailFunction")
      .map(({ name, inputs }) => [name, inputs.name] as const);
    expect(watched("FeedFallsBehind")).toEqual(
      followers.map((name) => production.one("aws:lambda/function:Function", name).inputs.name).sort(),
    );
    const allBut = (name: string) => names.flatMap(([each, physical]) => (each === name ? [] : [physical])).sort();
    const inBoth = (alarm: string) => [...watched(alarm), ...watched(`${alarm}2`)].sort();
    expect(inBoth("FunctionThrottles")).toEqual(allBut("BootstrapFunction"));
    expect(inBoth("FunctionCrashes")).toEqual(allBut("AuthorizerFunction"));
  });
  test("count the failures of every function that verifies passwords, and the dashboard shows them", () => {
    const verifying = (Object.keys(plan) as FunctionName[]).filter((name) =>
      plan[name].reads?.on.includes(partitions.credential),
    );
    expect(verifying.sort()).toEqual(["authorizer", "oauth2", "sign-in"]);
    expect(servicesIn("SignInFailures")).toEqual(verifying);
    for (const metric of ["SignInFailures", "LockedSignIns"]) expect(shownOf(metric)).toEqual(verifying);
  });
  test("count the half-changed users of every function that changes entries of directories", () => {
    const changing = ["account", "scim1", "scim2", "sign-in"];
    expect(servicesIn("HalfChangedUsers")).toEqual(changing);
    expect(shownOf("DirectoryUndoFailures")).toEqual(changing);
    const section = alarmGuide.split(/^## /m).find((each) => each.startsWith("HalfChangedUsers\n"));
    for (const name of changing) expect(section).toContain(`service = "${name}"`);
  });
  test("notify the e-mail address of the settings", () => {
    expect(production.one("aws:sns/topicSubscription:TopicSubscription", "AlarmsEmail").inputs).toMatchObject({
      protocol: "email",
      endpoint: "operators@example.com",
    });
  });
});

describe("the dashboard", () => {
  const { inputs } = production.one("aws:cloudwatch/dashboard:Dashboard", "Dashboard");
  const { widgets } = JSON.parse(String(inputs.dashboardBody)) as {
    widgets: { x: number; y: number; width: number; height: number; properties: Inputs }[];
  };

  test("shows these panels", () => {
    expect(widgets.map(({ properties }) => properties.title ?? "").filter(Boolean)).toEqual([
      "Alarms",
      "The check of every minute: 1 is well",
      "Steps of the check, ms",
      "Days until an authority of clients expires",
      "Server errors, % of requests",
      "p99 of requests, ms",
      "Refused requests, %",
      "Failed sign-ins",
      "Calls that the table throttled",
      "Functions that crashed",
      "How long changes wait, ms",
      "Changes that were not delivered",
      "Calls by the stream of the table",
      "Latency at the gateway, ms",
      "p50 by service, ms",
      "p99 by service, ms",
      "Cost of a million requests, USD",
      "Capacity of the table, units",
      "Read units by service",
      "Requests by service",
      "Server errors by service",
      "Responses of the gateway",
      "Failed sign-ins and locked names",
      "Throttles",
      "Concurrent executions",
      "Errors by operation",
      "Latency by operation, ms",
      "Round trips and units by operation",
      "Cold starts, ms",
      "Tokens issued per five minutes",
      "Sign-ins by SAML metadata that has ended",
    ]);
  });
  test("is drawn in the docs as it is; `--update` draws it again", async () => {
    await expect(dashboardPicture(String(inputs.dashboardBody))).toMatchFileSnapshot("../../docs/dashboard.svg");
  });
  test("begins with the state of every alarm", () => {
    const arns = production.ofType("aws:cloudwatch/metricAlarm:MetricAlarm").map(({ inputs }) => alarmArn(inputs));
    const row = widgets.find(({ properties }) => properties.title === "Alarms");
    expect((row?.properties.alarms as string[] | undefined)?.toSorted()).toEqual(arns.sort());
    expect(row?.y).toBe(2);
  });
  test("draws the thresholds of alarms next to their values", () => {
    const drawn = widgets.flatMap(({ properties }) => {
      const { horizontal } = (properties.annotations ?? {}) as { horizontal?: { label: string; value: number }[] };
      return horizontal ?? [];
    });
    expect(drawn.length).toBe(10);
    for (const { label, value } of drawn) {
      const name = label.replace("alarm ", "");
      expect(production.one("aws:cloudwatch/metricAlarm:MetricAlarm", `${name}Alarm`).inputs.threshold).toBe(value);
    }
  });
  test("has no overlapping panel and none beyond its width", () => {
    const cells = widgets.flatMap(({ x, y, width, height }) =>
      Array.from({ length: width * height }, (_, at) => `${x + (at % width)},${y + Math.floor(at / width)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...widgets.map(({ x, width }) => x + width))).toBe(24);
  });
  test("shows the metrics of every service", () => {
    const panel = widgets.find(({ properties }) => properties.title === "Requests by service");
    for (const service of Object.keys(endpointGroups))
      expect(JSON.stringify(panel)).toContain(`"service","${service}"`);
  });
  test("has no expression longer than CloudWatch accepts", () => {
    const expressions = [...String(inputs.dashboardBody).matchAll(/"expression":"((?:[^"\\]|\\.)*)"/g)];
    expect(expressions.length).toBeGreaterThan(0);
    for (const [, text = ""] of expressions) expect(text.length).toBeLessThanOrEqual(1_024);
  });
});

describe("metrics that the functions write", () => {
  const source = ["observe.ts", "observe-check.ts", "observe-delivery.ts"]
    .map((file) => readFileSync(new URL(`../../packages/core/http/${file}`, import.meta.url), "utf8"))
    .join("\n");
  const text = JSON.stringify(production.resources).replaceAll('\\"', '"');
  const inGraphs = [...text.matchAll(/\["IdentityAdminApi\/production","(\w+)"/g)];
  const inAlarms = [...text.matchAll(/"metricName":"(\w+)","namespace":"IdentityAdminApi\/production"/g)];
  const watched = [...new Set([...inGraphs, ...inAlarms].map(([, name]) => name))].sort();

  test("are shown or alarmed: these", () => {
    expect(inAlarms.length).toBeGreaterThan(0);
    expect(watched).toEqual([
      "AuthorityDaysLeft",
      "CheckSuccess",
      "DeliveryDefects",
      "DeliveryFailures",
      "DirectoryUndoFailures",
      "Duration",
      "EventsDelivered",
      "LockedSignIns",
      "MailsBounced",
      "MailsComplained",
      "ReadDuration",
      "ReadUnits",
      "ReceiversPaused",
      "Refusals",
      "Requests",
      "ServerErrors",
      "SignInFailures",
      "SigningKeyAge",
      "TokenDuration",
      "WriteDuration",
    ]);
  });
  test.each(watched)("%s is written", (name) =>
    expect(source).toMatch(new RegExp(`(count|milliseconds)\\("${name}"|: "${name}",`)),
  );
});

describe("saved log queries", () => {
  const queries = production.ofType("aws:cloudwatch/queryDefinition:QueryDefinition").map(({ inputs }) => inputs);
  const nameOf = ({ name }: Inputs) => String(name).replace("identity-admin-api-production/", "");

  test("are these, and the guide describes each", () => {
    const names = queries.map(nameOf).sort();
    expect(names).toEqual([
      "causes of failures",
      "cold starts",
      "database cost by operation",
      "denied requests",
      "errors by operation",
      "errors by version",
      "latency by operation",
      "one request by trace id",
      "refusals by operation and scope",
      "refused sign-ins by source and name",
      "responses of the gateway itself",
      "who changed what",
    ]);
    for (const name of names) expect(guide).toContain(`"${name}"`);
  });
  test("read log groups that exist", () => {
    const groups = production.ofType("aws:cloudwatch/logGroup:LogGroup").map(({ inputs }) => inputs.name);
    for (const { logGroupNames } of queries) expect(groups).toEqual(expect.arrayContaining(logGroupNames as string[]));
  });
});

describe("monitoring", () => {
  test.each<[StageName, boolean]>([
    ["production", true],
    ["staging", true],
    ["dana", false],
  ])("%s has dashboard and alarms: %s", (stage, isWatched) => {
    const kinds = ["Dashboard", "MetricAlarm", "QueryDefinition"];
    const made = kinds.filter((kind) => deploymentOf(stage).resources.some(({ type }) => type.endsWith(`:${kind}`)));
    expect(made).toEqual(isWatched ? kinds : []);
  });
});
