/** Versions and aliases of the functions: what a deployment changes of the traffic (decision 0071). */
import { describe, expect, test } from "vitest";
import { componentName, type FunctionName, isBehindGateway, plan } from "../../stacks/plan.ts";
import { evaluate, secrets } from "./support/evaluate.ts";
import { deploymentOf, part, type StageName, withoutRandom } from "./support/stages.ts";

const names = (Object.keys(plan) as FunctionName[]).filter(isBehindGateway);
const stages: StageName[] = ["production", "staging", "dana"];
const functionOf = (stage: StageName, name: FunctionName) =>
  deploymentOf(stage).one("aws:lambda/function:Function", `${componentName(name)}Function`).inputs;
const aliasesOf = (stage: StageName) => deploymentOf(stage).ofType("aws:lambda/alias:Alias");

describe.each(stages)("in %s", (stage) => {
  test("each function that the gateway calls has versions, and an alias of the newest when it is first deployed", () => {
    const made = aliasesOf(stage).map(({ name }) => name);
    expect(made.sort()).toEqual(names.map((name) => `${componentName(name)}Alias`).sort());
    for (const name of names) {
      expect(functionOf(stage, name).publish).toBe(true);
      const { inputs } = deploymentOf(stage).one("aws:lambda/alias:Alias", `${componentName(name)}Alias`);
      // Nothing else: an update of another property would send the version of the first deployment with it.
      expect(inputs).toEqual({ name: "live", functionName: functionOf(stage, name).name, functionVersion: "1" });
    }
  });
  test("the function that only a deployment invokes has no versions", () => {
    expect(functionOf(stage, "bootstrap").publish).toBe(false);
    const { inputs } = deploymentOf(stage).one("aws:lambda/invocation:Invocation", "FirstAdministrator");
    expect(withoutRandom(String(inputs.functionName))).toMatch(/BootstrapFunction-\*$/);
  });
});

test("a later deployment moves the aliases of a developer's own stage, and leaves all others to `npm run shift`", () => {
  const ignored = (stage: StageName) => new Set(aliasesOf(stage).map(({ ignored }) => ignored.join()));
  const left = new Set(["functionVersion,routingConfig,description"]);
  expect(stages.map(ignored)).toEqual([left, left, new Set([""])]);
});

test("a deployment says what comes next", () => {
  const next = (stage: StageName) => deploymentOf(stage).evaluation.outputs.next;
  expect(stages.map(next)).toEqual([
    "npm run shift -- --stage production",
    "npm run shift -- --stage staging",
    undefined,
  ]);
});

test("while `sst dev` runs the gateway calls the functions themselves", () => {
  expect(aliasesOf("dana, live")).toEqual([]);
  const live = deploymentOf("dana, live");
  for (const { inputs } of live.ofType("aws:apigatewayv2/integration:Integration")) {
    expect(withoutRandom(String(inputs.integrationUri))).toMatch(/Function-\*$/);
  }
});

test("all versions of a function share its log, its metrics, its role and its reserved executions", () => {
  for (const name of names) {
    const made = functionOf("production", name);
    expect(part(made, "loggingConfig").logGroup).toBe(`/aws/lambda/identity-admin-api-production-${name}`);
    expect(String(made.role)).toContain(`${componentName(name)}Role`);
  }
  // The metrics of AWS have the name of the function as dimension, which includes every version and alias.
  const dimensions = [...JSON.stringify(deploymentOf("production").resources).matchAll(/"FunctionName":"([^"]+)"/g)];
  expect(dimensions.length).toBeGreaterThan(names.length);
  for (const [, name] of dimensions) expect(name).not.toContain(":");
});

test.each([
  ["SHIFT", "10"],
  ["PROVISIONED_CONCURRENCY", "authorizer=2"],
])("a deployment of a developer's own stage is refused with %s, which would have no effect", async (name, value) => {
  const environment = { ...secrets, [name]: value };
  await expect(evaluate({ stage: "dana", environment })).rejects.toThrow(new RegExp(`${name} has no effect`));
});
