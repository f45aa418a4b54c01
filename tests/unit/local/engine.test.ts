import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientFor, createTable } from "#local/database.ts";
import { type Engine, type EngineOptions, findProgram, noProgram, startEngine } from "#local/engine.ts";

let directory: string;
const engines: Engine[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "engine-"));
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
  await rm(directory, { recursive: true, force: true });
});

const start = async (options?: EngineOptions): Promise<Engine> => {
  const engine = await startEngine(options);
  engines.push(engine);
  return engine;
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The processes that a process has started. */
const childrenOf = async (pid: number): Promise<readonly number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(" ").map(Number);

const gone = (pid: number) => expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);

const key = { PK: { S: "a" }, SK: { S: "b" } };
const put = (engine: Pick<Engine, "endpoint">) =>
  new DynamoDBClient(clientFor(engine.endpoint)).send(new PutItemCommand({ TableName: "table", Item: key }));
const has = async (engine: Engine) =>
  (await new DynamoDBClient(clientFor(engine.endpoint)).send(new GetItemCommand({ TableName: "table", Key: key })))
    .Item !== undefined;

/** A separate node process that starts an engine on a file and then runs the script. */
const otherNode = (file: string, then: string) => {
  const script = `import { startEngine } from ${JSON.stringify(import.meta.resolve("#local/engine.ts"))};
    const engine = await startEngine({ dataFile: ${JSON.stringify(file)} });
    process.stdout.write(JSON.stringify({ pid: engine.pid, endpoint: engine.endpoint }));
    ${then}`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    stdio: ["ignore", "pipe", "ignore"],
    cwd: process.cwd(),
  });
  const ready = once(child.stdout, "data").then(
    ([text]) => JSON.parse(String(text)) as Pick<Engine, "pid" | "endpoint">,
  );
  return { child, ready };
};

describe("startEngine", () => {
  it("runs in memory on a free port, with several engines at once", async () => {
    const [one, two] = await Promise.all([start(), start()]);
    expect(one.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(one.endpoint).not.toBe(two.endpoint);
    await createTable(one.endpoint, "table");
    await put(one);
    expect(await has(one)).toBe(true);
  });

  it("keeps data across restarts, and creates the directory of any name", async () => {
    const dataFile = join(directory, "made for it", "data ü.db");
    const first = await start({ dataFile });
    await createTable(first.endpoint, "table");
    await put(first);
    await first.stop();
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);
    await expect(readFile(`${dataFile}.pid`)).rejects.toThrow(/ENOENT/);
    expect(await has(await start({ dataFile }))).toBe(true);
  });

  it("reports why it did not start", async () => {
    await expect(startEngine({ dataFile: directory })).rejects.toThrow(/did not start: .*unable to open/s);
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" && address ? address.port : 0;
    await expect(startEngine({ port, dataFile: join(directory, "x.db") })).rejects.toThrow(/already in use/);
    taken.close();
    await start({ dataFile: join(directory, "x.db") });
  });

  it("reports an unexpected end of the engine, but not a stop", async () => {
    const reasons: string[] = [];
    const onExit = (reason: string) => reasons.push(reason);
    const engine = await start({ onExit });
    process.kill(engine.pid, "SIGKILL");
    await expect.poll(() => reasons).toEqual(["The embedded database ended unexpectedly (SIGKILL)"]);
    await (await start({ onExit })).stop();
    expect(reasons).toHaveLength(1);
  });

  it("refuses a file of a running process", async () => {
    const dataFile = join(directory, "x.db");
    await start({ dataFile });
    await expect(startEngine({ dataFile })).rejects.toThrow(
      `Process ${process.pid} is using this data directory. Stop it, then try again.`,
    );
    const { child, ready } = otherNode(join(directory, "y.db"), "setInterval(() => {}, 1000);");
    await ready;
    await expect(startEngine({ dataFile: join(directory, "y.db") })).rejects.toThrow(
      `Process ${child.pid} is using this data directory`,
    );
    child.kill("SIGKILL");
    await once(child, "exit");
    await start({ dataFile: join(directory, "y.db") });
  });

  it("ends with a killed process, and the next start has all data", async () => {
    const dataFile = join(directory, "x.db");
    const { child, ready } = otherNode(dataFile, "setInterval(() => {}, 1000);");
    const orphan = await ready;
    await createTable(orphan.endpoint, "table");
    await put(orphan);
    child.kill("SIGKILL");
    await once(child, "exit");
    await gone(orphan.pid);
    expect(await has(await start({ dataFile }))).toBe(true);
  });

  it("stops an engine that is still ending when the next one starts", async () => {
    const dataFile = join(directory, "x.db");
    const { child, ready } = otherNode(dataFile, "setInterval(() => {}, 1000);");
    const orphan = await ready;
    await createTable(orphan.endpoint, "table");
    await put(orphan);
    // Without its guard and its process at once, nothing ends an engine but the next start.
    for (const guard of await childrenOf(orphan.pid)) process.kill(guard, "SIGSTOP");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isAlive(orphan.pid)).toBe(true);
    const engine = await start({ dataFile });
    expect(engine.pid).not.toBe(orphan.pid);
    expect(await has(engine)).toBe(true);
    await gone(orphan.pid);
  });

  it("ends when its guard is killed, and says so", async () => {
    const reasons: string[] = [];
    const engine = await start({ onExit: (reason) => reasons.push(reason) });
    const guards = await childrenOf(engine.pid);
    expect(guards).toHaveLength(1);
    for (const guard of guards) process.kill(guard, "SIGKILL");
    await gone(engine.pid);
    await expect
      .poll(() => reasons)
      .toEqual([expect.stringMatching(/its guard, .* was killed\. Start the service again\.$/)]);
  });

  it("leaves no guard behind when it ends first", async () => {
    const engine = await start();
    const guards = await childrenOf(engine.pid);
    process.kill(engine.pid, "SIGKILL");
    for (const guard of guards) await gone(guard);
  });

  it("does not stop another process with the id of the old engine", async () => {
    const dataFile = join(directory, "x.db");
    const other = spawn("sleep", ["60"], { stdio: "ignore" });
    const lock = { owner: { pid: process.pid, born: "another start" }, enginePid: other.pid };
    await writeFile(`${dataFile}.pid`, JSON.stringify(lock));
    await start({ dataFile });
    expect(other.exitCode).toBeNull();
    expect(other.signalCode).toBeNull();
    other.kill();
  });

  it("replaces a damaged lock", async () => {
    const dataFile = join(directory, "x.db");
    await writeFile(`${dataFile}.pid`, "{");
    await start({ dataFile });
  });

  it("gives a file to exactly one of several concurrent starts", async () => {
    const dataFile = join(directory, "x.db");
    const lock = { owner: { pid: 999_999_999, born: "long ago" } };
    await writeFile(`${dataFile}.pid`, JSON.stringify(lock));
    const others = Array.from({ length: 4 }, () => otherNode(dataFile, "setInterval(() => {}, 1000);"));
    const outcomes = await Promise.all(
      others.map(({ child, ready }) =>
        Promise.race([ready.then(() => "started"), once(child, "exit").then(() => "refused")]),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "started")).toHaveLength(1);
    for (const { child } of others) child.kill("SIGKILL");
    await Promise.all(others.map(({ child }) => gone(child.pid ?? 0)));
    await start({ dataFile });
  });

  it.each(["", "process.exit(3);", "throw new Error('defect');"])(
    "lets node exit (%s) and stops with it",
    async (then) => {
      const { child, ready } = otherNode(join(directory, "x.db"), then);
      const { pid } = await ready;
      await once(child, "exit");
      await gone(pid);
    },
  );
});

describe("findProgram", () => {
  it("searches the package, then PATH, then reports what to do", async () => {
    const program = await findProgram();
    expect((await promisify(execFile)(program, ["--version"])).stdout).toMatch(/dynoxide/);
    await writeFile(join(directory, "dynoxide"), "", { mode: 0o755 });
    expect(await findProgram(`/nowhere:${directory}`, "/nowhere/dynoxide")).toBe(join(directory, "dynoxide"));
    await expect(findProgram("/nowhere", "/nowhere/dynoxide")).rejects.toThrow(/DYNAMODB_ENDPOINT/);
  });
});

describe("a machine without the program", () => {
  it("gets a message with the missing program and the alternatives", () => {
    expect(noProgram("linux-x64")).toMatch(
      /^The embedded database is not installed: run "npm ci" without --omit=optional/,
    );
    for (const platform of ["darwin-arm64", "linux-arm64"]) {
      expect(noProgram(platform)).toMatch(
        new RegExp(`^The embedded database is available for Linux on x64 only, not for ${platform}\\.`),
      );
      expect(noProgram(platform)).toContain("docker run -d -p 8000:8000 amazon/dynamodb-local");
      expect(noProgram(platform)).toContain("DYNAMODB_ENDPOINT=http://127.0.0.1:8000");
    }
  });
});

describe("createTable", () => {
  it("creates the table once, active, with expiry", async () => {
    const { endpoint } = await start();
    await Promise.all([createTable(endpoint, "table"), createTable(endpoint, "table")]);
    await createTable(endpoint, "table");
    const client = new DynamoDBClient(clientFor(endpoint));
    const { Table } = await client.send(new DescribeTableCommand({ TableName: "table" }));
    expect(Table).toMatchObject({
      TableStatus: "ACTIVE",
      KeySchema: [
        { AttributeName: "PK", KeyType: "HASH" },
        { AttributeName: "SK", KeyType: "RANGE" },
      ],
      BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
    });
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: "table" }));
    expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: "ENABLED", AttributeName: "expiresAtSeconds" });
  });
});
