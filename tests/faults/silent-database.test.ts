/** A database that accepts calls and never responds: what callers see of it, and within which time. */
import { afterAll, describe, expect, test } from "vitest";
import { errorSchemas } from "#core/http/dialects.ts";
import { PUBLIC } from "#core/kernel/operation/operation.ts";
import { dialectOf } from "#core/kernel/operation/services.ts";
import { operations } from "#core/service/catalogue.ts";
import { form } from "#tests/support/oauth.ts";
import { basic } from "#tests/support/world.ts";
import { type Client, newClient, type Reply } from "./client.ts";
import { newLedger } from "./ledger.ts";
import { type FaultyService, startFaultyService } from "./service.ts";

const AUTHORIZER_MS = 8_000;
const FUNCTION_MS = 29_000;
/** For the way to the service and back on a busy machine, as a part of the bound. */
const SLACK = 0.12;
const REQUESTS = 40;
const SILENT_EVERY = 7;
const WRITES = new Set(["TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem"]);
const UNKNOWN_ID = "00000000-0000-7000-8000-000000000000";

const running: FaultyService[] = [];
/** Most tests run concurrently, each with a service of its own. */
const start = async (): Promise<{ readonly service: FaultyService; readonly client: Client }> => {
  const service = await startFaultyService(1);
  running.push(service);
  return { service, client: newClient(service, newLedger()) };
};
afterAll(async () => {
  for (const service of running) await service.close();
});

const pathOf = (path: string): string => path.replace("{tenant}", "carbon.super").replaceAll(/\{\w+\}/g, UNKNOWN_ID);
const stranger = basic({ username: "no-such-client", password: "secret" });
const forms: Readonly<Record<string, string>> = {
  requestToken: form({ grant_type: "client_credentials" }),
  revokeToken: form({ token: "at_unknown" }),
  introspectToken: form({ token: "at_unknown" }),
};

/** What is wrong with a response that must say "later" in a dialect, or on a page; empty if nothing is. */
const problemOf = (id: string, reply: Reply, mostMs: number): string => {
  const declared = operations[id];
  const { success } = declared ?? {};
  const dialect = declared ? dialectOf(declared) : "scim2";
  const isSaid = success?.page
    ? reply.headers.get("content-type")?.startsWith("text/html")
    : errorSchemas[dialect].safeParse(reply.body).success;
  return [
    ...(reply.status === 503 ? [] : [reply.status === 0 ? "no response" : `status ${reply.status}`]),
    ...(reply.headers.has("retry-after") ? [] : ["no Retry-After"]),
    ...(isSaid ? [] : [success?.page ? "no page" : `not an error of ${dialect}`]),
    ...(reply.ms <= mostMs * (1 + SLACK) ? [] : [`longer than ${mostMs} ms`]),
  ].join(", ");
};

/** Operations by their problem, a few of each. */
const summaryOf = (found: readonly { readonly id: string; readonly problem: string }[]): readonly string[] =>
  [...new Set(found.map(({ problem }) => problem))]
    .filter((problem) => problem !== "")
    .map((problem) => {
      const ids = found.filter((one) => one.problem === problem).map(({ id }) => id);
      return `${problem}: ${ids.length} operations, ${ids.slice(0, 3).join(", ")}`;
    });

describe.concurrent("while no call is responded to", () => {
  test("every operation returns 503 with Retry-After in its dialect, within the authorizer's 8 seconds", async () => {
    const { service, client } = await start();
    service.proxy.rule(() => "hang");
    const found = await Promise.all(
      Object.entries(operations).map(async ([id, { method, path, scope, body }]) => {
        const sent = forms[id] ? { form: forms[id], as: stranger } : body ? { body: {} } : {};
        const reply = await client.send(method, pathOf(path), sent);
        // What is published, and forms that no client sent, may need no database.
        if (scope === PUBLIC && reply.status > 0 && reply.status < 500) return { id, problem: "" };
        return { id, problem: problemOf(id, reply, scope === PUBLIC ? FUNCTION_MS : AUTHORIZER_MS) };
      }),
    );
    expect(summaryOf(found)).toEqual([]);
  });

  test("the next request after the silence succeeds", async () => {
    const { service, client } = await start();
    service.proxy.rule(() => "hang");
    await client.send("GET", "/scim2/Users", { patienceMs: 500 });
    service.proxy.calm();
    expect((await client.send("GET", "/scim2/Users")).status).toBe(200);
  });

  test("a write that is never responded to returns 503 with Retry-After, within the function's 29 seconds", async () => {
    const { service, client } = await start();
    service.proxy.rule(({ operation }) => (WRITES.has(operation) ? "hang" : undefined));
    const management = "/api/server/v1";
    const writes: readonly (readonly [string, string, unknown])[] = [
      ["createUser", "/scim2/Users", { userName: "silent" }],
      ["createGroup", "/scim2/Groups", { displayName: "silent" }],
      ["createRole", "/scim2/v2/Roles", { displayName: "silent" }],
      ["createApplication", `${management}/applications`, { name: "silent" }],
      ["createApiResource", `${management}/api-resources`, { name: "silent", identifier: "silent" }],
    ];
    const found = await Promise.all(
      writes.map(async ([id, path, body]) => {
        const reply = await client.send("POST", path, { body });
        return { id, problem: problemOf(id, reply, FUNCTION_MS) };
      }),
    );
    expect(summaryOf(found)).toEqual([]);
  });
});

// By itself: the other tests keep the processor busy, and calls that are responded to late count as silent, too.
test("one call in seven without a response fails none of 40 requests", async () => {
  const { service, client } = await start();
  service.proxy.rule(({ number }) => (number % SILENT_EVERY === 0 ? "hang" : undefined));
  const replies = await Promise.all(
    Array.from({ length: REQUESTS }, (_, at) =>
      at % 2 === 0
        ? client.send("GET", "/scim2/Users?count=5")
        : client.send("POST", "/scim2/Users", { body: { userName: `seventh-${at}` } }),
    ),
  );
  expect(
    replies.flatMap(({ status, ms }) => (status < 300 && status > 0 ? [] : [`${status} (${Math.round(ms)} ms)`])),
  ).toEqual([]);
});
