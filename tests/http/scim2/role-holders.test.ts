/** Lists of roles filtered by who has them: what access reviews ask for. */
import { beforeAll, describe, expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { fresh, refusal, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { type Ask, world } from "#tests/support/world.ts";

const api = world({ deployment: TWO_STORES });
const scim = scimOf(api);
const ROLES = "/v2/Roles";
const REVIEWER: Ask["as"] = { username: "reviewer", password: "a-long-password" };
const none: Shown = {};
let [kim, lee, far, staff, crew] = [none, none, none, none, none];

beforeAll(async () => {
  kim = await scim.user({ userName: "kim" });
  lee = await scim.user({ userName: "lee" });
  far = await scim.user({ userName: "SECOND/kim" });
  staff = await scim.group({ displayName: "staff", members: [{ value: lee.id }] });
  crew = await scim.group({ displayName: "SECOND/crew" });
  await role("both", { users: values(kim, lee, far), groups: values(staff) });
  await role("kims", { users: values(kim) });
  await role("staffs", { groups: values(staff, crew) });
  await role("bare", {});
  await addUser(api.service, { ...REVIEWER, scopes: ["internal_role_mgt_view"] });
});

const values = (...resources: readonly Shown[]) => resources.map(({ id }) => ({ value: id }));
async function role(displayName: string, more: Shown): Promise<Shown> {
  const answer = await scim.ask("POST", ROLES, { body: { displayName, ...more } });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
const namesOf = (body: Shown): string[] => body.Resources.map(({ displayName }: Shown) => displayName);
const names = async (filter: string, path = ROLES) => namesOf(await scim.find(filter, path));

describe("a filter on the users or groups of roles", () => {
  test.each([
    ["the roles of a user", () => `users.value eq "${kim.id}"`, ["both", "kims"]],
    ["the roles of a user, by the complex attribute", () => `users eq "${kim.id}"`, ["both", "kims"]],
    ["the roles of a user, in brackets", () => `users[value eq "${kim.id}"]`, ["both", "kims"]],
    ["the roles of a user of another store", () => `users.value eq "${far.id}"`, ["both"]],
    ["those that are assigned directly, not by a group", () => `users.value eq "${lee.id}"`, ["both"]],
    ["the roles of a group", () => `groups.value eq "${staff.id}"`, ["both", "staffs"]],
    ["the roles of a group of another store", () => `groups.value eq "${crew.id}"`, ["staffs"]],
    ["with another term", () => `users.value eq "${kim.id}" and displayName sw "k"`, ["kims"]],
    ["of a user and a group", () => `users.value eq "${kim.id}" and groups.value eq "${staff.id}"`, ["both"]],
    ["of several", () => `users.value eq "${kim.id}" or groups.value eq "${crew.id}"`, ["both", "kims", "staffs"]],
    ["without those of a user", () => `displayName co "s" and not (users.value eq "${kim.id}")`, ["staffs"]],
    ["none for a group that a filter takes for a user", () => `users.value eq "${staff.id}"`, []],
    ["none for an unknown id", () => `users.value eq "${UNKNOWN_ID}"`, []],
    ["none for a text that cannot be an id", () => `users.value eq "${"x".repeat(3_000)}"`, []],
  ])("finds %s", async (_, filter, expected) => {
    expect(await names(filter())).toEqual(expected);
  });
  test("works in each version, in a search, with pages and a sort, and shows all assignees of a match", async () => {
    const filter = `users.value eq "${kim.id}"`;
    for (const path of ["/Roles", "/v3/Roles"]) expect(await names(filter, path)).toEqual(["both", "kims"]);
    const body = { schemas: [URN.search], filter, sortBy: "displayName", sortOrder: "descending", count: 1 };
    const found = await scim.ask("POST", `${ROLES}/.search`, { body });
    expect([found.body.totalResults, namesOf(found.body)]).toEqual([2, ["kims"]]);
    const page = await scim.find(filter, ROLES, { cursor: "", count: 1, attributes: "displayName,users" });
    expect(page.Resources[0].users.map(({ value }: Shown) => value)).toContain(kim.id);
    const rest = await scim.find(filter, ROLES, { cursor: page.nextCursor, count: 1, attributes: "displayName,users" });
    expect([namesOf(page), namesOf(rest)]).toEqual([["both"], ["kims"]]);
  });
  test("tells a caller without scopes for users what the roles themselves tell", async () => {
    const listed = await scim.ask("GET", ROLES, { as: REVIEWER, query: { filter: `users.value eq "${kim.id}"` } });
    expect(namesOf(listed.body)).toEqual(["both", "kims"]);
    for (const { id } of listed.body.Resources) {
      const { body } = await scim.ask("GET", `${ROLES}/${id}`, { as: REVIEWER });
      expect(body.users.map(({ value }: Shown) => value)).toContain(kim.id);
    }
  });
  test("shows each change at once", async () => {
    const user = await scim.user();
    const filter = `users.value eq "${user.id}"`;
    const { id } = await role(fresh("changing"), { users: values(user) });
    expect(await names(filter)).toHaveLength(1);
    await scim.patch(`${ROLES}/${id}`, { op: "remove", path: `users[value eq "${user.id}"]` });
    expect(await names(filter)).toEqual([]);
    await scim.patch(`${ROLES}/${id}`, { op: "add", path: "users", value: values(user) });
    await scim.ask("DELETE", `${ROLES}/${id}`);
    expect(await names(filter)).toEqual([]);
  });
  test.each([
    "users pr",
    "not (users pr)",
    'users.value ne "x"',
    'users.value sw "x"',
    'users.display eq "kim"',
    'users[value eq "x" and display eq "kim"]',
    'users[not (value eq "x")]',
    'users[display eq "kim"].value eq "x"',
    "groups.$ref pr",
    'groups.display eq "staff"',
    'groups eq "staff"',
    'displayName eq "kims" or groups.display eq "staff"',
  ])("refuses what it cannot answer: %s", async (filter) => {
    const detail = refusal(await scim.get(ROLES, { filter }), 400, "invalidFilter");
    expect(detail).toContain('users.value eq "<id>"');
  });
});
