/**
 * The synthetic check of a stage: every minute a function does what a client program does (decision 0073). The
 * deployment invokes another function that creates its tenant, user and client.
 */

import { canarySecretOf } from "#core/kernel/seal.ts";
import { canaryClientIdOf } from "#core/service/health/model.ts";
import { authoritiesUntil } from "./authorities.ts";
import { type Checked, type FunctionParts, makeFunction } from "./functions.ts";
import { DEPLOYMENT_FILE, hasCanary } from "./stage.ts";

/** What the check looks at. */
interface Parts extends FunctionParts {
  /** The public address of the stage. */
  readonly url: Checked["url"];
}

/** A check that comes late would be another one. */
const ONCE = { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 };

/** Creates the check, if the stage has one. */
export function canary({ url, ...parts }: Parts): void {
  const { stage, settings, table, secrets } = parts;
  if (!hasCanary(stage, settings)) return;
  const setup = makeFunction("canary-setup", parts).lambda;
  const ready = new aws.lambda.Invocation("CanaryReady", {
    functionName: setup.name,
    input: "{}",
    // Invoked again for another table, and for another sealing key, from which the secret is derived.
    triggers: {
      table: table.name,
      client: secrets.sealKey.value.apply((key) => canaryClientIdOf(canarySecretOf(key))),
    },
  });
  const { mtls, truststore } = settings.domains ?? {};
  const until =
    mtls !== undefined && truststore !== undefined ? authoritiesUntil(truststore, DEPLOYMENT_FILE) : undefined;
  const check = makeFunction("canary", { ...parts, checked: { url, authoritiesUntil: until } }).lambda;
  new aws.lambda.FunctionEventInvokeConfig("CanaryOnce", { functionName: check.name, ...ONCE });
  const schedule = new aws.cloudwatch.EventRule(
    "CanarySchedule",
    {
      name: `${$app.name}-${stage.name}-canary`,
      description: "The synthetic check, every minute",
      scheduleExpression: "rate(1 minute)",
    },
    { dependsOn: [ready] },
  );
  new aws.lambda.Permission("CanaryPermission", {
    action: "lambda:InvokeFunction",
    function: check.name,
    principal: "events.amazonaws.com",
    sourceArn: schedule.arn,
  });
  new aws.cloudwatch.EventTarget("CanaryTarget", { rule: schedule.name, arn: check.arn, retryPolicy: ONCE });
}
