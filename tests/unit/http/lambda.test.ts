/** A function at the gateway: responses, logs, timeouts and failures. */
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { changing as whenChanging } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { Fault } from "#core/kernel/faults.ts";
import type { RequestContext } from "#core/kernel/operation/context.ts";
import { operation } from "#core/kernel/operation/operation.ts";

const operations = {
  work: operation({
    service: "applications",
    method: "GET",
    path: "/work",
    scope: "some_scope",
    summary: "",
    source: "",
    success: { status: 200, body: z.object({ shown: z.string() }) },
    failures: [],
  }),
};
const changing = {
  work: operation({
    ...operations.work,
    method: "POST",
    body: z.object({ known: z.string().optional() }),
  }),
};
type Work = (input: unknown, context: RequestContext) => Promise<{ shown: string }>;
const principal = { kind: "user", tenant: "carbon.super", subject: "1", username: "admin", userStore: "PRIMARY" };
const run = async (work: Work, remainingMs = 30_000) => {
  const handler = lambda({ service: "applications", operations, handlers: { work }, stores: () => ({}) });
  const event = {
    rawPath: "/work",
    rawQueryString: "",
    headers: {},
    requestContext: {
      requestId: "request-1",
      domainName: "api.example",
      http: { method: "GET", sourceIp: "127.0.0.1" },
      authorizer: { lambda: { decision: "allow", operation: "work", ...principal } },
    },
  } as unknown as APIGatewayProxyEventV2;
  const context = { getRemainingTimeInMillis: () => remainingMs } as unknown as Context;
  const answer = await handler(event, context);
  return { ...answer, body: JSON.parse(answer.body || "{}") };
};

let lines: string[] = [];
beforeEach(() => {
  lines = [];
  for (const method of ["log", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((...texts: unknown[]) => {
      lines.push(texts.map(String).join(" "));
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("a response", () => {
  test("has only what the contract declares, whatever the handler returns", async () => {
    const stored = { shown: "yes", passwordHash: "$argon2id$...", nested: { secret: 1 } };
    expect((await run(async () => stored)).body).toEqual({ shown: "yes" });
  });
  test("is never larger than Lambda accepts: the error says to request less", async () => {
    const answer = await run(async () => ({ shown: "x".repeat(5_000_001) }));
    expect([answer.statusCode, answer.body.code]).toEqual([400, "UE-10000"]);
    expect(answer.body.description).toMatch(/fewer/);
  });
});

describe("a failure", () => {
  test("that is unexpected is 500 without details, and logged with its cause", async () => {
    const cause = new Error("the disk is full");
    const thrown = Object.assign(new Error("table identity-admin-api broke", { cause }), { secret: "hunter2" });
    const answer = await run(async () => {
      throw thrown;
    });
    expect(answer.statusCode).toBe(500);
    expect(JSON.stringify(answer.body)).not.toMatch(/identity-admin-api|disk|at /);
    const text = lines.join("\n");
    expect(text).toContain("the disk is full");
    expect(text).toContain("table identity-admin-api broke");
    expect(text).toContain(answer.body.traceId);
    expect(text).not.toContain("hunter2");
  });
  test("for a busy table is 503 with Retry-After", async () => {
    const answer = await run(async () => {
      throw new Fault("service.unavailable", "The service is busy.");
    });
    expect([answer.statusCode, answer.headers?.["retry-after"]]).toEqual([503, "2"]);
    expect(lines.join("\n")).toContain("request failed");
  });
  test("for taking too long is 503 before Lambda's timeout", async () => {
    const answer = await run(() => new Promise(() => undefined), 600);
    expect(answer.statusCode).toBe(503);
    expect(answer.body).toMatchObject({ code: "503", description: expect.stringMatching(/too long/) });
  });
  test("that does not fail the response is logged with its cause, and counted as a server error", async () => {
    const answer = await run(async (_, { reportDefect }) => {
      reportDefect(new Error("the disk is full"));
      return { shown: "the rest" };
    });
    expect([answer.statusCode, answer.body]).toEqual([200, { shown: "the rest" }]);
    const text = lines.join("\n");
    expect(text).toContain("the disk is full");
    expect(text).toContain("server.unexpected");
    expect(text).toMatch(/"ServerErrors":1/);
  });
  test("that the caller caused is not logged as an error", async () => {
    await run(async () => {
      throw new Fault("application.not_found", "No such thing.");
    });
    expect(lines.join("\n")).not.toContain("request failed");
  });
});

describe("an unknown member of a request that changes data", () => {
  const send = (isStrict: boolean, text: string) => {
    const handlers = { work: async () => ({ shown: "yes" }) };
    const handler = lambda({
      service: "applications",
      operations: changing,
      handlers,
      changing: whenChanging,
      stores: () => ({}),
      isStrict,
    });
    const event = {
      rawPath: "/work",
      rawQueryString: "",
      headers: { "content-type": "application/json" },
      body: text,
      requestContext: {
        requestId: "request-1",
        domainName: "api.example",
        http: { method: "POST", sourceIp: "127.0.0.1" },
        authorizer: { lambda: { decision: "allow", operation: "work", ...principal } },
      },
    } as unknown as APIGatewayProxyEventV2;
    return handler(event, { getRemainingTimeInMillis: () => 30_000 } as unknown as Context);
  };
  test("is in the log line and in the response, its value is in neither", async () => {
    const answer = await send(false, '{"knwon": "hunter2"}');
    expect([answer.statusCode, answer.headers?.["ignored-members"]]).toEqual([200, "knwon"]);
    const text = lines.join("\n");
    expect(text).toContain('"ignored":"knwon"');
    expect(text).not.toContain("hunter2");
  });
  test("is refused by a strict service before the handler is called", async () => {
    const answer = await send(true, '{"knwon": "hunter2"}');
    expect([answer.statusCode, JSON.parse(answer.body ?? "").description]).toEqual([
      400,
      expect.stringMatching(/^body\.knwon is unknown: did you mean known\?/),
    ]);
    expect(lines.join("\n")).not.toContain("ignored");
  });
});

test("the trace id is the same for the same request of the gateway, and does not show the gateway's id", async () => {
  const failing: Work = async () => {
    throw new Fault("application.not_found", "x");
  };
  const [one, two] = [await run(failing), await run(failing)];
  expect(one.body.traceId).toBe(two.body.traceId);
  expect(one.body.traceId).toMatch(/^[0-9a-f-]{36}$/);
});
