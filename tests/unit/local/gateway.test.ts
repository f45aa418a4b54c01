import type { Context } from "aws-lambda";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routes as catalogueRoutes } from "#core/kernel/operation/derive.ts";
import { type Gateway, startGateway } from "#local/gateway.ts";
import {
  ask,
  bodyOf,
  type Echo,
  echo,
  eventOf,
  head,
  permit,
  raw,
  routes,
  startEcho,
} from "#tests/unit/local/support.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startEcho();
});
afterAll(() => gateway.close());

const rawEvent = async (bytes: string) => (JSON.parse(bodyOf(await raw(gateway.port, bytes))) as Echo).event;

describe("routes", () => {
  it.each([
    ["/a", "ANY /a", "a", undefined],
    ["/a/", "ANY /a/{proxy+}", "a", { proxy: "" }],
    ["/a/b/c", "ANY /a/{proxy+}", "a", { proxy: "b/c" }],
    ["/a//b", "ANY /a/{proxy+}", "a", { proxy: "/b" }],
    ["/a/only", "GET /a/only", "only", undefined],
    ["/a/special/x", "ANY /a/special/{proxy+}", "special", { proxy: "x" }],
    ["/a/special", "ANY /a/{proxy+}", "a", { proxy: "special" }],
    ["/t/acme.com/a", "ANY /t/{tenant}/a", "a", { tenant: "acme.com" }],
    ["/t/acme.com/a/b", "ANY /t/{tenant}/a/{proxy+}", "a", { tenant: "acme.com", proxy: "b" }],
    ["/t//a", "$default", "other", undefined],
    ["//a", "$default", "other", undefined],
    ["/A", "$default", "other", undefined],
    ["/ab", "$default", "other", undefined],
    ["/", "$default", "other", undefined],
    ["/a%2Fb", "ANY /a/{proxy+}", "a", { proxy: "b" }],
  ])("match %s to %s", async (path, key, service, pathParameters) => {
    const echoed = JSON.parse((await ask(gateway, path)).body) as Echo;
    expect(echoed.service).toBe(service);
    expect(echoed.event.routeKey).toBe(key);
    expect(echoed.event.requestContext.routeKey).toBe(key);
    expect(echoed.event.pathParameters).toEqual(pathParameters);
  });

  it("match other methods of a route with a method to the next route", async () => {
    expect((await eventOf(gateway, "/a/only", { method: "POST" })).routeKey).toBe("ANY /a/{proxy+}");
  });

  it("return 404 for a path without a route", async () => {
    const small = await startEcho({ routes: [{ key: "ANY /a", service: "a" }] });
    expect(await ask(small, "/b")).toMatchObject({ status: 404, body: '{"message":"Not Found"}' });
    await small.close();
  });

  it("accept those of the catalogue", async () => {
    const functions = Object.fromEntries(catalogueRoutes().map(({ service }) => [service, echo]));
    const real = await startEcho({ routes: catalogueRoutes(), functions });
    expect((await eventOf(real, "/t/x/api/server/v1/applications/1")).pathParameters).toEqual({
      tenant: "x",
      proxy: "1",
    });
    await real.close();
  });

  it("are refused at the start: without a function, two with one key, an invalid key", async () => {
    await expect(startEcho({ functions: { a: echo } })).rejects.toThrow(/"special", which does not exist/);
    await expect(startEcho({ routes: [...routes, { key: "ANY /a", service: "a" }] })).rejects.toThrow(/two routes/);
    await expect(startEcho({ routes: [{ key: "/a", service: "a" }] })).rejects.toThrow(/not a route key/);
  });
});

describe("paths and queries", () => {
  it.each([
    ["/a/%41%20b", "/a/A b"],
    ["/a/x%2Fy", "/a/x/y"],
    ["/a/%252e%252e", "/a/%2e%2e"],
    ["/a/x%3Fy=1", "/a/x?y=1"],
    ["/a/x%3fy%3F", "/a/x?y?"],
    ["/a/x%23y", "/a/x#y"],
    ["/a/..%2f%2e%2e/x", "/a/../../x"],
    ["/a/../b/./c", "/a/../b/./c"],
    ["/a/%00%0d%0a", "/a/\0\r\n"],
    ["/a/%F0%9F%98%80", "/a/😀"],
    ["/a;x=1/b", "/a;x=1/b"],
  ])("pass on %s as %s", async (path, expected) => {
    const event = await eventOf(gateway, path);
    expect(event.rawPath).toBe(expected);
    expect(event.requestContext.http.path).toBe(expected);
    expect(event.rawQueryString).toBe("");
  });

  it.each(["/a/%", "/a/%zz", "/a/%c0%af", "/a/%ff", "/a#b", "/ü", "*", "a"])("refuse the target %s", async (target) => {
    const answer = await raw(gateway.port, head(`OPTIONS ${target} HTTP/1.1`, "host: x"));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(bodyOf(answer))).toEqual({ message: "Bad Request" });
  });

  it("pass on the query encoded, and join repeated parameters", async () => {
    const event = await eventOf(gateway, "/a?x=1&y=a%20b+c&x=%2C2&z&__proto__=p&bad=%zz?&");
    expect(event.rawQueryString).toBe("x=1&y=a%20b+c&x=%2C2&z&__proto__=p&bad=%zz?&");
    expect(Object.entries(event.queryStringParameters ?? {})).toEqual([
      ["x", "1,,2"],
      ["y", "a b c"],
      ["z", ""],
      ["__proto__", "p"],
      ["bad", "%zz?"],
    ]);
    expect((await eventOf(gateway, "/a?")).queryStringParameters).toBeUndefined();
  });

  it("ignore scheme, host and Host header of an absolute target", async () => {
    const event = await rawEvent(head("GET http://evil.example:1/a/b?c=d HTTP/1.1", "host: other.example"));
    expect(event).toMatchObject({ rawPath: "/a/b", rawQueryString: "c=d", headers: { host: "other.example" } });
    expect(event.requestContext).toMatchObject({ domainName: "localhost", domainPrefix: "localhost" });
    expect((await rawEvent(head("GET http://evil.example?c=d HTTP/1.1", "host: x"))).rawPath).toBe("/");
  });

  it("refuse two Host headers, a missing Host header, and CONNECT", async () => {
    expect(await raw(gateway.port, head("GET /a HTTP/1.1", "host: x", "Host: y"))).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw(gateway.port, head("GET /a HTTP/1.1"))).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw(gateway.port, head("CONNECT x:1 HTTP/1.1", "host: x"))).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe("headers", () => {
  it("are in lower case, repeated ones joined, and none is dropped", async () => {
    const event = await rawEvent(
      head(
        "GET /a HTTP/1.1",
        "Host: x",
        "Authorization: one",
        "AUTHORIZATION: two",
        "X-Y: 1",
        "x-y: 2",
        "__proto__: 3",
      ),
    );
    expect(event.headers).toMatchObject({ host: "x", authorization: "one,two", "x-y": "1,2" });
    expect(Object.entries(event.headers)).toContainEqual(["__proto__", "3"]);
    expect(event.headers).not.toHaveProperty("connection");
  });

  it("move cookies to a member of their own", async () => {
    const event = await rawEvent(head("GET /a HTTP/1.1", "host: x", "Cookie: a=1; b=2;", "cookie: c=3"));
    expect(event.cookies).toEqual(["a=1", "b=2", "c=3"]);
    expect(event.headers).not.toHaveProperty("cookie");
    expect(await eventOf(gateway, "/a")).not.toHaveProperty("cookies");
  });

  it("contain forwarding headers and a trace id", async () => {
    const event = await eventOf(gateway, "/a", {
      headers: {
        "X-Forwarded-For": "1.2.3.4",
        "X-Forwarded-Proto": "https",
        "x-forwarded-port": "1",
        "X-Amzn-Trace-Id": "bad",
      },
    });
    expect(event.headers).toMatchObject({
      "x-forwarded-for": "1.2.3.4, 127.0.0.1",
      "x-forwarded-proto": "http",
      "x-forwarded-port": String(gateway.port),
    });
    expect(event.headers["x-amzn-trace-id"]).toMatch(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/);
    expect((await eventOf(gateway, "/a")).headers["x-forwarded-for"]).toBe("127.0.0.1");
  });
});

describe("the event", () => {
  it("has the fields of payload 2.0", async () => {
    const before = Date.now();
    const event = await eventOf(gateway, "/a", { method: "PROPFIND", headers: { "user-agent": "me/1" } });
    const { requestContext } = event;
    expect(event).toMatchObject({ version: "2.0", isBase64Encoded: false });
    expect(event).not.toHaveProperty("body");
    expect(event).not.toHaveProperty("pathParameters");
    expect(requestContext).toMatchObject({
      stage: "$default",
      http: { method: "PROPFIND", protocol: "HTTP/1.1", sourceIp: "127.0.0.1", userAgent: "me/1" },
      authorizer: { lambda: { decision: "allow" } },
    });
    expect(requestContext).not.toHaveProperty("authentication");
    expect(requestContext.timeEpoch).toBeGreaterThanOrEqual(before);
    const [, day, month, year, time] = /^(\d\d)\/(\w{3})\/(\d{4}):(\S+) \+0000$/.exec(requestContext.time) ?? [];
    expect(Date.parse(`${day} ${month} ${year} ${time} UTC`)).toBe(
      Math.floor(requestContext.timeEpoch / 1_000) * 1_000,
    );
    expect((await eventOf(gateway, "/a")).requestContext.requestId).not.toBe(requestContext.requestId);
  });

  it.each([
    ["application/json", false],
    ["Application/JSON; charset=utf-8", false],
    ["text/plain", false],
    ["application/xml", false],
    ["application/javascript", false],
    ["application/scim+json", true],
    ["application/x-www-form-urlencoded", true],
    ["multipart/form-data; boundary=x", true],
    ["application/octet-stream", true],
    [undefined, true],
  ])("has a body of type %s with Base64: %s", async (type, isBase64Encoded) => {
    const body = Buffer.from([0x7b, 0xff, 0xc3, 0xbc]);
    const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
    const event = await eventOf(gateway, "/a", { method: "POST", headers, body });
    expect(event.isBase64Encoded).toBe(isBase64Encoded);
    expect(event.body).toBe(isBase64Encoded ? body.toString("base64") : "{\uFFFDü");
  });

  it("has the length of a chunked body", async () => {
    const chunked = head("POST /a HTTP/1.1", "host: x", "content-type: text/plain", "transfer-encoding: chunked");
    const event = await rawEvent(`${chunked}2\r\nab\r\n1\r\nc\r\n0\r\n\r\n`);
    expect(event).toMatchObject({ body: "abc", headers: { "content-length": "3" } });
    expect(event.headers).not.toHaveProperty("transfer-encoding");
  });

  it("is copied for each function, and so is the result", async () => {
    const events: unknown[] = [];
    const shared = { statusCode: 200, headers: { "x-calls": 0 } };
    const own = await startEcho({
      authorizer: (event: { headers: Record<string, string>; body?: unknown }) => {
        event.headers["x-injected"] = "1";
        events.push(event);
        return permit();
      },
      functions: {
        a: (event: { headers: Record<string, string> }) => {
          shared.headers["x-calls"] += 1;
          events.push(event);
          return shared;
        },
        special: echo,
        only: echo,
        other: echo,
      },
    });
    const { headers } = await ask(own, "/a", { method: "POST", body: "text" });
    expect(headers["x-calls"]).toBe("1");
    const [authorizing, serving] = events as [Record<string, unknown>, { headers: Record<string, string> }];
    expect(authorizing).toMatchObject({ version: "2.0", type: "REQUEST", identitySource: null, rawPath: "/a" });
    expect(authorizing.routeArn).toMatch(/^arn:aws:execute-api:.*\/\$default\/POST\/a$/);
    expect(authorizing).not.toHaveProperty("body");
    expect(authorizing).not.toHaveProperty("isBase64Encoded");
    expect(serving.headers).not.toHaveProperty("x-injected");
    await own.close();
  });

  it("comes with a context that has the remaining time", async () => {
    const seen: Context[] = [];
    const watch = (_: unknown, context: Context) => {
      seen.push(context);
      return { statusCode: 204 };
    };
    const own = await startGateway({
      port: 0,
      routes: [{ key: "$default", service: "x" }],
      authorizer: (event: unknown, context: Context) => {
        watch(event, context);
        return permit();
      },
      functions: { x: watch },
    });
    await ask(own, "/");
    const [authorizing, serving] = seen;
    expect(authorizing?.functionName).toBe("authorizer");
    expect(serving?.functionName).toBe("x");
    expect(serving?.awsRequestId).not.toBe(authorizing?.awsRequestId);
    const remaining = [authorizing, serving].map((context) => context?.getRemainingTimeInMillis() ?? 0);
    expect(remaining[0]).toBeLessThanOrEqual(10_000);
    expect(remaining[0]).toBeGreaterThan(5_000);
    expect(remaining[1]).toBeLessThanOrEqual(30_000);
    expect(remaining[1]).toBeGreaterThan(20_000);
    await own.close();
  });
});
