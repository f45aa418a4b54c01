/**
 * Tokens end with the membership that gave their scopes: the last mark that ends them is written with the change or
 * after it. A mark that is written only before it would leave tokens that are issued in between.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Key, Step, Table } from "#core/database/table/table.ts";
import { groupMembers } from "#core/directory/memberships/membership.ts";
import { postRole } from "#core/directory/scim-api/v2/roles.ts";
import { revocationStore, subjects } from "#core/tokens/revocation-store.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { callOn } from "./killed.support.ts";
import { type Directory, directory, foundDirectory } from "./support.ts";

const TENANT = "ending";

let made: TestTable;
let calm: Directory;
let users: readonly string[];
beforeAll(async () => {
  made = await testTable();
  ({ calm } = await foundDirectory(made, TENANT, 1));
  users = await Promise.all(Array.from({ length: 100 }, (_, at) => calm.addUser(`u.${at}`)));
}, 60_000);

const plain = () => made.open(newMeter());

/** A table that records its writes in their order. `before` runs before the first write. */
const recording = (before: () => Promise<unknown> = async () => undefined) => {
  const writes: (readonly Step[])[] = [];
  let isFirst = true;
  const open = (): Table => {
    const table = plain();
    return {
      ...table,
      async write(...steps) {
        if (isFirst) {
          isFirst = false;
          await before();
        }
        await table.write(...steps);
        writes.push(steps);
      },
    };
  };
  return { writes, directory: directory(open, TENANT) };
};

let groups = 0;
/** A group with these members that has a role. */
const groupWithRole = async (members: readonly string[], roles = 1) => {
  groups += 1;
  const id = await calm.addGroup(`Group ${groups}`, members);
  const roleIds: string[] = [];
  for (let at = 0; at < roles; at += 1) roleIds.push(await roleOf(id, `Role ${groups} ${at}`));
  return { id, roleIds };
};
const roleOf = async (groupId: string, displayName: string): Promise<string> => {
  const { body } = await postRole(callOn(plain(), TENANT), { displayName, groups: [{ value: groupId }] }, {});
  return String(body?.id);
};

const isAt = (step: Step, kind: "put" | "remove", { PK, SK }: Key): boolean => {
  const key = kind === "put" ? "put" in step && step.put : "remove" in step && step.remove;
  return key !== false && key.PK === PK && key.SK === SK;
};
/** The last write with such a step; -1 where there is none. */
const lastOf = (writes: readonly (readonly Step[])[], kind: "put" | "remove", key: Key): number =>
  writes.findLastIndex((steps) => steps.some((step) => isAt(step, kind, key)));
const markOf = (writes: readonly (readonly Step[])[], subject: string): number =>
  lastOf(writes, "put", keys.revocation(TENANT, subject));

const pairOf = (groupId: string, userId: string): Key => groupMembers.pairKey({ tenant: TENANT, id: groupId }, userId);

describe("members who leave a group with a role", () => {
  test("a few: in one transaction with the marks of the users", async () => {
    const leaving = users.slice(0, 3);
    const { id } = await groupWithRole(users.slice(0, 5));
    const { writes, directory: recorded } = recording();
    await recorded.part(id, ...leaving);
    expect(writes).toHaveLength(1);
    for (const userId of leaving) {
      expect([lastOf(writes, "remove", pairOf(id, userId)), markOf(writes, subjects.user(userId))]).toEqual([0, 0]);
    }
    expect(markOf(writes, subjects.user(users[4] ?? ""))).toBe(-1);
  });
  test.each([
    ["45, for whose marks the transaction has no room", 45, "users"],
    ["100, a bulk", 100, "roles"],
  ] as const)("%s: their last marks are written in the change or after it", async (_, count, marked) => {
    const leaving = users.slice(0, count);
    const { id, roleIds } = await groupWithRole(leaving);
    const { writes, directory: recorded } = recording();
    await recorded.part(id, ...leaving);
    expect(await calm.membersOf(id)).toEqual([]);
    for (const userId of leaving) {
      const removed = lastOf(writes, "remove", pairOf(id, userId));
      expect(removed).toBeGreaterThanOrEqual(0);
      const ends = marked === "users" ? [subjects.user(userId)] : roleIds.map(subjects.role);
      for (const subject of ends) expect(markOf(writes, subject)).toBeGreaterThanOrEqual(removed);
    }
  });
  test("of a group that gets a role while they leave: the change is tried again, with the marks", async () => {
    const [leaving = ""] = users;
    const id = await calm.addGroup("Late", users.slice(0, 2));
    const { writes, directory: recorded } = recording(() => roleOf(id, "Late role"));
    await recorded.part(id, leaving);
    expect(writes).toHaveLength(1);
    expect(lastOf(writes, "remove", pairOf(id, leaving))).toBe(0);
    expect(markOf(writes, subjects.user(leaving))).toBe(0);
    const [mark = 0] = await revocationStore(plain()).validFrom(TENANT, [subjects.user(leaving)]);
    expect(mark).toBeGreaterThan(0);
  });
  test("of a group without roles: no mark, because no token has scopes of it", async () => {
    const id = await calm.addGroup("Plain", users.slice(0, 2));
    const { writes, directory: recorded } = recording();
    await recorded.part(id, ...users.slice(0, 2));
    for (const userId of users.slice(0, 2)) expect(markOf(writes, subjects.user(userId))).toBe(-1);
  });
});

describe("the deletion of a group with roles", () => {
  test.each([
    ["small", 3, 1, 1],
    ["small, with more roles than the transaction has room to mark", 3, 40, undefined],
    ["of 44 members, which leave it no room for the marks", 44, 4, undefined],
    ["large", 100, 2, undefined],
  ] as const)("%s: the last mark of each role is in the deletion or after it", async (_, members, roles, most) => {
    const { id, roleIds } = await groupWithRole(users.slice(0, members), roles);
    const { writes, directory: recorded } = recording();
    await recorded.removeGroup(id);
    const removed = lastOf(writes, "remove", keys.group(TENANT, id));
    expect(removed).toBeGreaterThanOrEqual(0);
    for (const roleId of roleIds) expect(markOf(writes, subjects.role(roleId))).toBeGreaterThanOrEqual(removed);
    if (most !== undefined) expect(writes).toHaveLength(most);
  });
});
