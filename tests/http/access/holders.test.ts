/**
 * Names of the users and groups that have a role (decision 0061): the scopes of roles show ids; names need a scope that
 * reads users, or groups.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { operations } from "#core/service/catalogue.ts";
import { addUser } from "#tests/support/people.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const ROLES = "/scim2/v2/Roles";
const [USER, GROUP] = ["hidden-kim", "hidden-drivers"];
const password = "a-long-password";
const keeper = { username: "keeper", password };

/** All operations on roles, and their scopes: without those of users and groups. */
const onRoles = Object.entries(operations).filter(([, { path }]) => path.startsWith(ROLES));
const own = [...new Set(onRoles.flatMap(([, { scope, partialScopes = [] }]) => [scope, ...partialScopes]))];

let [userId, groupId, id] = ["", "", ""];
let made = 0;
const bodyOf = () => {
  made += 1;
  return { displayName: `role ${made}`, users: [{ value: userId }], groups: [{ value: groupId }] };
};
const create = async () => (await api.ask("POST", ROLES, { body: bodyOf() })).body.id as string;
const historyOf = (role: string) => `${ROLES}/${role}/history`;
/** The latest version of a role. */
const versionOf = async (role: string) => {
  const { body } = await api.ask("GET", historyOf(role));
  return `${historyOf(role)}/${body.records[0].id}`;
};
const shownBy = (scopes: readonly string[]) => ({
  users: [scopes.some((scope) => /user_mgt_(view|list)/.test(scope)), USER],
  groups: [scopes.includes("internal_group_mgt_view"), GROUP],
});

beforeAll(async () => {
  userId = (await api.ask("POST", "/scim2/Users", { body: { userName: USER, password } })).body.id;
  groupId = (await api.ask("POST", "/scim2/Groups", { body: { displayName: GROUP } })).body.id;
  await addUser(api.service, { ...keeper, scopes: own });
  id = await create();
});

const edit = { Operations: [{ op: "add", path: "users", value: [{ value: "" }] }] };
/** A call of each operation. */
const calls: Readonly<Record<string, (as: typeof keeper) => Promise<{ status: number; text: string }>>> = {
  listRoles: (as) => api.ask("GET", `${ROLES}?attributes=users,groups`, { as }),
  searchRoles: (as) => api.ask("POST", `${ROLES}/.search`, { as, body: { attributes: ["users", "groups"] } }),
  createRole: (as) => api.ask("POST", ROLES, { as, body: bodyOf() }),
  getRole: (as) => api.ask("GET", `${ROLES}/${id}`, { as }),
  replaceRole: (as) => api.ask("PUT", `${ROLES}/${id}`, { as, body: bodyOf() }),
  patchRole: (as) => {
    const [operation] = edit.Operations;
    return api.ask("PATCH", `${ROLES}/${id}`, {
      as,
      body: { Operations: [{ ...operation, value: [{ value: userId }] }] },
    });
  },
  listRoleHistory: (as) => api.ask("GET", historyOf(id), { as }),
  getRoleVersion: async (as) => api.ask("GET", await versionOf(id), { as }),
  restoreRoleVersion: async (as) => api.ask("POST", `${await versionOf(id)}/restore`, { as }),
  deleteRole: async (as) => api.ask("DELETE", `${ROLES}/${await create()}`, { as }),
};

test("every operation on roles is tried", () => {
  expect(Object.keys(calls).sort()).toEqual(onRoles.map(([name]) => name).sort());
});
test.each(Object.entries(calls))("%s shows no names to a caller with all scopes of roles alone", async (_, call) => {
  const { status, text } = await call(keeper);
  expect(status).toBeLessThan(300);
  for (const name of [USER, GROUP]) expect(text).not.toContain(name);
});
test("ids and links stay", async () => {
  const { body } = await api.ask("GET", `${ROLES}/${id}`, { as: keeper });
  expect(body.users).toEqual([{ value: userId, $ref: `${api.url}/scim2/Users/${userId}` }]);
  expect(body.groups).toEqual([{ value: groupId, $ref: `${api.url}/scim2/Groups/${groupId}` }]);
});
describe("names show with", () => {
  test.each([
    "internal_user_mgt_view",
    "internal_user_mgt_list",
    "internal_group_mgt_view",
    // These change users and groups, but do not read them.
    "internal_user_mgt_update",
    "internal_group_mgt_update",
  ])("%s what it reads", async (scope) => {
    const as = { username: scope, password };
    await addUser(api.service, { ...as, scopes: ["internal_role_mgt_view", scope] });
    const { body } = await api.ask("GET", `${ROLES}/${id}`, { as });
    for (const [list, [isShown, name]] of Object.entries(shownBy([scope]))) {
      expect([list, body[list][0].display]).toEqual([list, isShown ? name : undefined]);
    }
  });
});
describe("a name cannot be guessed by", () => {
  test.each(["users.display", "groups.display"])("a filter on %s", async (path) => {
    for (const guess of [USER, GROUP, "unknown"]) {
      const filter = encodeURIComponent(`${path} eq "${guess}"`);
      const listed = await api.ask("GET", `${ROLES}?filter=${filter}`, { as: keeper });
      const body = { filter: `${path} sw "${guess.slice(0, 3)}"` };
      const found = await api.ask("POST", `${ROLES}/.search`, { as: keeper, body });
      for (const answer of [listed, found]) {
        expect([answer.status, answer.body.scimType]).toEqual([400, "invalidFilter"]);
        expect(answer.body.detail).not.toContain(guess);
      }
    }
  });
  test.each([
    ["users", USER],
    ["groups", GROUP],
  ])("a path in a change of %s", async (list, name) => {
    const target = await create();
    const answers: unknown[] = [];
    for (const guess of [name, "unknown"]) {
      const body = { Operations: [{ op: "remove", path: `${list}[display eq "${guess}"]` }] };
      const { status, body: shown } = await api.ask("PATCH", `${ROLES}/${target}`, { as: keeper, body });
      answers.push([status, shown[list] ?? shown.scimType]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect((await api.ask("GET", `${ROLES}/${target}`)).body[list]).toHaveLength(1);
  });
});
