/** The end of the service while its database is slow, and the end of its own engine. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { startProcess } from "#tests/support/started.ts";
import { newClient } from "./client.ts";
import { newLedger } from "./ledger.ts";
import { addPeople, values } from "./people.ts";
import { startFaultyService } from "./service.ts";

/** Less than the authorizer waits for one response (decision 0060). */
const CALL_MS = 800;
/** Some nine calls behind the signal: longer than five seconds, shorter than a function may take. */
const MEMBERS = 120;
const ENGINE_GONE_MS = 3_000;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

test("SIGTERM lets a request that was read finish, however slow the database is", async () => {
  const service = await startFaultyService(1);
  ends.push(() => service.close());
  const client = newClient(service, newLedger());
  const people = await addPeople(client, "slow", MEMBERS);
  service.proxy.rule(() => CALL_MS);
  const writing = client.send("POST", "/scim2/Groups", { body: { displayName: "Slow", members: values(people) } });
  await pause(CALL_MS);
  const child = service.process();
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  expect((await writing).status).toBe(201);
  expect(await ended).toBe(0);
}, 90_000);

test("the engine ends with a service that is killed", async () => {
  const directory = await mkdtemp(join(tmpdir(), "outlived-"));
  ends.push(() => rm(directory, { recursive: true, force: true }));
  const { child } = await startProcess(directory);
  const { enginePid } = JSON.parse(await readFile(join(directory, "table.sqlite.pid"), "utf8"));
  const isAlive = (): boolean => {
    try {
      return process.kill(enginePid, 0);
    } catch {
      return false;
    }
  };
  ends.unshift(async () => isAlive() && process.kill(enginePid, "SIGKILL"));
  child.kill("SIGKILL");
  for (let waitedMs = 0; isAlive() && waitedMs < ENGINE_GONE_MS; waitedMs += 100) await pause(100);
  expect(isAlive()).toBe(false);
}, 60_000);
