/** What operators see and are told. docs/operations.md is held against it. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { services } from "#core/operation/services.ts";
import { METRICS_MAX } from "../../stacks/monitoring/alarms.ts";
import type { Inputs } from "./support/evaluation.ts";
import { deploymentOf, part, type StageName } from "./support/stages.ts";

const production = deploymentOf("production");
const guide = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");

describe("alarms", () => {
  const alarms = production.ofType("aws:cloudwatch/metricAlarm:MetricAlarm");
  const named = alarms.map(
    ({ inputs }) => [String(inputs.name).replace("identity-admin-api-production-", ""), inputs] as const,
  );
  const queriesOf = (inputs: Inputs) => inputs.metricQueries as readonly Inputs[];

  test("are these", () => {
    expect(named.map(([name]) => name).sort()).toEqual([
      "AuthorizerFailures",
      "FunctionCrashes",
      "FunctionThrottles",
      "Refusals",
      "ServerErrors",
      "SignInFailures",
      "SigningKeyAge",
      "SlowAnswers",
      "TableThrottles",
    ]);
  });
  test.each(named)("%s tells somebody, also when it is over, and says where to read what to do", (name, inputs) => {
    const topic = production.one("aws:sns/topic:Topic", "Alarms");
    expect(String(inputs.alarmActions)).toContain(String(topic.inputs.name));
    expect(inputs.okActions).toEqual(inputs.alarmActions);
    expect(inputs.alarmDescription).toMatch(new RegExp(`docs/operations\\.md, "${name}"\\.$`));
    expect(guide).toContain(`### ${name}\n`);
  });
  test.each(named)("%s watches no more metrics than CloudWatch takes, and one value", (_, inputs) => {
    const queries = queriesOf(inputs);
    expect(queries.filter(({ metric }) => metric).length).toBeLessThanOrEqual(METRICS_MAX);
    expect(queries.filter(({ returnData }) => returnData).map(({ id }) => id)).toEqual(["value"]);
    const ids = queries.map(({ id }) => String(id));
    expect(new Set(ids).size).toBe(ids.length);
    const used = String(queries.at(-1)?.expression).match(/\b[a-z]\w*/g) ?? [];
    expect(used.filter((id) => !ids.includes(id))).toEqual([]);
    expect(inputs.treatMissingData).toBe("notBreaching");
  });
  test("leave out no function", () => {
    const watched = (alarm: string) =>
      queriesOf(production.one("aws:cloudwatch/metricAlarm:MetricAlarm", `${alarm}Alarm`).inputs)
        .flatMap(({ metric }) => (metric ? [part(metric as Inputs, "dimensions").FunctionName] : []))
        .sort();
    const names = production
      .ofType("aws:lambda/function:Function")
      .map(({ name, inputs }) => [name, inputs.name] as const);
    const allBut = (name: string) => names.flatMap(([each, physical]) => (each === name ? [] : [physical])).sort();
    expect(watched("FunctionThrottles")).toEqual(allBut("FoundingFunction"));
    expect(watched("FunctionCrashes")).toEqual(allBut("AuthorizerFunction"));
  });
  test("reach the address that the team set", () => {
    expect(production.one("aws:sns/topicSubscription:TopicSubscription", "AlarmEmail").inputs).toMatchObject({
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
      "Requests",
      "5xx",
      "p99, ms",
      "Refusals",
      "Failed sign-ins",
      "Crashes",
      "Requests by surface",
      "Server errors by surface",
      "Answers of the gateway",
      "Latency at the gateway, ms",
      "p50 by surface, ms",
      "p99 by surface, ms",
      "Failed sign-ins and locked names",
      "Throttles",
      "Functions at once",
      "Capacity of the table, units",
      "Read units by surface",
      "Cost of a million requests, USD",
      "Errors by operation",
      "Latency by operation, ms",
      "Round trips and units by operation",
      "Cold starts, ms",
      "Tokens issued in five minutes",
    ]);
  });
  test("lays no panel over another, nor beyond its width", () => {
    const cells = widgets.flatMap(({ x, y, width, height }) =>
      Array.from({ length: width * height }, (_, at) => `${x + (at % width)},${y + Math.floor(at / width)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...widgets.map(({ x, width }) => x + width))).toBe(24);
  });
  test("shows every service by its own metrics", () => {
    const panel = widgets.find(({ properties }) => properties.title === "Requests by surface");
    for (const service of Object.keys(services)) expect(JSON.stringify(panel)).toContain(`"service","${service}"`);
  });
  test("keeps its expressions as short as CloudWatch takes them", () => {
    const expressions = [...String(inputs.dashboardBody).matchAll(/"expression":"((?:[^"\\]|\\.)*)"/g)];
    expect(expressions.length).toBeGreaterThan(0);
    for (const [, text = ""] of expressions) expect(text.length).toBeLessThanOrEqual(1_024);
  });
});

describe("metrics that the functions write", () => {
  const source = readFileSync(new URL("../../packages/core/http/observe.ts", import.meta.url), "utf8");
  const text = JSON.stringify(production.resources).replaceAll('\\"', '"');
  const inGraphs = [...text.matchAll(/\["IdentityAdminApi","(\w+)"/g)];
  const inAlarms = [...text.matchAll(/"metricName":"(\w+)","namespace":"IdentityAdminApi"/g)];
  const watched = [...new Set([...inGraphs, ...inAlarms].map(([, name]) => name))].sort();

  test("are watched: these", () => {
    expect(inAlarms.length).toBeGreaterThan(0);
    expect(watched).toEqual([
      "DirectoryUndoFailures",
      "Duration",
      "LockedSignIns",
      "ReadUnits",
      "Refusals",
      "Requests",
      "ServerErrors",
      "SignInFailures",
      "SigningKeyAge",
    ]);
  });
  test.each(watched)("%s is written", (name) => expect(source).toMatch(new RegExp(`(count|addMetric)\\("${name}"`)));
});

describe("questions to the logs", () => {
  const queries = production.ofType("aws:cloudwatch/queryDefinition:QueryDefinition").map(({ inputs }) => inputs);
  const nameOf = ({ name }: Inputs) => String(name).replace("identity-admin-api-production/", "");

  test("are these, and the guide speaks of each", () => {
    const names = queries.map(nameOf).sort();
    expect(names).toEqual([
      "answers that the gateway gave itself",
      "causes of failures",
      "cold starts",
      "database cost by operation",
      "errors by operation",
      "latency by operation",
      "one request by its trace id",
      "refusals by operation and scope",
      "refused sign-ins by source and name",
      "who changed what",
    ]);
    for (const name of names) expect(guide).toContain(`"${name}"`);
  });
  test("go to logs that are there", () => {
    const groups = production.ofType("aws:cloudwatch/logGroup:LogGroup").map(({ inputs }) => inputs.name);
    for (const { logGroupNames } of queries) expect(groups).toEqual(expect.arrayContaining(logGroupNames as string[]));
  });
});

describe("a stage that nobody watches", () => {
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
