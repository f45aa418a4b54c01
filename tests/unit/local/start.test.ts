/**
 * `npm start` and `npm run keys` with wrong settings: one clear message, and no data created or damaged. The tests wait
 * for output and exits, never for a time; `PROCESS_MS` only ends a process that hangs.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const program = (path: string): string => fileURLToPath(new URL(`../../../packages/${path}`, import.meta.url));
const programs = { start: program("local/start.ts"), keys: program("tools/keys.ts") };
type Name = keyof typeof programs;

const PROCESS_MS = 120_000;

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "start-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

type Environment = Readonly<Record<string, string>>;

const launch = (name: Name, args: readonly string[], environment: Environment): ChildProcess =>
  spawn(process.execPath, [programs[name], ...args], {
    cwd: directory,
    // Compiled modules are shared by the processes: most of their work is compiling.
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: join(directory, "compiled"),
      PORT: "0",
      MTLS_PORT: "0",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });

const run = async (name: Name, args: readonly string[], environment: Environment) => {
  const child = launch(name, args, environment);
  let [output, errors] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const [code] = await once(child, "close");
  return { code, output, errors };
};

/** Starts the service and resolves once it is ready. Throws if it ends first. */
const start = async (environment: Environment): Promise<ChildProcess> => {
  const child = launch("start", [], environment);
  child.stderr?.resume();
  let output = "";
  for await (const text of child.stdout?.setEncoding("utf8") ?? []) {
    output += text;
    if (/^ready http:/m.test(output)) return child;
  }
  throw new Error(`the service ended before it was ready: ${output}`);
};
const stop = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
};

describe("npm start refuses, with one message,", () => {
  test.each<[string, Environment, RegExp]>([
    [
      "a database address that is not a URL",
      { DYNAMODB_ENDPOINT: "nonsense" },
      /^DYNAMODB_ENDPOINT must be an address .*"nonsense"\.$/,
    ],
    [
      "a database address without http",
      { DYNAMODB_ENDPOINT: "localhost:8000" },
      /^DYNAMODB_ENDPOINT must be an address /,
    ],
    [
      "a database that cannot be reached",
      { DYNAMODB_ENDPOINT: "http://127.0.0.1:9" },
      /^Cannot use DYNAMODB_ENDPOINT http:\/\/127\.0\.0\.1:9: .*ECONNREFUSED.*\. Check that a DynamoDB is running there\.$/,
    ],
    ["an invalid password", { ADMIN_PASSWORD: "four" }, /^ADMIN_PASSWORD must have 5 to 100 /],
    ["an invalid port", { PORT: "http" }, /^PORT must be a port number from 0 to 65535, not "http"\.$/],
  ])("%s", { timeout: PROCESS_MS }, async (_, environment, sentence) => {
    const { code, output, errors } = await run("start", [], { DATA_DIR: ":memory:", ...environment });
    expect([code, output]).toEqual([1, ""]);
    expect(errors.trimEnd()).toMatch(sentence);
  });

  test.skipIf(process.platform !== "linux").each(["/proc/x", "/proc/x/y"])(
    "the directory %s, which cannot be created",
    { timeout: PROCESS_MS },
    async (place) => {
      const { code, errors } = await run("start", [], { DATA_DIR: place });
      expect([code, errors]).toEqual([1, expect.stringMatching(`^Cannot use DATA_DIR "${place}": ENOENT.*\n$`)]);
    },
  );

  test("an invalid access rule, with the name of the file", { timeout: PROCESS_MS }, async () => {
    const file = join(directory, "wrong.toml");
    await writeFile(file, '[[resource.access_control]]\ncontext = "/nothing"\nhttp_method = "GET"\n');
    const { code, errors } = await run("start", [], { DATA_DIR: ":memory:", DEPLOYMENT_TOML: file });
    expect([code, errors]).toEqual([
      1,
      `${file}: resource.access_control number 1 (line 1): no operation of the API has this path and method; correct context and http_method, or delete the rule\n`,
    ]);
  });
});

describe("a data directory", () => {
  let DATA_DIR = "";
  beforeEach(async () => {
    DATA_DIR = join(await mkdtemp(join(directory, "data-")), "made", "for it");
  });

  test("keeps its sealing key, and is refused without it until it is restored", {
    timeout: 3 * PROCESS_MS,
  }, async () => {
    await stop(await start({ DATA_DIR }));
    const key = join(DATA_DIR, "seal.key");
    const before = await readFile(key, "utf8");
    await rename(key, join(directory, "copy.key"));
    const refused = await run("start", [], { DATA_DIR });
    expect([refused.code, refused.errors]).toEqual([
      1,
      expect.stringMatching(`^${key} is missing\\. .* Restore the file from a backup`),
    ]);
    expect(existsSync(key)).toBe(false);
    await rename(join(directory, "copy.key"), key);
    await stop(await start({ DATA_DIR }));
    expect(await readFile(key, "utf8")).toBe(before);
  });

  test("allows a change of keys only after the service has stopped", { timeout: 3 * PROCESS_MS }, async () => {
    const service = await start({ DATA_DIR });
    const refused = await run("keys", ["rotate"], { DATA_DIR });
    expect([refused.code, refused.output, refused.errors]).toEqual([
      1,
      "",
      expect.stringMatching(`^Process ${service.pid} is using this data directory\\. Stop it, then try again\\. .*\n$`),
    ]);
    await stop(service);
    const rotated = await run("keys", ["rotate"], { DATA_DIR });
    expect([rotated.code, rotated.errors]).toEqual([0, ""]);
    expect(rotated.output).toMatch(/ signs\n.* signs from /);
  });

  test.each(["list", "rotate"])("is not created by `npm run keys %s`", { timeout: PROCESS_MS }, async (word) => {
    const { code, output, errors } = await run("keys", [word], {});
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toBe(
      `${join(directory, ".data")} has no data of the service. Set DATA_DIR to the data directory of the service.\n`,
    );
    expect(await readdir(directory)).not.toContain(".data");
  });
});
