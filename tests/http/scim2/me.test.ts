/** Rows C186, C187 and W13 of the checklist: the user who asks, in the default profile. */
import { beforeEach, describe, expect, test } from "vitest";
import { oauthOf } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { fresh, NOBODY, refusal, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { ADMIN, world } from "#tests/support/world.ts";

const api = world();
const scim = scimOf(api, "wso2");
const password = "a-good-password";
let me: Shown;
let as: { username: string; password: string };
const ask = (method: string, options: Shown = {}) => scim.ask(method, "/Me", { as, ...options });
const patch = (...Operations: unknown[]) => ask("PATCH", { body: { schemas: [URN.patch], Operations } });

beforeEach(async () => {
  me = await scim.user({
    userName: fresh("self"),
    password,
    userType: "Employee",
    title: "T",
    emails: [{ value: "old@x", type: "work" }],
    [URN.enterprise]: { department: "D" },
    [URN.system]: { accountLocked: false, country: "CH" },
  });
  as = { username: me.userName, password };
});

describe("getMe", () => {
  test("C186 C187 W13 200 with the user who asks, at its own address", async () => {
    const { status, headers, body } = await ask("GET");
    expect(status).toBe(200);
    expect(headers.get("location")).toBe(`${api.url}/scim2/Users/${me.id}`);
    expect(body.meta.location).toBe(headers.get("location"));
    expect(body).toEqual(await scim.read(`/Users/${me.id}`));
    expect((await ask("GET", { query: { attributes: "title" } })).body).toEqual({
      schemas: [URN.user],
      id: me.id,
      title: "T",
    });
    expect((await ask("GET", { headers: { "if-none-match": headers.get("etag") } })).status).toBe(304);
  });
  test("the administrator is its own user too, with the role", async () => {
    const { body } = await scim.ask("GET", "/Me", { as: ADMIN });
    expect(body).toMatchObject({ userName: "admin", roles: [{ value: "admin", display: "admin", type: "default" }] });
  });
  test("401 without a credential", async () => {
    refusal(await ask("GET", { as: null }), 401, "Unauthorized");
  });
  test("a user that is deactivated, or locked, does not get in", async () => {
    await scim.patched(`/Users/${me.id}`, { op: "replace", path: "active", value: false });
    refusal(await ask("GET"), 401, "Unauthorized");
    await scim.patched(`/Users/${me.id}`, { op: "replace", path: "active", value: true });
    expect((await ask("GET")).status).toBe(200);
    await scim.patched(`/Users/${me.id}`, { op: "add", path: `${URN.system}:accountLocked`, value: true });
    refusal(await ask("GET"), 401, "Unauthorized");
  });
});

describe("replaceMe", () => {
  test("W13 200: what is one's own becomes what is sent, everything else stays", async () => {
    const answer = await ask("PUT", {
      body: {
        userName: "admin",
        nickName: "N",
        userType: "Boss",
        active: false,
        roles: ["admin"],
        entitlements: ["all"],
        externalId: "E",
        [URN.enterprise]: { department: "Board" },
        [URN.system]: { country: "DE", accountLocked: true },
      },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      id: me.id,
      userName: me.userName,
      nickName: "N",
      userType: "Employee",
      active: true,
      [URN.enterprise]: { department: "D" },
      [URN.system]: { country: "DE", accountLocked: false },
    });
    for (const name of ["title", "emails", "roles", "entitlements", "externalId"])
      expect(answer.body).not.toHaveProperty(name);
    expect((await ask("GET")).body).toEqual(answer.body);
  });
  test("400 without a userName, 412 for another version", async () => {
    refusal(await ask("PUT", { body: { nickName: "N" } }), 400, "invalidValue");
    refusal(await ask("PUT", { body: { userName: me.userName }, headers: { "if-match": 'W/"99"' } }), 412);
  });
});

describe("patchMe", () => {
  test("W13 200: what is one's own changes, the password too", async () => {
    const next = "another-password";
    const answer = await patch(
      { op: "replace", path: "nickName", value: "N" },
      { op: "replace", value: { password: next } },
    );
    expect([answer.status, answer.body.nickName]).toEqual([200, "N"]);
    refusal(await ask("GET"), 401, "Unauthorized");
    expect((await ask("GET", { as: { ...as, password: next } })).status).toBe(200);
  });
  test("what is not one's own is 400 mutability where it is named, and passed over in a whole value", async () => {
    const ofExtensions = [`${URN.enterprise}:department`, `${URN.system}:accountLocked`];
    const core = ["userName", "active", "roles", "entitlements", "externalId", "userType", "groups", "id"];
    for (const path of [...core, ...ofExtensions]) {
      for (const op of ["add", "replace", "remove"]) {
        refusal(await patch({ op, path, value: "true" }), 400, "mutability");
      }
    }
    const value = Object.fromEntries([...core.slice(0, -1), ...ofExtensions].map((path) => [path, "true"]));
    expect((await patch({ op: "replace", value: { ...value, title: "T" } })).status).toBe(200);
    refusal(await patch({ op: "replace", value: { id: NOBODY } }), 400, "mutability");
    expect(await scim.read(`/Users/${me.id}`)).toEqual(me);
  });
  test("nobody becomes another user by saying so", async () => {
    refusal(await patch({ op: "replace", path: "userName", value: "admin" }), 400, "mutability");
    expect((await ask("PUT", { body: { ...me, id: NOBODY, userName: "admin" } })).body).toMatchObject({
      id: me.id,
      userName: me.userName,
    });
  });
});

describe("deleteMe", () => {
  test("W13 403 without the scope, 204 with it, and then the credential is none", async () => {
    refusal(await ask("DELETE"), 403);
    const username = fresh("leaver");
    const id = await addUser(api.service, { username, password, scopes: ["internal_user_mgt_delete"] });
    const leaver = { username, password };
    refusal(await ask("DELETE", { as: leaver, headers: { "if-match": 'W/"99"' } }), 412);
    expect((await ask("DELETE", { as: leaver })).status).toBe(204);
    refusal(await ask("DELETE", { as: leaver }), 401, "Unauthorized");
    refusal(await scim.get(`/Users/${id}`), 404);
  });
  test("the administrator of the tenant stays", async () => {
    refusal(await ask("DELETE", { as: ADMIN }), 403);
  });
});

describe("createMe", () => {
  test("self-registration is not offered: 501", async () => {
    expect(refusal(await ask("POST", { as: ADMIN, body: { userName: "new", password } }), 501)).toMatch(
      /Self-registration/,
    );
    refusal(await ask("POST", { as: null, body: { userName: "new", password } }), 401, "Unauthorized");
  });
});

describe("an application", () => {
  test("22 23 on its own account it does what its scopes say, and is no user", async () => {
    const { newClient, ownToken } = oauthOf(api);
    const client = await newClient(["internal_user_mgt_list", "internal_user_mgt_view"]);
    const bearer = async (scope: string) => `Bearer ${await ownToken(client, scope)}`;
    const lister = await bearer("internal_user_mgt_list");
    expect((await scim.ask("GET", "/Users", { as: lister, query: { count: 1 } })).status).toBe(200);
    refusal(await scim.ask("GET", `/Users/${me.id}`, { as: lister }), 403);
    refusal(await scim.ask("GET", "/Users", { as: await bearer("internal_user_mgt_view") }), 403);
    refusal(await ask("GET", { as: lister }), 403);
    refusal(await scim.ask("GET", "/Users", { as: `${lister}x` }), 401, "Unauthorized");
  });
  test("a cursor is the caller's, not the application's", async () => {
    const { newClient, ownToken } = oauthOf(api);
    const [one, other] = await Promise.all([1, 2].map(() => newClient(["internal_user_mgt_list"])));
    const walk = async (client: typeof one, cursor: string) => {
      const as = `Bearer ${await ownToken(client as NonNullable<typeof one>, "internal_user_mgt_list")}`;
      return scim.ask("GET", "/Users", { as, query: { cursor, count: 1 } });
    };
    const { nextCursor } = (await walk(one, "")).body;
    expect((await walk(one, nextCursor)).status).toBe(200);
    refusal(await walk(other, nextCursor), 400, "invalidCursor");
  });
});
