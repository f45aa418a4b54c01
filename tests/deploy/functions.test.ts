/** The functions as they would be created: settings and rights. */
import { describe, expect, test } from "vitest";
import {
  answerKeyOf,
  canarySecretOf,
  cursorKeyOf,
  eventKeysOf,
  eventSigningKeysOf,
  factorKeysOf,
  formKeyOf,
  nonceKeyOf,
  samlKeysOf,
} from "#core/kernel/seal.ts";
import {
  canaryNames,
  componentName,
  type FunctionName,
  followerNames,
  hasSecrets,
  isBehindGateway,
  isFollower,
  plan,
  scheduledNames,
  variablesOf,
} from "../../stacks/plan.ts";
import { statementsOf } from "../../stacks/statements.ts";
import { secrets } from "./support/evaluate.ts";
import type { Inputs } from "./support/evaluation.ts";
import { deploymentOf, part, type StageName } from "./support/stages.ts";

const production = deploymentOf("production");
const names = Object.keys(plan) as FunctionName[];

const functionOf = (name: FunctionName) =>
  production.one("aws:lambda/function:Function", `${componentName(name)}Function`);
const roleOf = (name: FunctionName) => production.one("aws:iam/role:Role", `${componentName(name)}Role`).inputs;
const policyOf = (name: FunctionName) => {
  const policies = roleOf(name).inlinePolicies as readonly Inputs[];
  return policies.flatMap(({ policy }) => JSON.parse(String(policy)) as Inputs[]);
};
const keyArn = "arn:aws:kms:eu-west-1:123456789012:key/VariablesKey";
const busArn = "arn:aws:events:eu-west-1:123456789012:event-bus/identity-admin-api-production";
/** The stream of the table, which has keys alone, and the queue of what failed. */
const following = [
  {
    effect: "Allow",
    actions: ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"].map((call) => `dynamodb:${call}`),
    resources: [expect.stringMatching(/:table\/identity-admin-api-production-DataTable-\w{8}\/stream\/[^*]+$/)],
  },
  {
    effect: "Allow",
    actions: ["sqs:SendMessage"],
    resources: ["arn:aws:sqs:eu-west-1:123456789012:identity-admin-api-production-undelivered-changes"],
  },
];
const TABLE = /^arn:aws:dynamodb:eu-west-1:123456789012:table\/identity-admin-api-production-DataTable-\w{8}$/;
const SST = ["SST_KEY", "SST_KEY_FILE", "SST_RESOURCE_App"];

test("are exactly those of the plan", () => {
  const made = production.ofType("aws:lambda/function:Function").map(({ name }) => name);
  expect(made.sort()).toEqual(names.map((name) => `${componentName(name)}Function`).sort());
});

describe.each(names)("%s", (name) => {
  test("has Node 24, arm64, tracing, and the memory and timeout of its plan", () => {
    const { memory, timeout } = plan[name];
    expect(functionOf(name).inputs).toMatchObject({
      runtime: "nodejs24.x",
      architectures: ["arm64"],
      handler: "bundle.handler",
      memorySize: Number.parseInt(memory, 10),
      timeout: Number.parseInt(timeout, 10),
      tracingConfig: { mode: "Active" },
    });
  });
  test("gets another runtime with its code alone, so that no version is changed while it serves", () => {
    const { inputs, isRetained } = production.one(
      "aws:lambda/runtimeManagementConfig:RuntimeManagementConfig",
      `${componentName(name)}Runtime`,
    );
    const { name: functionName } = functionOf(name).inputs;
    const mode = { functionName, updateRuntimeOn: "FunctionUpdate" };
    expect(inputs).toEqual(isBehindGateway(name) ? { ...mode, qualifier: "1" } : mode);
    // A former version keeps its mode: it serves until the shift, and again after a rollback.
    expect(isRetained).toBe(isBehindGateway(name));
  });
  test("has exactly the variables of its plan", () => {
    const variables = part(part(functionOf(name).inputs, "environment"), "variables");
    const own = Object.keys(variables).filter((variable) => !SST.includes(variable));
    expect(own.sort()).toEqual(
      [...variablesOf(plan[name]), "POWERTOOLS_LOG_LEVEL", "POWERTOOLS_METRICS_NAMESPACE"].sort(),
    );
  });
  test("has exactly the rights of its plan on the table, its own log, and traces", () => {
    const policy = policyOf(name);
    const log = String(part(functionOf(name).inputs, "loggingConfig").logGroup);
    const stream = policy.filter(({ resources }) => String(resources).includes("/stream/"));
    const onTable = policy.filter(
      (statement) => String(statement.actions).includes("dynamodb") && !stream.includes(statement),
    );
    expect(
      onTable.map(({ effect, actions, conditions }) => ({ effect: String(effect).toLowerCase(), actions, conditions })),
    ).toEqual(statementsOf(plan[name]));
    for (const { resources } of onTable) expect(resources).toEqual([expect.stringMatching(TABLE)]);
    expect(policy.filter((statement) => !onTable.includes(statement))).toEqual([
      {
        effect: "Allow",
        actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
        resources: [`arn:aws:logs:eu-west-1:123456789012:log-group:${log}:*`],
      },
      { effect: "Allow", actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], resources: ["*"] },
      ...(hasSecrets(plan[name]) ? [{ effect: "Allow", actions: ["kms:Decrypt"], resources: [keyArn] }] : []),
      ...(isFollower(name) ? following : []),
      ...(plan[name].needs.includes("bus")
        ? [{ effect: "Allow", actions: ["events:PutEvents"], resources: [busArn] }]
        : []),
    ]);
    expect(roleOf(name).managedPolicyArns).toEqual([]);
  });
  test("has variables that only its stage's own key opens, if they contain a secret", () => {
    const { inputs } = functionOf(name);
    const contents = JSON.stringify(inputs.environment);
    const isSecret = [...Object.values(secrets), canarySecretOf(secrets.SST_SECRET_SealKey)].some((secret) =>
      contents.includes(secret),
    );
    expect(isSecret && !hasSecrets(plan[name])).toBe(false);
    expect(inputs.kmsKeyArn ?? undefined).toBe(hasSecrets(plan[name]) ? keyArn : undefined);
  });
  test("has a role that only Lambda can assume", () => {
    expect(part(roleOf(name), "assumeRolePolicy").Statement).toEqual([
      expect.objectContaining({ Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" } }),
    ]);
  });
  test("has a log of its own with a retention of a year", () => {
    const log = production.one("aws:cloudwatch/logGroup:LogGroup", `${componentName(name)}LogGroup`).inputs;
    expect(log.retentionInDays).toBe(365);
    expect(part(functionOf(name).inputs, "loggingConfig")).toEqual({ logFormat: "Text", logGroup: log.name });
  });
});

test("in production the authorizer and sign-in have reserved executions, and no other function of any stage has", () => {
  const reserved = (stage: StageName) =>
    deploymentOf(stage)
      .ofType("aws:lambda/function:Function")
      .flatMap(({ name, inputs }) =>
        inputs.reservedConcurrentExecutions == null ? [] : [[name, inputs.reservedConcurrentExecutions]],
      );
  expect(reserved("production").sort()).toEqual([
    ["AuthorizerFunction", 200],
    ["SignInFunction", 100],
  ]);
  expect([...reserved("staging"), ...reserved("dana")]).toEqual([]);
});

test("a deployment uploads the code of each function, the truststore, and nothing else", () => {
  const objects = production.ofType("aws:s3/bucketObjectv2:BucketObjectv2").map(({ name }) => name);
  expect(objects.sort()).toEqual([...names.map((name) => `${componentName(name)}Code`), "TruststoreFile"].sort());
});

describe("secrets", () => {
  const holders = (text: string) =>
    production.resources.filter(({ inputs }) => JSON.stringify(inputs).includes(text)).map(({ name }) => name);

  test("the sealing key is only in the settings of functions that seal", () => {
    const sealing = names.filter((name) => plan[name].needs.includes("sealing"));
    expect(sealing.length).toBeGreaterThan(0);
    expect(holders(secrets.SST_SECRET_SealKey).sort()).toEqual(
      sealing.map((name) => `${componentName(name)}Function`).sort(),
    );
  });
  test("a function that seals cursors alone has a derived key, which opens no secret", () => {
    const cursors = names.filter((name) => plan[name].needs.includes("cursors"));
    expect(cursors).toEqual(["scim2"]);
    expect(holders(cursorKeyOf(secrets.SST_SECRET_SealKey)).sort()).toEqual(["Scim2Function"]);
    expect(cursors.filter((name) => plan[name].needs.includes("sealing"))).toEqual([]);
  });
  test("sign-in, SAML and recovery seal their forms and codes with a derived key, which opens no secret", () => {
    expect(holders(formKeyOf(secrets.SST_SECRET_SealKey)).sort()).toEqual([
      "AccountRecoveryFunction",
      "SignInFunction",
      "SsoFunction",
    ]);
    for (const name of ["sign-in", "sso", "account-recovery"] as const)
      expect(plan[name].needs).not.toContain("sealing");
  });
  test("the function of sign-in alone has the derived keys of one-time codes, which open no other secret", () => {
    const { SST_SECRET_SealKey: key } = secrets;
    expect(names.filter((name) => plan[name].needs.includes("factors"))).toEqual(["sign-in"]);
    expect(holders(factorKeysOf(key, "none"))).toEqual(["SignInFunction"]);
    const variables = names.filter((name) => variablesOf(plan[name]).includes("FACTOR_KEYS"));
    expect(variables).toEqual(["sign-in"]);
  });
  test("the function of single sign-on alone has the derived keys of what signs assertions, which open no other secret", () => {
    expect(names.filter((name) => plan[name].needs.includes("saml"))).toEqual(["sso"]);
    expect(holders(samlKeysOf(secrets.SST_SECRET_SealKey, "none"))).toEqual(["SsoFunction"]);
  });
  test("what sends events has derived keys of receivers' secrets and of signing keys, and not the sealing key", () => {
    const own = (key: string) => holders(key).sort();
    const { SST_SECRET_SealKey: key } = secrets;
    expect(own(eventSigningKeysOf(key, "none"))).toEqual(["DeliveryFunction", "SignalsFunction"]);
    expect(own(eventKeysOf(key, "none"))).toEqual(["DeliveryFunction", "SignalsFunction", "WebhooksFunction"]);
    for (const name of ["delivery", "signals", "webhooks"] as const) expect(plan[name].needs).not.toContain("sealing");
  });
  test("the functions that check DPoP proofs have the same derived key of nonces, and no other function has it", () => {
    expect(names.filter((name) => plan[name].needs.includes("nonces")).sort()).toEqual([
      "authorizer",
      "oauth2",
      "sign-in",
    ]);
    const holding = holders(nonceKeyOf(secrets.SST_SECRET_SealKey)).sort();
    expect(holding).toEqual(["AuthorizerFunction", "Oauth2Function", "SignInFunction"]);
    expect(plan.authorizer.needs).not.toContain("sealing");
  });
  test("the functions whose requests are repeatable have a derived key of answers, and no other function has it", () => {
    const answering = names.filter((name) => plan[name].needs.includes("answers"));
    const holding = holders(answerKeyOf(secrets.SST_SECRET_SealKey)).sort();
    expect(holding).toEqual(answering.map((name) => `${componentName(name)}Function`).sort());
    expect(answering).toContain("scim2");
  });
  test("the client secret of the synthetic check is derived, and only in its own function", () => {
    const secret = canarySecretOf(secrets.SST_SECRET_SealKey);
    expect(holders(secret)).toEqual(["CanaryFunction"]);
    expect(plan.canary.needs).toEqual(["canary"]);
  });
  test("the first administrator's password is only in the invocation that creates the first tenant", () => {
    expect(holders(secrets.SST_SECRET_AdminPassword)).toEqual(["FirstAdministrator"]);
    const { inputs } = production.one("aws:lambda/invocation:Invocation", "FirstAdministrator");
    expect(inputs.functionName).toBe(functionOf("bootstrap").inputs.name);
    expect(JSON.parse(String(inputs.input))).toEqual({ username: "admin", password: secrets.SST_SECRET_AdminPassword });
  });
});

describe("while `sst dev` runs", () => {
  const live = deploymentOf("dana, live");
  const made = (name: FunctionName) =>
    live.one("aws:lambda/function:Function", `${componentName(name)}Function`).inputs;

  test.each(names.filter((name) => !["bootstrap", ...canaryNames, ...followerNames, ...scheduledNames].includes(name)))(
    "%s runs on the developer's machine",
    (name) => {
      expect(made(name)).toMatchObject({ handler: "bootstrap", runtime: "provided.al2023" });
      const files = Object.entries(part(part(made(name), "environment"), "variables")).filter(([variable]) =>
        ["FRONT_DIRECTORY", "DEPLOYMENT_TOML"].includes(variable),
      );
      for (const [, file] of files) expect(String(file)).not.toMatch(/^\/var\/task/);
    },
  );
  test("the uploaded function creates the first tenant, because `sst dev` may not serve it yet", () => {
    expect(made("bootstrap")).toMatchObject({ handler: "bundle.handler", runtime: "nodejs24.x" });
    const { assumeRolePolicy } = live.one("aws:iam/role:Role", "BootstrapRole").inputs;
    expect(JSON.stringify(assumeRolePolicy)).not.toContain(":root");
  });
});
