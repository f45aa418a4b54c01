/** Rows C186, C187 and W13 of docs/scim-conformance.md: the calling user, in the default profile. */
import { beforeEach, describe, expect, test } from "vitest";
import { oauthOf } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { fresh, refusal, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
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
  test("C186 C187 W13 returns 200 with the calling user, at its own address", async () => {
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
  test("returns the administrator with its role", async () => {
    const { body } = await scim.ask("GET", "/Me", { as: ADMIN });
    expect(body).toMatchObject({ userName: "admin", roles: [{ value: "admin", display: "admin", type: "default" }] });
  });
  test("returns 401 without a credential", async () => {
    refusal(await ask("GET", { as: null }), 401, "Unauthorized");
  });
  test("returns 401 for a user that is deactivated or locked", async () => {
    await scim.patched(`/Users/${me.id}`, { op: "replace", path: "active", value: false });
    refusal(await ask("GET"), 401, "Unauthorized");
    await scim.patched(`/Users/${me.id}`, { op: "replace", path: "active", value: true });
    expect((await ask("GET")).status).toBe(200);
    await scim.patched(`/Users/${me.id}`, { op: "add", path: `${URN.system}:accountLocked`, value: true });
    refusal(await ask("GET"), 401, "Unauthorized");
  });
});

describe("replaceMe", () => {
  test("W13 returns 200, replaces the attributes that users may change of themselves, and keeps the rest", async () => {
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
  test("returns 400 without a userName, and 412 for another version", async () => {
    refusal(await ask("PUT", { body: { nickName: "N" } }), 400, "invalidValue");
    refusal(await ask("PUT", { body: { userName: me.userName }, headers: { "if-match": 'W/"99"' } }), 412);
  });
});

describe("patchMe", () => {
  test("W13 returns 200, and changes attributes that users may change of themselves, also the password", async () => {
    const next = "another-password";
    const answer = await patch(
      { op: "replace", path: "nickName", value: "N" },
      { op: "replace", value: { password: next } },
    );
    expect([answer.status, answer.body.nickName]).toEqual([200, "N"]);
    refusal(await ask("GET"), 401, "Unauthorized");
    expect((await ask("GET", { as: { ...as, password: next } })).status).toBe(200);
  });
  test("returns 400 mutability for other attributes that are named, and ignores them in a whole value", async () => {
    const ofExtensions = [`${URN.enterprise}:department`, `${URN.system}:accountLocked`];
    const core = ["userName", "active", "roles", "entitlements", "externalId", "userType", "groups", "id"];
    for (const path of [...core, ...ofExtensions]) {
      for (const op of ["add", "replace", "remove"]) {
        refusal(await patch({ op, path, value: "true" }), 400, "mutability");
      }
    }
    const value = Object.fromEntries([...core.slice(0, -1), ...ofExtensions].map((path) => [path, "true"]));
    expect((await patch({ op: "replace", value: { ...value, title: "T" } })).status).toBe(200);
    refusal(await patch({ op: "replace", value: { id: UNKNOWN_ID } }), 400, "mutability");
    expect(await scim.read(`/Users/${me.id}`)).toEqual(me);
  });
  test("ignores the id of another user", async () => {
    refusal(await patch({ op: "replace", path: "userName", value: "admin" }), 400, "mutability");
    expect((await ask("PUT", { body: { ...me, id: UNKNOWN_ID, userName: "admin" } })).body).toMatchObject({
      id: me.id,
      userName: me.userName,
    });
  });
});

describe("deleteMe", () => {
  test("W13 returns 403 without the scope, 204 with it, and 401 afterwards", async () => {
    refusal(await ask("DELETE"), 403);
    const username = fresh("leaver");
    const id = await addUser(api.service, { username, password, scopes: ["internal_user_mgt_delete"] });
    const leaver = { username, password };
    refusal(await ask("DELETE", { as: leaver, headers: { "if-match": 'W/"99"' } }), 412);
    expect((await ask("DELETE", { as: leaver })).status).toBe(204);
    refusal(await ask("DELETE", { as: leaver }), 401, "Unauthorized");
    refusal(await scim.get(`/Users/${id}`), 404);
  });
  test("keeps the administrator of the tenant", async () => {
    refusal(await ask("DELETE", { as: ADMIN }), 403);
  });
});

describe("createMe", () => {
  test("returns 501: self-registration is not supported", async () => {
    expect(refusal(await ask("POST", { as: ADMIN, body: { userName: "new", password } }), 501)).toMatch(
      /Self-registration/,
    );
    refusal(await ask("POST", { as: null, body: { userName: "new", password } }), 401, "Unauthorized");
  });
});

describe("an application", () => {
  test("acts on its own account with its scopes, and is not a user", async () => {
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
  test("cannot use the cursor of a user", async () => {
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
