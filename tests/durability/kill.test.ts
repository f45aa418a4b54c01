/**
 * The service is killed during concurrent creates: acknowledged applications are stored, and none is stored in part.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { START_PROGRAM, type Started, startEnvironment, startProcess } from "#tests/support/started.ts";
import { ADMIN, APPLICATIONS, basic } from "#tests/support/world.ts";

const WRITERS = 12;
const CREATES = 1_000;
const KILL_AFTER = 120;
const headers = { authorization: basic(ADMIN), "content-type": "application/json" };

let directory = "";
const started: ChildProcess[] = [];

const start = async (): Promise<Started> => {
  const service = await startProcess(directory);
  started.push(service.child);
  return service;
};

const create = async (url: string, name: string): Promise<string> => {
  const answer = await fetch(url + APPLICATIONS, {
    method: "POST",
    headers,
    body: JSON.stringify({ name, description: name }),
  });
  if (answer.status !== 201) throw new Error(`create returned ${answer.status}`);
  return answer.headers.get("location")?.split("/").at(-1) ?? "";
};

// biome-ignore lint/suspicious/noExplicitAny: a test reads any response
const get = async (url: string, path: string): Promise<any> => (await fetch(url + path, { headers })).json();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "kill-"));
});
afterAll(async () => {
  for (const child of started) child.kill("SIGTERM");
  await Promise.all(
    started.map((child) => child.exitCode ?? child.signalCode ?? new Promise((done) => child.once("exit", done))),
  );
  await rm(directory, { recursive: true, force: true });
});

test("acknowledged writes survive kill -9 of the service and its database", async () => {
  const first = await start();
  const { enginePid } = JSON.parse(await readFile(join(directory, "table.sqlite.pid"), "utf8"));
  const acknowledged = new Map<string, string>();
  let next = 0;
  const kill = () => {
    first.child.kill("SIGKILL");
    process.kill(enginePid, "SIGKILL");
  };
  const writer = async () => {
    while (next < CREATES) {
      const name = `app ${next++}`;
      acknowledged.set(name, await create(first.url, name));
      if (acknowledged.size === KILL_AFTER) kill();
    }
  };
  await Promise.allSettled(Array.from({ length: WRITERS }, writer));
  expect(acknowledged.size).toBeGreaterThanOrEqual(KILL_AFTER);
  expect(acknowledged.size).toBeLessThan(CREATES);

  const { url } = await start();
  const listed = new Map<string, string>();
  let total = 0;
  for (let offset = 0; offset <= total; offset += 100) {
    const page = await get(url, `${APPLICATIONS}?limit=100&offset=${offset}`);
    total = page.totalResults;
    for (const { name, id, description } of page.applications) {
      // Detects an entry without its application, or with another one.
      expect(description).toBe(name);
      listed.set(name, id);
    }
  }
  expect(listed.size).toBe(total);
  for (const [name, id] of acknowledged) expect(listed.get(name), name).toBe(id);
  expect(total).toBeLessThanOrEqual(acknowledged.size + WRITERS);
  for (const [name, id] of listed) expect((await get(url, `${APPLICATIONS}/${id}`)).name).toBe(name);
  // Unacknowledged applications are stored completely or not at all: exactly the listed names are taken.
  for (let index = 0; index < next; index += 1) {
    const name = `app ${index}`;
    if (!listed.has(name)) await create(url, name);
  }
  const after = await get(url, `${APPLICATIONS}?limit=1`);
  expect(after.totalResults).toBe(next);
}, 120_000);

test("the service starts right after kill -9, while its database is ending", async () => {
  const running = started.at(-1);
  running?.kill("SIGKILL");
  await new Promise((done) => running?.once("exit", done));
  const { url } = await start();
  expect((await get(url, `${APPLICATIONS}?limit=1`)).totalResults).toBeGreaterThan(KILL_AFTER);
}, 60_000);

test("a second service on the same data is refused with a message", async () => {
  const second = spawn(process.execPath, [START_PROGRAM], {
    env: startEnvironment(directory),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  second.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const code = await new Promise((done) => second.once("exit", done));
  expect(code).toBe(1);
  expect(errors).toMatch(/^Process \d+ is using this data directory\. Stop it, then try again\./m);
});

test("SIGTERM stops the service with exit code 0", async () => {
  const running = started.at(-1);
  running?.kill("SIGTERM");
  expect(await new Promise((done) => running?.once("exit", done))).toBe(0);
});
