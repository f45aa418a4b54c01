/** Deleted users in many groups, and deleted groups and roles of many members, have all of them again. */
import { expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import type { Step } from "#core/database/table/table.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { tallyOf } from "#core/directory/memberships/tally.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import { userItem } from "#core/directory/users/store.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { newId } from "#core/kernel/ids.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { recoveryOf } from "#tests/support/recovery.ts";
import { fresh, type Shown, scimOf } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const scim = scimOf(api, "wso2");
const { remove, restore } = recoveryOf(api);
const PASSWORD = "Right-pass-1";
const ROLES = "/scim2/v2/Roles";
/** On a busy machine the work of thousands of members does not fit one request: the next one goes on. */
const restored = async (id: string): Promise<Shown | undefined> => {
  for (let isBegun = false; ; isBegun = true) {
    const answer = await restore(id);
    if (answer.status === 200) return answer.body;
    // It was committed by the request before.
    if (isBegun && answer.status === 404) return undefined;
    expect(answer.status, answer.text).toBe(503);
  }
};
const role = async (body: object) => {
  const answer = await api.ask("POST", ROLES, { body: { displayName: fresh("role"), ...body } });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const valuesOf = (elements: readonly { value: string }[] = []) => elements.map(({ value }) => value).sort();
/** On a busy machine, reading thousands of members may need another attempt. */
const read = async (path: string) => {
  for (;;) {
    const answer = await api.ask("GET", path);
    if (answer.status === 200) return answer.body;
    expect(answer.status, answer.text).toBe(503);
  }
};
test("a user in 200 groups and with 3 roles has all of them", async () => {
  const user = await scim.user({ password: PASSWORD });
  const groups: string[] = [];
  for (let at = 0; at < 200; at += 4) {
    const some = await Promise.all(Array.from({ length: 4 }, () => scim.group({ members: [{ value: user.id }] })));
    groups.push(...some.map(({ id }) => id));
  }
  const roles = await Promise.all(Array.from({ length: 3 }, () => role({ users: [{ value: user.id }] })));
  await remove(`/scim2/Users/${user.id}`);
  const [gone = "", ...left] = groups;
  await remove(`/scim2/Groups/${gone}`);
  expect((await restored(user.id))?.leftOut ?? { groups: 1, roles: 0 }).toMatchObject({ groups: 1, roles: 0 });
  const after = await read(`/scim2/Users/${user.id}`);
  expect(valuesOf(after.groups)).toEqual([...left].sort());
  for (const { id } of roles) expect(valuesOf((await read(`${ROLES}/${id}`)).users)).toEqual([user.id]);
  for (const id of left.slice(0, 3)) {
    expect(valuesOf((await read(`/scim2/Groups/${id}`)).members)).toEqual([user.id]);
  }
  expect((await api.ask("GET", "/scim2/Me", { as: { username: user.userName, password: PASSWORD } })).status).toBe(200);
}, 240_000);

/** Users without entries in the index of names, who are members of a group: members need no more. */
const manyMembers = async (groupId: string, count: number): Promise<User[]> => {
  const table = tableOf(api.service);
  const fail = () => new Error("the test rows exist already");
  const users = Array.from({ length: count }, (_, at) =>
    freshUser(newId(), `many-${at}`, systemClock.now(), { groupIds: [groupId] }),
  );
  for (let at = 0; at < users.length; at += 45) {
    const steps = users.slice(at, at + 45).flatMap((user): Step[] => [
      { put: userItem(TENANT, user), when: "absent", otherwise: fail },
      { put: { ...keys.member(TENANT, groupId, user.id), name: user.userName }, when: "absent", otherwise: fail },
    ]);
    await table.write(...steps);
  }
  const { memberCount: members, memberSum } = tallyOf(users.map(({ id }) => id));
  await table.write({
    change: keys.group(TENANT, groupId),
    add: { members, memberSum },
    when: "present",
    otherwise: fail,
  });
  return users;
};

test("a group with 10,000 members and a role with 200 users have all of them", async () => {
  const group = await scim.group();
  const users = await manyMembers(group.id, 10_000);
  const members = users.map(({ id }) => ({ value: id }));
  const own = await role({ users: members.slice(0, 200), groups: [{ value: group.id }] });

  await remove(`/scim2/Groups/${group.id}`);
  await remove(`${ROLES}/${own.id}`);
  expect((await read(`/scim2/Users/${users[5]?.id}`)).groups).toBeUndefined();
  expect((await restored(own.id))?.leftOut ?? { members: 0 }).toMatchObject({ members: 0 });
  expect(valuesOf((await read(`${ROLES}/${own.id}`)).users)).toEqual(
    users
      .slice(0, 200)
      .map(({ id }) => id)
      .sort(),
  );
  expect((await restored(group.id))?.leftOut ?? { members: 0, roles: 0 }).toMatchObject({ members: 0, roles: 0 });
  expect(valuesOf((await read(`${ROLES}/${own.id}`)).groups)).toEqual([group.id]);
  const found = await groupStore(tableOf(api.service)).find(TENANT, group.id);
  expect(found?.memberCount).toBe(10_000);
  const after = await read(`/scim2/Groups/${group.id}`);
  expect(valuesOf(after.members)).toEqual(users.map(({ id }) => id).sort());
  expect(valuesOf((await read(`/scim2/Users/${users[9_999]?.id}`)).groups)).toEqual([group.id]);
}, 240_000);
