/**
 * The functions of the synthetic check, as they are deployed, against a running service of bundles: what the deployment
 * creates, what a check does, and what it reports where something fails.
 */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { canarySecretOf } from "#core/kernel/seal.ts";
import { CANARY_USER, canaryClientIdOf } from "#core/service/health/model.ts";
import { clientFor } from "#local/database.ts";
import { type RunningService, startService } from "#local/service.ts";
import { inMemory } from "#tools/bench/calls.ts";
import { indexProblemsIn } from "../support/application-index.ts";
import { deployedFunctions } from "../support/deployed.ts";
import { type Answer, worldOn } from "../support/world.ts";
import { directory } from "./directory.ts";

type Run = (event?: unknown) => Promise<unknown>;
type Line = Readonly<Record<string, unknown>>;

/** One for each function that is loaded, because each has modules of its own. */
const loaders: ReturnType<typeof deployedFunctions>[] = [];
const TENANT = "canary.invalid";
let service: RunningService;
let environment: Readonly<Record<string, string>> = {};
let secret: string;
let setUp: Run;
const world = worldOn(() => service);
const servers: Server[] = [];

beforeAll(async () => {
  const serving = newLoader();
  service = await startService(inMemory, {}, (name, given) => {
    environment = given;
    return serving.load(name, given);
  });
  secret = canarySecretOf(environment.SEAL_KEY ?? "");
  setUp = await load("canary-setup", environment);
  await setUp({});
}, 120_000);
afterEach(() => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(async () => {
  await service.close();
  for (const loader of loaders) await loader.close();
});

function newLoader() {
  const loader = deployedFunctions(directory);
  loaders.push(loader);
  return loader;
}

/** Loads a bundle with its own modules and variables. */
async function load(name: string, variables: Readonly<Record<string, string>>): Promise<Run> {
  return (await newLoader().load(name, variables)) as unknown as Run;
}

/** The check, with another address, secret or expiry than those of the service. */
const checkWith = (other: Readonly<Record<string, string>> = {}): Promise<Run> =>
  load("canary", {
    ...environment,
    CANARY_URL: service.url,
    CANARY_SECRET: secret,
    CANARY_AUTHORITIES_UNTIL: "none",
    ...other,
  });

/** Runs a check and returns its lines: its metrics, and the line of a failure. */
async function checked(run: Run) {
  const lines: Line[] = [];
  const collect = (text: unknown) => {
    if (typeof text === "string" && text.startsWith("{")) lines.push(JSON.parse(text));
  };
  for (const level of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, level).mockImplementation(collect);
  }
  await run();
  vi.restoreAllMocks();
  const own = lines.filter((line) => line.service === "canary");
  const metrics = own.find((line) => "_aws" in line);
  expect(own.filter((line) => line !== metrics).length).toBeLessThanOrEqual(1);
  expect(JSON.stringify(own)).not.toContain(secret);
  const served = lines.filter((line) => "RoundTrips" in line);
  const sum = (name: string) => served.reduce((total, line) => total + Number(line[name]), 0);
  const cost = {
    services: served.map((line) => line.service).filter((name) => name !== "authorizer"),
    roundTrips: sum("RoundTrips"),
    readUnits: sum("ReadUnits"),
    writeUnits: sum("WriteUnits"),
  };
  return { metrics: metrics ?? {}, failure: own.find((line) => line !== metrics), cost };
}

/** A server in the place of the service. */
async function serverOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers the requests of a check as the service does, except for the steps that are replaced. */
const answering = (steps: {
  readonly token?: readonly [number, unknown];
  readonly write?: (sent: string) => readonly [number, unknown];
  readonly read?: (sent: string) => readonly [number, unknown];
}): Promise<string> => {
  let value = "";
  const scope = "internal_user_mgt_view internal_user_mgt_update";
  const user = (nickName: string) => [200, { id: CANARY_USER.id, nickName }] as const;
  return serverOf((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.method === "PATCH") value = JSON.parse(Buffer.concat(chunks).toString()).Operations[0].value;
      const [status, body] =
        request.method === "POST"
          ? (steps.token ?? [200, { access_token: "at", token_type: "Bearer", scope }])
          : request.method === "PATCH"
            ? (steps.write?.(value) ?? user(value))
            : (steps.read?.(value) ?? user(value));
      response.writeHead(status, { "content-type": "application/json", "x-correlation-id": "trace" });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });
};

/** The numbers of rows in the table: of change records, and of all others. */
async function rows(): Promise<{ readonly records: number; readonly others: number }> {
  const { Items = [] } = await new DynamoDBClient(clientFor(service.endpoint)).send(
    new ScanCommand({ TableName: service.tableName, ProjectionExpression: "PK" }),
  );
  const records = Items.filter(({ PK }) => PK?.S?.includes("#LOG#")).length;
  return { records, others: Items.length - records };
}

/** A token of the client for any scopes. */
async function tokenFor(scope: string): Promise<Answer> {
  const as = { username: canaryClientIdOf(secret), password: secret };
  return world.ask("POST", `/t/${TENANT}/oauth2/token`, {
    as,
    raw: new URLSearchParams({ grant_type: "client_credentials", scope }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
}

describe("a check that succeeds", () => {
  test("reports its success and the duration of each step, and no failure", async () => {
    const { metrics, failure } = await checked(await checkWith());
    expect(failure).toBeUndefined();
    expect(metrics).toMatchObject({
      CheckSuccess: 1,
      TokenDuration: expect.any(Number),
      WriteDuration: expect.any(Number),
      ReadDuration: expect.any(Number),
    });
    expect(metrics).not.toHaveProperty("AuthorityDaysLeft");
  });
  test("leaves no row behind but the record of its change, and for a while its entry in the index of times", async () => {
    const check = await checkWith();
    await checked(check);
    const before = await rows();
    const times = 140;
    for (let time = 0; time < times; time += 1) expect((await checked(check)).metrics.CheckSuccess).toBe(1);
    const after = await rows();
    expect(after.records).toBe(before.records + times);
    // Each 64th change moves the entries on, into a few packed rows (decision 0130).
    expect(after.others - before.others).toBeLessThan(64 + 8);
    expect(before.others).toBeGreaterThan(10);
  }, 120_000);
  test("costs the table 4 round trips, 7 read units and 6 write units with warm functions", async () => {
    const check = await checkWith();
    await checked(check);
    const { cost } = await checked(check);
    expect(cost.services).toEqual(["oauth2", "scim2", "scim2"]);
    expect(cost).toMatchObject({ roundTrips: 4, readUnits: 7, writeUnits: 6 });
  });
  test("reports how many days the authorities of client certificates are valid, also after their end", async () => {
    const dayMs = 86_400_000;
    const days = async (left: number) => {
      const CANARY_AUTHORITIES_UNTIL = new Date(Date.now() + left * dayMs).toISOString();
      return Math.round(
        Number((await checked(await checkWith({ CANARY_AUTHORITIES_UNTIL }))).metrics.AuthorityDaysLeft),
      );
    };
    expect([await days(40), await days(-2)]).toEqual([40, -2]);
  });
});

describe("a check reports a failure, with one line of a fixed name and without a secret,", () => {
  const failed = async (other: Readonly<Record<string, string>>) => {
    const { metrics, failure } = await checked(await checkWith(other));
    expect(metrics.CheckSuccess).toBe(0);
    expect(failure).toMatchObject({ level: "ERROR", message: "synthetic check failed", service: "canary" });
    return failure;
  };
  test("where the service is down", async () => {
    const CANARY_URL = await serverOf(() => undefined);
    for (const server of servers.splice(0)) await new Promise((closed) => server.close(closed));
    expect(await failed({ CANARY_URL })).toMatchObject({ step: "token", reason: "unreachable", code: "ECONNREFUSED" });
  });
  test("where the connection breaks", async () => {
    const CANARY_URL = await serverOf((request) => request.socket.destroy());
    expect(await failed({ CANARY_URL })).toMatchObject({ step: "token", reason: "unreachable" });
  });
  test("where its secret is wrong", async () => {
    const CANARY_SECRET = canarySecretOf(Buffer.alloc(32, 1).toString("base64"));
    const failure = await failed({ CANARY_SECRET });
    expect(failure).toMatchObject({ step: "token", reason: "status", status: 401, traceId: expect.any(String) });
    expect(JSON.stringify(failure)).not.toContain(CANARY_SECRET);
  });
  test("where a step stays without a response", async () => {
    const CANARY_URL = await serverOf(() => undefined);
    expect(await failed({ CANARY_URL })).toMatchObject({ step: "token", reason: "slow" });
  });
  test("where a response begins and does not end", async () => {
    const CANARY_URL = await serverOf((_, response) => void response.writeHead(200).write("{"));
    expect(await failed({ CANARY_URL })).toMatchObject({ step: "token", reason: "slow" });
  });
  test.each<[string, Parameters<typeof answering>[0], Line]>([
    ["the token endpoint errs", { token: [503, "{}"] }, { step: "token", reason: "status", status: 503 }],
    ["the token endpoint redirects", { token: [302, "{}"] }, { step: "token", reason: "status", status: 302 }],
    ["a token is missing", { token: [200, {}] }, { step: "token", reason: "answer", status: 200 }],
    [
      "a token has fewer scopes",
      { token: [200, { access_token: "at", token_type: "Bearer", scope: "internal_user_mgt_view" }] },
      { step: "token", reason: "answer" },
    ],
    ["a token is no JSON", { token: [200, "<html>"] }, { step: "token", reason: "answer", traceId: "trace" }],
    ["a write is refused", { write: () => [403, {}] }, { step: "write", reason: "status", status: 403 }],
    [
      "a write is of another user",
      { write: (nickName) => [200, { id: "another", nickName }] },
      { step: "write", reason: "answer" },
    ],
    ["a user cannot be read", { read: () => [500, "oops"] }, { step: "read", reason: "status", status: 500 }],
    [
      "an older state of the user is read",
      { read: () => [200, { id: CANARY_USER.id, nickName: "2020-01-01T00:00:00.000Z" }] },
      { step: "read", reason: "answer" },
    ],
    ["a response is endless", { token: [200, "x".repeat(200_000)] }, { step: "token", reason: "unreachable" }],
  ])("where %s", async (_, steps, expected) => {
    expect(await failed({ CANARY_URL: await answering(steps) })).toMatchObject(expected);
  });
  test("and none where another check wrote meanwhile", async () => {
    const read = () => [200, { id: CANARY_USER.id, nickName: "2999-01-01T00:00:00.000Z" }] as const;
    const { metrics, failure } = await checked(await checkWith({ CANARY_URL: await answering({ read }) }));
    expect([metrics.CheckSuccess, failure]).toEqual([1, undefined]);
  });
  test("each with the durations of the steps that it began", async () => {
    const { metrics } = await checked(await checkWith({ CANARY_URL: await answering({ write: () => [500, {}] }) }));
    expect(Object.keys(metrics).filter((name) => name.endsWith("Duration"))).toEqual([
      "TokenDuration",
      "WriteDuration",
    ]);
  });
});

describe("what the deployment creates", () => {
  const scopes = "internal_user_mgt_view internal_user_mgt_update";
  test("is created once: another run writes nothing", async () => {
    const { id } = (await world.ask("GET", "/api/server/v1/tenants/domain/canary.invalid")).body;
    const before = await rows();
    await setUp({});
    expect(await rows()).toEqual(before);
    expect((await world.ask("GET", `/api/server/v1/tenants/${id}`)).body.domain).toBe(TENANT);
  });
  test("is a client that gets the two scopes and no other", async () => {
    const { status, body } = await tokenFor(`SYSTEM ${scopes}`);
    expect([status, body.scope.split(" ").sort()]).toEqual([200, scopes.split(" ").sort()]);
    expect(body.expires_in).toBe(60);
  });
  test("is a client whose tokens reach no other tenant", async () => {
    const as = `Bearer ${(await tokenFor(scopes)).body.access_token}`;
    const admin = (await world.ask("GET", "/scim2/Me")).body.id;
    for (const path of [`/scim2/Users/${admin}`, `/t/carbon.super/scim2/Users/${admin}`]) {
      expect((await world.ask("GET", path, { as })).status).not.toBe(200);
    }
    expect((await world.ask("GET", `/t/${TENANT}/scim2/Users`, { as })).status).toBe(403);
    expect((await world.ask("GET", `/t/${TENANT}/scim2/Users/${CANARY_USER.id}`, { as })).status).toBe(200);
  });
  test("is a tenant that callers cannot create", async () => {
    const owners = [{ username: "owner", password: "a-long-password" }];
    const body = { domain: TENANT, owners };
    const { status, text } = await world.ask("POST", "/api/server/v1/tenants", { body });
    expect(status).toBe(400);
    expect(text).toContain("reserved");
  });
  test("works with another sealing key: the client of the former one ends", async () => {
    const SEAL_KEY = Buffer.alloc(32, 9).toString("base64");
    await (await load("canary-setup", { ...environment, SEAL_KEY, FORMER_SEAL_KEYS: environment.SEAL_KEY ?? "" }))({});
    expect((await tokenFor(scopes)).status).toBe(401);
    await (await load("canary-setup", environment))({});
    expect((await checked(await checkWith())).metrics.CheckSuccess).toBe(1);
  });
  test("works with any number of sealing keys, one after the other", async () => {
    // Each gives the client another id, which is in the index of applications: it is written anew every few changes.
    for (let key = 10; key < 30; key += 1) {
      const SEAL_KEY = Buffer.alloc(32, key).toString("base64");
      await (await load("canary-setup", { ...environment, SEAL_KEY }))({});
    }
    await (await load("canary-setup", environment))({});
    expect((await checked(await checkWith())).metrics.CheckSuccess).toBe(1);
    expect(await indexProblemsIn(service, TENANT)).toEqual([]);
  });
});
