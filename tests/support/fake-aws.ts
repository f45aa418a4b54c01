/**
 * Lambda and CloudWatch as far as the commands for traffic call them, over their wire protocols: aliases with weights
 * and revisions, versions and their answers, provisioned concurrency, the state of alarms, and metrics. It refuses what
 * AWS refuses.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { brakeNames } from "#tools/traffic/brakes.ts";
import { componentName, type FunctionName, isBehindGateway, plan } from "../../stacks/plan.ts";
import { logGroupOf } from "../../stacks/stage.ts";

/** The functions with an alias, in the order of the plan. */
export const served = (Object.keys(plan) as FunctionName[]).filter(isBehindGateway);

/** One function on the fake. */
export interface FakeFunction {
  readonly functionName: string;
  readonly logGroup: string;
  versions: number;
  alias: { version: string; weights: Record<string, number>; description: string; revision: number };
  /** Environments kept started, by version. */
  kept: Record<string, number>;
}

/** A failure that AWS returns. */
class Refusal extends Error {
  readonly status: number;
  readonly type: string;
  constructor(status: number, type: string, message: string) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

/** What a version gives back: an answer, or the error with which it ended. */
class Crash {
  readonly errorType: string;
  readonly errorMessage: string;
  constructor(errorType: string, errorMessage: string) {
    this.errorType = errorType;
    this.errorMessage = errorMessage;
  }
}

/** The answer of a function that works. */
const wellOf = (service: FunctionName): object =>
  service === "authorizer" ? { isAuthorized: true, context: { decision: "public" } } : { statusCode: 200 };

const PAGE = 4;

/** Starts the fake with one stage, whose functions all serve version 1. */
export const fakeAws = async (stage = "production") => {
  const functions = new Map<FunctionName, FakeFunction>(
    served.map((service) => [
      service,
      {
        functionName: `identity-admin-api-${stage}-${componentName(service)}Function-abcdefgh`,
        logGroup: logGroupOf(stage, service),
        versions: 1,
        alias: { version: "1", weights: {}, description: "", revision: 1 },
        kept: {},
      },
    ]),
  );
  const alarms = new Map(brakeNames().map((name) => [`identity-admin-api-${stage}-${name}`, "OK"]));
  /** What every change of an alias made of it: `scim2 1 {"2":0.1}`. */
  const changes: string[] = [];
  const calls: string[] = [];
  /** May refuse a call, or change something before it. */
  const hook: { before: (call: string, service: FunctionName | undefined) => void } = { before: () => undefined };

  const answers: { of: (service: FunctionName, version: string, event: unknown) => object } = { of: wellOf };
  /** Sums of metrics, by `<name> <value of each dimension>`, and what was asked of them. */
  const metrics = { sums: new Map<string, number>(), spans: [] as { readonly from: number; readonly to: number }[] };

  const functionOf = (name: string): readonly [FunctionName, FakeFunction] => {
    const found = [...functions].find(([, { functionName }]) => functionName === name);
    if (!found) throw new Refusal(404, "ResourceNotFoundException", `Function not found: ${name}`);
    return found;
  };
  const existing = (made: FakeFunction, version: string): void => {
    if (/^\d+$/.test(version) && Number(version) >= 1 && Number(version) <= made.versions) return;
    throw new Refusal(404, "ResourceNotFoundException", `Function version not found: ${version}`);
  };
  const aliasOf = ({ alias }: FakeFunction) => ({
    Name: "live",
    FunctionVersion: alias.version,
    Description: alias.description,
    RevisionId: String(alias.revision),
    ...(Object.keys(alias.weights).length > 0 && { RoutingConfig: { AdditionalVersionWeights: alias.weights } }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the body of any call
  const update = (service: FunctionName, made: FakeFunction, body: any) => {
    const weights: Record<string, number> = body.RoutingConfig?.AdditionalVersionWeights ?? {};
    if (body.RevisionId !== String(made.alias.revision)) {
      throw new Refusal(412, "PreconditionFailedException", "The RevisionId provided does not match the latest one.");
    }
    existing(made, body.FunctionVersion);
    for (const [version, weight] of Object.entries(weights)) {
      existing(made, version);
      if (version === body.FunctionVersion || weight < 0 || weight > 1) {
        throw new Refusal(400, "InvalidParameterValueException", "Invalid weights.");
      }
    }
    if (body.Description.length > 256) throw new Refusal(400, "InvalidParameterValueException", "Description is long.");
    const revision = made.alias.revision + 1;
    made.alias = { version: body.FunctionVersion, weights, description: body.Description, revision };
    changes.push(`${service} ${body.FunctionVersion} ${JSON.stringify(weights)}`);
    return aliasOf(made);
  };
  const configOf = (made: FakeFunction, version: string) => ({
    FunctionArn: `arn:aws:lambda:eu-west-1:123456789012:function:${made.functionName}:${version}`,
    RequestedProvisionedConcurrentExecutions: made.kept[version],
    AllocatedProvisionedConcurrentExecutions: made.kept[version],
    Status: "READY",
  });

  // biome-ignore lint/suspicious/noExplicitAny: the body of any call
  const lambda = (method: string, url: URL, body: any): unknown => {
    const [, , , name = "", kind = ""] = url.pathname.split("/").map(decodeURIComponent);
    const [service, made] = name === "" ? [] : functionOf(name);
    const call = `${method} ${kind === "" ? "functions" : kind}`;
    calls.push(call);
    hook.before(call, service);
    if (!service || !made) {
      const all = [...functions.values()].map(({ functionName, logGroup }) => ({
        FunctionName: functionName,
        LoggingConfig: { LogGroup: logGroup },
      }));
      return pageOf("Functions", [{ FunctionName: "of-another-team" }, ...all], url);
    }
    const version = url.searchParams.get("Qualifier") ?? "";
    if (kind === "invocations") {
      existing(made, version);
      return answers.of(service, version, body);
    }
    if (kind === "aliases") return method === "PUT" ? update(service, made, body) : aliasOf(made);
    if (kind === "configuration") {
      existing(made, version);
      return { State: "Active" };
    }
    if (kind === "versions") {
      const numbers = Array.from({ length: made.versions }, (_, at) => ({ Version: String(at + 1) }));
      return pageOf("Versions", [{ Version: "$LATEST" }, ...numbers], url);
    }
    if (kind !== "provisioned-concurrency") throw new Refusal(400, "UnknownOperationException", call);
    if (method === "GET") {
      return { ProvisionedConcurrencyConfigs: Object.keys(made.kept).map((each) => configOf(made, each)) };
    }
    existing(made, version);
    if (method === "DELETE") {
      const { [version]: _, ...rest } = made.kept;
      made.kept = rest;
      return undefined;
    }
    made.kept = { ...made.kept, [version]: body.ProvisionedConcurrentExecutions };
    return configOf(made, version);
  };

  // biome-ignore lint/suspicious/noExplicitAny: the body of any call
  const metricData = (body: any) => {
    metrics.spans.push({ from: body.StartTime, to: body.EndTime });
    // biome-ignore lint/suspicious/noExplicitAny: a query of the body
    const MetricDataResults = body.MetricDataQueries.map(({ Id, MetricStat: { Metric, Period, Stat } }: any) => {
      if (Stat !== "Sum" || Period !== 60) throw new Refusal(400, "ValidationError", "unexpected statistic");
      const values = Metric.Dimensions.map(({ Value }: { readonly Value: string }) => Value);
      const sum = metrics.sums.get([Metric.MetricName, ...values].join(" "));
      return { Id, Values: sum === undefined ? [] : [sum] };
    });
    return { MetricDataResults };
  };
  // biome-ignore lint/suspicious/noExplicitAny: the body of any call
  const cloudWatch = (call: string, body: any) => {
    calls.push(call);
    hook.before(call, undefined);
    if (call === "GetMetricData") return metricData(body);
    return describeAlarms(body);
  };
  const describeAlarms = (body: { readonly AlarmNames: readonly string[] }) => {
    const found = body.AlarmNames.flatMap((name) => {
      const state = alarms.get(name);
      return state === undefined ? [] : [{ AlarmName: name, StateValue: state }];
    });
    return { MetricAlarms: found };
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const body = text === "" ? {} : JSON.parse(text);
      const target = request.headers["x-amz-target"];
      try {
        const answer = target
          ? cloudWatch(String(target).split(".").at(-1) ?? "", body)
          : lambda(request.method ?? "", new URL(request.url ?? "", "http://fake"), body);
        const type = target ? "application/x-amz-json-1.0" : "application/json";
        const failure = answer instanceof Crash ? { "x-amz-function-error": "Unhandled" } : {};
        response.writeHead(answer === undefined ? 204 : 200, { "content-type": type, ...failure });
        response.end(answer === undefined ? undefined : JSON.stringify(answer));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        response.writeHead(error.status, { "content-type": "application/json", "x-amzn-errortype": error.type });
        response.end(JSON.stringify({ Type: "User", message: error.message, __type: error.type }));
      }
    });
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint,
    /** For clients in this process. */
    config: { endpoint, region: "eu-west-1", credentials: { accessKeyId: "unused", secretAccessKey: "unused" } },
    /** For a command as a process. */
    environment: {
      PATH: process.env.PATH ?? "",
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: "eu-west-1",
      AWS_ACCESS_KEY_ID: "unused",
      AWS_SECRET_ACCESS_KEY: "unused",
      AWS_EC2_METADATA_DISABLED: "true",
    },
    changes,
    calls,
    hook,
    answers,
    metrics,
    crash: (type: string, message: string): object => new Crash(type, message),
    function: (service: FunctionName): FakeFunction => {
      const made = functions.get(service);
      if (!made) throw new Error(`there is no function ${service}`);
      return made;
    },
    /** A deployment gives these functions a new version each. */
    deploy(...services: readonly FunctionName[]): void {
      for (const [service, made] of functions) if (services.includes(service)) made.versions += 1;
    },
    raise: (name: string) => alarms.set(`identity-admin-api-${stage}-${name}`, "ALARM"),
    clear: (name: string) => alarms.set(`identity-admin-api-${stage}-${name}`, "OK"),
    removeAlarm: (name: string) => alarms.delete(`identity-admin-api-${stage}-${name}`),
    removeFunction: (service: FunctionName) => functions.delete(service),
    /** What every function serves: `1`, or `1+2:0.1`. */
    traffic: () =>
      Object.fromEntries(
        [...functions].map(([service, { alias }]) => [
          service,
          [alias.version, ...Object.entries(alias.weights).map(([version, weight]) => `${version}:${weight}`)].join(
            "+",
          ),
        ]),
      ),
    refuse: (status: number, type: string): never => {
      throw new Refusal(status, type, `refused: ${type}`);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
};

/** The fake of a test. */
export type FakeAws = Awaited<ReturnType<typeof fakeAws>>;

const pageOf = (name: string, all: readonly object[], url: URL): object => {
  const from = Number(url.searchParams.get("Marker") ?? 0);
  const next = from + PAGE;
  return { [name]: all.slice(from, next), ...(next < all.length && { NextMarker: String(next) }) };
};
