/** Roles by upstream's API v3, whose writes have a right each, and by v1, which reads (decision 0106). */
import { beforeAll, describe, expect, test } from "vitest";
import { systemScopes } from "#core/kernel/domain/system-apis.ts";
import { addUser } from "#tests/support/people.ts";
import { type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { type Ask, world } from "#tests/support/world.ts";

const api = world();
const scim = scimOf(api);
const V3 = "/v3/Roles";
const password = "a-long-password";
const by = (username: string): Ask["as"] => ({ username, password });
let [kim, lee, staff, id] = ["", "", "", ""];
let made = 0;

const ask = (method: string, path: string, body?: unknown, as?: Ask["as"]) =>
  scim.ask(method, path, { ...(body !== undefined && { body }), ...(as && { as }) });
const role = (): Promise<Shown> => scim.read(`/v2/Roles/${id}`);
const idsOf = (list: readonly Shown[] = []): string[] => list.map(({ value }) => value).sort();
const patch = (...Operations: readonly Shown[]) => ({ schemas: [URN.patch], Operations });

beforeAll(async () => {
  kim = (await scim.user()).id;
  lee = (await scim.user()).id;
  staff = (await scim.group()).id;
  const keepers = {
    maker: ["internal_role_mgt_meta_create"],
    editor: ["internal_role_mgt_meta_update", "internal_user_mgt_view"],
    hirer: ["internal_role_mgt_users_update"],
    grouper: ["internal_role_mgt_groups_update"],
    viewer: ["internal_role_mgt_view"],
  };
  for (const [username, scopes] of Object.entries(keepers)) await addUser(api.service, { username, password, scopes });
});

const create = async (): Promise<string> => {
  made += 1;
  const body = { displayName: `v3 role ${made}`, permissions: [{ value: "internal_user_mgt_view" }] };
  const answer = await ask("POST", V3, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.id;
};

describe("v3", () => {
  describe("createRoleV3", () => {
    test("creates a role with permissions, and takes no users and groups", async () => {
      id = await create();
      expect(await scim.read(`${V3}/${id}`)).toEqual(await role());
      expect((await role()).permissions).toEqual([
        { value: "internal_user_mgt_view", display: "internal_user_mgt_view" },
      ]);
      const refused = await ask("POST", V3, { displayName: "with users", users: [{ value: kim }] });
      expect([refused.status, refused.body.detail]).toEqual([
        400,
        expect.stringContaining("/scim2/v3/Roles/{id}/Users"),
      ]);
    });
  });

  describe("listRolesV3", () => {
    test("lists, searches and deletes as v2", async () => {
      id = await create();
      const filter = `displayName eq "${(await role()).displayName}"`;
      expect((await scim.find(filter, V3)).Resources.map((one: Shown) => one.id)).toEqual([id]);
      const search = await ask("POST", `${V3}/.search`, { schemas: [URN.search], filter });
      expect(search.body.totalResults).toBe(1);
      expect((await ask("DELETE", `${V3}/${id}`)).status).toBe(204);
      expect((await scim.get(`${V3}/${id}`)).status).toBe(404);
    });
  });

  describe("replaceRoleUsers", () => {
    test("replaces the users, and the groups, of a role by bare lists", async () => {
      id = await create();
      const answer = await ask("PUT", `${V3}/${id}/Users`, [{ value: kim }, { value: lee }]);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ id });
      expect(answer.body).not.toHaveProperty("users");
      await ask("PUT", `${V3}/${id}/Groups`, [{ value: staff }]);
      expect([idsOf((await role()).users), idsOf((await role()).groups)]).toEqual([[kim, lee].sort(), [staff]]);
      await ask("PUT", `${V3}/${id}/Users`, [{ value: lee }]);
      expect([idsOf((await role()).users), idsOf((await role()).groups)]).toEqual([[lee], [staff]]);
      await ask("PUT", `${V3}/${id}/Users`, []);
      expect((await role()).users).toBeUndefined();
    });
  });

  describe("patchRoleUsers", () => {
    test("refuses elements without a value, which would empty the list, and changes nothing", async () => {
      id = await create();
      await ask("PUT", `${V3}/${id}/Users`, [{ value: kim }]);
      const wrong = [
        { op: "replace", value: [{ id: lee }] },
        { op: "replace", value: [{ display: "lee" }] },
        { op: "replace", path: "users", value: [{ value: kim }, { id: lee }] },
      ];
      for (const operation of wrong) {
        const answer = await ask("PATCH", `${V3}/${id}/Users`, patch(operation));
        expect([answer.status, answer.body.scimType], JSON.stringify(operation)).toEqual([400, "invalidValue"]);
      }
      expect(idsOf((await role()).users)).toEqual([kim]);
    });

    test("adds and removes by PATCH, with paths that begin in the list or in the role", async () => {
      id = await create();
      const path = `${V3}/${id}/Users`;
      expect((await ask("PATCH", path, patch({ op: "add", value: [{ value: kim }, { value: lee }] }))).status).toBe(
        200,
      );
      expect(idsOf((await role()).users)).toEqual([kim, lee].sort());
      await ask("PATCH", path, patch({ op: "remove", path: `value eq "${kim}"` }));
      expect(idsOf((await role()).users)).toEqual([lee]);
      await ask(
        "PATCH",
        path,
        patch({ op: "remove", path: `users[value eq "${lee}"]` }, { op: "add", value: [{ value: kim }] }),
      );
      expect(idsOf((await role()).users)).toEqual([kim]);
      await ask("PATCH", path, patch({ op: "replace", value: [{ value: lee }] }));
      expect(idsOf((await role()).users)).toEqual([lee]);
      await ask("PATCH", `${V3}/${id}/Groups`, patch({ op: "add", value: [{ value: staff }] }));
      expect(idsOf((await role()).groups)).toEqual([staff]);
      const other = await ask("PATCH", path, patch({ op: "replace", path: "displayName", value: "x" }));
      expect(other.status).toBe(400);
    });
  });

  describe("replaceRoleV3", () => {
    test("replaces and changes name and permissions; users and groups stay", async () => {
      id = await create();
      await ask("PUT", `${V3}/${id}/Users`, [{ value: kim }]);
      const put = await ask("PUT", `${V3}/${id}`, { displayName: `put ${id}`, permissions: [] });
      expect([put.status, put.body.permissions]).toEqual([200, []]);
      const permissions = { op: "replace", path: "permissions", value: [{ value: "internal_group_mgt_view" }] };
      const patched = await ask(
        "PATCH",
        `${V3}/${id}`,
        patch(permissions, { op: "replace", path: "displayName", value: `patched ${id}` }),
      );
      expect(patched.status).toBe(200);
      expect(await role()).toMatchObject({ displayName: `patched ${id}`, users: [{ value: kim }] });
      for (const body of [
        patch({ op: "remove", path: "users" }),
        patch({ op: "add", value: { groups: [{ value: staff }] } }),
      ]) {
        expect((await ask("PATCH", `${V3}/${id}`, body)).status).toBe(400);
      }
      expect((await ask("PUT", `${V3}/${id}`, { displayName: "x", users: [{ value: kim }] })).status).toBe(400);
    });
  });

  test("is conditional, and knows no other role", async () => {
    id = await create();
    const stale = await scim.ask("PUT", `${V3}/${id}/Users`, { body: [], headers: { "if-match": 'W/"other"' } });
    expect(stale.status).toBe(412);
    for (const path of ["", "/Users", "/Groups"]) {
      const body = path === "" ? { displayName: "x" } : [];
      expect((await ask("PUT", `${V3}/${UNKNOWN_ID}${path}`, body)).status).toBe(404);
    }
    const unknown = await ask("PUT", `${V3}/${id}/Users`, [{ value: UNKNOWN_ID }]);
    expect([unknown.status, (await role()).users]).toEqual([400, undefined]);
    expect((await ask("PUT", `${V3}/${id}/Users`, { value: kim })).status).toBe(400);
    await ask("PUT", `${V3}/${id}/Users`, [{ value: kim }]);
    for (const wrong of [{ id: kim }, {}, { value: null }, { value: "" }, null]) {
      expect((await ask("PUT", `${V3}/${id}/Users`, [wrong])).status).toBe(400);
    }
    expect(idsOf((await role()).users)).toEqual([kim]);
  });

  test("each right allows its part alone", async () => {
    id = await create();
    const calls: readonly (readonly [string, string, unknown, string])[] = [
      ["POST", V3, { displayName: `by right ${id}` }, "maker"],
      [
        "PUT",
        `${V3}/${id}`,
        { displayName: `renamed ${id}`, permissions: [{ value: "internal_user_mgt_view" }] },
        "editor",
      ],
      ["PATCH", `${V3}/${id}`, patch({ op: "remove", path: "permissions" }), "editor"],
      ["PUT", `${V3}/${id}/Users`, [{ value: kim }], "hirer"],
      ["PATCH", `${V3}/${id}/Users`, patch({ op: "add", value: [{ value: lee }] }), "hirer"],
      ["PUT", `${V3}/${id}/Groups`, [{ value: staff }], "grouper"],
      ["PATCH", `${V3}/${id}/Groups`, patch({ op: "add", value: [{ value: staff }] }), "grouper"],
    ];
    for (const [method, path, body, right] of calls) {
      for (const name of ["maker", "editor", "hirer", "grouper", "viewer"]) {
        if (name !== right)
          expect([path, name, (await ask(method, path, body, by(name))).status]).toEqual([path, name, 403]);
      }
      const answer = await ask(method, path, body, by(right));
      expect([path, answer.status < 300], answer.text).toEqual([path, true]);
    }
  });

  test("grants no scope that the caller lacks", async () => {
    id = await create();
    const permissions = [{ value: "internal_role_mgt_delete" }];
    for (const [method, path, body, name] of [
      ["POST", V3, { displayName: `more ${id}`, permissions }, "maker"],
      ["PUT", `${V3}/${id}`, { displayName: `more ${id}`, permissions }, "editor"],
      ["PATCH", `${V3}/${id}`, patch({ op: "replace", path: "permissions", value: permissions }), "editor"],
    ] as const) {
      expect([method, (await ask(method, path, body, by(name))).status]).toEqual([method, 403]);
    }
    const admin = (await scim.find('displayName eq "admin"', "/v2/Roles")).Resources[0].id;
    expect((await ask("PUT", `${V3}/${admin}/Users`, [{ value: kim }], by("hirer"))).status).toBe(403);
  });
});

describe("getRoleV3", () => {
  test("shows what v2 shows", async () => {
    id = await create();
    expect(await scim.read(`${V3}/${id}`)).toEqual(await role());
    expect((await scim.get(`${V3}/${UNKNOWN_ID}`)).status).toBe(404);
  });
});

describe("searchRolesV3", () => {
  test("finds what v2 finds", async () => {
    const body = { schemas: [URN.search], filter: 'displayName eq "admin"' };
    const { body: found } = await ask("POST", `${V3}/.search`, body);
    expect(found).toEqual((await ask("POST", "/v2/Roles/.search", body)).body);
  });
});

describe("patchRoleV3", () => {
  test("changes a name, and nothing else", async () => {
    id = await create();
    await ask("PUT", `${V3}/${id}/Users`, [{ value: kim }]);
    const before = await role();
    const answer = await ask("PATCH", `${V3}/${id}`, patch({ op: "replace", value: { displayName: `only ${id}` } }));
    expect([answer.status, answer.body.users]).toEqual([200, undefined]);
    expect(await role()).toMatchObject({ ...before, displayName: `only ${id}`, meta: expect.any(Object) });
  });
});

describe("deleteRoleV3", () => {
  test("removes a role, and no built-in one", async () => {
    id = await create();
    expect((await ask("DELETE", `${V3}/${id}`)).status).toBe(204);
    expect((await ask("DELETE", `${V3}/${id}`)).status).toBe(404);
    const { id: admin } = (await scim.find('displayName eq "admin"', "/Roles")).Resources[0];
    expect((await ask("DELETE", `${V3}/${admin}`)).status).toBe(403);
  });
});

describe("replaceRoleGroups", () => {
  test("replaces the groups, and leaves the users", async () => {
    id = await create();
    await ask("PUT", `${V3}/${id}/Users`, [{ value: kim }]);
    await ask("PUT", `${V3}/${id}/Groups`, [{ value: staff }]);
    expect([idsOf((await role()).users), idsOf((await role()).groups)]).toEqual([[kim], [staff]]);
    expect((await ask("PUT", `${V3}/${id}/Groups`, [])).body).not.toHaveProperty("groups");
    expect([idsOf((await role()).users), (await role()).groups]).toEqual([[kim], undefined]);
  });
});

describe("patchRoleGroups", () => {
  test("takes out a group by a filter", async () => {
    id = await create();
    await ask("PUT", `${V3}/${id}/Groups`, [{ value: staff }]);
    const path = `${V3}/${id}/Groups`;
    const unknown = await ask("PATCH", path, patch({ op: "remove", path: "display eq" }));
    expect(unknown.status).toBe(400);
    expect((await ask("PATCH", path, patch({ op: "remove", path: `value eq "${staff}"` }))).status).toBe(200);
    expect((await role()).groups).toBeUndefined();
  });
});

describe("v1", () => {
  describe("listRolesV1", () => {
    test("lists roles by id and name", async () => {
      id = await create();
      const { displayName } = await role();
      const { Resources, totalResults } = await scim.find(`displayName eq "${displayName}"`, "/Roles");
      expect(totalResults).toBe(1);
      expect(Resources).toEqual([
        {
          schemas: expect.any(Array),
          id,
          displayName,
          meta: { location: expect.stringMatching(`/scim2/Roles/${id}$`) },
        },
      ]);
    });
  });
  describe("getRoleV1", () => {
    test("shows a role with its permissions as texts, also none, and without an audience", async () => {
      id = await create();
      await ask("PUT", `${V3}/${id}/Users`, [{ value: kim }]);
      const shown = await scim.read(`/Roles/${id}`);
      expect(shown.permissions).toEqual(["internal_user_mgt_view"]);
      expect(idsOf(shown.users)).toEqual([kim]);
      expect(shown).not.toHaveProperty("audience");
      expect(shown.meta.location).toBe(`${api.url}/scim2/Roles/${id}`);
      expect((await ask("GET", `/Roles/${id}`)).headers.get("location")).toBe(shown.meta.location);
      await ask("PUT", `${V3}/${id}`, { displayName: `bare ${id}`, permissions: [] });
      expect((await scim.read(`/Roles/${id}`)).permissions).toEqual([]);
      const brief = await scim.read(`/Roles/${id}?excludedAttributes=meta,users,groups,associatedApplications`);
      expect(Object.keys(brief).sort()).toEqual(["displayName", "id", "permissions", "schemas"]);
    });
  });
  test("shows all scopes of the administrator's role, which can be sent back as it is shown", async () => {
    const { id: admin } = (await scim.find('displayName eq "admin"', "/Roles")).Resources[0];
    const { permissions } = await scim.read(`/Roles/${admin}`);
    expect(permissions).toEqual([...systemScopes].sort());
    const shown = await scim.read(`/v2/Roles/${admin}`);
    expect(shown.permissions.map(({ value }: Shown) => value)).toEqual(permissions);
    expect((await ask("PUT", `/v2/Roles/${admin}`, shown)).status).toBe(200);
    const fewer = await ask("PUT", `/v2/Roles/${admin}`, { ...shown, permissions: shown.permissions.slice(1) });
    expect(fewer.status).toBe(403);
    expect((await scim.read(`/v2/Roles/${admin}`)).permissions).toHaveLength(systemScopes.size);
  });
  test("knows no other role, and changes none", async () => {
    expect((await scim.get(`/Roles/${UNKNOWN_ID}`)).status).toBe(404);
    expect((await ask("POST", "/Roles", { displayName: "x" })).status).toBe(405);
  });
});
