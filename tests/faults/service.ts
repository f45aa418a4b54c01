/**
 * The service as `npm start` runs it, in a process of its own, with the fault proxy between it and an embedded engine on a
 * file. Service and engine can be killed and started again on the same data.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTable } from "#core/database/table/dynamo.ts";
import { clientFor } from "#local/database.ts";
import { type Engine, startEngine } from "#local/engine.ts";
import { TABLE_NAME } from "#local/service.ts";
import { freePort } from "#local/settings.ts";
import type { TestTable } from "#tests/support/engine.ts";
import { type FaultProxy, startFaultProxy } from "#tests/support/fault-proxy.ts";
import { START_PROGRAM, startEnvironment } from "#tests/support/started.ts";

/** What may be killed. */
export type Victim = "service" | "engine" | "both";

/** A service behind faults. */
export interface FaultyService {
  readonly url: string;
  readonly proxy: FaultProxy;
  /** Resolves when the service runs: at once, except between a kill and the restart. */
  ready(): Promise<void>;
  /** The process of the service that runs now. */
  process(): ChildProcess;
  /** Ends a process as `kill -9` does and starts it again. Resolves when everything runs again. */
  kill(victim: Victim): Promise<void>;
  /** How often the engine was killed. An engine that is killed forgets which transactions it would repeat with success. */
  engineKills(): number;
  /** The table, reached past the proxy. */
  table(): TestTable;
  /** What the service wrote to standard error. */
  log(): string;
  close(): Promise<void>;
}

const LOG_CHARACTERS = 200_000;
const gone = (child: ChildProcess): Promise<unknown> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((done) => child.once("exit", done));

/** The project's deployment.toml with the SCIM profile of the RFC, in which a new user needs no password: hashing one takes time. */
const writeDeployment = async (directory: string): Promise<string> => {
  const text = await readFile(new URL("../../deployment.toml", import.meta.url), "utf8");
  const file = join(directory, "deployment.toml");
  const changed = text.replace('profile = "negotiate"', 'profile = "rfc7644"');
  if (changed === text) throw new Error("deployment.toml has another profile than this test expects");
  await writeFile(file, changed);
  return file;
};

/** Starts engine, proxy and service. The seed is the proxy's. */
export const startFaultyService = async (seed: number): Promise<FaultyService> => {
  const directory = await mkdtemp(join(tmpdir(), "faults-"));
  const dataFile = join(directory, "engine", "table.sqlite");
  const deployment = await writeDeployment(directory);
  const port = await freePort();
  let log = "";
  let engineKills = 0;
  let engine: Engine = await startEngine({ dataFile });
  const proxy = await startFaultProxy(engine.endpoint, seed);

  const startChild = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [START_PROGRAM], {
      env: {
        ...startEnvironment(join(directory, "service")),
        PORT: String(port),
        DYNAMODB_ENDPOINT: proxy.url,
        DEPLOYMENT_TOML: deployment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-LOG_CHARACTERS);
    });
    await new Promise<void>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`the service ended with code ${code}: ${log.slice(-2_000)}`)));
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        if (/^ready http:\S+$/m.test(text)) resolve();
      });
    });
    return child;
  };
  const clean = async (): Promise<void> => {
    await proxy.close();
    await engine.stop();
    await rm(directory, { recursive: true, force: true });
  };
  let child = await startChild().catch(async (error: unknown) => {
    await clean();
    throw error;
  });
  let running: Promise<void> = Promise.resolve();

  const restart = async (victim: Victim): Promise<void> => {
    if (victim !== "engine") child.kill("SIGKILL");
    if (victim !== "service") {
      engineKills += 1;
      process.kill(engine.pid, "SIGKILL");
      await engine.stop();
      engine = await startEngine({ dataFile });
      proxy.target(engine.endpoint);
    }
    if (victim !== "engine") {
      await gone(child);
      child = await startChild();
    }
  };
  return {
    url: `http://127.0.0.1:${port}`,
    proxy,
    ready: () => running,
    process: () => child,
    engineKills: () => engineKills,
    kill(victim) {
      const restarted = restart(victim);
      // While the engine alone is away the service answers.
      if (victim !== "engine") running = restarted;
      return restarted;
    },
    table() {
      const { endpoint } = engine;
      const client = clientFor(endpoint);
      const reopen: TestTable["reopen"] = (config) =>
        openTable({
          tableName: TABLE_NAME,
          deadlineMs: config.deadlineMs ?? 9_000,
          client: { ...client, ...config.client },
        });
      return { endpoint, tableName: TABLE_NAME, client, open: reopen({}), reopen };
    },
    log: () => log,
    async close() {
      child.kill("SIGKILL");
      await gone(child);
      await clean();
    },
  };
};
