/** `npm run smoke` against the local service, also behind a proxy that fails each single request in turn. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { oauthOf } from "#tests/support/oauth.ts";
import { ADMIN, APPLICATIONS, world } from "#tests/support/world.ts";
import { type Credential, type Line, smoke } from "#tools/smoke/run.ts";
import { clientScopes } from "#tools/smoke/steps.ts";

const PROGRAM = fileURLToPath(new URL("../../packages/tools/smoke/smoke.ts", import.meta.url));
const administrator: Credential = { kind: "user", name: ADMIN.username, password: ADMIN.password };
const HOUR_MS = 3_600_000;
const CLIENT_GRANT = { grantTypes: ["client_credentials"] };

const service = world();
const strict = world({ deployment: '[api]\nstrict = true\nrequire_if_match = true\n[scim2]\nprofile = "rfc7644"\n' });

/** How the proxy fails a request: it refuses it, or forwards it and cuts the connection before the response. */
type Failure = "refuse" | "lose";

interface Seen {
  readonly method: string;
  readonly path: string;
}

/** The proxy: which request of the run fails, and what it saw. */
const proxy: {
  url: string;
  failing: { readonly at: number; readonly how: Failure } | undefined;
  seen: Seen[];
  onRequest: (seen: Seen) => void;
} = { url: "", failing: undefined, seen: [], onRequest: () => undefined };

const forward = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const seen = { method: incoming.method ?? "", path: incoming.url ?? "" };
  const fails = proxy.failing?.at === proxy.seen.push(seen) - 1 ? proxy.failing.how : undefined;
  proxy.onRequest(seen);
  if (fails === "refuse") {
    incoming.resume();
    outgoing.writeHead(503, { "x-correlation-id": "refused" }).end();
    return;
  }
  const onward = request(`${service.url}${incoming.url}`, { method: incoming.method, headers: incoming.headers });
  onward.on("response", (answer) => {
    if (fails === "lose") {
      answer.resume().once("end", () => incoming.socket.destroy());
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on("error", () => outgoing.destroy());
  incoming.pipe(onward);
};
const server = createServer(forward);

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

/** Runs the smoke test through the proxy. */
const run = async (
  failing?: { readonly at: number; readonly how: Failure },
  {
    credential = administrator,
    nowMs = Date.now(),
    signal = new AbortController().signal,
  }: { readonly credential?: Credential; readonly nowMs?: number; readonly signal?: AbortSignal } = {},
) => {
  Object.assign(proxy, { failing, seen: [] });
  const lines: Line[] = [];
  const isGood = await smoke({ url: proxy.url, credential, nowMs, print: (line) => lines.push(line), signal });
  return { isGood, lines, seen: proxy.seen, failed: lines.filter(({ state }) => state === "FAIL") };
};

/** The names of everything whose name begins with `smoke-`. */
const leftBehind = async (): Promise<readonly string[]> => {
  const lists = [
    [`${APPLICATIONS}?filter=name+sw+smoke-`, "applications", "name"],
    ["/scim2/v2/Roles?filter=displayName+sw+smoke-", "Resources", "displayName"],
    ["/scim2/Groups?filter=displayName+sw+smoke-", "Resources", "displayName"],
    ["/scim2/Users?filter=userName+sw+smoke-", "Resources", "userName"],
  ] as const;
  const names = await Promise.all(
    lists.map(async ([path, list, name]) => {
      const { status, body } = await service.ask("GET", path);
      expect(status).toBe(200);
      return ((body[list] ?? []) as readonly Record<string, string>[]).map((one) => one[name] ?? "");
    }),
  );
  return names.flat();
};

test("every request of a working service is ok, has a correlation id, and nothing is left behind", async () => {
  const { isGood, lines, failed } = await run();
  expect(failed).toEqual([]);
  expect(isGood).toBe(true);
  expect(lines.every(({ state }) => state === "ok")).toBe(true);
  expect(lines.filter(({ correlationId }) => correlationId === undefined)).toEqual([]);
  expect(lines.filter(({ title }) => title.endsWith("of the README"))).toHaveLength(11);
  expect(lines.length).toBeGreaterThanOrEqual(21);
  expect(new Set(lines.map(({ status }) => status))).toEqual(new Set([200, 201, 204, 401, 403, 404, 405, 415]));
  expect(await leftBehind()).toEqual([]);
});

test("a service with the strict profile of SCIM 2.0 works too", async () => {
  const { signal } = new AbortController();
  const lines: Line[] = [];
  const print = (line: Line) => lines.push(line);
  await smoke({ url: strict.url, credential: administrator, nowMs: Date.now(), print, signal });
  expect(lines.filter(({ state }) => state !== "ok")).toEqual([]);
});

test("a client with the named scopes may run it; one that lacks some is told which", async () => {
  const full = await oauthOf(service).newClient(clientScopes, CLIENT_GRANT);
  const credential = { kind: "client", id: full.clientId, secret: full.clientSecret } as const;
  const { failed, isGood } = await run(undefined, { credential });
  expect({ failed, isGood }).toEqual({ failed: [], isGood: true });
  const poor = await oauthOf(service).newClient(clientScopes.slice(1), CLIENT_GRANT);
  const refused = await run(undefined, {
    credential: { kind: "client", id: poor.clientId, secret: poor.clientSecret },
  });
  expect(refused.isGood).toBe(false);
  expect(refused.lines.map(({ problem }) => problem)).toEqual([`the client is not authorized for ${clientScopes[0]}`]);
  expect(await leftBehind()).toEqual([]);
});

describe.each(["refuse", "lose"] as const)("each single request that fails (%s)", (how) => {
  test("is reported, no other one is, and nothing is left behind", { timeout: 900_000 }, async () => {
    const good = await run();
    expect(good.isGood).toBe(true);
    const changes = good.seen.flatMap(({ method }, at) => (how === "refuse" || method !== "GET" ? [at] : []));
    expect(changes.length).toBeGreaterThan(10);
    for (const at of changes) {
      const { isGood, failed, seen } = await run({ at, how });
      expect({ at, isGood, failed: failed.map(({ method, path }) => ({ method, path })) }).toEqual({
        at,
        isGood: false,
        failed: [seen[at]],
      });
      expect(failed[0]?.status).toBe(how === "refuse" ? 503 : undefined);
      expect({ at, left: await leftBehind() }).toEqual({ at, left: [] });
    }
  });
});

test("an interrupted run sends no further step, removes what it created, and is not good", async () => {
  const good = await run();
  for (const at of [0, 14, 19, 28]) {
    const controller = new AbortController();
    proxy.onRequest = () => {
      if (proxy.seen.length - 1 === at) controller.abort();
    };
    const { isGood, failed, seen } = await run(undefined, { signal: controller.signal });
    expect({ isGood, failed }).toEqual({ isGood: false, failed: [] });
    expect(seen.length).toBeLessThan(good.seen.length);
    expect(await leftBehind()).toEqual([]);
  }
  proxy.onRequest = () => undefined;
});

test("leftovers older than an hour are removed; younger ones and similar names stay", async () => {
  const seconds = Math.floor(Date.now() / 1_000);
  const old = `smoke-${seconds - 3_700}-0123abcd`;
  const kept = [`smoke-${seconds - 3_500}-0123abcd`, "smoke-detector", `smoke-${seconds - 9_000}-sensor`];
  for (const name of [old, `${old}-changed`, ...kept]) {
    for (const [path, body] of [
      ["/scim2/Users", { userName: name, password: "maple-tree-42", name: { givenName: "a", familyName: "b" } }],
      ["/scim2/Groups", { displayName: name }],
      ["/scim2/v2/Roles", { displayName: name }],
      [APPLICATIONS, { name }],
    ] as const) {
      expect((await service.ask("POST", path, { body })).status).toBe(201);
    }
  }
  const { isGood } = await run();
  expect(isGood).toBe(true);
  expect([...new Set(await leftBehind())].sort()).toEqual([...kept].sort());
  expect(await leftBehind()).toHaveLength(4 * kept.length);
  // An hour later the younger ones go too.
  await run(undefined, { nowMs: Date.now() + HOUR_MS });
  expect([...new Set(await leftBehind())].sort()).toEqual(kept.slice(1).sort());
});

describe("the command", () => {
  const start = (args: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess =>
    spawn(process.execPath, [PROGRAM, ...args], { env: { PATH: process.env.PATH, ...environment } });
  const ended = async (child: ChildProcess) => {
    let [output, errors] = ["", ""];
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    return { code: await new Promise<number | null>((done) => child.once("close", done)), output, errors };
  };
  const credential = { IDENTITY_ADMIN_USER: ADMIN.username, IDENTITY_ADMIN_PASSWORD: ADMIN.password };

  test("prints a line with status, time and correlation id for each request, and no secret", async () => {
    const { code, output, errors } = await ended(start([service.url], { ...credential }));
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(output).toMatch(
      /^ok {4}201 +\d+ ms {2}POST {4}\/scim2\/Users {2}\(create a user of the README\) {2}[0-9a-f-]{36}$/m,
    );
    expect(output.trimEnd().split("\n").at(-1)).toBe(`${service.url} works.`);
    expect(output).not.toContain("Basic");
    expect(output).not.toContain("Bearer");
  });
  test("ends with 1 for a wrong password, after a Ctrl-C too, which it survives to clean up", {
    timeout: 90_000,
  }, async () => {
    const wrong = await ended(start([service.url], { ...credential, IDENTITY_ADMIN_PASSWORD: "wrong-password" }));
    expect(wrong.code).toBe(1);
    // A single attempt: more would lock the administrator's name.
    expect(wrong.output.trimEnd().split("\n")).toHaveLength(2);
    expect(wrong.output).toMatch(/^FAIL {2}401 .*\(credential of the command: must be 200\)/);
    const child = start([proxy.url], { ...credential });
    Object.assign(proxy, { failing: undefined, seen: [] });
    proxy.onRequest = ({ method, path }) => {
      if (method === "POST" && path === "/scim2/Groups") child.kill("SIGINT");
    };
    const { code, errors } = await ended(child);
    proxy.onRequest = () => undefined;
    expect({ code, errors }).toEqual({ code: 1, errors: "Interrupted. Removing what was created ...\n" });
    expect((await leftBehind()).filter((name) => /^smoke-\d{10}-[0-9a-f]{8}/.test(name))).toEqual([]);
  });
  test.each([
    [[], credential, /^npm run smoke -- <url>/],
    [["a", "b"], credential, /^npm run smoke -- <url>/],
    [["--password=x"], credential, /Unknown option '--password/],
    [["not a url"], credential, /^<url>: "not a url" is not a URL\./],
    [["https://api.example.com/t/acme.example"], credential, /must be an origin without a path/],
    [["http://api.example.com"], credential, /in clear text/],
    [["https://api.example.com"], {}, /^Set IDENTITY_ADMIN_USER and IDENTITY_ADMIN_PASSWORD in the environment/],
    [
      ["https://api.example.com"],
      { ...credential, IDENTITY_ADMIN_CLIENT_ID: "a", IDENTITY_ADMIN_CLIENT_SECRET: "b" },
      /^Set IDENTITY/,
    ],
  ] as const)("refuses %j with %j", async (args, environment, message) => {
    const { code, errors, output } = await ended(start(args, { ...environment }));
    expect({ code, output }).toEqual({ code: 2, output: "" });
    expect(errors).toMatch(message);
  });
});
