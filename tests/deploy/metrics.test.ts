/**
 * The metrics of stages: the bundles run with the variables of three stages, and what they write is compared with what
 * the dashboard and the alarms of each stage read.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { services } from "#core/kernel/operation/services.ts";
import { BUNDLE, bundleFunction, root } from "#tools/deploy/bundle.ts";
import { componentName } from "../../stacks/plan.ts";
import { deploymentOf, part, type StageName } from "./support/stages.ts";

const run = promisify(execFile);
const stages = ["production", "staging", "dana"] as const satisfies readonly StageName[];
const serving = ["authorizer", ...Object.keys(services)];
const names = [...serving, "canary"];

/** A request for a path that needs no database, as the gateway passes it to a function or to the authorizer. */
const event = {
  version: "2.0",
  routeKey: "$default",
  rawPath: "/nothing/is/here",
  rawQueryString: "",
  headers: {},
  isBase64Encoded: false,
  requestContext: {
    requestId: "request",
    domainName: "api.example.com",
    http: { method: "GET", path: "/nothing/is/here", protocol: "HTTP/1.1", sourceIp: "192.0.2.1", userAgent: "test" },
  },
};

/** Checks that fail at once: only the metrics matter. */
const nowhere = { CANARY_URL: "http://127.0.0.1:9" };

const program = `const { handler } = await import(process.argv[1]);
  await handler(${JSON.stringify(event)}, { awsRequestId: "request", functionName: "test" });`;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "metrics-"));
  for (const name of names) await bundleFunction(name, join(directory, name));
  // It builds ten bundles, which the settings of the deployment tests allow as much time.
}, 120_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

/** The variables that the stage gives to a function, with files of this machine. */
function variablesOf(stage: StageName, name: string): Record<string, string> {
  const { inputs } = deploymentOf(stage).one("aws:lambda/function:Function", `${componentName(name)}Function`);
  const variables = part(part(inputs, "environment"), "variables") as Record<string, string>;
  return Object.fromEntries(
    Object.entries(variables).map(([key, value]) => [key, value.replace(/^\/var\/task\//, `${root}`)]),
  );
}

/** `namespace, service, metric` of each metric that the bundle writes for one request. */
async function written(stage: StageName, name: string): Promise<readonly string[]> {
  const own = { ...variablesOf(stage, name), ...(name === "canary" && nowhere) };
  const environment = { PATH: process.env.PATH, AWS_REGION: "eu-west-1", ...own };
  const file = join(directory, name, BUNDLE);
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program, file], { env: environment });
  return stdout.split("\n").flatMap((line) => {
    if (!line.includes("CloudWatchMetrics")) return [];
    const { _aws, service } = JSON.parse(line) as {
      _aws: { CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[] };
      service: string;
    };
    return _aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) => {
      expect(Dimensions).toEqual([["service"]]);
      return Metrics.map(({ Name }) => `${Namespace}, ${service}, ${Name}`);
    });
  });
}

/** The metrics of our own that the dashboard and the alarms of a stage read, in the same form. */
function read(stage: StageName): ReadonlySet<string> {
  const { resources } = deploymentOf(stage);
  const text = JSON.stringify(resources).replaceAll('\\"', '"');
  const inGraphs = [...text.matchAll(/\["(IdentityAdminApi[^"]*)","(\w+)","service","([\w-]+)"/g)].map(
    ([, namespace, name, service]) => `${namespace}, ${service}, ${name}`,
  );
  const inAlarms = [
    ...text.matchAll(
      /"dimensions":\{"service":"([\w-]+)"\},"metricName":"(\w+)","namespace":"(IdentityAdminApi[^"]*)"/g,
    ),
  ].map(([, service, name, namespace]) => `${namespace}, ${service}, ${name}`);
  return new Set([...inGraphs, ...inAlarms]);
}

describe("stages do not share metrics", () => {
  test("each bundle writes the metrics that its own stage reads, and none that another stage reads", async () => {
    for (const stage of stages) {
      const own = `IdentityAdminApi/${stage}, `;
      const deployed = stage === "production" ? names : serving;
      const lines = (await Promise.all(deployed.map((name) => written(stage, name)))).flat();
      expect(new Set(lines.map((line) => line.split(", ")[1]))).toEqual(new Set(deployed));
      expect(lines.filter((line) => !line.startsWith(own))).toEqual([]);
      for (const other of stages) {
        const shared = [...read(other)].filter((metric) => lines.includes(metric));
        if (other === stage && stage !== "dana") expect(shared.length).toBeGreaterThan(20);
        else expect(shared).toEqual([]);
      }
    }
  });
  test("production reads what its check writes", async () => {
    const lines = await written("production", "canary");
    expect(lines.map((line) => line.split(", ")[2])).toEqual(["CheckSuccess", "TokenDuration", "AuthorityDaysLeft"]);
    expect(lines.filter((line) => !read("production").has(line))).toEqual([]);
  });
  test.each(["production", "staging"] as const)("%s reads metrics of its own stage only", (stage) => {
    const metrics = [...read(stage)];
    expect(metrics.length).toBeGreaterThan(20);
    expect(metrics.filter((metric) => !metric.startsWith(`IdentityAdminApi/${stage}, `))).toEqual([]);
  });
});
