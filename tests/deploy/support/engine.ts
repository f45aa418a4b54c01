/**
 * Runs sst.config.ts in a process of its own, between two fakes: SST's program, which builds functions, and the engine
 * that would create resources on AWS. Records the requested resources. No request leaves the machine.
 *
 * An unexpected call fails: one of another version of SST, or one that needs data of AWS.
 */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type * as Bundle from "../../../packages/tools/deploy/bundle.ts";
import type { Bundling } from "../../../stacks/bundling.ts";
import type { Evaluation, Inputs, Json, Order, Resource } from "./evaluation.ts";
import { ACCOUNT, idOf, stateOf } from "./made.ts";
import { unzippedBytes } from "./zip.ts";

/** What sst.config.ts exports. */
interface Program {
  app(input: { readonly stage: string }): Promise<Inputs>;
  run(): Promise<unknown>;
}

/** SST's wrapper of a program. */
type Frame = (program: () => Promise<unknown>) => Promise<unknown>;

interface BuildRequest {
  readonly functionID: string;
  readonly handler: string;
  readonly properties: Bundling;
}

const build = async ({ root, work }: Order, { functionID, handler, properties }: BuildRequest) => {
  // Loaded from its source, with the project's bundler. The platform's bundler next to this file has another version.
  const { bundleFunction } = (await import(join(root, "packages/tools/deploy/bundle.ts"))) as typeof Bundle;
  const out = join(work, "artifacts", `${functionID}-src`);
  const name = handler.replace(/^functions\//, "").replace(/\.handler$/, "");
  return { handler: "bundle.handler", out, errors: [], sourcemaps: await bundleFunction(name, out, properties) };
};

/** The fake of SST's program. */
const callSst = async (order: Order, method: string, input: unknown): Promise<unknown> => {
  switch (method) {
    case "Provider.Aws.Bootstrap":
      return { asset: "sst-asset", state: "sst-state" };
    case "Provider.Aws.Appsync":
      return { http: "http.example", realtime: "realtime.example" };
    case "Runtime.AddTarget":
      return true;
    case "Runtime.Build":
      return build(order, input as BuildRequest);
    default:
      throw new Error(`SST called ${method} of its program. Add it to this fake.`);
  }
};

const startSst = async (order: Order): Promise<void> => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      const { method, params } = JSON.parse(Buffer.concat(chunks).toString()) as { method: string; params: unknown[] };
      // The evaluation ends with this process, and an open connection would keep it alive.
      response.setHeader("connection", "close");
      try {
        response.end(JSON.stringify({ result: await callSst(order, method, params[0]), error: null }));
      } catch (error) {
        response.end(JSON.stringify({ result: null, error: String(error) }));
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  server.unref();
  process.env.SST_SERVER = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** The fake of AWS's data sources. */
const callAws = (region: string, { token, inputs }: $util.runtime.MockCallArgs): Record<string, unknown> => {
  switch (token) {
    case "aws:index/getPartition:getPartition":
      return { partition: "aws" };
    case "aws:index/getRegion:getRegion":
      return { region };
    case "aws:index/getCallerIdentity:getCallerIdentity":
      return { accountId: ACCOUNT };
    case "aws:cloudwatch/getEventBus:getEventBus":
      return { name: inputs.name, arn: `arn:aws:events:${region}:${ACCOUNT}:event-bus/${inputs.name}` };
    case "aws:route53/getZone:getZone":
      return { zoneId: inputs.zoneId, name: "example.com" };
    case "aws:iam/getPolicyDocument:getPolicyDocument": {
      const { statements } = plain(inputs) as { statements: Json[] };
      // SST omits an empty document.
      return { json: JSON.stringify(statements), statements: statements.length > 0 ? statements : undefined };
    }
    default:
      // Only this member of an error is shown.
      throw Object.assign(new Error(token), { details: `The stacks called ${token} of AWS. Add it to this fake.` });
  }
};

/** A value of the engine's protocol, without its marks for secrets and types. */
const plain = (value: unknown): Json => {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return (value ?? null) as Json;
  const { specialSigKey, specialSecretSig } = $util.runtime;
  const fields = value as Record<string, unknown>;
  if (fields[specialSigKey] === specialSecretSig) return plain(fields.value);
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, each]) => (name === specialSigKey ? [] : [[name, plain(each)]])),
  );
};

/** The engine's request for a resource. */
interface Registration {
  getType(): string;
  getName(): string;
  getParent(): string;
  getCustom(): boolean;
  getObject(): { toJavaScript(): unknown };
  getProtect(): boolean | undefined;
  getRetainondelete(): boolean | undefined;
  getIgnorechangesList(): readonly string[];
  getDependenciesList(): readonly string[];
}
interface Monitor {
  newUrn(parent: string, type: string, name: string): string;
  registerResource(request: Registration, done: (error: Error | null, response?: unknown) => void): void;
}

/** Records the resources that are requested from the engine. */
const watch = (app: string, stage: string): readonly Resource[] => {
  const resources: Resource[] = [];
  const urns = new Set<string>();
  const monitor = $util.runtime.getMonitor() as unknown as Monitor;
  // The engine's names omit the stack. SST reads types from these names.
  monitor.newUrn = (parent, type, name) => {
    const above = parent && !parent.includes("::pulumi:pulumi:Stack::") ? `${parent.split("::")[2]}$` : "";
    return `urn:pulumi:${stage}::${app}::${above}${type}::${name}`;
  };
  const register = monitor.registerResource.bind(monitor);
  monitor.registerResource = (request, done) => {
    const [type, name] = [request.getType(), request.getName()];
    const urn = monitor.newUrn(request.getParent(), type, name);
    if (urns.has(urn)) return done(new Error(`two resources have the name ${urn}`));
    urns.add(urn);
    resources.push({
      type,
      name,
      isCustom: request.getCustom(),
      inputs: plain(request.getObject().toJavaScript()) as Inputs,
      isProtected: request.getProtect() === true,
      isRetained: request.getRetainondelete() === true,
      ignored: request.getIgnorechangesList(),
      dependsOn: request.getDependenciesList().map((each) => each.split("::").at(-1) ?? ""),
    });
    register(request, done);
  };
  return resources;
};

/** Evaluates a program. Writes the result when no work is left, just before this process ends. */
export const evaluateProgram = async (program: Program, frame: Frame, order: Order): Promise<void> => {
  const { stage, root, work, isLive, region } = order;
  const app = await program.app({ stage });
  const name = String(app.name);
  Object.assign(globalThis, {
    $app: { ...app, stage },
    $dev: isLive,
    $cli: {
      command: isLive ? "dev" : "deploy",
      rpc: "",
      state: { version: {} },
      paths: { home: work, root, work, platform: join(root, ".sst/platform") },
    },
  });
  await startSst(order);
  const mocks = {
    newResource: (made: $util.runtime.MockResourceArgs) => ({ id: idOf(made), state: stateOf(made, region) }),
    call: (called: $util.runtime.MockCallArgs) => callAws(region, called),
  };
  // Not a preview, so every output is known and all code that depends on it runs.
  await $util.runtime.setMocks(mocks, name, stage, false);
  const resources = watch(name, stage);
  let outputs: Inputs = {};
  process.once("beforeExit", () => {
    const evaluation: Evaluation = { app, outputs, resources, codeBytes: unzippedBytes(join(work, "artifacts")) };
    writeFileSync(order.result, JSON.stringify(evaluation));
  });
  const returned = await $util.runtime.runInPulumiStack(() => frame(() => program.run()));
  outputs = plain(returned) as Inputs;
};
