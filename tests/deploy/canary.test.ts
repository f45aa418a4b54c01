/** The synthetic check: which stages have it, what starts it, and what it may do. */
import { describe, expect, test } from "vitest";
import { canarySecretOf } from "#core/kernel/seal.ts";
import { canaryClientIdOf } from "#core/service/health/model.ts";
import { plan } from "../../stacks/plan.ts";
import { statementsOf } from "../../stacks/statements.ts";
import { evaluate, secrets } from "./support/evaluate.ts";
import type { Resource } from "./support/evaluation.ts";
import { deploymentOf, part, type StageName } from "./support/stages.ts";

const production = deploymentOf("production");
const ofCheck = (resources: readonly Resource[]) =>
  resources.filter(({ name, isCustom }) => isCustom && /^(?:Canary|CheckFails|ClientAuthority)/.test(name));

describe("the synthetic check", () => {
  test("is on in production alone", () => {
    const has = (["production", "staging", "dana", "dana, live"] as const satisfies readonly StageName[]).map(
      (stage) => ofCheck(deploymentOf(stage).resources).length > 0,
    );
    expect(has).toEqual([true, false, false, false]);
  });
  test("can be switched on for staging, with its alarm", async () => {
    const { resources } = await evaluate({ stage: "staging", environment: { ...secrets, CANARY: "on" } });
    const names = ofCheck(resources).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["CanarySchedule", "CanaryFunction", "CheckFailsAlarm"]));
    // Without MTLS_DOMAIN there are no authorities of clients.
    expect(names).not.toContain("ClientAuthorityExpiresAlarm");
  });
  test("runs every minute, once: it is not tried again, and not made up for", () => {
    const rule = production.one("aws:cloudwatch/eventRule:EventRule", "CanarySchedule").inputs;
    expect(rule.scheduleExpression).toBe("rate(1 minute)");
    const target = production.one("aws:cloudwatch/eventTarget:EventTarget", "CanaryTarget").inputs;
    const check = production.one("aws:lambda/function:Function", "CanaryFunction").inputs;
    expect(String(target.arn)).toContain(String(check.name));
    const once = { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 };
    expect(target.retryPolicy).toEqual(once);
    const asynchronous = production.one("aws:lambda/functionEventInvokeConfig:FunctionEventInvokeConfig", "CanaryOnce");
    expect(asynchronous.inputs).toMatchObject({ functionName: check.name, ...once });
  });
  test("is started by its own schedule alone", () => {
    const { inputs } = production.one("aws:lambda/permission:Permission", "CanaryPermission");
    expect(inputs).toMatchObject({
      action: "lambda:InvokeFunction",
      principal: "events.amazonaws.com",
      sourceArn: expect.stringMatching(/:rule\/identity-admin-api-production-canary$/),
    });
  });
  test("is a client like any other: it knows the public address and no table, and has no right on it", () => {
    const { inputs } = production.one("aws:lambda/function:Function", "CanaryFunction");
    const variables = part(part(inputs, "environment"), "variables");
    expect(variables).toMatchObject({ CANARY_URL: "https://api.example.com" });
    expect(Object.keys(variables)).not.toContain("TABLE_NAME");
    expect(statementsOf(plan.canary)).toEqual([]);
  });
  test("knows when the first authority of clients expires", () => {
    const { inputs } = production.one("aws:lambda/function:Function", "CanaryFunction");
    const until = String(part(part(inputs, "environment"), "variables").CANARY_AUTHORITIES_UNTIL);
    expect(Date.parse(until)).toBeGreaterThan(Date.now());
  });
  test("has its tenant, user and client made by the deployment, again for another table or another key", () => {
    const { inputs } = production.one("aws:lambda/invocation:Invocation", "CanaryReady");
    const table = production.one("aws:dynamodb/table:Table", "DataTable").inputs.name;
    expect(inputs).toMatchObject({
      input: "{}",
      functionName: production.one("aws:lambda/function:Function", "CanarySetupFunction").inputs.name,
      triggers: { table, client: canaryClientIdOf(canarySecretOf(secrets.SST_SECRET_SealKey)) },
    });
  });
});
