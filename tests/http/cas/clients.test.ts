/**
 * Unchanged clients of others sign people in and out: http-cas-client of npm, and python-cas of PyPI, without which its
 * part is skipped (.ci/run installs it).
 */
import { execFile, spawnSync } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "#tests/support/browsing.ts";
import { casOf, casPath } from "#tests/support/cas.ts";
import { type CasRequest, httpCasClient } from "#tests/support/cas-libraries.js";
import { PERSON } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const run = promisify(execFile);
const env = { ...process.env, PYTHONPATH: fileURLToPath(new URL("../../../.build/python", import.meta.url)) };
const hasPython = spawnSync("python3", ["-c", "import cas"], { env }).status === 0;
if (!hasPython) process.stderr.write("python-cas is not installed: no sign-in is tried with it.\n");

const LOCAL = "http://wso2.org/claims/";
let server: Server;
let answer: ReturnType<typeof httpCasClient>;
let origin = "";
beforeAll(async () => {
  server = createServer(async (request: CasRequest, response) => {
    try {
      if (await answer(request, response)) response.end(JSON.stringify(request.principal));
      else response.end();
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Read by the service when it starts.
  process.env.METADATA_HOSTS = origin.slice("http://".length);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const api = world({ delivers: true });
const { newApplication, ticketIn, login, enter, browser } = casOf(api);
const claims = {
  claimConfiguration: {
    dialect: "LOCAL",
    requestedClaims: ["givenname", "groups"].map((name) => ({ claim: { uri: `${LOCAL}${name}` } })),
  },
};

beforeAll(async () => {
  const body = { userName: PERSON.username, password: PERSON.password, name: { givenName: "Kïm <&>" } };
  const { id } = (await api.ask("POST", "/scim2/Users", { body })).body;
  for (const displayName of ["drivers", "crew"]) {
    await api.ask("POST", "/scim2/Groups", { body: { displayName, members: [{ value: id }] } });
  }
});

/** What the application shows a browser that goes wherever it is sent. */
const visit = async (page: Browser, path: string, cookies: Map<string, string>): Promise<string> => {
  let address = `${origin}${path}`;
  for (let steps = 0; steps < 6; steps += 1) {
    const isOurs = !address.startsWith(origin);
    if (isOurs) {
      const shown = await page.open(address);
      const next = shown.location ?? (await enter(page)).location;
      address = next?.href ?? "";
      continue;
    }
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(address, { redirect: "manual", headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (!location) return response.text();
    address = new URL(location, address).href;
  }
  throw new Error("the browser is sent in a circle");
};

describe("http-cas-client", () => {
  test("signs a person in with attributes, single signs on, and is told of the end", async () => {
    await newApplication({ serviceURL: `${origin}/*` }, claims);
    answer = httpCasClient({ cas: 3, casServerUrlPrefix: `${api.url}/cas`, serverName: origin });
    const [page, cookies] = [browser(), new Map<string, string>()];
    const principal = JSON.parse(await visit(page, "/start?a=b", cookies));
    expect(principal.user).toBe(PERSON.username);
    expect(principal.attributes).toMatchObject({ givenname: "Kïm <&>", isFromNewLogin: "true" });
    expect([...principal.attributes.groups].sort()).toEqual(["crew", "drivers"]);
    // It knows the person now.
    expect(JSON.parse(await visit(browser(), "/more", cookies)).user).toBe(PERSON.username);
    // In the same session of the service, without a form.
    const again = await page.open(casPath("login", { service: `${origin}/again` }));
    expect(again.location?.searchParams.get("ticket")).toMatch(/^ST-/);
    await page.open(casPath("logout"));
    await page.submit({});
    for (let tries = 0; tries < 100; tries += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const { status } = await fetch(`${origin}/start`, { redirect: "manual", headers: { cookie } });
      if (status === 302) return;
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error("the client still knows the person");
  });
});

describe.skipIf(!hasPython)("python-cas", () => {
  const PROGRAM = `
import json, sys
from cas import CASClient
version, server, service, ticket = sys.argv[1:]
client = CASClient(version=int(version), server_url=server, service_url=service)
if ticket == "":
    print(client.get_login_url())
else:
    print(json.dumps(client.verify_ticket(ticket)))
`;
  const python = async (version: number, service: string, ticket = "") =>
    (await run("python3", ["-c", PROGRAM, String(version), `${api.url}/cas/`, service, ticket], { env })).stdout.trim();

  test.each([1, 2, 3])("signs a person in by CAS %i.0", async (version) => {
    const { service } = await newApplication({}, claims);
    const page = browser();
    await page.open(await python(version, service));
    const ticket = ticketIn(await enter(page));
    const [user, attributes] = JSON.parse(await python(version, service, ticket));
    expect(user).toBe(PERSON.username);
    if (version === 3) expect(attributes).toMatchObject({ givenname: "Kïm <&>", isFromNewLogin: "true" });
    expect(JSON.parse(await python(version, service, ticket))[0]).toBeNull();
    expect(JSON.parse(await python(version, `${service}2`, ticketIn(await login(page, service))))[0]).toBeNull();
  });
});
