/** What a restore leaves when it ends halfway, how histories go on, and deployments that delete at once. */
import { expect, test } from "vitest";
import type { Table } from "#core/database/table/table.ts";
import { asideStore } from "#core/database/trash/aside-store.ts";
import { groupAside, restoreGroup } from "#core/directory/restoring/group-restoring-store.ts";
import { restoreUser, userAside } from "#core/directory/restoring/user-restoring-store.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { recordsIn } from "#tests/support/changes.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { recoveryOf } from "#tests/support/recovery.ts";
import { fresh, scimOf } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const scim = scimOf(api, "wso2");
const { remove, restore, restored, list } = recoveryOf(api);
const password = "Right-pass-1";
const ROLES = "/scim2/v2/Roles";

const read = async (path: string) => {
  const answer = await api.ask("GET", path);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const role = async (body: object) =>
  (await api.ask("POST", ROLES, { body: { displayName: fresh("role"), ...body } })).body;
const valuesOf = (elements: readonly { value: string }[] = []) => elements.map(({ value }) => value).sort();

/** A table that fails after some writes, as a process that ends. */
const endingAfter = (table: Table, writes: number): Table => {
  let left = writes;
  return {
    ...table,
    async write(...steps) {
      if (left === 0) throw new Error("the process has ended");
      left -= 1;
      await table.write(...steps);
    },
  };
};
const asideOf = async (id: string) => {
  const aside = await asideStore(tableOf(api.service)).find(TENANT, id, systemClock.now());
  if (!aside) throw new Error(`${id} is not put aside`);
  return aside;
};
const gone = () => new Error("restored already");

test("a user of many groups, whose restore ends after its first transaction, has all of them after a repeat", async () => {
  const user = await scim.user({ password });
  const groups: string[] = [];
  for (let at = 0; at < 24; at += 1) groups.push((await scim.group({ members: [{ value: user.id }] })).id);
  await remove(`/scim2/Users/${user.id}`);
  const table = tableOf(api.service);
  const aside = await asideOf(user.id);
  const again = { tenant: TENANT, aside, name: undefined, nowMs: systemClock.now(), absent: gone };
  const half = restoreUser(endingAfter(table, 1), {
    ...again,
    user: await userAside(table, TENANT, aside),
    declared: undefined,
    allowed: Promise.resolve(),
  });
  await expect(half).rejects.toThrow("the process has ended");
  expect((await read(`/scim2/Users/${user.id}`)).groups).toHaveLength(10);
  expect(await list("?resourceType=user")).toEqual([]);
  expect((await api.ask("GET", `/api/server/v1/deleted-resources/${user.id}`)).status).toBe(404);
  expect((await api.ask("DELETE", `/api/server/v1/deleted-resources/${user.id}`)).status).toBe(404);
  expect((await restore(user.id, { body: { name: "another" } })).status).toBe(404);
  await restored(user.id);
  expect(valuesOf((await read(`/scim2/Users/${user.id}`)).groups)).toEqual([...groups].sort());
  expect(valuesOf((await read(`/scim2/Groups/${groups[20]}`)).members)).toEqual([user.id]);
  expect((await restore(user.id)).status).toBe(404);
});

test("a group of many roles and members, whose restore ends halfway, has all of them after a repeat", async () => {
  const users: string[] = [];
  for (let at = 0; at < 60; at += 1) users.push((await scim.user({ password })).id);
  const group = await scim.group({ members: users.map((value) => ({ value })) });
  const roles: string[] = [];
  for (let at = 0; at < 7; at += 1) roles.push((await role({ groups: [{ value: group.id }] })).id);
  await remove(`/scim2/Groups/${group.id}`);
  const table = tableOf(api.service);
  const aside = await asideOf(group.id);
  const again = { tenant: TENANT, aside, name: undefined, nowMs: systemClock.now(), absent: gone };
  const half = restoreGroup(endingAfter(table, 3), { ...again, group: await groupAside(table, TENANT, aside) });
  await expect(half).rejects.toThrow("the process has ended");
  const answer = await restore(group.id);
  expect(answer.status, answer.text).toBe(200);
  expect(valuesOf((await read(`/scim2/Groups/${group.id}`)).members)).toEqual([...users].sort());
  for (const id of roles) expect(valuesOf((await read(`${ROLES}/${id}`)).groups)).toEqual([group.id]);
});

test("the history goes on over deletion and restore, and a version from before can be restored", async () => {
  const user = await scim.user({ password, name: { familyName: "Before" } });
  const path = `/scim2/Users/${user.id}`;
  await api.ask("PATCH", path, { body: { Operations: [{ op: "replace", path: "name.familyName", value: "After" }] } });
  await remove(path);
  await restored(user.id);
  const { records } = await read(`${path}/history`);
  expect(records.map(({ operation }: { operation: string }) => operation)).toEqual([
    "restoreDeletedResource",
    "deleteUser",
    "patchUser",
    "createUser",
  ]);
  expect((await api.ask("POST", `${path}/history/${records[3].version}/restore`)).status).toBe(200);
  expect((await read(path)).name.familyName).toBe("Before");
  const own = (await recordsIn(api)).filter(({ resource }) => resource.id === user.id);
  expect(own).toHaveLength(5);
});

test("a rehearsed restore changes nothing", async () => {
  const user = await scim.user({ password });
  await remove(`/scim2/Users/${user.id}`);
  const answer = await api.ask("POST", `/api/server/v1/deleted-resources/${user.id}/restore?dryRun=true`);
  expect(answer.status, answer.text).toBe(200);
  expect((await api.ask("GET", `/scim2/Users/${user.id}`)).status).toBe(404);
  await restored(user.id);
});
