/** The list of deleted resources: pages, types, scopes, tenants, expiry, and removal for good. */
import { describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { allItems } from "#tests/support/protocols.ts";
import { DELETED, recoveryOf } from "#tests/support/recovery.ts";
import { fresh, scimOf, UNKNOWN_ID } from "#tests/support/scim.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const scim = scimOf(api, "wso2");
const { remove, restore, restored, list } = recoveryOf(api);
const PASSWORD = "Right-pass-1";

describe("listDeletedResources", () => {
  test("pages follow each other by their cursors, newest first, over all types", async () => {
    const ids: string[] = [];
    for (let at = 0; at < 7; at += 1) {
      const id = at % 2 === 0 ? (await scim.group()).id : await api.create({ name: fresh("app") });
      await remove(at % 2 === 0 ? `/scim2/Groups/${id}` : `${APPLICATIONS}/${id}`);
      ids.unshift(id);
    }
    const seen: string[] = [];
    for (let query = "?limit=3"; ; ) {
      const { body } = await api.ask("GET", `${DELETED}${query}`);
      seen.push(...body.deletedResources.map(({ id }: { id: string }) => id));
      if (body.next === undefined) break;
      expect(body.deletedResources).toHaveLength(3);
      query = `?limit=3&after=${body.next}`;
    }
    expect(seen).toEqual(ids);
    expect(await list("?resourceType=group&limit=2")).toMatchObject([{ id: ids[0] }, { id: ids[2] }]);
    const { body } = await api.ask("GET", `${DELETED}/${ids[0]}`);
    expect(body).toEqual((await list("?limit=1"))[0]);
    expect(Date.parse(body.expiresAt) - Date.parse(body.deletedAt)).toBeGreaterThan(29 * 86_400_000);
  });
});

describe("getDeletedResource", () => {
  test("what is not a list, a cursor or a deleted resource is refused", async () => {
    for (const query of ["?resourceType=tenant", "?limit=0", "?after=x", "?after=MDA", "?limit=1&limit=2"]) {
      expect((await api.ask("GET", `${DELETED}${query}`)).status, query).toBe(400);
    }
    for (const id of [UNKNOWN_ID, "x#y", "u".repeat(250)]) {
      expect((await api.ask("GET", `${DELETED}/${encodeURIComponent(id)}`)).status).toBe(404);
      expect((await api.ask("DELETE", `${DELETED}/${encodeURIComponent(id)}`)).status).toBe(404);
      expect((await restore(encodeURIComponent(id))).status).toBe(404);
    }
    expect((await restore(UNKNOWN_ID, { body: { name: 7 } })).status).toBe(400);
  });
});

describe("removeDeletedResource", () => {
  test("one that is removed for good cannot be restored, and its password is gone", async () => {
    const user = await scim.user({ password: PASSWORD });
    const group = await scim.group({ members: [{ value: user.id }] });
    await remove(`/scim2/Users/${user.id}`);
    await remove(`/scim2/Groups/${group.id}`);
    for (const { id } of [user, group]) {
      expect((await api.ask("DELETE", `${DELETED}/${id}`)).status).toBe(204);
      expect((await api.ask("DELETE", `${DELETED}/${id}`)).status).toBe(404);
      expect((await restore(id)).status).toBe(404);
    }
    const items = await allItems(api.service);
    // Records and what is left of the history stay: they are about what happened.
    const left = items.filter(
      ({ PK, SK }) => `${PK} ${SK}`.includes(user.id) && !/#(GONE|LOG|LOGP|REV|REVS)#?/.test(PK),
    );
    expect(left).toEqual([]);
    expect(items.filter(({ PK }) => PK.includes(`#ASIDE#user#${user.id}`))).toEqual([]);
  });
});

test("one whose time is over is not shown and not restored", async () => {
  const user = await scim.user({ password: PASSWORD });
  await remove(`/scim2/Users/${user.id}`);
  const table = tableOf(api.service);
  const rows = (await allItems(api.service)).filter(
    ({ PK, id }) => PK.includes("#ASIDE") && (PK.includes(user.id) || id === user.id),
  );
  expect(rows).toHaveLength(2);
  for (const put of rows) {
    await table.write({ put: { ...put, expiresAtSeconds: 1 }, when: "any", otherwise: () => new Error("failed") });
  }
  expect(await list("?resourceType=user")).not.toContainEqual(expect.objectContaining({ id: user.id }));
  expect((await api.ask("GET", `${DELETED}/${user.id}`)).status).toBe(404);
  expect((await restore(user.id)).status).toBe(404);
});

test("a caller sees, restores and removes what it could view, create and delete", async () => {
  const as = (name: string) => ({ username: name, password: PASSWORD });
  await addUser(api.service, { ...as("viewer"), scopes: ["internal_group_mgt_view"] });
  await addUser(api.service, { ...as("maker"), scopes: ["internal_group_mgt_create"] });
  await addUser(api.service, { ...as("ender"), scopes: ["internal_group_mgt_delete"] });
  await addUser(api.service, { ...as("stranger"), scopes: ["internal_login"] });
  const user = await scim.user({ password: PASSWORD });
  const group = await scim.group();
  await remove(`/scim2/Users/${user.id}`);
  await remove(`/scim2/Groups/${group.id}`);
  const status = async (who: string, method: string, path: string) =>
    (await api.ask(method, `${DELETED}${path}`, { as: as(who) })).status;

  const types = (await list("", { as: as("viewer") })).map(({ resourceType }) => resourceType);
  expect(new Set(types)).toEqual(new Set(["group"]));
  expect(await status("viewer", "GET", "?resourceType=user")).toBe(403);
  expect(await status("viewer", "GET", `/${user.id}`)).toBe(403);
  expect(await status("viewer", "GET", `/${group.id}`)).toBe(200);
  for (const who of ["viewer", "maker", "ender", "stranger"]) {
    if (who !== "maker") expect(await status(who, "POST", `/${group.id}/restore`), who).toBe(403);
    if (who !== "ender") expect(await status(who, "DELETE", `/${group.id}`), who).toBe(403);
    if (who !== "viewer") expect(await status(who, "GET", ""), who).toBe(403);
    expect(await status(who, "POST", `/${user.id}/restore`), who).toBe(403);
    expect(await status(who, "DELETE", `/${user.id}`), who).toBe(403);
  }
  expect(await status("maker", "POST", `/${group.id}/restore`)).toBe(200);
  await remove(`/scim2/Groups/${group.id}`);
  expect(await status("ender", "DELETE", `/${group.id}`)).toBe(204);
});

describe("restoreDeletedResource", () => {
  test("restoring gives its caller no privileges: roles and names need the scopes that they give", async () => {
    const as = { username: "limited", password: PASSWORD };
    const scopes = ["user", "group", "role", "application"].map((kind) => `internal_${kind}_mgt_create`);
    await addUser(api.service, { ...as, scopes });
    const user = await scim.user({ password: PASSWORD });
    const role = await api.ask("POST", "/scim2/v2/Roles", {
      body: {
        displayName: fresh("strong"),
        users: [{ value: user.id }],
        permissions: [{ value: "internal_role_mgt_delete" }],
      },
    });
    const group = await scim.group();
    await api.ask("PATCH", `/scim2/v2/Roles/${role.body.id}`, {
      body: { Operations: [{ op: "add", path: "groups", value: [{ value: group.id }] }] },
    });
    await remove(`/scim2/Groups/${group.id}`);
    await remove(`/scim2/Users/${user.id}`);
    expect((await restore(group.id, { as })).status).toBe(403);
    expect((await restore(user.id, { as, body: { name: "mine-now" } })).status).toBe(403);
    // Under its own name too: its roles would come back with it.
    expect((await restore(user.id, { as })).status).toBe(403);
    await restored(user.id);
    await remove(`/scim2/v2/Roles/${role.body.id}`);
    expect((await restore(role.body.id, { as })).status).toBe(403);
    await restored(role.body.id);
  });
});

test("nothing of one tenant is seen or restored by another, by any id", async () => {
  const owner = { username: "boss@gone.example", password: PASSWORD };
  const body = {
    domain: "gone.example",
    owners: [{ username: "boss", password: PASSWORD, email: "b@gone.example", firstname: "B", lastname: "B" }],
  };
  const tenant = await api.ask("POST", "/api/server/v1/tenants", { body });
  expect(tenant.status, tenant.text).toBe(201);
  const group = await scim.group();
  await remove(`/scim2/Groups/${group.id}`);
  expect((await api.ask("GET", DELETED, { as: owner })).body.deletedResources).toEqual([]);
  for (const [method, path] of [
    ["GET", `/${group.id}`],
    ["DELETE", `/${group.id}`],
    ["POST", `/${group.id}/restore`],
  ] as const) {
    expect((await api.ask(method, `${DELETED}${path}`, { as: owner })).status).toBe(404);
    expect((await api.ask(method, `/t/carbon.super${DELETED}${path}`, { as: owner })).status).toBe(401);
  }
  const own = await api.ask("POST", "/scim2/Groups", { as: owner, body: { displayName: "own" } });
  expect((await api.ask("DELETE", `/scim2/Groups/${own.body.id}`, { as: owner })).status).toBe(204);
  expect((await api.ask("GET", DELETED, { as: owner })).body.deletedResources).toMatchObject([{ id: own.body.id }]);
  expect((await restore(own.body.id)).status).toBe(404);
  expect((await api.ask("POST", `${DELETED}/${own.body.id}/restore`, { as: owner })).status).toBe(200);
  await restored(group.id);
});

test("the credential of a deleted user expires after its user, and is in no answer", async () => {
  const user = await scim.user({ password: PASSWORD });
  await remove(`/scim2/Users/${user.id}`);
  const items = await allItems(api.service);
  const { PK } = keys.credential(TENANT, user.id);
  const credential = items.find((item) => item.PK === PK);
  const rows = items.find((item) => item.PK.includes(`#ASIDE#user#${user.id}`));
  expect(Number(credential?.expiresAtSeconds)).toBeGreaterThan(Number(rows?.expiresAtSeconds));
  expect(JSON.stringify(rows)).not.toContain(String(credential?.hash));
  await restored(user.id);
  const again = (await allItems(api.service)).find((item) => item.PK === PK);
  expect(again).toEqual({ ...credential, expiresAtSeconds: undefined });
});
