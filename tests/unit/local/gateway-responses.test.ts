import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { Gateway, LambdaFunction } from "#local/gateway.ts";
import { ask, bodyOf, echo, head, permit, raw, startEcho } from "#tests/unit/local/support.ts";

let gateway: Gateway | undefined;
afterEach(() => gateway?.close());

const serving = async (a: LambdaFunction, parts: Parameters<typeof startEcho>[0] = {}): Promise<Gateway> => {
  gateway = await startEcho({ ...parts, functions: { a, special: echo, only: echo, other: echo } });
  return gateway;
};

describe("a response", () => {
  it("contains status, headers, cookies and body", async () => {
    const own = await serving(() => ({
      statusCode: 201,
      headers: {
        "Content-Type": "application/scim+json",
        "x-n": 5,
        "x-b": true,
        "transfer-encoding": "chunked",
        "content-length": "1",
      },
      cookies: ["a=1; Path=/", "b=2"],
      body: '{"é":1}',
    }));
    const { status, headers, body } = await ask(own, "/a");
    expect({ status, body }).toEqual({ status: 201, body: '{"é":1}' });
    expect(headers).toMatchObject({
      "content-type": "application/scim+json",
      "x-n": "5",
      "x-b": "true",
      "content-length": "8",
      "set-cookie": ["a=1; Path=/", "b=2"],
    });
    expect(headers).not.toHaveProperty("x-powered-by");
    expect(headers).not.toHaveProperty("transfer-encoding");
    expect(headers["apigw-requestid"]).toMatch(/=$/);
  });

  it("decodes Base64", async () => {
    const own = await serving(() => ({
      statusCode: 200,
      body: Buffer.from("hello").toString("base64"),
      isBase64Encoded: true,
    }));
    expect((await ask(own, "/a")).body).toBe("hello");
  });

  it("has no body for HEAD, 204 and 304", async () => {
    const own = await serving((event: { headers: Record<string, string> }) => ({
      statusCode: Number(event.headers["x-status"] ?? 200),
      body: "body",
    }));
    const answer = await raw(own.port, head("HEAD /a HTTP/1.1", "host: x"));
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*content-length: 4\r\n/is);
    expect(bodyOf(answer)).toBe("");
    for (const status of ["204", "304"]) {
      const empty = await raw(own.port, head("GET /a HTTP/1.1", "host: x", `x-status: ${status}`));
      expect(bodyOf(empty)).toBe("");
      expect(empty).not.toMatch(/content-length|transfer-encoding/i);
    }
  });

  it.each<[string, LambdaFunction]>([
    ["throws", () => Promise.reject(new Error("secret"))],
    [
      "throws at once",
      () => {
        throw new Error("secret");
      },
    ],
    ["returns nothing", () => undefined],
    ["returns no status", () => ({ body: "x" })],
    ["returns a text", () => "x"],
    ["returns an object as body", () => ({ statusCode: 200, body: {} })],
    ["returns a status out of range", () => ({ statusCode: 100 })],
    ["returns a header that splits", () => ({ statusCode: 200, headers: { "x-a": "b\r\nc: d" } })],
    ["returns a cookie that splits", () => ({ statusCode: 200, cookies: ["b\r\nc: d"] })],
    ["returns what JSON cannot hold", () => ({ statusCode: 200, n: 1n })],
    ["returns more than 6 MB", () => ({ statusCode: 200, body: "x".repeat(6_291_556) })],
  ])("is 500 if the function %s", async (_, a) => {
    const errors: string[] = [];
    const own = await serving(a, { onError: (sentence) => errors.push(sentence) });
    const { status, body } = await ask(own, "/a");
    expect({ status, body }).toEqual({ status: 500, body: '{"message":"Internal Server Error"}' });
    expect(errors).toEqual(["the function a failed"]);
  });

  it("has up to almost 6 MB", async () => {
    const own = await serving(() => ({ statusCode: 200, body: "x".repeat(6_291_000) }));
    expect((await ask(own, "/a")).body.length).toBe(6_291_000);
  });

  it("is 503 if the function exceeds its timeout, even if it fails later", async () => {
    const late = async () => {
      await pause(150);
      throw new Error("too late");
    };
    const own = await serving(late, { timeouts: { functionMs: 50 } });
    expect(await ask(own, "/a")).toMatchObject({ status: 503, body: '{"message":"Service Unavailable"}' });
    await pause(200);
  });
});

describe("the authorizer", () => {
  it("refuses with 403, and no function is invoked", async () => {
    let calls = 0;
    const own = await serving(
      () => {
        calls += 1;
        return { statusCode: 200 };
      },
      { authorizer: () => ({ isAuthorized: false }) },
    );
    expect(await ask(own, "/a")).toMatchObject({ status: 403, body: '{"message":"Forbidden"}' });
    expect(calls).toBe(0);
  });

  it.each<[string, LambdaFunction]>([
    ["throws", () => Promise.reject(new Error("secret"))],
    ["returns nothing", () => undefined],
    ["returns a policy", () => ({ principalId: "x", policyDocument: {} })],
    ["returns another type", () => ({ isAuthorized: "true" })],
    ["returns an invalid context", () => ({ isAuthorized: true, context: "x" })],
    ["exceeds its timeout", () => pause(1_000, permit())],
  ])("is 500 if it %s", async (_, authorizer) => {
    const own = await serving(echo, { authorizer, timeouts: { authorizerMs: 50 } });
    expect(await ask(own, "/a")).toMatchObject({ status: 500, body: '{"message":"Internal Server Error"}' });
  });

  it("decides on $default too, and its whole context reaches the function", async () => {
    const context = { text: "ü", number: 1, flag: false, list: ["a"], map: { b: null } };
    const own = await serving(echo, { authorizer: () => ({ isAuthorized: true, context }) });
    const { body } = await ask(own, "/nowhere");
    expect(JSON.parse(body)).toMatchObject({ event: { requestContext: { authorizer: { lambda: context } } } });
  });
});

describe("closing", () => {
  it("finishes open requests, accepts no new ones, and is idempotent", async () => {
    const own = await serving(async () => {
      await pause(200);
      return { statusCode: 200, body: "done" };
    });
    const slow = ask(own, "/a");
    await pause(50);
    const closing = Promise.all([own.close(), own.close()]);
    await pause(20);
    await expect(ask(own, "/a")).rejects.toThrow(/ECONNREFUSED/);
    expect(await slow).toMatchObject({ status: 200, body: "done", headers: { connection: "close" } });
    expect(await closing).toEqual([0, 0]);
  });

  it("names the port that is in use", async () => {
    const own = await serving(echo);
    await expect(startEcho({ port: own.port })).rejects.toThrow(`Port ${own.port} of 127.0.0.1 is in use`);
  });
});
