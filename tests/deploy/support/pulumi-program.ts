/** A program that declares resources of the package, run by Pulumi's own library, and the plugin that serves them. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "#tools/deploy/bundle.ts";
import { buildSstModules } from "#tools/pack/packages.ts";

const run = promisify(execFile);
const platform = join(root, ".sst/platform/node_modules");

type Members = Readonly<Record<string, unknown>>;

/** A resource that a program registered. */
export interface Registered {
  readonly type: string;
  readonly name: string;
  readonly inputs: Members;
  /** The names of outputs that Pulumi stores encrypted. */
  readonly secretOutputs: readonly string[];
}

/** A folder with the package in it, as a project that deploys with SST has it. */
export async function projectFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "identity-admin-api-sst-"));
  await mkdir(join(folder, "node_modules"));
  await buildSstModules(join(folder, "node_modules/@identity-admin-api/sst"));
  await symlink(join(platform, "@pulumi"), join(folder, "node_modules/@pulumi"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "cars", private: true, type: "module" }));
  return folder;
}

/** The resources that a program registers. Its source uses the classes of the package and `pulumi`. */
export async function registeredBy(source: string, folder: string): Promise<readonly Registered[]> {
  const program = join(folder, "program.mjs");
  await writeFile(
    program,
    `import * as pulumi from "@pulumi/pulumi";
    import mocks from "@pulumi/pulumi/runtime/mocks.js";
    const registered = [];
    // Mocks get no options of a resource: they are in the request.
    let request;
    const { registerResource } = mocks.MockMonitor.prototype;
    mocks.MockMonitor.prototype.registerResource = function (sent, done) {
      request = sent;
      return registerResource.call(this, sent, done);
    };
    await pulumi.runtime.setMocks({
      newResource({ type, name, inputs }) {
        registered.push({ type, name, inputs, secretOutputs: request.getAdditionalsecretoutputsList() });
        return { id: name + "-id", state: inputs };
      },
      call: () => ({}),
    }, "cars", "stage", false);
    const { ApiResource, Application } = await import("@identity-admin-api/sst");
    const declared = [];
    ${source}
    await new Promise((done) => pulumi.all(declared.map(({ urn }) => urn)).apply(done));
    console.log(JSON.stringify(registered));`,
  );
  const { stdout } = await run(process.execPath, [program], { cwd: folder, maxBuffer: 16 * 1_024 * 1_024 });
  return JSON.parse(stdout);
}

/** A message of Pulumi's protocol, by the methods that are used of it. */
interface Message {
  [method: string]: (...values: unknown[]) => unknown;
}

/** Pulumi's plugin for dynamic resources, as the engine talks to it. */
export interface Plugin {
  check(olds: Members, news: Members): Promise<{ readonly inputs: Members; readonly failures: readonly string[] }>;
  create(inputs: Members): Promise<{ readonly id: string; readonly outs: Members }>;
  diff(id: string, olds: Members, news: Members): Promise<{ readonly changes: boolean; readonly replaces: string[] }>;
  update(id: string, olds: Members, news: Members): Promise<Members>;
  read(id: string, outs: Members): Promise<{ readonly id: string; readonly outs: Members }>;
  remove(id: string, outs: Members): Promise<void>;
  stop(): void;
}

/** What Pulumi's protocol calls a difference. */
const DIFF_SOME = 2;

/** Starts the plugin in a project, with an environment of its own. */
export async function startPlugin(folder: string, environment: Readonly<Record<string, string>>): Promise<Plugin> {
  const program = join(platform, "@pulumi/pulumi/cmd/dynamic-provider/index.js");
  const child = spawn(process.execPath, [program, "127.0.0.1:1"], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await firstLine(child);
  const load = createRequire(join(platform, "@pulumi/pulumi/package.json"));
  const grpc = load("@grpc/grpc-js");
  const { Struct } = load("google-protobuf/google/protobuf/struct_pb");
  const messages = load("./proto/provider_pb.js");
  const { ResourceProviderClient } = load("./proto/provider_grpc_pb.js");
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  const struct = (members: Members) => Struct.fromJavaScript(members);
  const members = (value: unknown): Members => (value as Message | undefined)?.toJavaScript?.() as Members;
  const call = (method: string, request: string, values: Readonly<Record<string, unknown>>) => {
    const message: Message = new messages[request]();
    for (const [name, value] of Object.entries({ urn: "urn:pulumi:stage::cars::any:any:Any::one", ...values })) {
      message[`set${name[0]?.toUpperCase()}${name.slice(1)}`]?.(value);
    }
    return new Promise<Message>((done, failed) =>
      client[method](message, (error: Error | null, reply: Message) => (error ? failed(error) : done(reply))),
    );
  };
  return {
    async check(olds, news) {
      const reply = await call("check", "CheckRequest", { olds: struct(olds), news: struct(news) });
      const failures = reply.getFailuresList?.() as readonly Message[];
      return { inputs: members(reply.getInputs?.()), failures: failures.map((each) => String(each.getReason?.())) };
    },
    async create(inputs) {
      const reply = await call("create", "CreateRequest", { properties: struct(inputs) });
      return { id: String(reply.getId?.()), outs: members(reply.getProperties?.()) };
    },
    async diff(id, olds, news) {
      const reply = await call("diff", "DiffRequest", { id, olds: struct(olds), news: struct(news) });
      return { changes: reply.getChanges?.() === DIFF_SOME, replaces: reply.getReplacesList?.() as string[] };
    },
    async update(id, olds, news) {
      const reply = await call("update", "UpdateRequest", { id, olds: struct(olds), news: struct(news) });
      return members(reply.getProperties?.());
    },
    async read(id, outs) {
      const reply = await call("read", "ReadRequest", { id, properties: struct(outs) });
      return { id: String(reply.getId?.()), outs: members(reply.getProperties?.()) };
    },
    async remove(id, outs) {
      await call("delete", "DeleteRequest", { id, properties: struct(outs) });
    },
    stop() {
      client.close();
      child.kill("SIGKILL");
    },
  };
}

function firstLine({ stdout }: ChildProcess): Promise<string> {
  return new Promise((done, failed) => {
    let text = "";
    stdout?.on("data", (chunk: Buffer) => {
      text += String(chunk);
      if (text.includes("\n")) done(text.trim());
    });
    stdout?.on("end", () => failed(new Error(`The plugin ended: ${text}`)));
  });
}
