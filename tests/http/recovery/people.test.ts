/** Deleted users, groups and roles come back with all that they were part of. */
import { expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { recoveryOf } from "#tests/support/recovery.ts";
import { fresh, type Shown, scimOf } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const scim = scimOf(api, "wso2");
const { remove, restore, restored, list } = recoveryOf(api);
const PASSWORD = "Right-pass-1";
const ROLES = "/scim2/v2/Roles";

const role = async (body: object) => {
  const answer = await api.ask("POST", ROLES, { body: { displayName: fresh("role"), ...body } });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const valuesOf = (elements: readonly { value: string }[] = []) => elements.map(({ value }) => value).sort();
const read = async (path: string) => {
  const answer = await api.ask("GET", path);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
/** Without what each change changes. */
const lasting = ({ meta: { lastModified: _, version: __, ...meta }, ...rest }: Shown) => ({
  ...rest,
  meta,
});

test("a user has its password, attributes, groups and roles again, and GET shows what it showed", async () => {
  const user = await scim.user({
    password: PASSWORD,
    externalId: "hr-7",
    emails: ["a@x.example", "b@x.example"],
    name: { familyName: "Fahrer" },
  });
  const group = await scim.group({ members: [{ value: user.id }] });
  const own = await role({ users: [{ value: user.id }] });
  const me = { username: user.userName, password: PASSWORD };
  expect((await api.ask("GET", "/scim2/Me", { as: me })).status).toBe(200);
  const before = await read(`/scim2/Users/${user.id}`);

  await remove(`/scim2/Users/${user.id}`);
  expect((await api.ask("GET", "/scim2/Me", { as: me })).status).toBe(401);
  expect((await read(`/scim2/Groups/${group.id}`)).members).toEqual([]);
  expect(await list("?resourceType=user")).toMatchObject([{ id: user.id, resourceType: "user", name: user.userName }]);

  const answer = await restore(user.id);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual({
    id: user.id,
    resourceType: "user",
    name: user.userName,
    leftOut: { members: 0, groups: 0, roles: 0 },
  });
  expect(new URL(answer.headers.get("location") ?? "").pathname).toBe(`/t/carbon.super/scim2/Users/${user.id}`);
  const after = await read(`/scim2/Users/${user.id}`);
  expect(lasting(after)).toEqual(lasting(before));
  expect(valuesOf((await read(`/scim2/Groups/${group.id}`)).members)).toEqual([user.id]);
  expect(valuesOf((await read(`${ROLES}/${own.id}`)).users)).toEqual([user.id]);
  expect((await api.ask("GET", "/scim2/Me", { as: me })).status).toBe(200);
  expect((await scim.find('emails eq "B@X.example"')).totalResults).toBe(1);
  expect(await list("?resourceType=user")).toEqual([]);
  expect((await restore(user.id)).status).toBe(404);
});

test("a name that was used again is 409, and another name in the body restores the user", async () => {
  const user = await scim.user({ userName: "twice", password: PASSWORD });
  await remove(`/scim2/Users/${user.id}`);
  const other = await scim.user({ userName: "Twice", password: "Other-pass-1" });
  const refused = await restore(user.id);
  expect([refused.status, refused.body.description]).toEqual([409, expect.stringContaining("twice")]);
  expect((await restore(user.id, { body: { name: "no spaces" } })).status).toBe(400);
  expect(await restored(user.id, { name: "thrice" })).toMatchObject({ id: user.id, name: "thrice" });
  expect((await read(`/scim2/Users/${user.id}`)).userName).toBe("thrice");
  expect((await read(`/scim2/Users/${other.id}`)).userName).toBe("Twice");
  const as = { username: "thrice", password: PASSWORD };
  expect((await api.ask("GET", "/scim2/Me", { as })).body.id).toBe(user.id);
});

test("a group has its members, its external id and its roles again", async () => {
  const users = await Promise.all(Array.from({ length: 5 }, () => scim.user({ password: PASSWORD })));
  const group = await scim.group({ externalId: "g-1", members: users.map(({ id }) => ({ value: id })) });
  const own = await role({ groups: [{ value: group.id }], permissions: [{ value: "internal_user_mgt_view" }] });
  const [first, second] = users;
  const as = { username: first?.userName, password: PASSWORD };
  expect((await api.ask("GET", `/scim2/Users/${second?.id}`, { as })).status).toBe(200);
  const before = await read(`/scim2/Groups/${group.id}`);
  await remove(`/scim2/Groups/${group.id}`);
  expect((await api.ask("GET", `/scim2/Users/${second?.id}`, { as })).status).toBe(403);
  await remove(`/scim2/Users/${users[4]?.id}`);
  expect(await restored(group.id)).toMatchObject({ leftOut: { members: 1, roles: 0 } });
  const after = await read(`/scim2/Groups/${group.id}`);
  expect(after).toMatchObject({ displayName: before.displayName, externalId: "g-1" });
  expect(valuesOf(after.members)).toEqual(
    users
      .slice(0, 4)
      .map(({ id }) => id)
      .sort(),
  );
  expect(valuesOf((await read(`${ROLES}/${own.id}`)).groups)).toEqual([group.id]);
  expect(valuesOf((await read(`/scim2/Users/${first?.id}`)).groups)).toEqual([group.id]);
  expect((await api.ask("GET", `/scim2/Users/${second?.id}`, { as })).status).toBe(200);
});

test("a role has its permissions and assignees again, and callers their scopes", async () => {
  const user = await scim.user({ password: PASSWORD });
  const group = await scim.group();
  const own = await role({
    users: [{ value: user.id }],
    groups: [{ value: group.id }],
    permissions: [{ value: "internal_group_mgt_view" }],
  });
  const as = { username: user.userName, password: PASSWORD };
  expect((await api.ask("GET", `/scim2/Groups/${group.id}`, { as })).status).toBe(200);
  const before = await read(`${ROLES}/${own.id}`);
  await remove(`${ROLES}/${own.id}`);
  expect((await api.ask("GET", `/scim2/Groups/${group.id}`, { as })).status).toBe(403);
  const again = await role({ displayName: own.displayName });
  expect((await restore(own.id)).status).toBe(409);
  await restored(own.id, { name: "role again" });
  expect(lasting(await read(`${ROLES}/${own.id}`))).toEqual(lasting({ ...before, displayName: "role again" }));
  expect((await api.ask("GET", `/scim2/Groups/${group.id}`, { as })).status).toBe(200);
  await remove(`${ROLES}/${again.id}`);
});

test("of several who restore one user at once, one succeeds", async () => {
  const user = await scim.user({ password: PASSWORD });
  await remove(`/scim2/Users/${user.id}`);
  const answers = await Promise.all(Array.from({ length: 6 }, () => restore(user.id)));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses[0]).toBe(200);
  expect(statuses.slice(1).every((status) => status === 404 || status === 409)).toBe(true);
  expect((await read(`/scim2/Users/${user.id}`)).userName).toBe(user.userName);
});

test("a user is deleted and restored several times", async () => {
  const user = await scim.user({ password: PASSWORD });
  for (let round = 0; round < 3; round += 1) {
    await remove(`/scim2/Users/${user.id}`);
    await restored(user.id);
  }
  expect(await list("?resourceType=user")).not.toContainEqual(expect.objectContaining({ id: user.id }));
  expect((await api.ask("GET", "/scim2/Me", { as: { username: user.userName, password: PASSWORD } })).status).toBe(200);
});

test("a user with roles that the caller may not assign comes back only by a caller who may", async () => {
  const clerk = { username: fresh("clerk"), password: "a-long-password" };
  await addUser(api.service, { ...clerk, scopes: ["internal_user_mgt_create", "internal_user_mgt_view"] });
  const user = await scim.user({ password: PASSWORD });
  await role({ users: [{ value: user.id }], permissions: [{ value: "internal_application_mgt_update" }] });
  await remove(`/scim2/Users/${user.id}`);
  const path = `/api/server/v1/deleted-resources/${user.id}/restore`;
  expect((await api.ask("POST", path, { as: clerk })).status).toBe(403);
  expect((await api.ask("GET", `/scim2/Users/${user.id}`)).status).toBe(404);
  expect((await restore(user.id)).status).toBe(200);
});
