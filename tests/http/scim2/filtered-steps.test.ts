/** Paths of a PATCH with a filter on the users or groups of a role, and on the members of a group. */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { chunks } from "#core/directory/memberships/relation.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { fresh, refusal, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { type Ask, world } from "#tests/support/world.ts";

const api = world({ deployment: TWO_STORES });
const scim = scimOf(api);
const password = "a-long-password";
const LISTS_ONLY: Ask["as"] = { username: "changes-lists", password };
const READS_GROUPS: Ask["as"] = { username: "reads-groups", password };
const none: Shown = {};
let [kim, lee, max, far, staff, crew] = [none, none, none, none, none, none];

beforeAll(async () => {
  kim = await scim.user({ userName: "kim" });
  lee = await scim.user({ userName: "lee" });
  max = await scim.user({ userName: "max" });
  far = await scim.user({ userName: "SECOND/kim" });
  staff = await scim.group({ displayName: "staff" });
  crew = await scim.group({ displayName: "SECOND/crew" });
  const lists = ["internal_role_mgt_users_update", "internal_role_mgt_groups_update"];
  await addUser(api.service, { ...LISTS_ONLY, scopes: lists });
  await addUser(api.service, { ...READS_GROUPS, scopes: [...lists, "internal_group_mgt_view"] });
});

const values = (...resources: readonly Shown[]) => resources.map((one) => ({ value: one.id }));
const ids = (...resources: readonly Shown[]): string[] => resources.map((one) => one.id).sort();
const idsIn = (list: readonly Shown[] = []): string[] => list.map(({ value }) => value).sort();
const role = async (more: Shown = {}): Promise<string> => {
  const body = { displayName: fresh("role"), users: values(kim, lee, far), groups: values(staff, crew), ...more };
  const answer = await scim.ask("POST", "/v2/Roles", { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.id;
};
const remove = (path: string) => ({ op: "remove", path });
const add = (path: string, ...resources: readonly Shown[]) => ({
  op: "add",
  path,
  value: values(...resources),
});
const replace = (path: string, ...resources: readonly Shown[]) => ({
  ...add(path, ...resources),
  op: "replace",
});
const patch = (path: string, operations: unknown, as?: Ask["as"]) =>
  scim.ask("PATCH", path, { body: { schemas: [URN.patch], Operations: [operations].flat() }, ...(as && { as }) });

describe("a filter on display", () => {
  test.each([
    ['users[display eq "KIM"]', () => [lee, far]],
    ['users[display eq "SECOND/kim"]', () => [kim, lee]],
    ['users[display ne "kim"]', () => [kim]],
    ['users[display sw "second/" or display eq "lee"]', () => [kim]],
    ["users[not (display pr)]", () => [kim, lee, far]],
    ["users[display pr]", () => []],
  ])("removes the users of a role that have the names of the response: %s", async (path, left) => {
    const id = await role();
    const answer = await patch(`/v2/Roles/${id}`, remove(path));
    expect([answer.status, idsIn(answer.body.users)]).toEqual([200, ids(...left())]);
    expect(idsIn(answer.body.groups)).toEqual(ids(staff, crew));
  });
  test("removes groups and permissions of a role by name", async () => {
    const permissions = ["internal_user_mgt_view", "internal_group_mgt_view"].map((value) => ({ value }));
    const id = await role({ permissions });
    const { body } = await patch(`/v2/Roles/${id}`, remove('groups[display eq "second/crew"]'));
    expect(idsIn(body.groups)).toEqual(ids(staff));
    const after = await patch(`/v2/Roles/${id}`, remove('permissions[display eq "internal_user_mgt_view"]'));
    expect(idsIn(after.body.permissions)).toEqual(["internal_group_mgt_view"]);
  });
  test("works in paths of /v3/Roles that begin in the list", async () => {
    const id = await role();
    expect((await patch(`/v3/Roles/${id}/Users`, remove('display eq "kim"'))).status).toBe(200);
    expect((await patch(`/v3/Roles/${id}/Groups`, remove('display ne "staff"'))).status).toBe(200);
    const { users, groups } = await scim.read(`/v2/Roles/${id}`);
    expect([idsIn(users), idsIn(groups)]).toEqual([ids(lee, far), ids(staff)]);
  });
  test("is refused to a caller who is shown no names, and changes nothing", async () => {
    const id = await role();
    for (const [list, scope] of [
      ["users", "internal_user_mgt_view or internal_user_mgt_list"],
      ["groups", "internal_group_mgt_view"],
    ] as const) {
      for (const path of [`${list}[display ne "kim"]`, `${list}[not (display pr)]`]) {
        const detail = refusal(await patch(`/v2/Roles/${id}`, remove(path), LISTS_ONLY), 403);
        expect(detail).toContain(scope);
        expect(detail).toContain(`${list}[value eq "<id>"]`);
      }
      const empty = await role({ [list]: [] });
      expect((await patch(`/v2/Roles/${empty}`, remove(`${list}[display pr]`), LISTS_ONLY)).status).toBe(403);
    }
    refusal(await patch(`/v2/Roles/${id}`, remove("users[display pr]"), READS_GROUPS), 403);
    expect((await scim.read(`/v2/Roles/${id}`)).users).toHaveLength(3);
    expect((await patch(`/v2/Roles/${id}`, remove('groups[display eq "staff"]'), READS_GROUPS)).status).toBe(200);
    expect((await patch(`/v2/Roles/${id}`, remove(`users[value ne "${kim.id}"]`), LISTS_ONLY)).status).toBe(200);
    const { users, groups } = await scim.read(`/v2/Roles/${id}`);
    expect([idsIn(users), idsIn(groups)]).toEqual([ids(kim), ids(crew)]);
  });
  test("is refused for a role of more users than a response names", async () => {
    const id = await role();
    const steps = Array.from({ length: 198 }, (_, at) => ({
      put: { ...keys.roleUser(TENANT, id, `user-${at}`) },
      when: "any" as const,
      otherwise: () => new Error("a step without a condition failed"),
    }));
    await Promise.all(chunks(steps, 100).map((some) => tableOf(api.service).write(...some)));
    const path = 'users[display eq "kim"]';
    expect(refusal(await patch(`/v2/Roles/${id}`, remove(path)), 400, "tooMany")).toContain("200 users");
    await patch(`/v2/Roles/${id}`, remove(`users[value eq "${lee.id}"]`));
    // Of the 200 users, those that do not exist have no name, and are left out as in responses.
    const answer = await patch(`/v2/Roles/${id}`, remove('users[display ne "kim"]'));
    expect([answer.status, idsIn(answer.body.users)]).toEqual([200, ids(kim)]);
  });
});

describe("a filter on $ref", () => {
  test("compares the URL of the response, in roles and in groups", async () => {
    const path = `/v2/Roles/${await role()}`;
    const { users, groups } = await scim.read(path);
    const refOf = (list: readonly Shown[], one: Shown) => list.find(({ value }) => value === one.id)?.$ref;
    const after = await patch(path, remove(`users[$ref eq "${refOf(users, kim)}"]`));
    expect(idsIn(after.body.users)).toEqual(ids(lee, far));
    const left = await patch(path, remove(`groups[$ref ne "${refOf(groups, crew)}"]`));
    expect(idsIn(left.body.groups)).toEqual(ids(crew));
    const group = await scim.group({ members: values(kim, lee) });
    const kept = await patch(`/Groups/${group.id}`, remove(`members[$ref eq "${refOf(group.members, lee)}"]`));
    expect(idsIn(kept.body.members)).toEqual(ids(kim));
    expect((await patch(`/Groups/${group.id}`, remove("members[$ref pr]"))).body.members).toEqual([]);
  });
});

describe("a filter after other operations of the request", () => {
  /** Operations on a list that has kim and lee, and what they leave. */
  const cases: readonly [what: string, operations: (list: string) => readonly unknown[], left: () => Shown[]][] = [
    ["what was added", (list) => [add(list, max), remove(`${list}[value ne "${kim.id}"]`)], () => [kim]],
    ["what was added, by its name", (list) => [add(list, max), remove(`${list}[display sw "ma"]`)], () => [kim, lee]],
    ["what replaced the list", (list) => [replace(list, max), remove(`${list}[value pr]`)], () => []],
    [
      "what replaced the list, by its name",
      (list) => [replace(list, kim, max), remove(`${list}[display eq "max"]`)],
      () => [kim],
    ],
    [
      "nothing that was removed",
      (list) => [remove(`${list}[value ne "${lee.id}"]`), remove(`${list}[display pr]`), add(list, kim)],
      () => [kim],
    ],
    [
      "what was added after the list was emptied",
      (list) => [remove(list), add(list, lee, max), remove(`${list}[$ref ew "${lee.id}"]`)],
      () => [max],
    ],
  ];
  test.each(cases)("selects from a role %s", async (_, operations, left) => {
    const id = await role({ users: values(kim, lee) });
    const answer = await patch(`/v2/Roles/${id}`, operations("users"));
    expect([answer.status, idsIn(answer.body.users)]).toEqual([200, ids(...left())]);
  });
  test.each(cases)("selects from a group %s", async (_, operations, left) => {
    const { id } = await scim.group({ members: values(kim, lee) });
    const answer = await patch(`/Groups/${id}`, operations("members"));
    expect([answer.status, idsIn(answer.body.members)]).toEqual([200, ids(...left())]);
  });
  test("compares the type of members that were added", async () => {
    const { id } = await scim.group();
    const steps = [replace("members", kim, lee), remove('members[type eq "User"]')];
    expect((await patch(`/Groups/${id}`, steps)).body.members).toEqual([]);
  });
  test("refuses users that do not exist, also where it looked for their names", async () => {
    const { id } = await scim.group({ members: values(kim) });
    const steps = [add("members", { id: UNKNOWN_ID }), remove('members[display ne "kim"]')];
    refusal(await patch(`/Groups/${id}`, steps), 400, "invalidValue");
    expect(idsIn((await scim.read(`/Groups/${id}`)).members)).toEqual(ids(kim));
  });
});
