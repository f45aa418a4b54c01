/**
 * Changes that need several transactions: groups of many members, users in many groups, and interruptions in between.
 */
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { stale } from "#core/database/table/stale.ts";
import type { Table } from "#core/database/table/table.ts";
import { roleAssignees } from "#core/directory/memberships/assignees.ts";
import { addingMember } from "#core/directory/memberships/relation.ts";
import { settleGroups } from "#core/directory/provisioning/open-bulks.ts";
import { deleteUser } from "#core/directory/provisioning/users.ts";
import { freshRole } from "#core/directory/roles/model.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { userStore } from "#core/directory/users/store.ts";
import { Fault } from "#core/kernel/faults.ts";
import { newId } from "#core/kernel/ids.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { CALM, type HostileDatabase } from "#tests/support/hostile-database.ts";
import { discrepancies } from "./audit.ts";
import { type Directory, faultOf, foundDirectory } from "./support.ts";

const TENANT = "large";
const MANY = 100;

let made: TestTable;
let table: Table;
let calm: Directory;
let hostile: Directory;
let database: HostileDatabase;
beforeAll(async () => {
  made = await testTable();
  table = made.open(newMeter());
  ({ calm, hostile, database } = await foundDirectory(made, TENANT, 11));
});
afterEach(async () => {
  database.set(CALM);
  expect(await discrepancies(made, TENANT)).toEqual([]);
});

const people = (prefix: string, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => calm.addUser(`${prefix}.${at}`)));
const countOf = async (groupId: string) => (await calm.stores.groups.find(TENANT, groupId))?.memberCount;
const entryOf = (name: string) => calm.stores.groups.names(TENANT, "PRIMARY").find(name);

describe("a group of many members", () => {
  test("is visible with all of its members or not at all", async () => {
    const ids = await people("whole", MANY);
    database.set({ heldMs: 2, conflict: 0.05 });
    let isDone = false;
    const making = hostile.addGroup("Whole", ids, { externalId: "whole" }).finally(() => {
      isDone = true;
    });
    const seen = new Set<number>();
    while (!isDone) {
      const groupId = (await entryOf("whole"))?.id;
      const group = groupId === undefined ? undefined : await calm.stores.groups.find(TENANT, groupId);
      if (!group) continue;
      await settleGroups(calm.stores, TENANT, [group]);
      const shown = await calm.stores.users.findMany(TENANT, ids);
      seen.add(shown.filter((user) => user?.groupIds.length === 1).length);
      expect([await countOf(group.id), (await calm.membersOf(group.id)).length]).toEqual([MANY, MANY]);
    }
    const id = await making;
    expect([...seen].filter((count) => count !== MANY)).toEqual([]);
    expect(await calm.membersOf(id)).toEqual(ids.toSorted());
    expect(await countOf(id)).toBe(MANY);
    expect(await calm.stores.groups.idsByExternalId(TENANT, "whole", 10)).toEqual([id]);
  });

  test("counts the members that are left when some are deleted meanwhile", async () => {
    const ids = await people("leaving", MANY);
    const making = hostile.addGroup("Leaving", ids);
    await Promise.all([making, ...ids.filter((_, at) => at % 20 === 3).map((id) => calm.removeUser(id))]);
    const id = await making;
    expect(await calm.membersOf(id)).toEqual(ids.filter((_, at) => at % 20 !== 3).sort());
  });

  test("leaves no rows when another group claims its name", async () => {
    const ids = await people("rival", 60);
    const ended = await Promise.all([1, 2, 3].map(() => faultOf(hostile.addGroup("Rivals", ids))));
    expect(ended.sort()).toEqual(["scim.unique", "scim.unique", undefined]);
    expect((await calm.stores.users.find(TENANT, ids[0] ?? ""))?.groupIds).toHaveLength(1);
  });

  test("adds and removes many members, and is deleted with all of them", async () => {
    const ids = await people("many", MANY);
    const id = await calm.addGroup("Many", ids.slice(0, 10));
    database.set({ conflict: 0.05, lost: 0.05, heldMs: 1 });
    await hostile.join(id, ...ids);
    expect(await countOf(id)).toBe(MANY);
    await hostile.replaceMembers(id, ids.slice(80));
    expect(await calm.membersOf(id)).toEqual(ids.slice(80).sort());
    await hostile.join(id, ...ids);
    await hostile.removeGroup(id);
    expect(await calm.membersOf(id)).toEqual([]);
    expect(await entryOf("many")).toBeUndefined();
  });

  test("is deleted while many members are added: the change comes first", async () => {
    const ids = await people("late", MANY);
    const id = await calm.addGroup("Late");
    // Long enough for the removal to begin while parts of the bulk are carried out.
    database.set({ heldMs: 300 });
    const joining = faultOf(hostile.join(id, ...ids));
    while ((await countOf(id)) === 0) await calm.stores.groups.find(TENANT, id);
    await calm.removeGroup(id);
    expect(await joining).toBeUndefined();
    expect(await calm.membersOf(id)).toEqual([]);
  });
});

describe("a user in many groups", () => {
  const inMany = async (name: string, count: number) => {
    const userId = await calm.addUser(name, {
      externalId: name,
      emails: Array.from({ length: 15 }, (_, at) => ({ value: `${name}.${at}@example.com` })),
      password: "a-long-password",
    });
    const groupIds = await Promise.all(
      Array.from({ length: count }, (_, at) => calm.addGroup(`${name} ${at}`, [userId])),
    );
    return { userId, groupIds };
  };
  const namesIn = async (groupIds: readonly string[]) => {
    const lists = await Promise.all(groupIds.map((id) => calm.stores.groups.members(TENANT, id, 10)));
    return new Set(lists.flatMap((members) => members.map(({ name }) => name)));
  };

  test("is renamed in all of them while it is removed from some and added to others", async () => {
    const { userId, groupIds } = await inMany("renamed", 50);
    const more = await calm.addGroup("renamed, joined late");
    database.set({ heldMs: 3, conflict: 0.05 });
    await Promise.all([
      hostile.changeUser(userId, { userName: "renamed.now" }),
      ...[42, 45, 48].map((at) => hostile.part(groupIds[at] ?? "", userId)),
      hostile.removeGroup(groupIds[44] ?? ""),
      hostile.join(more, userId),
    ]);
    expect(await namesIn([...groupIds, more])).toEqual(new Set(["renamed.now"]));
  });

  test("has the last name in all groups when it is renamed again before all of them are updated", async () => {
    const { userId, groupIds } = await inMany("again", 45);
    let isAgain = false;
    const interrupted: Table = {
      ...table,
      async write(...steps) {
        // The groups beyond the first are updated in transactions that check the name.
        if (!isAgain && steps.some((step) => "check" in step)) {
          isAgain = true;
          await calm.changeUser(userId, { userName: "again.last" });
        }
        await table.write(...steps);
      },
    };
    await userStore(interrupted).update(TENANT, userId, (before) => ({
      after: { ...before, userName: "again.first" },
    }));
    expect(isAgain).toBe(true);
    expect(await namesIn(groupIds)).toEqual(new Set(["again.last"]));
  });

  test("has one name in all groups after two concurrent renames", async () => {
    const { userId, groupIds } = await inMany("twice", 50);
    database.set({ heldMs: 3 });
    const ended = await Promise.all(
      ["twice.a", "twice.b"].map((userName) => faultOf(hostile.changeUser(userId, { userName }))),
    );
    expect(ended).toEqual([undefined, undefined]);
    const user = await calm.stores.users.find(TENANT, userId);
    expect(await namesIn(groupIds)).toEqual(new Set([user?.userName]));
  });

  test.each([
    [28, 19],
    [40, 25],
    [60, 0],
  ])("%i, and with %i roles, is deleted with all of its rows", async (groups, roles) => {
    const { userId, groupIds } = await inMany(`deleted-${groups}`, groups);
    for (let at = 0; at < roles; at += 1) {
      const role = freshRole(newId(), `role ${at} of many ${groups}`, TENANT, 0);
      await roleStore(table).add(TENANT, role, [{ kind: "user", id: userId }]);
    }
    database.set({ conflict: 0.05, lost: 0.05 });
    await hostile.removeUser(userId);
    expect(await namesIn(groupIds)).toEqual(new Set());
    expect(new Set(await Promise.all(groupIds.map(countOf)))).toEqual(new Set([0]));
  });

  test("is checked again, with all of its groups, when another writer came first", async () => {
    const { userId } = await inMany("checked", 50);
    let [checks, tries] = [0, 0];
    await calm.stores.users.remove(TENANT, userId, 1, {
      check: ({ groupIds }) => {
        checks += 1;
        expect(groupIds).toHaveLength(50);
      },
      steps: () => {
        tries += 1;
        if (tries === 1) throw stale();
        return [{ remove: keys.credential(TENANT, userId), when: "present", otherwise: stale }];
      },
    });
    expect([checks, tries]).toEqual([2, 2]);
  });

  test("is deleted only at the version of the precondition", async () => {
    const { userId, groupIds } = await inMany("versioned", 60);
    const version = (await calm.stores.users.find(TENANT, userId))?.version;
    const onlyAt = (wanted: number | undefined) =>
      deleteUser(calm.stores, { tenant: TENANT, now: 1 }, userId, (user) => {
        if (user.version !== wanted) throw new Fault("request.precondition", "another version");
      });
    expect(await faultOf(onlyAt(1))).toBe("request.precondition");
    expect((await calm.stores.users.find(TENANT, userId))?.groupIds).toEqual(groupIds.toSorted());
    expect(await faultOf(onlyAt(version))).toBeUndefined();
    expect(await calm.stores.users.find(TENANT, userId)).toBeUndefined();
  });
});

test("a group with many roles is deleted with all of its assignments", async () => {
  const groupId = await calm.addGroup("Roles", await people("role", 20));
  const roles = Array.from({ length: 98 }, () => newId());
  for (const id of roles)
    await table.write(...addingMember(roleAssignees, { tenant: TENANT, id }, { kind: "group", id: groupId }));
  await hostile.removeGroup(groupId);
  const assignees = await Promise.all(roles.map((id) => roleStore(table).assigneeIds(TENANT, id, "group", 10)));
  expect(assignees.flat()).toEqual([]);
});
