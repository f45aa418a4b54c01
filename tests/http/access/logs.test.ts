/** The log of a request: one line for operators, without secrets and personal names. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const service = () => api.service;
let lines: string[] = [];

beforeEach(() => {
  lines = [];
  for (const method of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, method).mockImplementation((...texts: unknown[]) => {
      lines.push(texts.map(String).join(" "));
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});
const records = () => lines.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));

test("has one line per request and function, with operation, tenant, subject, status, duration, round trips and capacity", async () => {
  const id = await create({ name: "logged" });
  lines = [];
  const answer = await ask("GET", `${APPLICATIONS}/${id}`);
  const [authorizer, own] = records();
  expect(lines).toHaveLength(2);
  expect(authorizer).toMatchObject({
    service: "authorizer",
    decision: "allow",
    operation: "getApplication",
    RoundTrips: 2,
  });
  expect(own).toMatchObject({
    service: "applications",
    operation: "getApplication",
    method: "GET",
    status: "200",
    tenant: "carbon.super",
    subject: expect.stringMatching(/^[0-9a-f-]{36}$/),
    traceId: answer.headers.get("x-correlation-id"),
    Requests: 1,
    ServerErrors: 0,
    Duration: expect.any(Number),
    RoundTrips: 1,
    ReadUnits: 1,
    WriteUnits: 0,
  });
  expect(own._aws.CloudWatchMetrics[0].Metrics.map(({ Name }: { Name: string }) => Name)).toContain("Duration");
});

test("logs a refusal with its fault, and a failed sign-in without the user name", async () => {
  await ask("GET", APPLICATIONS, { as: basic({ username: "mallory", password: "hunter2-secret" }) });
  const again = lines.length;
  await ask("GET", APPLICATIONS, { as: basic({ username: "MALLORY@carbon.super", password: "other" }) });
  const digests = [...lines.join("\n").matchAll(/"nameDigest":\s*"([0-9a-f]{16})"/g)].map(([, digest]) => digest);
  expect(again).toBeGreaterThan(0);
  expect(digests).toHaveLength(2);
  expect(new Set(digests).size).toBe(1);
  const text = lines.join("\n");
  expect(text).toContain('"fault":"auth.unauthenticated"');
  expect(text).toContain("sign-in refused");
  expect(text).not.toMatch(/mallory|hunter2/);
});

test("names refused requests and sign-ins, with the caller, the operation and the resource where they are known", async () => {
  const weak = { username: "denied", password: "a long enough password" };
  const id = await addUser(service(), { ...weak, scopes: [] });
  const application = await create({ name: "denied" });
  lines = [];
  const answer = await ask("DELETE", `${APPLICATIONS}/${application}`, { as: weak });
  expect(answer.status).toBe(403);
  expect(records().find(({ _aws }) => _aws)).toMatchObject({
    event: "request-denied",
    tenant: "carbon.super",
    subject: id,
    sourceIp: expect.any(String),
    operation: "deleteApplication",
    resource: application,
    neededScope: "internal_application_mgt_delete",
    traceId: answer.headers.get("x-correlation-id"),
  });
  lines = [];
  await ask("GET", `${APPLICATIONS}/mallory`, { as: { ...weak, password: "wrong" } });
  const text = lines.join("\n");
  expect(text).toMatch(/"event":\s*"sign-in-failed"/);
  expect(text).toMatch(/"operation":\s*"getApplication"/);
  expect(text).not.toContain("mallory");
  lines = [];
  const { headers } = await ask("POST", APPLICATIONS, { body: { name: "denied 2" } });
  expect(records().at(-1)).toMatchObject({ resource: headers.get("location")?.split("/").at(-1) });
});

test("counts refusals and failed sign-ins in the line of the authorizer only", async () => {
  const counted = async (ask: () => Promise<unknown>) => {
    lines = [];
    await ask();
    return records().filter(({ _aws }) => _aws);
  };
  const wrong = { username: "nobody-there", password: "wrong" };
  const [refusal] = await counted(() => ask("GET", APPLICATIONS, { as: wrong }));
  expect(refusal).toMatchObject({ service: "authorizer", Refusals: 1, SignInFailures: 1, LockedSignIns: 0 });
  for (let failed = 1; failed < 10; failed += 1) await ask("GET", APPLICATIONS, { as: wrong });
  const [locked] = await counted(() => ask("GET", APPLICATIONS, { as: wrong }));
  expect(locked).toMatchObject({ service: "authorizer", Refusals: 1, SignInFailures: 1, LockedSignIns: 1 });
  const [, none] = await counted(() => ask("GET", APPLICATIONS, { as: null }));
  expect(none).not.toHaveProperty("SignInFailures");
  const [allowed, own] = await counted(() => ask("GET", APPLICATIONS));
  expect(allowed).toMatchObject({ service: "authorizer", Refusals: 0, SignInFailures: 0, LockedSignIns: 0 });
  expect(own).not.toHaveProperty("Refusals");
});

test("contains no credential, no body and no injected line", async () => {
  const marker = "marker-5f1c";
  await ask("POST", APPLICATIONS, { body: { name: `${marker}@`, description: marker } });
  await ask("POST", APPLICATIONS, { raw: `{"${marker}` });
  await ask("GET", `${APPLICATIONS}?filter=name+eq+${marker}`);
  await ask("GET", APPLICATIONS, {
    as: basic({ username: `x\r\n{"level":"ERROR","${marker}":1}`, password: marker }),
    headers: { "user-agent": `${marker} {"fake":"line"}`, "x-correlation-id": `${marker}"` },
  });
  const text = lines.join("\n");
  expect(text).not.toContain(marker);
  expect(text).not.toContain(Buffer.from(`${ADMIN.username}:${ADMIN.password}`).toString("base64"));
});
