/** No privilege escalation: a caller grants only scopes that its credential has (decision 0052). */
import { beforeAll, describe, expect, test } from "vitest";
import { roleStore } from "#core/directory/roles/store.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { apiResourcesOf, scopesNamed } from "#tests/support/api-resources.ts";
import { oauthOf } from "#tests/support/oauth.ts";
import { addUser, tableOf } from "#tests/support/people.ts";
import { ADMIN, type Ask, world } from "#tests/support/world.ts";

const api = world();
const oauth = oauthOf(api);
const { register } = apiResourcesOf(api);
const ROLES = "/scim2/v2/Roles";
const APPLICATIONS = "/api/server/v1/applications";
const VIEW = "internal_application_mgt_view";
const LIST = "internal_user_mgt_list";
const password = "a-long-password";
const as = { username: "manager", password };
const managing = ["user", "group", "role"].flatMap((thing) =>
  ["create", "view", "update", "delete"].map((what) => `internal_${thing}_mgt_${what}`),
);
const patchOf = (...Operations: unknown[]) => ({ Operations });
const set = (value: Record<string, unknown>) => patchOf({ op: "replace", value });
const add = (path: string, ...values: string[]) =>
  patchOf({ op: "add", path, value: values.map((value) => ({ value })) });
const valuesOf = (list: readonly { value: string }[] | undefined) => (list ?? []).map(({ value }) => value).sort();
let [manager, above, below, viewers, plain, viewing, listing] = ["", "", "", "", "", "", ""];

const make = async (path: string, body: unknown): Promise<string> => {
  const answer = await api.ask("POST", path, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.id;
};
const everyone = async () =>
  (await api.ask("GET", `${ROLES}?filter=${encodeURIComponent('displayName eq "everyone"')}`)).body.Resources[0];
/** Refused with a message that names the scope. */
const refused = async (method: string, path: string, body: unknown, who: Ask["as"] = as, scope = VIEW) => {
  const answer = await api.ask(method, path, { as: who, body });
  expect([answer.status, answer.text], `${method} ${path}`).toEqual([403, expect.stringContaining(scope)]);
};
const mayNot = async () => expect((await api.ask("GET", APPLICATIONS, { as })).status).toBe(403);

beforeAll(async () => {
  manager = await addUser(api.service, { ...as, scopes: [...managing, LIST, "internal_bulk_resource_create"] });
  const user = (userName: string) => make("/scim2/Users", { userName, password });
  [above, below] = [await user("above"), await user("below")];
  viewers = await make("/scim2/Groups", { displayName: "viewers" });
  plain = await make("/scim2/Groups", { displayName: "plain", members: [{ value: manager }] });
  viewing = await make(ROLES, {
    displayName: "viewing",
    permissions: [{ value: VIEW }],
    users: [{ value: above }],
    groups: [{ value: viewers }],
  });
  listing = await make(ROLES, { displayName: "listing", permissions: [{ value: LIST }], users: [{ value: below }] });
});

describe("a role gets only scopes of the caller", () => {
  test("when it is created", async () => {
    const body = (scope: string) => ({
      displayName: `made for ${scope}`,
      permissions: [{ value: scope }],
      users: [{ value: manager }],
    });
    await refused("POST", ROLES, body(VIEW));
    await mayNot();
    const filter = encodeURIComponent(`displayName eq "made for ${VIEW}"`);
    expect((await api.ask("GET", `${ROLES}?filter=${filter}`)).body.totalResults).toBe(0);
    expect((await api.ask("POST", ROLES, { as, body: body(LIST) })).status).toBe(201);
  });
  test("when it is changed or replaced, also the role of everyone", async () => {
    const { id } = await everyone();
    for (const role of [listing, id]) await refused("PATCH", `${ROLES}/${role}`, add("permissions", VIEW));
    await refused("PUT", `${ROLES}/${listing}`, { displayName: "listing", permissions: [{ value: VIEW }] });
    await mayNot();
    const { body } = await api.ask("GET", `${ROLES}/${listing}`);
    expect([valuesOf(body.permissions), valuesOf(body.users)]).toEqual([[LIST], [below]]);
    expect(valuesOf((await everyone()).permissions)).not.toContain(VIEW);
  });
  test("a caller can rename a role, and remove scopes from it, without having its other scopes", async () => {
    const body = set({ displayName: "seeing" });
    expect((await api.ask("PATCH", `${ROLES}/${viewing}`, { as, body })).status).toBe(200);
    const put = { displayName: "viewing", permissions: [{ value: VIEW }], users: [], groups: [{ value: viewers }] };
    expect((await api.ask("PUT", `${ROLES}/${viewing}`, { as, body: put })).status).toBe(200);
    expect((await api.ask("PATCH", `${ROLES}/${viewing}`, { body: add("users", above) })).status).toBe(200);
  });
  test("scopes of the tenant's own APIs need only the scope to manage roles", async () => {
    await register({ name: "Taxis", identifier: "taxis", scopes: scopesNamed("taxis:book") });
    const body = { displayName: "bookers", permissions: [{ value: "taxis:book" }], users: [{ value: below }] };
    expect((await api.ask("POST", ROLES, { as, body })).status).toBe(201);
  });
});

describe("a user gets only scopes of the caller", () => {
  test("by a role assignment", async () => {
    for (const body of [add("users", manager), add("groups", plain)]) {
      await refused("PATCH", `${ROLES}/${viewing}`, body);
    }
    const { body } = await api.ask("GET", `${ROLES}/${viewing}`);
    const [users, groups] = [valuesOf(body.users), valuesOf(body.groups)];
    const put = {
      displayName: "viewing",
      permissions: [{ value: VIEW }],
      users: [...users, manager].map((value) => ({ value })),
    };
    await refused("PUT", `${ROLES}/${viewing}`, put);
    const after = (await api.ask("GET", `${ROLES}/${viewing}`)).body;
    expect([valuesOf(after.users), valuesOf(after.groups)]).toEqual([users, groups]);
    await mayNot();
    expect((await api.ask("PATCH", `${ROLES}/${listing}`, { as, body: add("users", above) })).status).toBe(200);
  });
  test("by becoming a member of a group, in every way", async () => {
    const members = [{ value: manager }];
    await refused("PATCH", `/scim2/Groups/${viewers}`, add("members", manager));
    await refused("PUT", `/scim2/Groups/${viewers}`, { displayName: "viewers", members });
    await refused("PATCH", `/svc/scim/Groups/${viewers}`, { members });
    await refused("PUT", `/svc/scim/Groups/${viewers}`, { displayName: "viewers", members });
    const bulk = (data: unknown) => ({ Operations: [{ method: "PATCH", path: `/Groups/${viewers}`, data }] });
    const two = await api.ask("POST", "/scim2/Bulk", { as, body: bulk(add("members", manager)) });
    expect(two.body.Operations[0]).toMatchObject({
      status: "403",
      response: { detail: expect.stringContaining(VIEW) },
    });
    const one = await api.ask("POST", "/svc/scim/Bulk", { as, body: bulk({ members }) });
    expect(one.body.Operations[0].status).toMatchObject({ code: "403", description: expect.stringContaining(VIEW) });
    expect((await api.ask("GET", `/scim2/Groups/${viewers}`)).body.members).toEqual([]);
    await mayNot();
    expect((await api.ask("PATCH", `/scim2/Groups/${plain}`, { as, body: add("members", below) })).status).toBe(200);
    expect((await api.ask("PATCH", `/scim2/Groups/${viewers}`, { body: add("members", below) })).status).toBe(200);
    const body = patchOf({ op: "remove", path: `members[value eq "${below}"]` });
    expect((await api.ask("PATCH", `/scim2/Groups/${viewers}`, { as, body })).status).toBe(200);
  });
});

describe("for a token, the scopes of the token count", () => {
  const needed = ["internal_role_mgt_create", "internal_role_mgt_update", "internal_group_mgt_update"];
  const role = (displayName: string, scope: string) => ({ displayName, permissions: [{ value: scope }] });
  test("a token of an application", async () => {
    const client = await oauth.newClient([...needed, LIST]);
    const token = `Bearer ${await oauth.ownToken(client, "SYSTEM")}`;
    await refused("POST", ROLES, role("by a client", VIEW), token);
    await refused("PATCH", `${ROLES}/${viewing}`, add("users", manager), token);
    await refused("PATCH", `/scim2/Groups/${viewers}`, add("members", manager), token);
    expect((await api.ask("POST", ROLES, { as: token, body: role("by a client", LIST) })).status).toBe(201);
  });
  test("a token of an administrator with fewer scopes than the administrator has", async () => {
    const client = await oauth.newClient(needed);
    const { access_token } = await oauth.token(client, { grant_type: "password", ...ADMIN, scope: needed.join(" ") });
    const token = `Bearer ${access_token}`;
    await refused("POST", ROLES, role("by a token", VIEW), token);
    const admin = (await api.ask("GET", `${ROLES}?filter=${encodeURIComponent('displayName eq "admin"')}`)).body
      .Resources[0].id;
    await refused("PATCH", `${ROLES}/${admin}`, add("users", below), token, "administrator");
    expect((await api.ask("POST", ROLES, { body: role("by the administrator", VIEW) })).status).toBe(201);
  });
});

describe("a caller cannot change a user with more scopes:", () => {
  const other = "another-password";
  test.each([
    ["its password", { password: other }],
    ["its name", { userName: "renamed" }],
  ])("%s", async (_, value) => {
    const inBulk = (data: unknown) => ({ Operations: [{ method: "PATCH", path: `/Users/${above}`, data }] });
    await refused("PATCH", `/scim2/Users/${above}`, set(value));
    await refused("PUT", `/scim2/Users/${above}`, { userName: "above", ...value });
    await refused("PUT", `/svc/scim/Users/${above}`, { userName: "above", ...value });
    if (!("userName" in value)) await refused("PATCH", `/svc/scim/Users/${above}`, value);
    const two = await api.ask("POST", "/scim2/Bulk", { as, body: inBulk(set(value)) });
    expect(two.body.Operations[0].status).toBe("403");
    const one = await api.ask("POST", "/svc/scim/Bulk", { as, body: inBulk({ userName: "above", ...value }) });
    expect(one.body.Operations[0].status.code).toBe("403");
    expect((await api.ask("GET", APPLICATIONS, { as: { username: "above", password } })).status).toBe(200);
  });
  test("its password, also where the scopes come from a group", async () => {
    const id = await make("/scim2/Users", { userName: "grouped", password });
    expect((await api.ask("PATCH", `/scim2/Groups/${viewers}`, { body: add("members", id) })).status).toBe(200);
    await refused("PATCH", `/scim2/Users/${id}`, set({ password: other }));
  });
  test("but can change other users, deactivate any user, and change its own password", async () => {
    const patch = (id: string, value: Record<string, unknown>, who: Ask["as"] = as) =>
      api.ask("PATCH", `/scim2/Users/${id}`, { as: who, body: set(value) });
    expect((await patch(below, { password: other })).status).toBe(200);
    expect((await patch(above, { active: false })).status).toBe(200);
    expect((await patch(above, { active: true })).status).toBe(200);
    const self = { username: "above", password };
    expect((await api.ask("PATCH", "/scim2/Me", { as: self, body: set({ password: other }) })).status).toBe(200);
    expect((await patch(above, { password }, ADMIN)).status).toBe(200);
    expect((await api.ask("DELETE", `/scim2/Users/${above}`, { as })).status).toBe(204);
  });
});

describe("a token with few scopes cannot become a credential with more", () => {
  const passwordTo = (value: string) => set({ password: value });
  const userToken = async (username: string) => {
    const client = await oauth.newClient();
    const fields = { grant_type: "password", username, password, scope: "internal_login" };
    return `Bearer ${(await oauth.token(client, fields)).access_token}`;
  };

  test("a token sets its user's password only with all scopes of the user; a Basic credential has them", async () => {
    await addUser(api.service, { username: "narrow", password, scopes: [VIEW] });
    const token = await userToken("narrow");
    await refused("PATCH", "/scim2/Me", passwordTo("taken-over"), token);
    const title = await api.ask("PATCH", "/scim2/Me", { as: token, body: set({ title: "Driver" }) });
    expect(title.status).toBe(200);
    const own = { username: "narrow", password };
    expect((await api.ask("PATCH", "/scim2/Me", { as: own, body: passwordTo("of-my-own") })).status).toBe(200);
  });
  test("a token of an administrator needs all scopes too", async () => {
    const [admins] = (await api.ask("GET", `${ROLES}?filter=${encodeURIComponent('displayName eq "admin"')}`)).body
      .Resources;
    const id = await make("/scim2/Users", { userName: "second", password });
    await api.ask("PATCH", `${ROLES}/${admins.id}`, { body: add("users", id) });
    await refused("PATCH", "/scim2/Me", passwordTo("taken-over"), await userToken("second"), "administrator");
    const as = { username: "second", password };
    expect((await api.ask("PATCH", "/scim2/Me", { as, body: passwordTo("of-my-own") })).status).toBe(200);
  });
  test("any token of a user without roles can", async () => {
    await make("/scim2/Users", { userName: "ordinary", password });
    const as = await userToken("ordinary");
    expect((await api.ask("PATCH", "/scim2/Me", { as, body: passwordTo("of-my-own") })).status).toBe(200);
  });
  test("an application whose client id is a user's id is not that user", async () => {
    // User ids of a directory come from the directory and can have any form of a client id.
    const id = "c6865cfe-7a64-1041-90a7-53d2a8f0b1c4";
    const table = tableOf(api.service);
    const roles = roleStore(table);
    const fail = () => new Error("in use");
    const user = freshUser(id, "of.a.directory", 1, { roleIds: [viewing] });
    await userStore(table).add("carbon.super", user, {
      steps: [roles.holding("carbon.super", viewing, id, fail)],
    });
    const client = await oauth.newClient(["internal_user_mgt_update"], {
      clientId: id,
      clientSecret: "its-own-secret-7Qx2vLr9Tz",
    });
    expect(client.clientId).toBe(id);
    const as = `Bearer ${await oauth.ownToken(client, "internal_user_mgt_update")}`;
    await refused("PATCH", `/scim2/Users/${id}`, passwordTo("taken-over"), as);
  });
  test("an application whose client id is an administrator's id does not lock the administrator out", async () => {
    const id = "c6865cfe-7a64-1041-90a7-53d2a8f0b1c5";
    const [{ id: admin }] = (await api.ask("GET", `${ROLES}?filter=${encodeURIComponent('displayName eq "admin"')}`))
      .body.Resources;
    const table = tableOf(api.service);
    const fail = () => new Error("in use");
    const user = freshUser(id, "chief.of.a.directory", 1, { roleIds: [admin] });
    const steps = [roleStore(table).holding("carbon.super", admin, id, fail)];
    await userStore(table).add("carbon.super", user, { steps });
    const scopes = ["internal_user_mgt_update", "internal_user_mgt_delete"];
    const client = await oauth.newClient(scopes, { clientId: id, clientSecret: "its-own-secret-7Qx2vLr9Tz" });
    const as = `Bearer ${await oauth.ownToken(client, scopes.join(" "))}`;
    await refused("PATCH", `/scim2/Users/${id}`, set({ active: false }), as, "administrator");
    await refused("DELETE", `/scim2/Users/${id}`, undefined, as, "administrator");
  });
});
