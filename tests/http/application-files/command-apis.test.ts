/** `npm run applications`: authorized APIs, secrets, and servers that are not this service. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { command, startCommand, startProxy } from "#tests/support/command.ts";
import { fileOf } from "#tests/support/files.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
const oauth = oauthOf(api);
const password = "a long enough password";
const OWN = "https://fleet.example/api";
let directory = "";
const folder = (name: string) => join(directory, name);
const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  command(args, { BASE_URL: api.url, ...more });
const as = (name: string) => ({ ADMIN_USERNAME: name, ADMIN_PASSWORD: password });
const idNamed = async (name: string): Promise<string> =>
  (await ask("GET", `${APPLICATIONS}?filter=name+eq+${name}`)).body.applications[0]?.id;
const apisOf = async (name: string) => {
  const { body } = await ask("GET", `${APPLICATIONS}/${await idNamed(name)}/authorized-apis`);
  return body
    .map((one: { identifier: string; policyId: string; authorizedScopes: { name: string }[] }) => [
      one.identifier,
      one.policyId,
      one.authorizedScopes.map(({ name: scope }) => scope).sort(),
    ])
    .sort();
};
const ownApi = async (): Promise<string> => {
  const body = {
    name: "Fleet",
    identifier: OWN,
    scopes: [{ name: "see" }, { name: "steer" }],
    requiresAuthorization: false,
  };
  const { id } = (await ask("POST", "/api/server/v1/api-resources", { body })).body;
  return id;
};
const remove = async (name: string) => ask("DELETE", `${APPLICATIONS}/${await idNamed(name)}`);
const DISPATCH = [
  ["/scim2/Users", "RBAC", ["internal_user_mgt_list", "internal_user_mgt_view"]],
  [OWN, "NO POLICY", ["see"]],
];
let client: TestClient;
let apiId = "";
let html: Server;
let htmlUrl = "";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "identity-admin-api-apis-"));
  html = createServer((incoming, outgoing) => {
    incoming
      .resume()
      .once("end", () => outgoing.writeHead(200, { "content-type": "text/html" }).end("<html>Hello</html>"));
  }).listen(0, "127.0.0.1");
  await new Promise((done) => html.once("listening", done));
  htmlUrl = `http://127.0.0.1:${(html.address() as AddressInfo).port}`;

  const scopes = ["view", "create", "update"].map((verb) => `internal_application_mgt_${verb}`);
  await addUser(api.service, { username: "mover", password, scopes });
  apiId = await ownApi();
  const made = await oauth.newClient(["internal_user_mgt_list", "internal_user_mgt_view"]);
  client = made;
  const at = `${APPLICATIONS}/${made.applicationId}`;
  await ask("PATCH", at, { body: { name: "Dispatch" } });
  await ask("POST", `${at}/authorized-apis`, { body: { id: apiId, policyIdentifier: "No Policy", scopes: ["see"] } });
  expect(await apisOf("Dispatch")).toEqual(DISPATCH);
  await api.create({ name: "Plain" });
  expect((await run(["export", "--out", folder("all"), "--secrets"])).code).toBe(0);
});
afterAll(async () => {
  html.closeAllConnections();
  html.close();
  await rm(directory, { recursive: true, force: true });
});

describe("authorized APIs", () => {
  const fileBeside = async () => (await readdir(folder("all"))).filter((name) => name.endsWith(".json"));
  test("are in a second file, readable for its owner only", async () => {
    const [file = "", ...more] = await fileBeside();
    expect([file, more]).toEqual([expect.stringMatching(/^Dispatch\..*\.authorized-apis\.json$/), []]);
    expect((await stat(join(folder("all"), file))).mode & 0o077).toBe(0);
    const written = JSON.parse(await readFile(join(folder("all"), file), "utf8"));
    expect(written.application).toBe("Dispatch");
    expect(written.authorizedApis).toContainEqual({ identifier: OWN, policy: "NO POLICY", scopes: ["see"] });
  });
  test("are authorized again, so that the client gets its tokens again", async () => {
    await remove("Dispatch");
    const back = await run(["import", folder("all")]);
    expect([back.code, back.output]).toEqual([0, expect.stringMatching(/created\s+1 +Dispatch/)]);
    expect(await apisOf("Dispatch")).toEqual(DISPATCH);
    const { scope } = await oauth.token(client, { grant_type: "client_credentials", scope: "internal_user_mgt_list" });
    expect(scope).toBe("internal_user_mgt_list");
    expect((await readdir(folder("all"))).filter((name) => name.startsWith("."))).toEqual([]);
  });
  test("that are missing are reported, and authorized by the same command once they exist", async () => {
    await remove("Dispatch");
    await ask("DELETE", `/api/server/v1/api-resources/${apiId}`);
    const first = await run(["import", folder("all")]);
    expect([first.code, first.output]).toEqual([
      1,
      expect.stringMatching(
        /incomplete\s+1 +Dispatch.*not authorized for https:\/\/fleet\.example\/api \(the server has no such API\)/,
      ),
    ]);
    expect(await apisOf("Dispatch")).toEqual(DISPATCH.slice(0, 1));
    apiId = await ownApi();
    const second = await run(["import", folder("all")]);
    expect([second.code, second.output]).toEqual([
      0,
      expect.stringMatching(/updated\s+1 +Dispatch.*only its authorized APIs/),
    ]);
    expect(await apisOf("Dispatch")).toEqual(DISPATCH);
    expect((await run(["import", folder("all")])).output).toMatch(/skipped\s+2 .*--update replaces it/);
  });
  test("are authorized by the next run after one was killed in between", async () => {
    await remove("Dispatch");
    const proxy = await startProxy(api.url, 150);
    const { child, ended } = startCommand(["import", folder("all"), "--url", proxy.url], {});
    while ((await idNamed("Dispatch")) === undefined) await new Promise((done) => setTimeout(done, 5));
    child.kill("SIGKILL");
    await ended;
    expect((await run(["import", folder("all"), "--url", proxy.url])).code).toBe(0);
    await proxy.close();
    expect(await apisOf("Dispatch")).toEqual(DISPATCH);
    expect((await readdir(folder("all"))).filter((name) => name.startsWith("."))).toEqual([]);
  });
  test("of an existing application are added with --update only", async () => {
    const path = `${APPLICATIONS}/${await idNamed("Dispatch")}/authorized-apis`;
    await ask("DELETE", `${path}/${apiId}`);
    expect((await run(["import", folder("all")])).output).toMatch(/skipped\s+2 /);
    expect(await apisOf("Dispatch")).toEqual(DISPATCH.slice(0, 1));
    await ask("POST", path, { body: { id: apiId, policyIdentifier: "No Policy", scopes: ["steer"] } });
    const out = await run(["import", folder("all"), "--update"]);
    expect([out.code, out.output]).toEqual([0, expect.stringMatching(/updated\s+2 /)]);
    expect(await apisOf("Dispatch")).toEqual([DISPATCH[0], [OWN, "NO POLICY", ["see", "steer"]]]);
  });
  test("that the caller may not authorize are reported; the next run continues", async () => {
    await remove("Dispatch");
    const first = await run(["import", folder("all")], as("mover"));
    expect([first.code, first.output]).toEqual([
      1,
      expect.stringMatching(/incomplete\s+1 +Dispatch.*not authorized for .*403 .*internal_api_resource_view/),
    ]);
    expect(await apisOf("Dispatch")).toEqual([]);
    const second = await run(["import", folder("all")]);
    expect([second.code, second.output]).toEqual([0, expect.stringMatching(/updated\s+1 +Dispatch/)]);
    expect(await apisOf("Dispatch")).toEqual(DISPATCH);
  });
  test.each(["{", "[]", '{"application":"x"}', '{"application":"x","authorizedApis":[{"identifier":"y"}]}'])(
    "are refused in a file with the content %j, and nothing is created",
    async (text) => {
      const at = folder(`odd-${text.length}`);
      await mkdir(at);
      await writeFile(join(at, "odd.xml"), fileOf({ name: "odd" }));
      await writeFile(join(at, "odd.authorized-apis.json"), text);
      const { code, output } = await run(["import", at]);
      expect([code, output]).toEqual([
        1,
        expect.stringMatching(/refused\s+1 +odd\.xml +the file of its authorized APIs/),
      ]);
      expect(await idNamed("odd")).toBeUndefined();
    },
  );
});

describe("secrets", () => {
  test("not requested: the table reports that clients get new ones", async () => {
    const { code, output } = await run(["export", "--out", folder("plain")], as("mover"));
    expect(code).toBe(0);
    expect(output).toMatch(/exported\s+1 +Dispatch +without secrets: an import creates new secrets/);
    expect(output).toMatch(/exported\s+1 +Plain\n/);
  });
  test("not permitted: the table reports it, and the run is incomplete", async () => {
    const args = ["export", "--out", folder("withheld"), "--secrets"];
    const { code, output } = await run(args, as("mover"));
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(
        /incomplete\s+1 +Dispatch +Secrets are left out: .*internal_application_mgt_client_secret_view/,
      ),
    ]);
    expect(output).toMatch(/exported\s+1 +Plain\n/);
    const again = await run(args);
    expect([again.code, again.output]).toEqual([0, expect.stringMatching(/exported\s+1 +Dispatch\n/)]);
    const [file = ""] = (await readdir(folder("withheld"))).filter((name) => /^Dispatch.*xml$/.test(name));
    expect(await readFile(join(folder("withheld"), file), "utf8")).toContain(client.clientSecret);
  });
});

describe("another server", () => {
  test("has no list of applications to export", async () => {
    const { code, errors, output } = await run(["export", "--out", folder("html"), "--url", htmlUrl]);
    expect([code, errors, output]).toEqual([1, expect.stringContaining("is not a list of applications"), ""]);
  });
  test("imports nothing", async () => {
    const { code, errors, output } = await run(["import", folder("all"), "--url", htmlUrl]);
    expect([code, errors, output]).toEqual([1, expect.stringContaining("is not that of an import"), ""]);
    expect((await readdir(folder("all"))).filter((name) => name.startsWith("."))).toEqual([]);
  });
});
