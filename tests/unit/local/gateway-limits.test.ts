import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Gateway } from "#local/gateway.ts";
import { ask, bodyOf, head, raw, startEcho } from "#tests/unit/local/support.ts";

const HEAD_MAX = 10_240;
const MIB = 1_048_576;

let gateway: Gateway;
let calls = 0;
beforeAll(async () => {
  const count = () => {
    calls += 1;
    return { statusCode: 200, body: "taken" };
  };
  gateway = await startEcho({ functions: { a: count, special: count, only: count, other: count } });
});
afterAll(() => gateway.close());

describe("request line and headers", () => {
  const padded = (bytes: number, path = "/a") => {
    const bare = head(`GET ${path} HTTP/1.1`, "host: x", "p: ");
    return head(`GET ${path} HTTP/1.1`, "host: x", `p: ${"x".repeat(bytes + 2 - bare.length)}`);
  };

  it("may have 10,240 bytes", async () => {
    expect(padded(HEAD_MAX).length).toBe(HEAD_MAX + 2);
    expect(await raw(gateway.port, padded(HEAD_MAX))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([HEAD_MAX + 1, 70_000, 1_500_000])("are refused with %d bytes", async (bytes) => {
    const answer = await raw(gateway.port, padded(bytes));
    expect(answer).toMatch(/^HTTP\/1\.1 431 .*content-type: application\/json\r\n/is);
    expect(JSON.parse(bodyOf(answer))).toMatchObject({
      code: "431",
      traceId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it("are refused in the error format of the path", async () => {
    const answer = await raw(gateway.port, padded(HEAD_MAX + 1, "/t/acme/scim2/Users"));
    expect(answer).toMatch(/content-type: application\/scim\+json/i);
    expect(JSON.parse(bodyOf(answer))).toMatchObject({ status: "431" });
  });

  it("count together, with many small headers", async () => {
    expect(await raw(gateway.port, head(`GET /a?${"x".repeat(HEAD_MAX)} HTTP/1.1`, "host: x"))).toMatch(
      /^HTTP\/1\.1 431 /,
    );
    const many = Array.from({ length: 2_500 }, () => "a:");
    expect(await raw(gateway.port, head("GET /a HTTP/1.1", "host: x", ...many))).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe("the body", () => {
  const text = (bytes: number) => ({
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: "x".repeat(bytes),
  });

  it.each([
    ["text", "text/plain", 6_289_000, 200],
    ["text", "text/plain", 6_291_456, 413],
    ["binary", "application/octet-stream", 4_700_000, 200],
    ["binary", "application/octet-stream", 4_718_592, 413],
    ["text past 10 MB", "text/plain", 10_485_761, 413],
    ["text far past 10 MB", "text/plain", 30_000_000, 413],
  ])("of %s (%s) with %d bytes gets %d", async (_, type, bytes, status) => {
    const body = Buffer.alloc(bytes, "x");
    const answer = await ask(gateway, "/a", { method: "POST", headers: { "content-type": type }, body });
    expect(answer.status).toBe(status);
  });

  it("counts with its escapes in JSON", async () => {
    const answer = await ask(gateway, "/a", { ...text(0), body: '"'.repeat(3_200_000) });
    expect(answer.status).toBe(413);
  });

  it("is refused in the error format of the path, before any function is invoked", async () => {
    const before = calls;
    const answer = await ask(gateway, "/scim2/Users", text(11 * MIB));
    expect(answer.headers["content-type"]).toBe("application/scim+json;charset=UTF-8");
    expect(JSON.parse(answer.body)).toMatchObject({ status: "413" });
    expect(calls).toBe(before);
  });

  it("is refused without a connection reset, at any size", async () => {
    for (const bytes of [7 * MIB, 12 * MIB, 40 * MIB]) {
      const answer = await fetch(`${gateway.url}/a`, text(bytes));
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ code: "413" });
    }
  });

  it("is refused in chunks too, and the connection can be reused", async () => {
    const chunk = `${MIB.toString(16)}\r\n${"x".repeat(MIB)}\r\n`;
    const line = "POST /a HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    const answer = await raw(gateway.port, `${line}${chunk.repeat(12)}0\r\n\r\n${head("GET /a HTTP/1.1", "host: x")}`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
  });

  it("gets 100 Continue only for an acceptable length", async () => {
    const expecting = (bytes: number) =>
      `POST /a HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: ${bytes}\r\n\r\n`;
    const refused = await raw(gateway.port, expecting(11 * MIB));
    expect(refused).toMatch(/^HTTP\/1\.1 413 .*connection: close\r\n/is);
    const first = await new Promise<string>((resolve) => {
      const socket = connect(gateway.port, "127.0.0.1", () => socket.write(expecting(3)));
      let answer = "";
      socket.on("data", (chunk) => {
        answer += String(chunk);
        if (answer.endsWith("100 Continue\r\n\r\n")) socket.write("abc");
        if (answer.endsWith("taken")) socket.destroy();
      });
      socket.on("close", () => resolve(answer));
    });
    expect(first).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  });

  it("that breaks off invokes no function", async () => {
    const before = calls;
    const socket = connect(gateway.port, "127.0.0.1", () => {
      socket.write("POST /a HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc", () => socket.destroy());
    });
    await new Promise((closed) => socket.on("close", closed));
    expect((await ask(gateway, "/a")).status).toBe(200);
    expect(calls).toBe(before + 1);
  });

  it("is refused with two length headers", async () => {
    const smuggled = head("POST /a HTTP/1.1", "host: x", "content-length: 3", "transfer-encoding: chunked");
    const answer = await raw(gateway.port, `${smuggled}0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(bodyOf(answer)).toBe('{"message":"Bad Request"}');
  });
});
