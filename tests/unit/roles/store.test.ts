/** The store of roles with concurrent deletions: of assignees that get a role, and of roles that get assignees. */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import type { Group } from "#core/directory/groups/model.ts";
import { groupItem } from "#core/directory/groups/rows.ts";
import type { Assignee } from "#core/directory/memberships/assignees.ts";
import { freshRole } from "#core/directory/roles/model.ts";
import { type RoleStore, roleStore } from "#core/directory/roles/store.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userItem } from "#core/directory/users/store.ts";
import { newId } from "#core/kernel/ids.ts";
import { revokingRole } from "#core/tokens/revocation-store.ts";
import { testTable } from "#tests/support/engine.ts";
import { faultOf } from "#tests/unit/identities/support.ts";

const TENANT = "roles.example";
const NOW = 1_700_000_000_000;
let table: Table;
let roles: RoleStore;
beforeAll(async () => {
  table = (await testTable()).open(newMeter());
  roles = roleStore(table);
  await table.write({ put: { ...keys.shownNames(TENANT), v: 1 }, when: "any", otherwise: () => new Error() });
});

const put = (item: Parameters<typeof userItem>[1] | Group) =>
  table.write({
    put: "displayName" in item ? groupItem(TENANT, item) : userItem(TENANT, item),
    when: "absent",
    otherwise: () => new Error("there already"),
  });
const user = async (): Promise<Assignee> => {
  const id = newId();
  await put(freshUser(id, `user ${id}`, NOW));
  return { kind: "user", id };
};
const group = async (): Promise<Assignee> => {
  const id = newId();
  const displayName = `group ${id}`;
  await put({
    id,
    displayName,
    userStore: "PRIMARY",
    createdMs: NOW,
    modifiedMs: NOW,
    version: 1,
    memberCount: 0,
    memberSum: 0,
    roleIds: [],
  });
  return { kind: "group", id };
};
const users = (count: number): Promise<Assignee[]> => Promise.all(Array.from({ length: count }, user));
const deleted = (): Assignee => ({ kind: "user", id: newId() });
const idsOf = (assignees: readonly Assignee[]) => assignees.map(({ id }) => id).sort();
const held = async (id: string) =>
  [
    ...(await roles.assigneeIds(TENANT, id, "user", 500)),
    ...(await roles.assigneeIds(TENANT, id, "group", 500)),
  ].sort();
const fresh = () => freshRole(newId(), `role ${newId()}`, TENANT, NOW);
const updating = (id: string, adding: readonly Assignee[], removing: readonly Assignee[] = []) =>
  roles.update(TENANT, id, NOW, async (before) => ({ after: before, adding, removing }));

describe("a new role", () => {
  test("leaves out assignees that are deleted while it is created", async () => {
    const [role, there] = [fresh(), [await user(), await group()]];
    await roles.add(TENANT, role, [...there, deleted(), { kind: "group", id: newId() }]);
    expect(await held(role.id)).toEqual(idsOf(there));
  });
  test("leaves them out of several transactions too, and is returned in its new state", async () => {
    const [role, there] = [fresh(), await users(58)];
    const added = await roles.add(TENANT, role, [...there.slice(0, 50), deleted(), ...there.slice(50), deleted()]);
    expect(await held(role.id)).toEqual(idsOf(there));
    expect(added).toEqual(await roles.find(TENANT, role.id));
  });
  test("is not created under a name that is in use", async () => {
    const role = fresh();
    await roles.add(TENANT, role, []);
    expect(await faultOf(roles.add(TENANT, { ...role, id: newId() }, [deleted()]))).toBe("scim.unique");
  });
});

describe("a change of many assignees", () => {
  test("leaves out assignees that are deleted after the first transaction", async () => {
    const role = fresh();
    const [before, after] = [await users(20), await users(70)];
    await roles.add(TENANT, role, before);
    const adding = [...after.slice(0, 60), deleted(), ...after.slice(60)];
    const answered = await updating(role.id, adding, before);
    expect(await held(role.id)).toEqual(idsOf(after));
    expect(answered).toEqual(await roles.find(TENANT, role.id));
  });
  test("leaves out assignees that do not have the role any more", async () => {
    const role = fresh();
    const before = await users(60);
    await roles.add(TENANT, role, before);
    const gone = before[50] ?? deleted();
    const removing = async (): Promise<readonly Assignee[]> => {
      await table.write(
        { remove: keys.roleUser(TENANT, role.id, gone.id), when: "present", otherwise: () => new Error() },
        { remove: keys.user(TENANT, gone.id), when: "present", otherwise: () => new Error() },
        ...revokingRole(TENANT, role.id),
      );
      return before;
    };
    await roles.update(TENANT, role.id, NOW, async (now) => ({ after: now, adding: [], removing: await removing() }));
    expect(await held(role.id)).toEqual([]);
  });
  test.each([
    ["before it is written ends with 404", "before", "scim.not_found"],
    ["after it is written comes after the change", "after", undefined],
  ] as const)("of a role that is deleted %s", async (_, when, fault) => {
    const role = fresh();
    const there = await users(50);
    await roles.add(TENANT, role, []);
    const removing = () => roles.remove(TENANT, role.id, () => undefined).catch(() => undefined);
    const racing: Table = {
      ...table,
      async write(...steps) {
        if (when === "before") await removing();
        await table.write(...steps);
        if (when === "after") await removing();
      },
    };
    const change = roleStore(racing).update(TENANT, role.id, NOW, async (before) => ({
      after: before,
      adding: there,
      removing: [],
    }));
    expect(await faultOf(change)).toBe(fault);
    expect(await held(role.id)).toEqual([]);
    const items = await table.getMany(there.map(({ id }) => keys.user(TENANT, id)));
    expect(items.filter((item) => item?.roles !== undefined)).toEqual([]);
  });
});

test.each([
  [0, 0],
  [3, 2],
  [4, 4],
  [5, 9],
  [9, 1],
  [1, 9],
])("reads up to five users and five groups of a role with %i users and %i groups", async (users, groups) => {
  const role = fresh();
  const held = await Promise.all([
    ...Array.from({ length: users }, () => user()),
    ...Array.from({ length: groups }, () => group()),
  ]);
  await roles.add(TENANT, role, held);
  const firstOf = (kind: Assignee["kind"]) => idsOf(held.filter((one) => one.kind === kind)).slice(0, 5);
  expect(await roles.assignees(TENANT, role.id, 5)).toEqual({ user: firstOf("user"), group: firstOf("group") });
});
