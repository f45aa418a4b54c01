/** No privilege escalation: scopes to change users, groups or roles do not make an administrator (decision 0052). */
import { beforeAll, describe, expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const password = "a-long-password";
const as = { username: "helpdesk", password };
const patchOf = (...Operations: unknown[]) => ({ Operations });
const set = (value: Record<string, unknown>) => patchOf({ op: "replace", value });
let [helpdesk, deputy, colleague, mighty, plain, adminRole] = ["", "", "", "", "", ""];

beforeAll(async () => {
  const scopes = ["user", "group", "role"].flatMap((thing) =>
    ["create", "update", "delete"].map((what) => `internal_${thing}_mgt_${what}`),
  );
  helpdesk = await addUser(api.service, { ...as, scopes: [...scopes, "internal_bulk_resource_create"] });
  const user = async (userName: string) =>
    (await api.ask("POST", "/scim2/Users", { body: { userName, password } })).body.id;
  deputy = await user("deputy");
  colleague = await user("colleague");
  mighty = (await api.ask("POST", "/scim2/Groups", { body: { displayName: "mighty", members: [{ value: deputy }] } }))
    .body.id;
  plain = (await api.ask("POST", "/scim2/Groups", { body: { displayName: "plain" } })).body.id;
  const filter = encodeURIComponent('displayName eq "admin"');
  adminRole = (await api.ask("GET", `/scim2/v2/Roles?filter=${filter}`)).body.Resources[0].id;
  const groups = patchOf({ op: "add", path: "groups", value: [{ value: mighty }] });
  expect((await api.ask("PATCH", `/scim2/v2/Roles/${adminRole}`, { body: groups })).status).toBe(200);
});

describe("only administrators can change an administrator's", () => {
  test.each([
    ["password", set({ password: "another-password" })],
    ["name", set({ userName: "renamed" })],
    ["active state", set({ active: false })],
    ["account lock", set({ "urn:scim:wso2:schema": { accountLocked: true } })],
    ["way in by password alone", set({ "urn:scim:wso2:schema": { forcePasswordReset: true } })],
  ])("%s", async (_, body) => {
    expect((await api.ask("PATCH", `/scim2/Users/${deputy}`, { as, body })).status).toBe(403);
    const inBulk = { Operations: [{ method: "PATCH", path: `/Users/${deputy}`, data: body }] };
    expect((await api.ask("POST", "/scim2/Bulk", { as, body: inBulk })).body.Operations[0].status).toBe("403");
    expect((await api.ask("GET", "/scim2/Me", { as: { username: "deputy", password } })).status).toBe(200);
  });
  test("existence, in both SCIM versions", async () => {
    expect((await api.ask("DELETE", `/scim2/Users/${deputy}`, { as })).status).toBe(403);
    expect((await api.ask("DELETE", `/svc/scim/Users/${deputy}`, { as })).status).toBe(403);
    const body = { userName: "deputy", password: "another-password" };
    expect((await api.ask("PUT", `/svc/scim/Users/${deputy}`, { as, body })).status).toBe(403);
  });
  test("duty to change the password is given and taken by administrators only", async () => {
    const must = (is: boolean) => set({ "urn:scim:wso2:schema": { forcePasswordReset: is } });
    const change = async (is: boolean, more = {}) =>
      (await api.ask("PATCH", `/scim2/Users/${deputy}`, { ...more, body: must(is) })).status;
    expect([await change(true), await change(false, { as }), await change(false)]).toEqual([200, 403, 200]);
    expect((await api.ask("PATCH", `/scim2/Users/${colleague}`, { as, body: must(true) })).status).toBe(200);
    expect((await api.ask("PATCH", `/scim2/Users/${colleague}`, { as, body: must(false) })).status).toBe(200);
  });
  test("others can change attributes that do not affect sign-in, and all attributes of other users", async () => {
    expect((await api.ask("PATCH", `/scim2/Users/${deputy}`, { as, body: set({ title: "Deputy" }) })).status).toBe(200);
    const body = set({ password: "another-password", userName: "comrade" });
    expect((await api.ask("PATCH", `/scim2/Users/${colleague}`, { as, body })).status).toBe(200);
  });
  test("an administrator can, and every user can change its own password", async () => {
    expect(
      (await api.ask("PATCH", `/scim2/Users/${deputy}`, { body: set({ password: "deputy-password" }) })).status,
    ).toBe(200);
    const self = { username: "deputy", password: "deputy-password" };
    expect((await api.ask("PATCH", "/scim2/Me", { as: self, body: set({ password }) })).status).toBe(200);
  });
});

describe("a bulk request needs the scope of each operation in it", () => {
  test("the bulk scope alone sets no password, in either SCIM version", async () => {
    const bulker = { username: "bulker", password };
    await addUser(api.service, { ...bulker, scopes: ["internal_bulk_resource_create"] });
    const mind = ["internal_role_mgt_update", "internal_role_mgt_create"];
    const victim = await addUser(api.service, { username: "role-keeper", password, scopes: mind });
    const stolen = set({ password: "stolen-password" });
    for (const [path, data, statusOf] of [
      ["/scim2/Bulk", stolen, (one: { status: string }) => one.status],
      ["/svc/scim/Bulk", { password: "stolen-password" }, (one: { status: { code: string } }) => one.status.code],
    ] as const) {
      const body = { Operations: [{ method: "PATCH", path: `/Users/${victim}`, data }] };
      const answer = await api.ask("POST", path, { as: bulker, body });
      expect([answer.status, statusOf(answer.body.Operations[0])]).toEqual([200, "403"]);
    }
    expect((await api.ask("GET", "/scim2/Me", { as: { username: "role-keeper", password } })).status).toBe(200);
  });
});

describe("only an administrator can make an administrator", () => {
  const joining = () => patchOf({ op: "add", path: "members", value: [{ value: helpdesk }] });
  test("by adding a member to a group with the role, in any way", async () => {
    const path = `/scim2/Groups/${mighty}`;
    expect((await api.ask("PATCH", path, { as, body: joining() })).status).toBe(403);
    const put = { displayName: "mighty", members: [{ value: deputy }, { value: helpdesk }] };
    expect((await api.ask("PUT", path, { as, body: put })).status).toBe(403);
    const one = { members: [{ value: helpdesk }] };
    expect((await api.ask("PATCH", `/svc/scim/Groups/${mighty}`, { as, body: one })).status).toBe(403);
    const inBulk = { Operations: [{ method: "PATCH", path: `/Groups/${mighty}`, data: joining() }] };
    expect((await api.ask("POST", "/scim2/Bulk", { as, body: inBulk })).body.Operations[0].status).toBe("403");
    expect((await api.ask("GET", "/api/server/v1/tenants", { as })).status).toBe(403);
    expect((await api.ask("PATCH", `/scim2/Groups/${plain}`, { as, body: joining() })).status).toBe(200);
  });
  test("by assigning the role to a user or to a group of the user", async () => {
    for (const operation of [
      { op: "add", path: "users", value: [{ value: helpdesk }] },
      { op: "add", path: "groups", value: [{ value: plain }] },
    ]) {
      expect((await api.ask("PATCH", `/scim2/v2/Roles/${adminRole}`, { as, body: patchOf(operation) })).status).toBe(
        403,
      );
    }
    expect((await api.ask("GET", "/api/server/v1/tenants", { as })).status).toBe(403);
  });
  test("the first administrator cannot be renamed or made to change the password, not even by itself", async () => {
    const { id } = (await api.ask("GET", "/scim2/Me")).body;
    for (const change of [{ userName: "renamed" }, { "urn:scim:wso2:schema": { forcePasswordReset: true } }]) {
      expect((await api.ask("PATCH", `/scim2/Users/${id}`, { body: set(change) })).status).toBe(403);
    }
  });
});

describe("filters and ids that cannot be a key", () => {
  const long = "x".repeat(3_000);
  test.each(["", long])("find nothing: %j", async (text) => {
    for (const [path, names] of [
      ["/scim2/Users", ["userName", "id", "externalId", "emails", "groups", "groups.value", "groups.display"]],
      ["/scim2/Groups", ["displayName", "id", "externalId", "members.value"]],
      ["/svc/scim/Users", ["userName"]],
      ["/svc/scim/Groups", ["displayName"]],
    ] as const) {
      for (const name of names) {
        const filter = encodeURIComponent(`${name} eq "${text}"`);
        const { status } = await api.ask("GET", `${path}?filter=${filter}`);
        expect([200, 400], `${path} ${name}`).toContain(status);
      }
    }
  });
  test("remove nothing from groups and roles", async () => {
    const members = patchOf({ op: "remove", path: `members[value eq "${long}"]` });
    expect((await api.ask("PATCH", `/scim2/Groups/${plain}`, { body: members })).body.scimType).toBe("noTarget");
    const users = patchOf({ op: "remove", path: `users[value eq "${long}"]` });
    expect((await api.ask("PATCH", `/scim2/v2/Roles/${adminRole}`, { body: users })).body.scimType).toBe("noTarget");
  });
});
