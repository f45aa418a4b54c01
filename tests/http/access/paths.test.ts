/** Paths, methods and headers that a gateway and a function could read differently. */
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { operations } from "#core/service/catalogue.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();

/** Sends a path unchanged; `fetch` would normalise it. */
const raw = (method: string, path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const { hostname, port } = new URL(api.url);
    const sent = request({ hostname, port, method, path, headers }, (answer) => {
      let body = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => {
        body += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    sent.on("error", reject);
    sent.end();
  });
const asAdmin = { authorization: basic(ADMIN) };

describe("cannot be bypassed by", () => {
  test.each([
    `/${APPLICATIONS}`,
    "/api//server/v1/applications",
    "/./api/server/v1/applications",
    "/x/../api/server/v1/applications",
    "/api/server/v1/x/..%2fapplications",
    "/api/server/v1/%2e%2e/v1/applications",
    "/api/server/v1/%252e%252e/v1/applications",
    "/api/server/v1/..;/v1/applications",
    `${APPLICATIONS};jsessionid=1`,
    "/api\\server\\v1\\applications",
    "/api%5cserver%5cv1%5capplications",
    `${APPLICATIONS}%00`,
    `${APPLICATIONS}%0d%0aX-Y:%20z`,
    `${APPLICATIONS}%c0%af`,
    "/API/Server/V1/applications",
    `${APPLICATIONS}.json`,
    `${APPLICATIONS}%20`,
    "/openapi.json/../api/server/v1/applications",
    "/t/carbon.super/t/carbon.super/api/server/v1/applications",
    "/t//api/server/v1/applications",
    "/t/../api/server/v1/applications",
    "/T/carbon.super/api/server/v1/applications",
    "/o/api/server/v1/applications",
  ])("%s, with or without the administrator's credential", async (path) => {
    const stranger = await raw("GET", path);
    expect([400, 401, 404]).toContain(stranger.status);
    const known = await raw("GET", path, asAdmin);
    expect([400, 401, 404]).toContain(known.status);
    expect(known.body).not.toContain("totalResults");
  });
  test("an encoded question mark: it is a character of the last segment", async () => {
    for (const mark of ["%3F", "%3f"]) {
      expect((await raw("GET", `${APPLICATIONS}${mark}x=1`)).status).toBe(401);
      expect((await raw("GET", `${APPLICATIONS}${mark}x=1`, asAdmin)).status).toBe(404);
    }
  });
  test("an encoded character of URLs behind an id: the resource is neither read nor changed", async () => {
    const id = await api.create({ name: "behind a question mark" });
    const user = await api.ask("POST", "/scim2/Users", {
      body: { userName: "behind.a.mark", password: "Wave-3-of-them" },
    });
    const [application, person] = [`${APPLICATIONS}/${id}`, `/scim2/Users/${user.body.id}`];
    for (const end of ["%3f", "%3Fx=1", "%23", "%23x", "%25", "%2fx", "%26x", "%3bx"]) {
      for (const path of [application, person, `/svc/scim/Users/${user.body.id}`]) {
        const [read, removed] = [await raw("GET", path + end, asAdmin), await raw("DELETE", path + end, asAdmin)];
        // The removal of an application that does not exist is a success.
        const gone = path === application ? [204, 404, 405] : [404, 405];
        expect([read.status, gone.includes(removed.status)], path + end).toEqual([404, true]);
        expect(JSON.parse(read.body)).toEqual(
          path === application
            ? expect.objectContaining({ code: expect.any(String) })
            : path === person
              ? expect.objectContaining({ status: "404" })
              : expect.objectContaining({ Errors: [expect.objectContaining({ code: "404" })] }),
        );
      }
    }
    for (const path of [application, person]) expect((await api.ask("GET", path)).status).toBe(200);
  });
  test.each(
    Object.entries(operations).map(([id, { method, path }]) => [id, method, path.replace(/\{\w+\}/g, "x")] as const),
  )("%s: an encoded question mark behind its path", async (_, method, path) => {
    const body = method === "GET" || method === "DELETE" ? {} : { body: {} };
    const { status } = await api.ask(method, `${path}%3Fattributes=id`, body);
    // An operation with an id as its last segment is asked for an id that does not exist.
    const allowed = method === "DELETE" ? [204, 404, 405] : [400, 403, 404, 405];
    expect(allowed).toContain(status);
  });
  test("an absolute request target: the path is that of the target; of another name it is 421", async () => {
    const answer = await raw("GET", `${api.url}${APPLICATIONS}`, asAdmin);
    expect(answer.status).toBe(200);
    const strange = await raw("GET", `http://evil.example${APPLICATIONS}`, { ...asAdmin, host: "evil.example" });
    expect(strange.status).toBe(421);
    const created = await api.ask("POST", APPLICATIONS, {
      body: { name: "linked" },
      headers: { "x-forwarded-host": "evil.example", "x-original-url": "/x", "x-rewrite-url": "/x" },
    });
    expect(created.headers.get("location")).toMatch(new RegExp(`^${api.url}/t/carbon.super/`));
  });
  test("a method in a header", async () => {
    const id = await api.create({ name: "method override" });
    await api.ask("GET", `${APPLICATIONS}/${id}?_method=DELETE`, {
      headers: { "x-http-method-override": "DELETE", "x-method-override": "DELETE" },
    });
    expect((await api.ask("GET", `${APPLICATIONS}/${id}`)).status).toBe(200);
  });
});

describe("404 and 405 in the management dialect", () => {
  test("404 for an unknown path", async () => {
    for (const path of ["/api/server/v1/nothing", `${APPLICATIONS}/a/b/c`]) {
      const answer = await api.ask("GET", path);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual({
        code: "404",
        message: "Not Found",
        description: expect.stringMatching(/path/),
        traceId: expect.any(String),
      });
    }
  });
  test("404 for a path outside of the protected families, without a credential", async () => {
    for (const as of [null, undefined]) expect((await api.ask("GET", "/favicon.ico", { as })).status).toBe(404);
  });
  test.each(["PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"])("405 for %s on the collection", async (method) => {
    const answer = await api.ask(method, APPLICATIONS);
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("GET, POST");
  });
  test("HEAD is GET without a body, also where GET is refused", async () => {
    const answer = await api.ask("HEAD", APPLICATIONS);
    expect([answer.status, answer.text]).toEqual([200, ""]);
    const owner = await api.ask("HEAD", `${APPLICATIONS}/1/owner`);
    expect([owner.status, owner.text]).toEqual([405, ""]);
  });
  test.each([
    ["GET", "/scim2/Users", `Bearer at_${"x".repeat(43)}`],
    ["GET", "/scim2/Users", undefined],
    ["GET", "/svc/scim/Users", null],
    ["POST", "/oauth2/token", null],
    ["GET", "/oauth2/token/.well-known/openid-configuration", null],
    ["GET", APPLICATIONS, null],
  ] as const)(
    "%s %s: a tenant prefix that is longer than any domain is not a server error",
    async (method, path, as) => {
      for (const length of [254, 256, 2_100, 3_900]) {
        const { status } = await api.ask(
          method,
          `/t/${"\u00e9".repeat(length / 2)}${path}`,
          as === undefined ? {} : { as },
        );
        expect(status).toBeGreaterThanOrEqual(400);
        expect(status).toBeLessThan(500);
      }
    },
  );
  test("404 for unknown paths of the other families, in their dialects", async () => {
    expect((await api.ask("GET", "/scim2/Nothing")).body).toMatchObject({
      schemas: "urn:ietf:params:scim:api:messages:2.0:Error",
      status: "404",
    });
    expect((await api.ask("GET", "/svc/scim/Nothing")).body).toMatchObject({ Errors: [{ code: "404" }] });
    expect((await api.ask("GET", "/oauth2/nothing")).body).toHaveProperty("error");
  });
});

describe("every response", () => {
  test("has the headers against browsers and caches", async () => {
    for (const [path, as] of [
      [APPLICATIONS, undefined],
      [APPLICATIONS, null],
      ["/nothing", null],
    ] as const) {
      const { headers } = await api.ask("GET", path, { as });
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("strict-transport-security")).toMatch(/max-age=31536000/);
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("server")).toBeNull();
      expect(headers.get("x-powered-by")).toBeNull();
    }
  });
  test("repeats a well-formed correlation id, and replaces any other", async () => {
    const own = await api.ask("GET", "/nothing", { headers: { "x-correlation-id": "abc-123" } });
    expect(own.body.traceId).toBe("abc-123");
    expect(own.headers.get("x-correlation-id")).toBe("abc-123");
    for (const id of ["a b", "x".repeat(65), "a\u00e9"]) {
      const other = await api.ask("GET", "/nothing", { headers: { "x-correlation-id": id } });
      expect(other.body.traceId).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    }
  });
});
