/** Histories that go on over deletions: versions from before have the members that came back, and undo keeps them. */
import { beforeAll, describe, expect, test } from "vitest";
import { recoveryOf } from "#tests/support/recovery.ts";
import { fresh, type Shown, scimOf } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const scim = scimOf(api, "wso2");
const { remove, restored } = recoveryOf(api);
const ROLES = "/scim2/v2/Roles";
/** More members than the transaction of a deletion removes. */
const MANY = 60;

const sent = async (method: string, path: string, body?: unknown): Promise<Shown> => {
  const answer = await api.ask(method, path, body === undefined ? {} : { body });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer.body;
};
const values = (ids: readonly string[]) => ids.map((value) => ({ value }));
const sorted = (ids: readonly string[]) => [...ids].sort();
const idsIn = (elements: readonly { value: string }[] = []) => sorted(elements.map(({ value }) => value));
const versionOf = async (path: string): Promise<string> => (await sent("GET", `${path}/history`)).records[0].version;
/** A change, and the version that the resource has since. */
const patched = async (path: string, ...Operations: readonly unknown[]): Promise<string> => {
  await sent("PATCH", path, { Operations });
  return versionOf(path);
};
const renamed = (path: string) => patched(path, { op: "replace", path: "displayName", value: fresh("renamed") });
const membersAt = async (path: string, version: string) =>
  idsIn((await sent("GET", `${path}/history/${version}`)).members);
const membersOf = async (path: string) => idsIn((await sent("GET", path)).members);
const undone = (path: string, version: string) => sent("POST", `${path}/history/${version}/restore`);

const newUser = async (): Promise<string> => (await scim.user()).id;
const newGroup = async (members: readonly string[]) => {
  const { id } = await scim.group({ members: values(members) });
  const path = `/scim2/Groups/${id}`;
  return { id, path, first: await versionOf(path) };
};
const newRole = async (assignees: { readonly users?: readonly string[]; readonly groups?: readonly string[] }) => {
  const { users = [], groups = [] } = assignees;
  const body = { displayName: fresh("role"), users: values(users), groups: values(groups) };
  const { id } = await sent("POST", ROLES, body);
  const path = `${ROLES}/${id}`;
  return { id, path, first: await versionOf(path) };
};
const assigneesIn = ({ users, groups }: Shown) => ({ users: idsIn(users), groups: idsIn(groups) });

let people: readonly string[] = [];
beforeAll(async () => {
  people = await Promise.all(Array.from({ length: MANY }, newUser));
});

describe("a group of many members that was deleted and restored", () => {
  test("has all of them in its versions from before, and keeps them when a change is undone", async () => {
    const { id, path, first } = await newGroup(people);
    const second = await renamed(path);
    await remove(path);
    await restored(id);
    const third = await versionOf(path);
    const all = sorted(people);
    for (const version of [first, second, third]) expect(await membersAt(path, version)).toEqual(all);
    await undone(path, first);
    expect(await membersOf(path)).toEqual(all);
  });

  test("has them after several deletions, also under another name, and shows who came and went before", async () => {
    const [one = "", ...others] = people;
    const { id, path, first } = await newGroup(others);
    const { displayName } = await sent("GET", path);
    const second = await patched(path, { op: "add", path: "members", value: values([one]) });
    for (let times = 0; times < 2; times += 1) {
      await remove(path);
      await restored(id, { name: fresh("again") });
    }
    const third = await patched(path, { op: "remove", path: `members[value eq "${others[0]}"]` });
    expect(await membersAt(path, first)).toEqual(sorted(others));
    expect(await membersAt(path, second)).toEqual(sorted(people));
    expect(await membersAt(path, third)).toEqual(sorted([one, ...others.slice(1)]));
    await undone(path, first);
    expect(await sent("GET", path)).toMatchObject({ displayName });
    expect(await membersOf(path)).toEqual(sorted(others));
  });

  test("leaves out those who were deleted meanwhile, until they are restored in a group of few", async () => {
    const gone = await newUser();
    const large = await newGroup([...people, gone]);
    const small = await newGroup([...people.slice(0, 3), gone]);
    for (const { path } of [large, small]) await remove(path);
    await remove(`/scim2/Users/${gone}`);
    expect((await restored(large.id)).leftOut).toMatchObject({ members: 1 });
    await restored(small.id);
    expect(await membersAt(large.path, large.first)).toEqual(sorted(people));
    expect(await membersAt(small.path, small.first)).toEqual(sorted(people.slice(0, 3)));
    await undone(large.path, large.first);
    expect(await membersOf(large.path)).toEqual(sorted(people));
    await restored(gone);
    expect(await membersAt(small.path, small.first)).toEqual(sorted([...people.slice(0, 3), gone]));
  });

  test("has none in versions in which it had none", async () => {
    const { id, path, first } = await newGroup([]);
    await remove(path);
    await restored(id);
    const second = await patched(path, { op: "add", path: "members", value: values(people) });
    await remove(path);
    await restored(id);
    expect(await membersAt(path, first)).toEqual([]);
    expect(await membersAt(path, second)).toEqual(sorted(people));
  });
});

test("a role with many users and a group that was deleted and restored has all of them in its versions", async () => {
  const group = await newGroup([]);
  const { id, path, first } = await newRole({ users: people, groups: [group.id] });
  const second = await renamed(path);
  await remove(path);
  await restored(id);
  const all = { users: sorted(people), groups: [group.id] };
  for (const version of [first, second]) {
    expect(assigneesIn(await sent("GET", `${path}/history/${version}`))).toEqual(all);
  }
  await undone(path, first);
  expect(assigneesIn(await sent("GET", path))).toEqual(all);
});

describe("a user who was deleted and restored", () => {
  test("is in the versions of groups and roles from before, and undoing a change of them keeps the user", async () => {
    const user = await newUser();
    const group = await newGroup([user]);
    const role = await newRole({ users: [user] });
    const versions = [group.first, await renamed(group.path)];
    const ofRole = [role.first, await renamed(role.path)];
    await remove(`/scim2/Users/${user}`);
    const meanwhile = await renamed(group.path);
    expect(await membersAt(group.path, group.first)).toEqual([]);
    await restored(user);
    for (const version of [...versions, meanwhile]) expect(await membersAt(group.path, version)).toEqual([user]);
    for (const version of ofRole) {
      expect(assigneesIn(await sent("GET", `${role.path}/history/${version}`)).users).toEqual([user]);
    }
    await undone(group.path, group.first);
    await undone(role.path, role.first);
    expect(await membersOf(group.path)).toEqual([user]);
    expect(assigneesIn(await sent("GET", role.path)).users).toEqual([user]);
  });

  test("is in all of them also where there are more than one transaction writes", async () => {
    const user = await newUser();
    const groups = await Promise.all(Array.from({ length: 24 }, () => newGroup([user])));
    await remove(`/scim2/Users/${user}`);
    await restored(user);
    for (const { path, first } of groups) expect(await membersAt(path, first)).toEqual([user]);
  });

  test("is not in versions in which the user had left, or had not come yet", async () => {
    const user = await newUser();
    const { path, first } = await newGroup([]);
    const joined = await patched(path, { op: "add", path: "members", value: values([user]) });
    const left = await patched(path, { op: "remove", path: `members[value eq "${user}"]` });
    const again = await patched(path, { op: "add", path: "members", value: values([user]) });
    await remove(`/scim2/Users/${user}`);
    await restored(user);
    const leftAgain = await patched(path, { op: "remove", path: `members[value eq "${user}"]` });
    for (const version of [joined, again]) expect(await membersAt(path, version)).toEqual([user]);
    for (const version of [first, left, leftAgain]) expect(await membersAt(path, version)).toEqual([]);
  });

  test("is in versions of a group that was deleted and restored without the user", async () => {
    const [other = ""] = people;
    const user = await newUser();
    const { id, path, first } = await newGroup([other]);
    const second = await patched(path, { op: "add", path: "members", value: values([user]) });
    await remove(`/scim2/Users/${user}`);
    await remove(path);
    await restored(id);
    await restored(user);
    expect(await membersAt(path, second)).toEqual(sorted([other, user]));
    expect(await membersAt(path, first)).toEqual([other]);
    await undone(path, second);
    expect(await membersOf(path)).toEqual(sorted([other, user]));
  });
});

test("a group that was deleted and restored is in the versions of its roles, and undoing their change keeps it", async () => {
  const group = await newGroup(people);
  const roles = await Promise.all(Array.from({ length: 7 }, () => newRole({ groups: [group.id] })));
  for (const { path } of roles) await renamed(path);
  await remove(group.path);
  await restored(group.id);
  for (const { path, first } of roles) {
    expect(assigneesIn(await sent("GET", `${path}/history/${first}`)).groups).toEqual([group.id]);
    await undone(path, first);
    expect(assigneesIn(await sent("GET", path)).groups).toEqual([group.id]);
  }
});
