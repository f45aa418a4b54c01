/**
 * The limits of AWS that no quota request raises, or that a deployment must not reach unnoticed, over everything that a
 * stage with the longest names in the longest region would create. A resource with another name is created before the
 * one with the former name is removed, so both must fit at the same time.
 *
 * It proves what is requested, not what AWS accepts: the numbers are those of AWS's documentation in November 2026.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { routes } from "#core/kernel/operation/derive.ts";
import { componentName, type FunctionName, plan, type ServingName } from "../../stacks/plan.ts";
import { APP_NAME, STAGE_NAME_MAX } from "../../stacks/stage.ts";
import { evaluate, secrets } from "./support/evaluate.ts";
import type { Evaluation, Inputs, Resource } from "./support/evaluation.ts";
import { production } from "./support/settings.ts";
import { deploymentOf, part } from "./support/stages.ts";

/** No region of the partition `aws` has a longer name. */
const REGION = "ap-southeast-2";
const LONGEST = "n".repeat(STAGE_NAME_MAX);
/** The longest name for which a certificate is issued. */
const host = (first: string) => `${first.repeat(52)}.example.com`;
/** The length of the ids that AWS gives to APIs, authorizers and statements. */
const ID = 10;
const SID = `terraform-${"0".repeat(26)}`;

const MEBIBYTE = 1_048_576;

let large: Evaluation;
let longest: Evaluation;
beforeAll(async () => {
  const { TRUSTSTORE_FILE, ...environment } = await production();
  const formerKeys = Array.from({ length: 4 }, (_, at) => Buffer.alloc(32, at).toString("base64")).join(",");
  large = await evaluate({
    stage: "production",
    region: REGION,
    environment: {
      ...environment,
      ...secrets,
      TRUSTSTORE_FILE,
      API_DOMAIN: host("a"),
      MTLS_DOMAIN: host("m"),
      // A key that is changed four times within the time for which secrets stay sealed under the former ones.
      SST_SECRET_FormerSealKeys: formerKeys,
    },
  });
  longest = await evaluate({ stage: LONGEST, region: REGION });
  // Each evaluation bundles every function.
}, 300_000);

/** Both stages: the one with every part, and the one with the longest name. */
const both = (): readonly Evaluation[] => [large, longest];
const ofType = ({ resources }: Evaluation, type: string): readonly Resource[] =>
  resources.filter((resource) => resource.type === type);

/** The bytes of the policies of functions, by the name that is called: as Lambda stores the statements. */
const policyBytes = (stage: Evaluation): ReadonlyMap<string, number> => {
  const statements = new Map<string, object[]>();
  for (const { inputs } of ofType(stage, "aws:lambda/permission:Permission")) {
    const name = String(inputs.function).split(":function:").at(-1);
    const called = `${name}${inputs.qualifier == null ? "" : `:${inputs.qualifier}`}`;
    const statement = {
      Sid: SID,
      Effect: "Allow",
      Principal: { Service: inputs.principal },
      Action: inputs.action,
      Resource: `arn:aws:lambda:${REGION}:123456789012:function:${called}`,
      Condition: { ArnLike: { "AWS:SourceArn": withIds(String(inputs.sourceArn)) } },
    };
    statements.set(called, [...(statements.get(called) ?? []), statement]);
  }
  return new Map(
    [...statements].map(([called, all]) => [
      called,
      JSON.stringify({ Version: "2012-10-17", Id: "default", Statement: all }).length,
    ]),
  );
};

/** The evaluation names APIs by their components, AWS by an id. */
const withIds = (arn: string): string => {
  const [head = "", rest = ""] = arn.split(/(?<=:execute-api:[^:]+:\d+:)/);
  return rest === "" ? arn : head + rest.replace(/^[^/]+/, "i".repeat(ID));
};

test("the names of routes are derived from their keys, so a deployment never creates a key that exists", () => {
  for (const stage of both()) {
    const made = ofType(stage, "aws:apigatewayv2/route:Route");
    const keys = made.map(({ inputs }) => String(inputs.routeKey));
    expect(new Set(keys).size).toBe(made.length);
    expect(new Set(made.map(({ name }) => name)).size).toBe(made.length);
  }
});

describe("the limits of API Gateway hold", () => {
  const QUOTA = 300;
  test("for routes, also while the paths of the function with most of them are renamed", () => {
    const byService = new Map<string, number>();
    for (const { service } of routes()) byService.set(service, (byService.get(service) ?? 0) + 1);
    expect(routes().length + Math.max(...byService.values())).toBeLessThanOrEqual(QUOTA);
    for (const stage of both()) expect(ofType(stage, "aws:apigatewayv2/route:Route").length).toBe(routes().length);
  });
  test("for integrations: one for each function that has routes, also while all are renamed", () => {
    const services = new Set(routes().map(({ service }) => service));
    for (const stage of both()) {
      const made = ofType(stage, "aws:apigatewayv2/integration:Integration");
      expect(made.map(({ name }) => name).sort()).toEqual(
        [...services].map((each) => `${componentName(each)}Integration`).sort(),
      );
      expect(2 * made.length).toBeLessThanOrEqual(QUOTA);
    }
  });
  test("for the format of the access log: 3 KB", () => {
    for (const stage of both()) {
      const [{ inputs } = { inputs: {} }] = ofType(stage, "aws:apigatewayv2/stage:Stage");
      const format = String(part(inputs, "accessLogSettings").format);
      expect(format).toContain("$context.requestId");
      expect(format.length).toBeLessThanOrEqual(3_072);
    }
  });
});

describe("the limits of Lambda hold", () => {
  test("for the policy of a function: 20,480 bytes, also while every permission is renamed", () => {
    for (const stage of both()) {
      const bytes = policyBytes(stage);
      expect(bytes.size).toBeGreaterThanOrEqual(new Set(routes().map(({ service }) => service)).size);
      for (const [called, size] of bytes) expect([called, 2 * size <= 20_480]).toEqual([called, true]);
    }
  });
  test("for the permissions: one for each way to call a function", () => {
    for (const stage of both()) {
      const calls = ofType(stage, "aws:lambda/permission:Permission").map(({ inputs }) =>
        [inputs.function, inputs.principal].join(),
      );
      expect(new Set(calls).size).toBe(calls.length);
    }
  });
  test("for the variables of a function: 4,096 bytes", () => {
    for (const stage of both()) {
      for (const { name, inputs } of ofType(stage, "aws:lambda/function:Function")) {
        const variables = Object.entries(part(part(inputs, "environment"), "variables"));
        const bytes = variables.reduce((sum, [key, value]) => sum + Buffer.byteLength(key + String(value)), 0);
        expect(variables.length).toBeGreaterThan(2);
        expect([name, bytes <= 4_096, bytes]).toEqual([name, true, bytes]);
      }
    }
  });
  test("for the unzipped code of a function: 250 MB", () => {
    const names = (Object.keys(plan) as FunctionName[]).map((name) => componentName(name));
    expect(Object.keys(large.codeBytes).sort()).toEqual(names.sort());
    for (const [name, bytes] of Object.entries(large.codeBytes)) {
      expect(bytes).toBeGreaterThan(1_000);
      expect([name, bytes <= 250 * MEBIBYTE]).toEqual([name, true]);
    }
  });
});

describe("the limits of IAM hold", () => {
  interface Declared {
    readonly effect: string;
    readonly actions: readonly string[];
    readonly resources: readonly string[];
    readonly conditions?: readonly { readonly test: string; readonly variable: string; readonly values: string[] }[];
  }
  /** The statement as IAM counts it: without white space. */
  const statementOf = ({ effect, actions, resources, conditions = [] }: Declared) => ({
    Effect: effect,
    Action: actions,
    Resource: resources,
    ...(conditions.length > 0 && {
      Condition: Object.fromEntries(
        Object.entries(Object.groupBy(conditions, ({ test: each }) => each)).map(([each, some = []]) => [
          each,
          Object.fromEntries(some.map(({ variable, values }) => [variable, values])),
        ]),
      ),
    }),
  });
  test("for the inline policies of a role: 10,240 characters", () => {
    for (const stage of both()) {
      for (const { name, inputs } of ofType(stage, "aws:iam/role:Role")) {
        const policies = (inputs.inlinePolicies ?? []) as readonly Inputs[];
        const characters = policies.reduce((sum, { policy }) => {
          const Statement = (JSON.parse(String(policy)) as Declared[]).map(statementOf);
          return sum + JSON.stringify({ Version: "2012-10-17", Statement }).length;
        }, 0);
        expect([name, characters <= 10_240, characters]).toEqual([name, true, characters]);
      }
    }
  });
});

describe("names fit", () => {
  /** The limits of names that the stacks choose. SST shortens those of functions, roles and tables itself. */
  const limits: Readonly<Record<string, number>> = {
    "aws:backup/plan:Plan": 50,
    "aws:backup/selection:Selection": 50,
    "aws:backup/vault:Vault": 50,
    "aws:cloudwatch/dashboard:Dashboard": 255,
    "aws:cloudwatch/eventBus:EventBus": 256,
    "aws:cloudwatch/eventRule:EventRule": 64,
    "aws:cloudwatch/logGroup:LogGroup": 512,
    "aws:cloudwatch/metricAlarm:MetricAlarm": 255,
    "aws:cloudwatch/queryDefinition:QueryDefinition": 255,
    "aws:kms/alias:Alias": 256,
    "aws:lambda/alias:Alias": 128,
    "aws:lambda/function:Function": 64,
    "aws:iam/role:Role": 64,
    "aws:sns/topic:Topic": 256,
    "aws:sqs/queue:Queue": 80,
    "aws:dynamodb/table:Table": 255,
    "aws:apigatewayv2/authorizer:Authorizer": 128,
    "aws:apigatewayv2/api:Api": 128,
    "aws:apigatewayv2/stage:Stage": 128,
  };
  /** Resources whose name is an address. */
  const addresses = ["aws:route53/record:Record"];
  const chosen = ({ inputs }: Resource): string | undefined =>
    [inputs.name, inputs.dashboardName].find((name): name is string => typeof name === "string");

  test("also those of a stage with every part and the longest name", () => {
    const named = large.resources.flatMap((resource) => {
      const name = resource.isCustom ? chosen(resource) : undefined;
      if (name === undefined || addresses.includes(resource.type) || resource.inputs.inlinePolicies) return [];
      return [{ type: resource.type, name: name.replace(`${APP_NAME}-production`, `${APP_NAME}-${LONGEST}`) }];
    });
    const ours = named.filter(({ type }) => !type.endsWith("function:Function"));
    expect(new Set(ours.map(({ type }) => type)).size).toBeGreaterThan(8);
    for (const { type, name } of ours) {
      expect(limits, type).toHaveProperty([type]);
      expect([type, name, name.length <= (limits[type] ?? 0)]).toEqual([type, name, true]);
    }
  });
  test("and those that SST shortens", () => {
    const named = longest.resources
      .filter(({ isCustom }) => isCustom)
      .map((each) => [each.type, chosen(each)] as const);
    for (const [type, name] of named) {
      if (name !== undefined) expect([type, name, name.length <= (limits[type] ?? 0)]).toEqual([type, name, true]);
    }
  });
});

test("a stage has few enough resources that a deployment looks at all of them within minutes", () => {
  const counts = both().map(({ resources }) => resources.filter(({ isCustom }) => isCustom).length);
  for (const count of counts) expect(count).toBeLessThanOrEqual(524);
});

test("each function that has routes lets only this API call it, by its one stage", () => {
  const services = [...new Set(routes().map(({ service }) => service))] satisfies readonly ServingName[];
  for (const service of services) {
    const { inputs } = deploymentOf("production").one(
      "aws:lambda/permission:Permission",
      `${componentName(service)}Permission`,
    );
    expect(inputs).toMatchObject({
      action: "lambda:InvokeFunction",
      principal: "apigateway.amazonaws.com",
      qualifier: "live",
      sourceArn: "arn:aws:execute-api:eu-west-1:123456789012:ApiApi/$default/*",
    });
  }
});

test("the mapping of each domain waits for the stage that it maps to", () => {
  const mappings = deploymentOf("production").ofType("aws:apigatewayv2/apiMapping:ApiMapping");
  expect(mappings.map(({ name }) => name).sort()).toEqual(["ApiDomainMapping", "MtlsMapping"]);
  for (const { name, dependsOn } of mappings)
    expect([name, dependsOn]).toEqual([name, expect.arrayContaining(["ApiStage"])]);
});
