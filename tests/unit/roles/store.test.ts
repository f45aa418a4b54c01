/** Roles as they are kept, where somebody else is faster: holders are deleted while they gain a role, and roles while they gain holders. */
import { beforeAll, describe, expect, test } from "vitest";
import { groupItem } from "#core/identities/groups/items.ts";
import type { Group } from "#core/identities/groups/model.ts";
import type { Holder } from "#core/identities/memberships/assignees.ts";
import { freshRole } from "#core/identities/roles/model.ts";
import { type RoleStore, roleStore } from "#core/identities/roles/store.ts";
import { freshUser } from "#core/identities/users/model.ts";
import { userItem } from "#core/identities/users/store.ts";
import { newId } from "#core/platform/ids.ts";
import { keys } from "#core/table/keys.ts";
import { newMeter } from "#core/table/meter.ts";
import type { Table } from "#core/table/table.ts";
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
const user = async (): Promise<Holder> => {
  const id = newId();
  await put(freshUser(id, `user ${id}`, NOW));
  return { kind: "user", id };
};
const group = async (): Promise<Holder> => {
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
const users = (count: number): Promise<Holder[]> => Promise.all(Array.from({ length: count }, user));
const deleted = (): Holder => ({ kind: "user", id: newId() });
const idsOf = (holders: readonly Holder[]) => holders.map(({ id }) => id).sort();
const held = async (id: string) =>
  [...(await roles.holders(TENANT, id, "user", 500)), ...(await roles.holders(TENANT, id, "group", 500))].sort();
const fresh = () => freshRole(newId(), `role ${newId()}`, TENANT, NOW);
const updating = (id: string, gaining: readonly Holder[], losing: readonly Holder[] = []) =>
  roles.update(TENANT, id, NOW, async (before) => ({ after: before, gaining, losing }));

describe("a new role", () => {
  test("leaves out who is deleted while it is made", async () => {
    const [role, there] = [fresh(), [await user(), await group()]];
    await roles.add(TENANT, role, [...there, deleted(), { kind: "group", id: newId() }]);
    expect(await held(role.id)).toEqual(idsOf(there));
  });
  test("also of more than one transaction, and is answered as it is then", async () => {
    const [role, there] = [fresh(), await users(58)];
    const added = await roles.add(TENANT, role, [...there.slice(0, 50), deleted(), ...there.slice(50), deleted()]);
    expect(await held(role.id)).toEqual(idsOf(there));
    expect(added).toEqual(await roles.find(TENANT, role.id));
  });
  test("is not made of a name that is in use, whatever becomes of its holders", async () => {
    const role = fresh();
    await roles.add(TENANT, role, []);
    expect(await faultOf(roles.add(TENANT, { ...role, id: newId() }, [deleted()]))).toBe("scim.unique");
  });
});

describe("a change of many holders", () => {
  test("leaves out who is deleted behind the first transaction", async () => {
    const role = fresh();
    const [before, after] = [await users(20), await users(70)];
    await roles.add(TENANT, role, before);
    const gaining = [...after.slice(0, 60), deleted(), ...after.slice(60)];
    const answered = await updating(role.id, gaining, before);
    expect(await held(role.id)).toEqual(idsOf(after));
    expect(answered).toEqual(await roles.find(TENANT, role.id));
  });
  test("and who lost the role already", async () => {
    const role = fresh();
    const before = await users(60);
    await roles.add(TENANT, role, before);
    const gone = before[50] ?? deleted();
    const losing = async (): Promise<readonly Holder[]> => {
      await table.write(
        { remove: keys.roleUser(TENANT, role.id, gone.id), when: "present", otherwise: () => new Error() },
        { remove: keys.user(TENANT, gone.id), when: "present", otherwise: () => new Error() },
        ...revokingRole(TENANT, role.id),
      );
      return before;
    };
    await roles.update(TENANT, role.id, NOW, async (now) => ({ after: now, gaining: [], losing: await losing() }));
    expect(await held(role.id)).toEqual([]);
  });
  test("ends where the role is deleted meanwhile", async () => {
    const role = fresh();
    const there = await users(50);
    await roles.add(TENANT, role, []);
    const racing: Table = {
      ...table,
      async write(...steps) {
        await table.write(...steps);
        await roles.remove(TENANT, role.id, () => undefined).catch(() => undefined);
      },
    };
    const change = roleStore(racing).update(TENANT, role.id, NOW, async (before) => ({
      after: before,
      gaining: there,
      losing: [],
    }));
    expect(await faultOf(change)).toBe("scim.not_found");
  });
});
