/** `npm start` and `npm run keys` with wrong settings: one clear message, and no data created or damaged. */
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

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "start-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

type Environment = Readonly<Record<string, string>>;

const launch = (name: Name, args: readonly string[], environment: Environment): ChildProcess =>
  spawn(process.execPath, [programs[name], ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH, PORT: "0", MTLS_PORT: "0", ...environment },
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

/** Starts the service and waits until it is ready. */
const start = async (environment: Environment) => {
  const child = launch("start", [], environment);
  child.stderr?.resume();
  for await (const text of child.stdout?.setEncoding("utf8") ?? []) if (String(text).includes("ready http")) break;
  return child;
};
const stop = async (child: ChildProcess) => {
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
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
    ["an invalid password", { ADMIN_PASSWORD: "four" }, /^ADMIN_PASSWORD: The password must have 5 to 100 /],
    ["an invalid port", { PORT: "http" }, /^PORT must be a port number from 0 to 65535, not "http"\.$/],
  ])("%s", async (_, environment, sentence) => {
    const { code, output, errors } = await run("start", [], { DATA_DIR: ":memory:", ...environment });
    expect([code, output]).toEqual([1, ""]);
    expect(errors.trimEnd()).toMatch(sentence);
  });

  test.skipIf(process.platform !== "linux")("a directory that cannot be created", async () => {
    for (const place of ["/proc/x", "/proc/x/y"]) {
      const { code, errors } = await run("start", [], { DATA_DIR: place });
      expect([code, errors]).toEqual([1, expect.stringMatching(`^Cannot use DATA_DIR "${place}": ENOENT.*\n$`)]);
    }
  });

  test("an invalid access rule, with the name of the file", async () => {
    const file = join(directory, "wrong.toml");
    await writeFile(file, '[[resource.access_control]]\ncontext = "/nothing"\nhttp_method = "GET"\n');
    const { code, errors } = await run("start", [], { DATA_DIR: ":memory:", DEPLOYMENT_TOML: file });
    expect([code, errors]).toEqual([
      1,
      `${file}: resource.access_control number 1 (line 1): no operation of the API has such a path and method\n`,
    ]);
  });
});

describe("a data directory", () => {
  let DATA_DIR = "";
  beforeEach(async () => {
    DATA_DIR = join(await mkdtemp(join(directory, "data-")), "made", "for it");
  });

  test("keeps its sealing key, and is refused without it until it is restored", async () => {
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

  test("allows a change of keys only after the service has stopped", async () => {
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

  test("is not created by a command on keys", async () => {
    for (const words of [["list"], ["rotate"]]) {
      const { code, output, errors } = await run("keys", words, {});
      expect([code, output]).toEqual([1, ""]);
      expect(errors).toBe(
        `${join(directory, ".data")} has no data of the service. Set DATA_DIR to the data directory of the service.\n`,
      );
    }
    expect(await readdir(directory)).not.toContain(".data");
  });
});
