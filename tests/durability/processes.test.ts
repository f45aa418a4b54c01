/**
 * The processes of `npm start` and `npm run dev`: whichever is killed, no other stays, and the next start has
 * all acknowledged data. Signals finish what was read.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bornOf } from "#local/file-lock.ts";
import { startEnvironment } from "#tests/support/started.ts";
import { ADMIN, APPLICATIONS, basic } from "#tests/support/world.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const PATIENCE_MS = 60_000;
const headers = { authorization: basic(ADMIN), "content-type": "application/json" };

/** Processes by their part. */
type Part = "npm" | "watcher" | "service" | "engine" | "guard";
interface Tree {
  readonly child: ChildProcess;
  readonly url: string;
  readonly pids: Readonly<Partial<Record<Part, number>>>;
}

let directory = "";
const trees: Tree[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "processes-"));
});
afterEach(async () => {
  for (const { pids } of trees.splice(0)) for (const pid of Object.values(pids)) send(pid, "SIGKILL");
  await rm(directory, { recursive: true, force: true });
});

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
};
const childrenOf = async (pid: number): Promise<readonly number[]> => {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.trim().split(" ").filter(Boolean).map(Number);
};
const only = async (pid: number | undefined, part: Part): Promise<number> => {
  const [child, ...more] = await childrenOf(pid ?? 0);
  if (child === undefined || more.length > 0) throw new Error(`expected one ${part} below ${pid}`);
  return child;
};

/** Runs a script of package.json in a process group of its own, as a terminal does. */
const run = async (script: "start" | "dev"): Promise<Tree> => {
  const child = spawn("npm", ["run", script], {
    cwd: PROJECT,
    env: { ...startEnvironment(directory), HOME: process.env.HOME },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  let output = "";
  let url: string | undefined;
  for await (const text of child.stdout.setEncoding("utf8")) {
    output += text;
    url = /^ready (http:\S+)$/m.exec(output)?.[1];
    if (url) break;
  }
  if (!url) throw new Error(`the service ended before it was ready: ${output}`);
  const npm = child.pid ?? 0;
  const watcher = script === "dev" ? await only(npm, "watcher") : undefined;
  const service = await only(watcher ?? npm, "service");
  const engine = await only(service, "engine");
  const guard = await only(engine, "guard");
  const tree = { child, url, pids: { npm, ...(watcher && { watcher }), service, engine, guard } };
  trees.push(tree);
  return tree;
};

/** The parts that still run after a while; none as soon as all have ended. */
const remaining = async (tree: Tree): Promise<readonly Part[]> => {
  const alive = async (): Promise<readonly Part[]> => {
    const found: Part[] = [];
    for (const [part, pid] of Object.entries(tree.pids)) if (await bornOf(pid)) found.push(part as Part);
    return found;
  };
  const deadline = Date.now() + PATIENCE_MS;
  let left = await alive();
  while (left.length > 0 && Date.now() < deadline) {
    await pause(50);
    left = await alive();
  }
  return left;
};

const create = async (url: string, name: string): Promise<number> =>
  (await fetch(url + APPLICATIONS, { method: "POST", headers, body: JSON.stringify({ name }) })).status;
const names = async (url: string): Promise<readonly string[]> => {
  const { applications } = (await (await fetch(url + APPLICATIONS, { headers })).json()) as {
    applications: { name: string }[];
  };
  return applications.map(({ name }) => name);
};

describe("kill -9 of a process ends all others, and the data is whole:", () => {
  test.each<["start" | "dev", readonly Part[]]>([
    ["start", ["npm"]],
    ["start", ["service"]],
    ["start", ["engine"]],
    ["start", ["guard"]],
    ["start", ["npm", "service"]],
    ["start", ["npm", "guard"]],
    ["start", ["service", "engine", "guard"]],
    ["dev", ["npm"]],
    ["dev", ["watcher"]],
    ["dev", ["service"]],
    ["dev", ["npm", "watcher", "service"]],
  ])("npm run %s: %j", { timeout: 4 * PATIENCE_MS }, async (script, victims) => {
    const tree = await run(script);
    expect(await create(tree.url, "kept")).toBe(201);
    for (const victim of victims) send(tree.pids[victim] ?? 0, "SIGKILL");
    expect(await remaining(tree)).toEqual([]);
    const next = await run("start");
    expect(await names(next.url)).toEqual(["kept"]);
  });

  test("kill -9 of the whole process group, as when a terminal is killed", { timeout: 4 * PATIENCE_MS }, async () => {
    const tree = await run("start");
    expect(await create(tree.url, "kept")).toBe(201);
    process.kill(-(tree.pids.npm ?? 0), "SIGKILL");
    expect(await remaining(tree)).toEqual([]);
    expect(await names((await run("start")).url)).toEqual(["kept"]);
  });
});

/** Sends a part of a request. `finish` sends the rest and returns the status. */
const begin = async (url: string, name: string) => {
  const body = JSON.stringify({ name });
  const sent = request(url + APPLICATIONS, {
    method: "POST",
    headers: { ...headers, "content-length": Buffer.byteLength(body), expect: "100-continue" },
  });
  const status = new Promise<number>((resolve, reject) => {
    sent.once("response", (response) => resolve(response.resume().statusCode ?? 0)).once("error", reject);
  });
  const read = once(sent, "continue");
  sent.flushHeaders();
  await read;
  return {
    finish: () => {
      sent.end(body);
      return status;
    },
    status,
  };
};

const isListening = (url: string): Promise<boolean> =>
  fetch(`${url}/nothing`).then(
    () => true,
    () => false,
  );

describe.each(["start", "dev"] as const)("npm run %s", (script) => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s to the process group finishes the request that was read, then all end",
    { timeout: 4 * PATIENCE_MS },
    async (signal) => {
      const tree = await run(script);
      const open = await begin(tree.url, "finished");
      process.kill(-(tree.pids.npm ?? 0), signal);
      while (await isListening(tree.url)) await pause(20);
      // Longer than the service needs to see that npm has ended.
      await pause(2_500);
      expect(await open.finish()).toBe(201);
      expect(await remaining(tree)).toEqual([]);
      expect(await names((await run("start")).url)).toEqual(["finished"]);
    },
  );
});

test("a second signal ends the service at once, and the engine with it", { timeout: 4 * PATIENCE_MS }, async () => {
  const tree = await run("start");
  const open = await begin(tree.url, "cut off");
  const cut = expect(open.status).rejects.toThrow();
  send(tree.pids.service ?? 0, "SIGINT");
  while (await isListening(tree.url)) await pause(20);
  // Two signals within half a second are one press of Ctrl-C.
  await pause(600);
  const ended = once(tree.child, "exit");
  send(tree.pids.service ?? 0, "SIGINT");
  await cut;
  expect(await ended).toEqual([130, null]);
  expect(await remaining(tree)).toEqual([]);
  expect(await names((await run("start")).url)).toEqual([]);
});

test("SIGTERM of the service ends npm with code 0", { timeout: 4 * PATIENCE_MS }, async () => {
  const { child, pids } = await run("start");
  const ended = once(child, "exit");
  send(pids.service ?? 0, "SIGTERM");
  expect(await ended).toEqual([0, null]);
});
