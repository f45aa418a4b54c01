/** The calling user, by SCIM 1.1. */
import { beforeEach, describe, expect, test } from "vitest";
import { oauthOf } from "#tests/support/oauth.ts";
import { addUser, idOf } from "#tests/support/people.ts";
import { fresh, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { refusal1, scim1Of } from "#tests/support/scim1.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const scim = scim1Of(api);
const { ask } = scim;
const oauth = oauthOf(api);
const password = "good-password";

/** Assigns the administrator role to a user or a group. */
const giveAdmin = async (list: "users" | "groups", id: string) => {
  const roles = await scimOf(api, "wso2").find('displayName eq "admin"', "/v2/Roles");
  const answer = await api.ask("PATCH", `/scim2/v2/Roles/${roles.Resources[0].id}`, {
    body: { schemas: [URN.patch], Operations: [{ op: "add", path: list, value: [{ value: id }] }] },
  });
  expect(answer.status, answer.text).toBe(200);
};

let me: Shown;
let as: { username: string; password: string };
beforeEach(async () => {
  me = await scim.user({ userName: fresh("boss"), password });
  as = { username: me.userName, password };
});

describe("getScim1Me", () => {
  test("returns 200 with the calling user, at the address of its id", async () => {
    const id = await idOf(api.service, "admin");
    const answer = await ask("GET", "/Users/me");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("location")).toBe(`${api.url}/svc/scim/Users/${id}`);
    expect(answer.body).toEqual(await scim.read(`/Users/${id}`));
    expect(answer.body.meta.location).toBe(answer.headers.get("location"));
    const part = await ask("GET", "/Users/me", { query: { attributes: "nickName" } });
    expect(Object.keys(part.body)).toEqual(["id", "schemas", "userName", "meta"]);
  });
  test("returns 403 for a user without the role, whatever its scopes, and 200 as soon as it has the role", async () => {
    expect(refusal1(await ask("GET", "/Users/me", { as }), 403)).toMatch(/administrator role/);
    const username = fresh("scoped");
    await addUser(api.service, { username, password, scopes: ["internal_user_mgt_view", "internal_user_mgt_update"] });
    refusal1(await ask("GET", "/Users/me", { as: { username, password } }), 403);
    await giveAdmin("users", me.id);
    expect((await ask("GET", "/Users/me", { as })).body).toMatchObject({ id: me.id, roles: [{ value: "admin" }] });
  });
  test("returns 200 where a group of the user has the role", async () => {
    const group = await scim.group({ members: [{ value: me.id }] });
    refusal1(await ask("GET", "/Users/me", { as }), 403);
    await giveAdmin("groups", group.id);
    expect((await ask("GET", "/Users/me", { as })).status).toBe(200);
    await scim.patch(`/Groups/${group.id}`, { members: [{ value: me.id, operation: "delete" }] });
    refusal1(await ask("GET", "/Users/me", { as }), 403);
  });
  test("returns 403 for a role of another audience that is also named admin", async () => {
    const applicationId = await api.create({ name: fresh("app") });
    const answer = await api.ask("POST", "/scim2/v2/Roles", {
      body: {
        displayName: "admin",
        audience: { type: "application", value: applicationId },
        users: [{ value: me.id }],
        permissions: [{ value: "internal_user_mgt_view" }],
      },
    });
    expect(answer.status, answer.text).toBe(201);
    refusal1(await ask("GET", "/Users/me", { as }), 403);
  });
  test("returns 401 without a credential, 200 for an administrator's token, 403 for an application's token", async () => {
    refusal1(await ask("GET", "/Users/me", { as: null }), 401);
    const client = await oauth.newClient(["internal_user_mgt_view", "internal_login"]);
    const own = await oauth.token(client, { grant_type: "client_credentials", scope: "internal_user_mgt_view" });
    expect(refusal1(await ask("GET", "/Users/me", { as: `Bearer ${own.access_token}` }), 403)).toBeTruthy();
    await giveAdmin("users", me.id);
    const { access_token } = await oauth.token(client, {
      grant_type: "password",
      username: me.userName,
      password,
      scope: "internal_login",
    });
    expect((await ask("GET", "/Users/me", { as: `Bearer ${access_token}` })).body).toMatchObject({ id: me.id });
  });
});

describe("replaceScim1Me", () => {
  test("returns 200, as a replacement by the user's id", async () => {
    await giveAdmin("users", me.id);
    await scim.patch(`/Users/${me.id}`, { title: "T" });
    const answer = await ask("PUT", "/Users/me", { as, body: { userName: me.userName, nickName: "N" } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("location")).toBe(`${api.url}/svc/scim/Users/${me.id}`);
    expect(answer.body).toMatchObject({ id: me.id, nickName: "N", roles: [{ value: "admin" }] });
    expect(answer.body).not.toHaveProperty("title");
    refusal1(await ask("PUT", "/Users/me", { as, body: { nickName: "N" } }), 400);
  });
  test("returns 403 without the role or without the scope to change users, and changes nothing", async () => {
    refusal1(await ask("PUT", "/Users/me", { as, body: { userName: me.userName, title: "T" } }), 403);
    const username = fresh("updater");
    const id = await addUser(api.service, { username, password, scopes: ["internal_user_mgt_update"] });
    const body = { userName: username, title: "T" };
    expect(refusal1(await ask("PUT", "/Users/me", { as: { username, password }, body }), 403)).toMatch(
      /administrator role/,
    );
    for (const one of [me.id, id]) expect(await scim.read(`/Users/${one}`)).not.toHaveProperty("title");
  });
});

describe("patchScim1Me", () => {
  test("returns 200, as a change by the user's id", async () => {
    await giveAdmin("users", me.id);
    const answer = await ask("PATCH", "/Users/me", { as, body: { schemas: [], title: "T", id: me.id } });
    expect(answer.body).toEqual({ ...(await scim.read(`/Users/${me.id}`)), title: "T" });
    const tunnelled = await ask("POST", "/Users/me", {
      as,
      body: { meta: { attributes: ["title"] } },
      headers: { "x-http-method-override": "PATCH" },
    });
    expect(tunnelled.status).toBe(200);
    expect(tunnelled.body).not.toHaveProperty("title");
  });
  test("returns 403 without the role", async () => {
    refusal1(await ask("PATCH", "/Users/me", { as, body: { title: "T" } }), 403);
    expect(await scim.read(`/Users/${me.id}`)).not.toHaveProperty("title");
  });
});

test.each(["PUT", "PATCH"])("%s sets the caller's password, which authenticates from then on", async (method) => {
  await giveAdmin("users", me.id);
  const answer = await ask(method, "/Users/me", { as, body: { userName: me.userName, password: "another-password" } });
  expect(answer.status).toBe(200);
  expect((await ask("GET", "/Users/me", { as })).status).toBe(401);
  expect((await ask("GET", "/Users/me", { as: { ...as, password: "another-password" } })).status).toBe(200);
});

describe("deleteScim1Me", () => {
  test("returns 404: me is not an id", async () => {
    await giveAdmin("users", me.id);
    expect(refusal1(await ask("DELETE", "/Users/me", { as }), 404)).toContain("me");
    expect((await ask("GET", "/Users/me", { as })).status).toBe(200);
  });
});
