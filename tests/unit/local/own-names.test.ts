/** A request for another name than the own ones is refused before anything of it is read (DNS rebinding). */

import { readFile } from "node:fs/promises";
import { request as secureRequest } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nameIn } from "#local/gateway/routing.ts";
import { type RunningService, startService } from "#local/service.ts";
import { readSettings } from "#local/settings.ts";
import { startEcho } from "./support.ts";

const ADMIN = `Basic ${Buffer.from("admin:admin").toString("base64")}`;

let service: RunningService;
beforeAll(async () => {
  service = await startService(
    readSettings({ DATA_DIR: ":memory:", PORT: "0", MTLS_PORT: "0", DEMO_PORT: "off", ALLOWED_HOSTS: "api, Id.Test" }),
  );
});
afterAll(() => service.close());

/** Sends the lines of a head as they are, and returns the head and body of the response. */
const raw = (port: number, ...lines: readonly string[]) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => (text += chunk));
    socket.once("close", () => resolve(text)).once("error", reject);
    socket.write(`${[...lines, "connection: close"].join("\r\n")}\r\n\r\n`);
  });
const portOf = (url: string | undefined) => Number(new URL(url ?? "").port);
const users = (...lines: readonly string[]) =>
  raw(portOf(service.url), "GET /scim2/Users HTTP/1.1", `authorization: ${ADMIN}`, ...lines);
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

describe("over http", () => {
  test.each(["127.0.0.1", "localhost", "LOCALHOST", "[::1]", "api", "API", "id.test"])(
    "%s is an own name, with any port and without one",
    async (name) => {
      const port = portOf(service.url);
      for (const host of [name, `${name}:${port}`, `${name}:8080`]) {
        expect([host, statusOf(await users(`host: ${host}`))]).toEqual([host, 200]);
      }
    },
  );
  test.each([
    "evil.example",
    "evil.example:3000",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "localhost@evil.example",
    "evil.example@localhost",
    "127.0.0.1:3000@evil.example",
    "127.0.0.2",
    "0.0.0.0",
    "[::]",
    "xn--localhost-9c8d",
    "localhost, evil.example",
    "",
  ])("'%s' is 421 in the format of the path, also with the right password", async (host) => {
    const answer = await users(`host: ${host}`);
    expect([host, statusOf(answer)]).toEqual([host, 421]);
    expect(answer).toContain("urn:ietf:params:scim:api:messages:2.0:Error");
    expect(answer).toContain("ALLOWED_HOSTS");
    expect(answer).not.toContain("Local");
  });
  test("a repeated Host and a missing one are 400", async () => {
    expect(statusOf(await users("host: localhost", "host: evil.example"))).toBe(400);
    expect(statusOf(await users())).toBe(400);
  });
  test("HTTP/1.0 without a Host, and an absolute target of another name, are 421", async () => {
    const port = portOf(service.url);
    expect(statusOf(await raw(port, "GET /oauth2/jwks HTTP/1.0"))).toBe(421);
    expect(statusOf(await raw(port, "GET http://evil.example/oauth2/jwks HTTP/1.1", "host: localhost"))).toBe(421);
    expect(statusOf(await raw(port, "GET http://localhost/oauth2/jwks HTTP/1.1", "host: localhost"))).toBe(200);
  });
  test.each(["/", "/openapi.json", "/oauth2/jwks", "/oauth2/authorize", "/nothing/such"])(
    "%s is 421 for another name too",
    async (path) => {
      expect(statusOf(await raw(portOf(service.url), `GET ${path} HTTP/1.1`, "host: evil.example"))).toBe(421);
    },
  );
  test("a body is not waited for, and no function is called", async () => {
    let calls = 0;
    const count = () => {
      calls += 1;
      return { statusCode: 200 };
    };
    const gateway = await startEcho({
      ownNames: new Set(["localhost"]),
      authorizer: () => {
        calls += 1;
        return { isAuthorized: true };
      },
      functions: { a: count, special: count, only: count, other: count },
    });
    const answer = await raw(gateway.port, "POST /a HTTP/1.1", "host: evil.example", "content-length: 5");
    await gateway.close();
    expect([statusOf(answer), calls]).toEqual([421, 0]);
  });
});

test("the port with client certificates likewise", async () => {
  const file = (name: string) => readFile(join(service.certificates ?? "", name));
  const [ca, cert, key] = await Promise.all([file("ca.pem"), file("client-admin.pem"), file("client-admin.key")]);
  const status = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { ca, cert, key, headers: { host }, agent: false, servername: "" };
      secureRequest(`${service.mtlsUrl}/scim2/Users`, options, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .once("error", reject)
        .end();
    });
  expect(await status(new URL(service.mtlsUrl ?? "").host)).toBe(200);
  expect(await status("evil.example")).toBe(421);
});

test.each(["api:3000", "http://api", "a b", "*", "*.test"])("ALLOWED_HOSTS is refused as %s", (text) => {
  expect(() => readSettings({ ALLOWED_HOSTS: text })).toThrow(`not "${text}"`);
});

test("a name is in an authority with or without a port, and in nothing else", () => {
  expect(["a", "A:1", "[::1]", "[::1]:3", "a:"].map(nameIn)).toEqual(["a", "a", "[::1]", "[::1]", "a"]);
  expect(["", ":1", "a b", "a@b", "a/b", "[a", "::1"].map(nameIn)).toEqual(Array.from({ length: 7 }, () => undefined));
});
