/** What somebody meets who uses the command for the first time: what is shown, and mistakes with their advice. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { client } from "#client/client.ts";
import { identityAdmin, newHome, PROGRAM, type RunOptions } from "#tests/support/identity-admin.ts";
import { ADMIN, world } from "#tests/support/world.ts";

const service = world();
const name = (word: string) => `${word}-${randomUUID().slice(0, 8)}`;
const environment = () => ({
  IDENTITY_ADMIN_URL: service.url,
  IDENTITY_ADMIN_USER: ADMIN.username,
  IDENTITY_ADMIN_PASSWORD: ADMIN.password,
});
const run = (args: readonly string[], options: RunOptions = {}) =>
  identityAdmin(args, { ...options, environment: { ...environment(), ...options.environment } });

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});
const portOf = async (one: Server) => {
  server = one;
  one.listen(0, "127.0.0.1");
  await once(one, "listening");
  return (one.address() as AddressInfo).port;
};

describe("apps create", () => {
  test("shows the client once, and what to do next", async () => {
    const app = name("The trips");
    const made = await run(["apps", "create", app, "--grant", "client_credentials"]);
    expect(made.code, made.errors).toBe(0);
    const [, clientId = ""] = /^clientId: (\S+)$/m.exec(made.output) ?? [];
    const [, clientSecret = ""] = /^clientSecret: (\S+)$/m.exec(made.output) ?? [];
    expect(made.errors).toContain(`identity-admin apps authorize '${app}' /scim2/Users`);
    const api = client({ url: service.url, credentials: { clientId, clientSecret, scope: "internal_login" } });
    expect(await api.token()).toMatch(/\S{10,}/);
    expect((await run(["apps", "show", app])).output).not.toContain(clientSecret);
  });
  test("--json has them in the document", async () => {
    const { output } = await run(["apps", "create", name("Trips"), "--grant", "client_credentials", "--json"]);
    expect(JSON.parse(output)).toEqual({
      name: expect.any(String),
      id: expect.any(String),
      clientId: expect.stringMatching(/\S{10,}/),
      clientSecret: expect.stringMatching(/\S{10,}/),
    });
  });
  test("an application with a sign-in is told where its client finds the service", async () => {
    const { errors } = await run(["apps", "create", name("Web"), "--callback", "https://trips.example.com/cb"]);
    const [, address = ""] = /(http\S+openid-configuration)/.exec(errors) ?? [];
    const response = await fetch(address);
    expect(await response.json()).toMatchObject({ authorization_endpoint: expect.any(String) });
  });
  test("one without a client says where to look", async () => {
    const app = name("None");
    const { code, output, errors } = await run(["apps", "create", app]);
    expect([code, output.split("\n")]).toEqual([0, [expect.stringMatching(/^Created application/), ""]]);
    expect(errors).toBe(`See it: identity-admin apps show ${app}\n`);
  });
});

test("apps show is short, and all with --json", async () => {
  const app = name("Dispatch");
  await run(["apps", "create", app, "--grant", "client_credentials", "--description", "Cars"]);
  const short = await run(["apps", "show", app]);
  expect(short.output.split("\n").length).toBeLessThan(12);
  expect(short.output).toMatch(/description: Cars[\s\S]*clientId: \S+[\s\S]*inboundProtocols:\n {2}- oauth2/);
  expect(short.errors).toContain("--json shows all settings");
  const whole = JSON.parse((await run(["apps", "show", app, "--json"])).output);
  expect(whole.advancedConfigurations).toMatchObject({ saas: false });
});

describe("members that the service does not know are refused, and nothing is stored", () => {
  test.each([
    ["users", ["--no-password"]],
    ["groups", []],
    ["apps", []],
    ["apis", []],
  ] as const)("%s create and update", async (word, more) => {
    const one = name("new");
    const made = await run([word, "create", one, ...more, "--set", "favouriteColour=red"]);
    expect([made.code, made.errors]).toEqual([1, expect.stringContaining("favouriteColour")]);
    expect((await run([word, "show", one])).code).toBe(6);
    expect((await run([word, "create", one, ...more])).code).toBe(0);
    const changed = await run([word, "update", one, "--set", "favouriteColour=red"]);
    expect([changed.code, changed.errors]).toEqual([1, expect.stringContaining("favouriteColour")]);
  });
});

describe("a password", () => {
  test("--file with --no-password creates a user whom no known password lets in", async () => {
    const userName = name("kim");
    const made = await run(["users", "create", userName, "--file", "-", "--no-password"], {
      input: '{"title": "Driver"}',
    });
    expect(made.code, made.errors).toBe(0);
    const [user] = await client({ url: service.url, credentials: ADMIN })
      .users.list({ filter: `userName eq "${userName}"` })
      .all();
    expect(user).toMatchObject({ title: "Driver" });
  });
  test.each([
    [["--file", "-", "--no-password"], '{"password": "maple-tree-42"}', /--no-password contradicts the password/],
    [["--password-stdin", "--no-password"], "maple-tree-42", /contradict each other/],
    [["--password-stdin", "--file", "-"], "maple-tree-42", /both read standard input/],
  ])("%s is a contradiction", async (more, input, says) => {
    const { code, errors } = await run(["users", "create", name("kim"), ...more], { input });
    expect([code, errors]).toEqual([3, expect.stringMatching(says)]);
  });
  test.each([
    ["users", "create", "kim", "--password", "maple-tree-42"],
    ["users", "create", "kim", "--password=maple-tree-42"],
    ["users", "set-password", "kim", "--password", "maple-tree-42"],
    ["tenants", "create", "x.com", "--owner", "kim", "--email", "k@x.com", "--password", "maple-tree-42"],
    ["login", "--user", "kim", "--secret", "maple-tree-42"],
    ["login", "--client-id", "kim", "--client-secret=maple-tree-42"],
    ["login", "--bearer", "--token", "maple-tree-42"],
  ])("is no argument: %s %s %s %s %s", async (...args) => {
    const { code, output, errors } = await run(args);
    expect([code, output]).toEqual([3, ""]);
    expect(errors).toMatch(/is not an option: arguments appear in the shell history[\s\S]*--password-stdin/);
    expect(errors).not.toMatch(/maple-tree-42|Did you mean/);
  });
});

describe("the address of another service", () => {
  const html = (status: number) =>
    createServer((_, response) => response.writeHead(status, { "content-type": "text/html" }).end("<h1>Shop</h1>"));
  test.each([200, 401, 403, 404, 405])("a page with %i is no answer of this API", async (status) => {
    const url = `http://127.0.0.1:${await portOf(html(status))}`;
    for (const args of [
      ["users", "list"],
      ["users", "create", "kim", "--no-password"],
      ["users", "delete", "kim", "--yes"],
      ["plan", await newHome()],
    ] as const) {
      const { code, output, errors } = await run([...args], { environment: { IDENTITY_ADMIN_URL: url } });
      // A folder is read before anything is sent.
      if (args[0] === "plan") continue;
      expect([code, output]).toEqual([8, ""]);
      expect(errors).toMatch(
        /is no Identity Admin API: it answered \d+ with text\/html[\s\S]*Specify the service: --url/,
      );
    }
    const doctor = await run(["doctor"], { environment: { IDENTITY_ADMIN_URL: url } });
    expect([doctor.code, doctor.output]).toEqual([1, expect.stringContaining("is no Identity Admin API")]);
  });
  test("a path is no part of an address", async () => {
    const { code, errors } = await run(["users", "list", "--url", `${service.url}/console`]);
    expect([code, errors]).toEqual([3, expect.stringMatching(/must be an http\(s\) origin/)]);
    expect((await run(["users", "list", "--url", `${service.url}/t/carbon.super/`])).code).toBe(0);
  });
  test("https at a port of http", async () => {
    const { code, errors } = await run(["users", "list", "--url", service.url.replace("http:", "https:")]);
    expect([code, errors]).toEqual([8, expect.stringMatching(/does not speak TLS\. Is its address http:\?/)]);
    expect(errors).not.toMatch(/routines|deps\/openssl/);
  });
  test("http at a port of https", async () => {
    const url = `http://127.0.0.1:${await portOf(createTlsServer() as unknown as Server)}`;
    const { code, errors } = await run(["users", "list", "--url", url]);
    expect([code, errors]).toEqual([8, expect.stringMatching(/Is its address https:\?/)]);
  });
});

test("Ctrl-C ends a command with a sentence and exit code 130", { timeout: 60_000 }, async () => {
  // Answers never.
  const silent = createServer(() => undefined);
  const url = `http://127.0.0.1:${await portOf(silent)}`;
  const [home, asked] = [await newHome(), once(silent, "request")];
  const child = spawn(process.execPath, [PROGRAM, "users", "list"], {
    env: { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home, ...environment(), IDENTITY_ADMIN_URL: url },
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  await asked;
  child.kill("SIGINT");
  const [code] = await once(child, "close");
  expect([code, errors]).toEqual([130, expect.stringMatching(/Interrupted\. Finished work is kept/)]);
});

test("Ctrl-C is how `changes tail --follow` ends: it says nothing", { timeout: 60_000 }, async () => {
  const home = await newHome();
  const child = spawn(process.execPath, [PROGRAM, "changes", "tail", "--follow", "--last", "1"], {
    env: { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home, ...environment() },
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  await once(child.stdout, "data");
  await pause(100);
  child.kill("SIGINT");
  const [code] = await once(child, "close");
  expect([code, errors]).toEqual([130, ""]);
});
