/** What follows the changes of the table: the stream, the functions that it calls, the bus, and the queue of failures. */
import { describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { SOURCE, UNREADABLE } from "#core/events/bus/event.ts";
import { componentName, followerNames } from "../../stacks/plan.ts";
import type { Inputs, Json } from "./support/evaluation.ts";
import { deploymentOf, part, type StageName } from "./support/stages.ts";

const stages = ["production", "staging", "dana", "dana, live"] as const satisfies readonly StageName[];
const production = deploymentOf("production");
const queueArn = "arn:aws:sqs:eu-west-1:123456789012:identity-admin-api-production-undelivered-changes";

/** The suffixes of partitions that a mapping selects. The delivery is told of ended sessions and mails, too. */
const suffixesOf = (mapping: Inputs, name: string): readonly string[] => {
  const [filter, ...more] = part(mapping, "filterCriteria").filters as readonly Inputs[];
  const added = ["#OUT", "#MAIL"].map((suffix) => ({
    pattern: JSON.stringify({ eventName: ["INSERT"], dynamodb: { Keys: { PK: { S: [{ suffix }] } } } }),
  }));
  expect(more).toEqual(name.startsWith("Delivery") ? added : []);
  const { eventName, dynamodb } = JSON.parse(String(filter?.pattern)) as {
    eventName: Json;
    dynamodb: { Keys: { PK: { S: { suffix: string }[] } } };
  };
  expect(eventName).toEqual(["INSERT"]);
  return dynamodb.Keys.PK.S.map(({ suffix }) => suffix);
};

describe.each(stages)("the feed of %s", (stage) => {
  const deployment = deploymentOf(stage);
  const mappings = deployment.ofType("aws:lambda/eventSourceMapping:EventSourceMapping");

  test("has a stream with keys alone: its readers see no password hash and no sealed secret", () => {
    expect(deployment.one("aws:dynamodb/table:Table", "DataTable").inputs).toMatchObject({
      streamEnabled: true,
      streamViewType: "KEYS_ONLY",
    });
  });
  test("calls each function that follows the table, with the code of the deployment", () => {
    const called = mappings.map(({ inputs }) => inputs.functionName).sort();
    const functions = followerNames.map((name) =>
      deployment.one("aws:lambda/function:Function", `${componentName(name)}Function`),
    );
    expect(called).toEqual(functions.map(({ inputs }) => inputs.name).sort());
    // Also while `sst dev` runs: changes do not wait for the machine of a developer.
    for (const { inputs } of functions) expect(inputs).toMatchObject({ handler: "bundle.handler" });
  });
  test.each(mappings.map(({ name, inputs }) => [name, inputs] as const))(
    "%s misses no change, and gives up before the stream forgets it",
    (_, inputs) => {
      expect(inputs).toMatchObject({
        startingPosition: "TRIM_HORIZON",
        functionResponseTypes: ["ReportBatchItemFailures"],
        bisectBatchOnFunctionError: true,
        maximumRetryAttempts: -1,
        destinationConfig: { onFailure: { destinationArn: expect.stringMatching(/-undelivered-changes$/) } },
      });
      expect(Number(inputs.maximumRecordAgeInSeconds)).toBeLessThanOrEqual(86_400 / 2);
    },
  );
  test.each(mappings.map(({ name, inputs }) => [name, inputs] as const))(
    "%s selects the lanes of records",
    (name, inputs) => {
      const suffixes = suffixesOf(inputs, name);
      const isSelected = (PK: string) => suffixes.some((suffix) => PK.endsWith(suffix));
      for (let lane = 0; lane < 8; lane += 1) expect(isSelected(keys.changeRecords("example.com", lane))).toBe(true);
      for (const { PK } of [keys.user("t", "1"), keys.changePart("t", "0".repeat(18), 0), keys.credential("t", "1")]) {
        expect(isSelected(PK)).toBe(false);
      }
    },
  );
});

describe("the delivery to subscribers", () => {
  const ruleOf = (stage: StageName) =>
    deploymentOf(stage).one("aws:cloudwatch/eventRule:EventRule", "DeliverySchedule").inputs;
  test("is called every minute for what is tried again, and rarely in a stage without alarms", () => {
    expect(stages.map((stage) => ruleOf(stage).scheduleExpression)).toEqual([
      "rate(1 minute)",
      "rate(1 minute)",
      "rate(15 minutes)",
      "rate(15 minutes)",
    ]);
    const { inputs } = production.one("aws:lambda/permission:Permission", "DeliveryPermission");
    expect(inputs).toMatchObject({
      principal: "events.amazonaws.com",
      sourceArn: expect.stringMatching(/:rule\/identity-admin-api-production-delivery$/),
    });
    const target = production.one("aws:cloudwatch/eventTarget:EventTarget", "DeliveryTarget").inputs;
    expect(target).toMatchObject({ input: "{}", retryPolicy: { maximumRetryAttempts: 0 } });
  });
  test("knows the public address, which is in what it sends", () => {
    const variablesOf = (stage: StageName) =>
      part(
        part(deploymentOf(stage).one("aws:lambda/function:Function", "DeliveryFunction").inputs, "environment"),
        "variables",
      );
    expect(variablesOf("production").PUBLIC_URL).toBe("https://api.example.com");
    expect(variablesOf("dana").PUBLIC_URL).toMatch(/^https:/);
  });
});

describe("the bus", () => {
  test("has the name of the stage, and the functions that put events on it", () => {
    expect(production.one("aws:cloudwatch/eventBus:EventBus", "Changes").inputs.name).toBe(
      "identity-admin-api-production",
    );
    const { inputs } = production.one("aws:lambda/function:Function", "ChangeEventsFunction");
    expect(part(part(inputs, "environment"), "variables").EVENT_BUS).toBe("identity-admin-api-production");
  });
  test("passes records that cannot be read to the queue of failures, which takes them from that rule alone", () => {
    const { inputs } = production.one("aws:cloudwatch/eventRule:EventRule", "UnreadableChanges");
    expect(JSON.parse(String(inputs.eventPattern))).toEqual({ source: [SOURCE], "detail-type": [UNREADABLE] });
    expect(inputs.eventBusName).toBe("identity-admin-api-production");
    expect(production.one("aws:cloudwatch/eventTarget:EventTarget", "UnreadableChangesTarget").inputs).toMatchObject({
      arn: queueArn,
      rule: inputs.name,
      eventBusName: inputs.eventBusName,
    });
    const { policy } = production.one("aws:sqs/queuePolicy:QueuePolicy", "UndeliveredChangesPolicy").inputs;
    expect(JSON.parse(String(policy)).Statement).toEqual([
      expect.objectContaining({
        Principal: { Service: "events.amazonaws.com" },
        Action: "sqs:SendMessage",
        Resource: queueArn,
        Condition: { ArnEquals: { "aws:SourceArn": expect.stringMatching(/rule\/.*unreadable-changes$/) } },
      }),
    ]);
  });
});

describe("the queue of failures", () => {
  test("is encrypted, and keeps its messages for as long as SQS does", () => {
    expect(production.one("aws:sqs/queue:Queue", "UndeliveredChanges").inputs).toMatchObject({
      sqsManagedSseEnabled: true,
      messageRetentionSeconds: 14 * 86_400,
    });
  });
  test("raises an alarm with its first message", () => {
    const { inputs } = production.one("aws:cloudwatch/metricAlarm:MetricAlarm", "UndeliveredChangesAlarm");
    expect(inputs).toMatchObject({ threshold: 0, comparisonOperator: "GreaterThanThreshold", datapointsToAlarm: 1 });
    expect(JSON.stringify(inputs.metricQueries)).toContain(
      '"QueueName":"identity-admin-api-production-undelivered-changes"',
    );
  });
  test("and what is nowhere else: a stage without alarms has no resource of it that costs something idle", () => {
    const types = (stage: StageName) => new Set(deploymentOf(stage).resources.map(({ type }) => type));
    expect(types("dana").has("aws:cloudwatch/metricAlarm:MetricAlarm")).toBe(false);
    expect(types("dana").has("aws:pipes/pipe:Pipe")).toBe(false);
  });
});
