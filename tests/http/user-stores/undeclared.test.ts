/** A store that a later deployment no longer declares: its users are unreachable until it is declared again. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningService, startService } from "#local/service.ts";
import { freePort } from "#local/settings.ts";
import { oauthOf, TOKEN } from "#tests/support/oauth.ts";
import { refusal, type Shown, scimOf } from "#tests/support/scim.ts";
import { scim1Of } from "#tests/support/scim1.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { ADMIN, basic, type World } from "#tests/support/world.ts";

let service: RunningService;
let directory = "";
let port = 0;

/** Starts the service on the same data with another deployment.toml. */
const restart = async (deployment: string): Promise<void> => {
  await service?.close();
  const deploymentFile = join(directory, "deployment.toml");
  await writeFile(deploymentFile, deployment);
  service = await startService({
    port,
    mtlsPort: undefined,
    dataDirectory: join(directory, "data"),
    administrator: ADMIN,
    endpoint: undefined,
    deploymentFile,
  });
};

const api: World = {
  get url() {
    return service.url;
  },
  get service() {
    return service;
  },
  async ask(method, path, { body, raw, headers = {}, as = ADMIN } = {}) {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers: {
        ...(as !== null && { authorization: typeof as === "string" ? as : basic(as) }),
        "content-type": "application/json",
        ...headers,
      },
      ...(payload !== undefined && { body: payload as string }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: text ? JSON.parse(text) : undefined };
  },
  async create(body) {
    const answer = await api.ask("POST", "/api/server/v1/applications", { body });
    return answer.headers.get("location")?.split("/").at(-1) ?? "";
  },
};
const scim = scimOf(api, "wso2");
const scim1 = scim1Of(api);
const oauth = oauthOf(api);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "identity-admin-api-test-"));
  port = await freePort();
  await restart(TWO_STORES);
});
afterAll(async () => {
  await service?.close();
  await rm(directory, { recursive: true });
});

test("hides its users and groups, refuses their sign-ins, and restores them when it is declared again", async () => {
  const password = "good-password";
  const as = { username: "SECOND/gone", password };
  const user = await scim.user({ userName: "SECOND/gone", password, externalId: "gone-1" });
  const group = await scim.group({ displayName: "SECOND/gone", externalId: "gone-2", members: [{ value: user.id }] });
  const role = await api.ask("POST", "/scim2/v2/Roles", {
    body: { displayName: "gone", users: [{ value: user.id }], groups: [{ value: group.id }] },
  });
  const grant = { grant_type: "password", ...as, scope: "internal_login" };
  const clients = [
    await oauth.newClient([], { accessToken: { type: "JWT" } }),
    await oauth.newClient([], { accessToken: { type: "Default" } }),
  ];
  const tokens = await Promise.all(clients.map((client) => oauth.token(client, grant)));
  const statuses = async () => [
    (await api.ask("GET", "/scim2/Me", { as })).status,
    ...(await Promise.all(
      tokens.map(
        async ({ access_token }) => (await api.ask("GET", "/scim2/Me", { as: `Bearer ${access_token}` })).status,
      ),
    )),
  ];
  expect(await statuses()).toEqual([200, 200, 200]);

  await restart("");
  for (const path of [`/Users/${user.id}`, `/Groups/${group.id}`]) {
    const remove = { op: "replace", path: "externalId", value: "x" };
    expect((await scim.get(path)).status).toBe(404);
    expect((await scim.ask("DELETE", path)).status).toBe(404);
    expect((await scim.patch(path, remove)).status).toBe(404);
    expect((await scim1.ask("GET", path)).status).toBe(404);
    expect((await scim1.ask("DELETE", path)).status).toBe(404);
  }
  const put = { userName: "SECOND/gone", password };
  expect((await scim.ask("PUT", `/Users/${user.id}`, { body: put })).status).toBe(400);
  expect((await scim.ask("PUT", `/Users/${user.id}`, { body: { ...put, userName: "gone" } })).status).toBe(404);
  expect((await scim.get("/Users", { domain: "SECOND" })).status).toBe(400);
  for (const filter of [
    'userName co "gone"',
    `id eq "${user.id}"`,
    'externalId eq "gone-1"',
    `groups.value eq "${group.id}"`,
  ]) {
    expect((await scim.find(filter)).totalResults).toBe(0);
  }
  for (const filter of [
    'displayName co "gone"',
    `id eq "${group.id}"`,
    'externalId eq "gone-2"',
    `members.value eq "${user.id}"`,
  ]) {
    expect((await scim.find(filter, "/Groups")).totalResults).toBe(0);
  }
  expect((await scim.read("/Users?filter=userName sw a")).totalResults).toBe(1);
  const shown = await scim.read(`/v2/Roles/${role.body.id}`);
  expect([shown.users, shown.groups]).toEqual([undefined, undefined]);
  const application = await api.create({ name: "not given" });
  const given = await api.ask("PUT", `/api/server/v1/applications/${application}/owner`, { body: { id: user.id } });
  expect(given.status).toBe(400);
  expect(await statuses()).toEqual([401, 401, 401]);
  for (const [at, client] of clients.entries()) {
    const { access_token, refresh_token } = tokens[at] ?? {};
    for (const token of [access_token, refresh_token]) {
      expect((await oauth.post("/oauth2/introspect", { token }, client)).body).toEqual({ active: false });
    }
    expect((await oauth.post(TOKEN, { grant_type: "refresh_token", refresh_token }, client)).status).toBe(400);
    expect((await oauth.post(TOKEN, grant, client)).status).toBe(400);
  }

  await restart(TWO_STORES);
  expect(await statuses()).toEqual([200, 200, 200]);
  expect(await scim.read(`/Groups/${group.id}`)).toMatchObject({ members: [{ value: user.id }] });
  expect(await scim.read(`/v2/Roles/${role.body.id}`)).toMatchObject({ users: [{ value: user.id }] });
});

test("refuses a cursor where a list has other stores than on its first page, and goes on when they are back", async () => {
  const [, third = ""] = TWO_STORES.split(/(?=\[\[user_store\]\]\ndomain = "THIRD")/);
  for (const name of ["page-a", "SECOND/page-b", "THIRD/page-c", "THIRD/page-d"]) await scim.user({ userName: name });
  const query = { filter: 'userName sw "page"', count: 2 };
  const { body: first } = await scim.get("/Users", { ...query, cursor: "" });
  expect(first.Resources.map(({ userName }: Shown) => userName)).toEqual(["page-a", "SECOND/page-b"]);
  const { body: ofStore } = await scim.get("/Users", { ...query, count: 1, domain: "THIRD", cursor: "" });
  const nextPage = () => scim.get("/Users", { ...query, cursor: first.nextCursor });

  for (const deployment of [third, ""]) {
    await restart(deployment);
    expect(refusal(await nextPage(), 400, "invalidCursor")).toContain("another list");
  }
  await restart(third);
  const rest = await scim.get("/Users", { ...query, count: 1, domain: "THIRD", cursor: ofStore.nextCursor });
  expect(rest.body.Resources).toMatchObject([{ userName: "THIRD/page-d" }]);
  await restart(TWO_STORES);
  expect((await nextPage()).body.Resources).toMatchObject([{ userName: "THIRD/page-c" }, { userName: "THIRD/page-d" }]);
});
