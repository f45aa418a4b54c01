/** Roles by upstream's SCIM2 roles API v2: assignees may do what the permissions of a role allow. */
import { describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { chunks } from "#core/directory/memberships/relation.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const ROLES = "/scim2/v2/Roles";
const password = "a-long-enough-password";
let made = 0;

const newUser = async (): Promise<{ id: string; username: string }> => {
  made += 1;
  const username = `holder-${made}`;
  const { body } = await api.ask("POST", "/scim2/Users", { body: { userName: username, password } });
  return { id: body.id, username };
};
const newGroup = async (members: readonly string[]): Promise<string> => {
  made += 1;
  const body = { displayName: `group ${made}`, members: members.map((value) => ({ value })) };
  return (await api.ask("POST", "/scim2/Groups", { body })).body.id;
};
const newRole = async (more: Record<string, unknown> = {}) => {
  made += 1;
  const { status, body } = await api.ask("POST", ROLES, { body: { displayName: `role ${made}`, ...more } });
  expect(status).toBe(201);
  return body;
};
const patch = (id: string, ...Operations: unknown[]) => api.ask("PATCH", `${ROLES}/${id}`, { body: { Operations } });
const roleNamed = async (name: string) =>
  (await api.ask("GET", `${ROLES}?filter=${encodeURIComponent(`displayName eq "${name}"`)}`)).body.Resources[0];
const valuesOf = (list: readonly { value: string }[] | undefined) => (list ?? []).map(({ value }) => value).sort();
const VIEW = "internal_application_mgt_view";

describe("createRole", () => {
  test("returns 201 with everything that was sent, and the location", async () => {
    const user = await newUser();
    const group = await newGroup([]);
    const body = {
      schemas: [],
      displayName: "Taxi managers",
      permissions: [{ value: VIEW }],
      users: [{ value: user.id }],
      groups: [{ value: group }],
    };
    const answer = await api.ask("POST", ROLES, { body });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(answer.body.meta.location);
    expect(answer.body).toMatchObject({
      schemas: ["urn:ietf:params:scim:schemas:extension:2.0:Role"],
      displayName: "Taxi managers",
      audience: { type: "organization" },
      permissions: [{ value: VIEW, display: VIEW }],
      users: [{ value: user.id, display: user.username }],
      groups: [{ value: group }],
      meta: { resourceType: "Role" },
    });
    expect((await api.ask("GET", `/scim2/Users/${user.id}`)).body.roles).toMatchObject([{ value: "Taxi managers" }]);
  });
  test("returns 409 for a name in use in any case, and accepts it for another application", async () => {
    const { displayName } = await newRole();
    const again = await api.ask("POST", ROLES, { body: { displayName: displayName.toUpperCase() } });
    expect([again.status, again.body.scimType]).toEqual([409, "uniqueness"]);
    const application = await api.create({ name: "An audience" });
    const audience = { type: "application", value: application };
    const other = await api.ask("POST", ROLES, { body: { displayName, audience } });
    expect([other.status, other.body.audience]).toMatchObject([201, audience]);
    expect((await api.ask("POST", ROLES, { body: { displayName, audience } })).status).toBe(409);
  });
  test.each([
    ["no name", {}],
    ["a blank name", { displayName: " " }],
    ["a scope that no API has", { displayName: "x", permissions: [{ value: "internal_nothing" }] }],
    ["an unknown user", { displayName: "x", users: [{ value: "nobody" }] }],
    ["an unknown group", { displayName: "x", groups: [{ value: "nothing" }] }],
    ["another audience", { displayName: "x", audience: { type: "world" } }],
    ["an unknown application", { displayName: "x", audience: { type: "application", value: "y" } }],
  ])("returns 400 for %s, and creates nothing", async (_, body) => {
    const before = (await api.ask("GET", ROLES)).body.totalResults;
    const answer = await api.ask("POST", ROLES, { body });
    expect([answer.status, answer.body.scimType]).toEqual([400, "invalidValue"]);
    expect((await api.ask("GET", ROLES)).body.totalResults).toBe(before);
  });
  test.each(["v2", "v3"])("of %s refuses the value of another audience than the organization", async (version) => {
    const path = `/scim2/${version}/Roles`;
    const application = await api.create({ name: `Without the type ${version}` });
    for (const audience of [
      { value: application },
      { value: "bogus" },
      { type: "organization", value: "bogus" },
      { type: "Organization", value: application },
      "organization",
    ]) {
      const answer = await api.ask("POST", path, { body: { displayName: `never ${version}`, audience } });
      expect([answer.status, answer.body.scimType], JSON.stringify(audience)).toEqual([400, "invalidValue"]);
      expect(answer.body.detail).toMatch(/^audience\.value .*audience\.type "application"/);
    }
    const own = (await api.ask("GET", "/api/server/v1/organizations/self")).body.id;
    for (const [at, audience] of [
      {},
      { value: own },
      { value: "" },
      { type: "organization", value: own.toUpperCase() },
      { type: "organization", value: own, display: "Super" },
    ].entries()) {
      const answer = await api.ask("POST", path, { body: { displayName: `own ${version} ${at}`, audience } });
      expect([answer.status, answer.body.audience?.value], JSON.stringify(audience)).toEqual([201, own]);
    }
  });
  test.each([
    ["255 emoji, for one application", "\u{1F600}".repeat(255)],
    ["a name that is longer in its normalised form", "\u{1D160}".repeat(255)],
    ["the last possible key", "\u{10FFFF}"],
  ])("returns 400 for a name that cannot be a key: %s", async (_, displayName) => {
    const application = await api.create({ name: `An audience ${made}` });
    const body = { displayName, audience: { type: "application", value: application } };
    const answer = await api.ask("POST", ROLES, { body });
    expect([answer.status, answer.body.scimType]).toEqual([400, "invalidValue"]);
    const role = await newRole({ audience: body.audience });
    const renamed = await patch(role.id, { op: "replace", path: "displayName", value: displayName });
    expect([renamed.status, renamed.body.scimType]).toEqual([400, "invalidValue"]);
    expect((await api.ask("GET", `${ROLES}/${role.id}`)).body.displayName).toBe(role.displayName);
  });
  test("gives no privileges by a role for one application to a user's own credential", async () => {
    const user = await newUser();
    const audience = { type: "application", value: await api.create({ name: "Its role is valid nowhere else" }) };
    await newRole({ audience, permissions: [{ value: VIEW }], users: [{ value: user.id }] });
    const as = { username: user.username, password };
    expect((await api.ask("GET", "/api/server/v1/applications", { as })).status).toBe(403);
    const other = await newUser();
    await newRole({ permissions: [{ value: VIEW }], users: [{ value: other.id }] });
    const them = { username: other.username, password };
    expect((await api.ask("GET", "/api/server/v1/applications", { as: them })).status).toBe(200);
  });
  test("can have the scopes of a tenant's own API", async () => {
    const scopes = [{ name: "taxi:book" }];
    await api.ask("POST", "/api/server/v1/api-resources", { body: { name: "T", identifier: "taxi", scopes } });
    expect((await newRole({ permissions: [{ value: "taxi:book" }] })).permissions).toHaveLength(1);
  });
});

describe("getRole", () => {
  test("returns 404 for an unknown id, and leaves out assignees on request", async () => {
    expect((await api.ask("GET", `${ROLES}/unknown`)).status).toBe(404);
    const user = await newUser();
    const role = await newRole({ users: [{ value: user.id }] });
    const lean = await api.ask("GET", `${ROLES}/${role.id}?excludedAttributes=users`);
    expect(lean.body).not.toHaveProperty("users");
    expect(lean.body.audience.type).toBe("organization");
    const same = await api.ask("GET", `${ROLES}/${role.id}`, { headers: { "if-none-match": role.meta.version } });
    expect(same.status).toBe(304);
  });
});

describe("replaceRole", () => {
  test("and PATCH refuse assignees and permissions without a value, and change nothing", async () => {
    const user = await newUser();
    const role = await newRole({ permissions: [{ value: VIEW }], users: [{ value: user.id }] });
    for (const list of ["users", "groups", "permissions"]) {
      const body = { displayName: role.displayName, [list]: [{ id: user.id }] };
      expect((await api.ask("PUT", `${ROLES}/${role.id}`, { body })).status, list).toBe(400);
      const steps = [
        { op: "replace", path: list, value: [{ id: user.id }] },
        { op: "replace", value: { [list]: [{ display: "x" }] } },
      ];
      for (const step of steps) expect((await patch(role.id, step)).status, JSON.stringify(step)).toBe(400);
    }
    const { body } = await api.ask("GET", `${ROLES}/${role.id}`);
    expect([valuesOf(body.users), valuesOf(body.permissions)]).toEqual([[user.id], [VIEW]]);
  });
  test("replaces name, permissions and assignees, and keeps the audience", async () => {
    const [one, two] = [await newUser(), await newUser()];
    const role = await newRole({ permissions: [{ value: VIEW }], users: [{ value: one.id }] });
    const answer = await api.ask("PUT", `${ROLES}/${role.id}`, {
      body: { displayName: "Renamed", users: [{ value: two.id }] },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ permissions: [] });
    expect([answer.body.displayName, valuesOf(answer.body.users)]).toEqual(["Renamed", [two.id]]);
    expect((await api.ask("GET", `/scim2/Users/${one.id}`)).body).not.toHaveProperty("roles");
    for (const type of ["application", "APPLICATION"]) {
      const moved = await api.ask("PUT", `${ROLES}/${role.id}`, {
        body: { displayName: "Renamed", audience: { type, value: "x" } },
      });
      expect([moved.status, moved.body.scimType]).toEqual([400, "mutability"]);
    }
    expect((await api.ask("PUT", `${ROLES}/unknown`, { body: { displayName: "x" } })).status).toBe(404);
  });
});

test.each(["v2", "v3"])("a role of %s is replaced by the body that created it", async (version) => {
  for (const [at, type] of ["organization", "Organization"].entries()) {
    const [path, body] = [`/scim2/${version}/Roles`, { displayName: `again ${version} ${at}`, audience: { type } }];
    const created = await api.ask("POST", path, { body });
    expect(created.status, created.text).toBe(201);
    const replaced = await api.ask("PUT", `${path}/${created.body.id}`, { body });
    expect([replaced.status, replaced.body.audience]).toEqual([200, created.body.audience]);
  }
});

describe("patchRole", () => {
  test("adds and removes users and groups by their paths", async () => {
    const [one, two] = [await newUser(), await newUser()];
    const group = await newGroup([]);
    const role = await newRole();
    const added = await patch(
      role.id,
      { op: "add", path: "users", value: [{ value: one.id }, { value: two.id }] },
      { op: "add", path: "groups", value: [{ value: group }] },
      { op: "add", path: "permissions", value: [{ value: VIEW }] },
    );
    expect(added.status).toBe(200);
    expect([valuesOf(added.body.users), valuesOf(added.body.groups)]).toEqual([[one.id, two.id].sort(), [group]]);
    const removed = await patch(
      role.id,
      { op: "remove", path: `users[value eq "${one.id}"]` },
      { op: "remove", path: "groups" },
      { op: "replace", path: "displayName", value: "By patch" },
    );
    expect([valuesOf(removed.body.users), removed.body.displayName]).toEqual([[two.id], "By patch"]);
    expect(removed.body).not.toHaveProperty("groups");
  });
  test("changes nothing where one operation is wrong", async () => {
    const user = await newUser();
    const role = await newRole();
    const wrong = await patch(
      role.id,
      { op: "add", path: "users", value: [{ value: user.id }] },
      { op: "add", path: "permissions", value: [{ value: "nothing" }] },
    );
    expect(wrong.status).toBe(400);
    expect((await api.ask("GET", `${ROLES}/${role.id}`)).body).not.toHaveProperty("users");
    expect((await patch(role.id, { op: "remove", path: "displayName" })).body.scimType).toBe("mutability");
    expect((await patch(role.id, { op: "remove" })).body.scimType).toBe("noTarget");
    expect((await patch("unknown", { op: "add", path: "users", value: [] })).status).toBe(404);
  });
  test.each([
    ["users", "user"],
    ["groups", "group"],
    ["permissions", "scope"],
  ])("changes nothing but %s with the scope for those alone", async (list, kind) => {
    const as = { username: `who-changes-${list}`, password };
    await addUser(api.service, { ...as, scopes: [`internal_role_mgt_${list}_update`, VIEW] });
    const role = await newRole();
    const values = { user: (await newUser()).id, group: await newGroup([]), scope: VIEW };
    const paths = { user: "users", group: "groups", scope: "permissions" };
    const own = { op: "add", path: list, value: [{ value: values[kind as keyof typeof values] }] };
    const others = Object.entries(paths)
      .filter(([, path]) => path !== list)
      .map(([other, path]) => ({ op: "add", path, value: [{ value: values[other as keyof typeof values] }] }));
    const ask = (...Operations: unknown[]) => api.ask("PATCH", `${ROLES}/${role.id}`, { as, body: { Operations } });
    const name = { op: "replace", value: { displayName: `${role.displayName} renamed` } };
    for (const other of [...others, name, { op: "replace", value: { [list]: own.value, displayName: "x" } }]) {
      expect((await ask(own, other)).status).toBe(403);
    }
    expect((await api.ask("GET", `${ROLES}/${role.id}`)).body.meta.version).toBe(role.meta.version);
    const answer = await ask(own);
    expect([answer.status, valuesOf(answer.body[list])]).toEqual([200, valuesOf(own.value)]);
    expect((await ask({ op: "remove", path: list })).body[list] ?? []).toEqual([]);
    const put = await api.ask("PUT", `${ROLES}/${role.id}`, { as, body: { displayName: role.displayName } });
    expect(put.status).toBe(403);
  });
  test("keeps both users that two concurrent changes add", async () => {
    const users = await Promise.all([newUser(), newUser(), newUser(), newUser()]);
    const role = await newRole();
    const answers = await Promise.all(
      users.map(({ id }) => patch(role.id, { op: "add", path: "users", value: [{ value: id }] })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { body } = await api.ask("GET", `${ROLES}/${role.id}`);
    expect(valuesOf(body.users)).toEqual(users.map(({ id }) => id).sort());
  });
  test("keeps names and permissions of built-in roles", async () => {
    const { id } = await roleNamed("admin");
    for (const operation of [
      { op: "replace", path: "displayName", value: "root" },
      { op: "add", path: "permissions", value: [{ value: VIEW }] },
    ]) {
      expect((await patch(id, operation)).status).toBe(403);
    }
    const me = (await api.ask("GET", "/scim2/Me")).body.id;
    for (const operation of [
      { op: "remove", path: `users[value eq "${me}"]` },
      { op: "remove", path: "users" },
    ]) {
      expect((await patch(id, operation)).status).toBe(403);
    }
    expect((await api.ask("PUT", `${ROLES}/${id}`, { body: { displayName: "admin" } })).status).toBe(403);
    const locked = { op: "replace", value: { "urn:scim:wso2:schema": { accountLocked: true } } };
    expect((await api.ask("PATCH", `/scim2/Users/${me}`, { body: { Operations: [locked] } })).status).toBe(403);
    const user = await newUser();
    expect((await patch(id, { op: "add", path: "users", value: [{ value: user.id }] })).status).toBe(200);
    const as = { username: user.username, password };
    expect((await api.ask("GET", "/api/server/v1/applications", { as })).status).toBe(200);
  });
});

describe("deleteRole", () => {
  test("returns 204, removes the role from its users, and frees the name", async () => {
    const users = await Promise.all(Array.from({ length: 3 }, newUser));
    const role = await newRole({ users: users.map(({ id }) => ({ value: id })) });
    expect((await api.ask("DELETE", `${ROLES}/${role.id}`)).status).toBe(204);
    for (const { id } of users) expect((await api.ask("GET", `/scim2/Users/${id}`)).body).not.toHaveProperty("roles");
    expect((await api.ask("DELETE", `${ROLES}/${role.id}`)).status).toBe(404);
    expect((await api.ask("POST", ROLES, { body: { displayName: role.displayName } })).status).toBe(201);
  });
  test("returns 403 for a built-in role", async () => {
    for (const name of ["admin", "everyone"]) {
      const { id } = await roleNamed(name);
      expect((await api.ask("DELETE", `${ROLES}/${id}`)).status).toBe(403);
    }
  });
  test("loses a user or group that is deleted", async () => {
    const user = await newUser();
    const group = await newGroup([]);
    const role = await newRole({ users: [{ value: user.id }], groups: [{ value: group }] });
    await api.ask("DELETE", `/scim2/Users/${user.id}`);
    await api.ask("DELETE", `/scim2/Groups/${group}`);
    const { body } = await api.ask("GET", `${ROLES}/${role.id}`);
    expect([body.users, body.groups]).toEqual([undefined, undefined]);
  });
});

describe("a role of many users", () => {
  /** More assignees, which only the role's own rows know. */
  const fill = (id: string, from: number, to: number) => {
    const table = tableOf(api.service);
    const step = (_: unknown, at: number) => ({
      put: { ...keys.roleUser(TENANT, id, `user-${from + at}`) },
      when: "any" as const,
      otherwise: () => new Error("a step without a condition failed"),
    });
    const steps = Array.from({ length: to - from }, step);
    return Promise.all(chunks(steps, 100).map((some) => table.write(...some)));
  };
  const rename = (id: string, displayName: string, query = "") =>
    api.ask("PATCH", `${ROLES}/${id}${query}`, {
      body: { Operations: [{ op: "replace", path: "displayName", value: displayName }] },
    });

  test("shows up to 200 assignees with names, more with addresses only", async () => {
    const user = await newUser();
    const { id } = await newRole({ users: [{ value: user.id }] });
    const place = { value: user.id, $ref: expect.stringMatching(new RegExp(`/scim2/Users/${user.id}$`)) };
    expect((await api.ask("GET", `${ROLES}/${id}`)).body.users).toEqual([{ ...place, display: user.username }]);
    await fill(id, 0, 200);
    const { body } = await api.ask("GET", `${ROLES}/${id}`);
    expect(body.users).toHaveLength(201);
    expect(body.users).toContainEqual(place);
  });
  test("can be changed with any number of assignees", async () => {
    const { id } = await newRole();
    await fill(id, 0, 1_000);
    expect((await rename(id, "a thousand")).body.users).toHaveLength(1_000);
    await fill(id, 1_000, 1_001);
    const silent = await rename(id, "some more");
    expect([silent.status, silent.text, silent.headers.get("location")]).toEqual([
      204,
      "",
      expect.stringContaining(id),
    ]);
    expect((await rename(id, "asked", "?attributes=users")).body.users).toHaveLength(1_001);
    await fill(id, 1_001, 20_001);
    expect((await rename(id, "very many")).status).toBe(204);
    const asked = await rename(id, "very many more", "?attributes=displayName,users");
    expect([asked.status, asked.body.displayName, asked.body.users]).toEqual([200, "very many more", undefined]);
    const read = await api.ask("GET", `${ROLES}/${id}`);
    expect([read.status, read.body.scimType]).toEqual([400, "tooMany"]);
    const lean = await api.ask("GET", `${ROLES}/${id}?excludedAttributes=users`);
    expect([lean.status, lean.body.displayName]).toEqual([200, "very many more"]);
  }, 60_000);
});

describe("listRoles", () => {
  test("filters, sorts and pages, and shows no assignees", async () => {
    await newRole({ displayName: "zeta" });
    await newRole({ displayName: "Zebra" });
    const filter = encodeURIComponent('displayName sw "ze"');
    const { status, body } = await api.ask(
      "GET",
      `${ROLES}?filter=${filter}&sortBy=displayName&sortOder=descending&count=1`,
    );
    expect([status, body.totalResults, body.itemsPerPage]).toEqual([200, 2, 1]);
    expect(body.Resources[0]).toMatchObject({ displayName: "zeta", audience: { type: "organization" } });
    const second = await api.ask("GET", `${ROLES}?filter=${filter}&startIndex=2`);
    expect(second.body.Resources).toMatchObject([{ displayName: "zeta" }]);
    const wrong = await api.ask("GET", `${ROLES}?filter=nothing+eq+1`);
    expect([wrong.status, wrong.body.scimType]).toEqual([400, "invalidFilter"]);
  });
});

describe("searchRoles", () => {
  test("returns the same as the list", async () => {
    const body = { filter: 'displayName eq "ADMIN"', attributes: ["displayName"] };
    const answer = await api.ask("POST", `${ROLES}/.search`, { body });
    expect(answer.body.Resources).toMatchObject([{ displayName: "admin" }]);
    expect(answer.body.Resources[0]).not.toHaveProperty("permissions");
    const wrong = await api.ask("POST", `${ROLES}/.search`, { body: { schemas: ["urn:x"] } });
    expect([wrong.status, wrong.body.scimType]).toEqual([400, "invalidValue"]);
  });
});
