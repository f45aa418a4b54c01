/** Groups show the roles that are assigned to them, in responses of SCIM 2.0 and in filters. */
import { beforeAll, describe, expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { fresh, refusal, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { type Ask, world } from "#tests/support/world.ts";

const api = world({ deployment: TWO_STORES });
const scim = scimOf(api);
const READS_GROUPS: Ask["as"] = { username: "reads-groups", password: "a-long-password" };
let [group, other, role]: [Shown, Shown, Shown] = [{}, {}, {}];

async function newRole(displayName: string, ...groups: readonly Shown[]): Promise<Shown> {
  const body = { displayName, groups: groups.map(({ id }) => ({ value: id })) };
  const answer = await scim.ask("POST", "/v2/Roles", { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
const rolesIn = (list: readonly Shown[] = []) => list.map(({ display }) => display);
const rolesOf = async ({ id }: Shown) => rolesIn((await scim.read(`/Groups/${id}`)).roles);
const groupsBy = async (filter: string): Promise<string[]> =>
  (await scim.find(filter, "/Groups")).Resources.map(({ displayName }: Shown) => displayName);

beforeAll(async () => {
  const member = await scim.user();
  group = await scim.group({ displayName: "crew", members: [{ value: member.id }] });
  other = await scim.group({ displayName: "SECOND/crew" });
  role = await newRole("captains", group, other);
  await addUser(api.service, { ...READS_GROUPS, scopes: ["internal_group_mgt_view"] });
});

describe("the roles of a group", () => {
  test("are its own, with id, name and URL, and none without an assignment", async () => {
    const shown = { value: role.id, display: "captains", $ref: role.meta.location };
    const read = await scim.read(`/Groups/${group.id}`);
    expect([read.roles, read.members.length]).toEqual([[shown], 1]);
    expect(await scim.read(`/Groups/${(await scim.group()).id}`)).not.toHaveProperty("roles");
    const listed = await scim.find('displayName eq "crew"', "/Groups");
    expect(listed.Resources.map(({ roles }: Shown) => roles)).toEqual([[shown], [shown]]);
    const [searched] = (
      await scim.ask("POST", "/.search", { body: { schemas: [URN.search], filter: `id eq "${group.id}"` } })
    ).body.Resources;
    expect(searched.roles).toEqual([shown]);
  });
  test("are shown to each caller who reads groups, and follow a projection", async () => {
    const as = READS_GROUPS;
    expect(rolesIn((await scim.ask("GET", `/Groups/${group.id}`, { as })).body.roles)).toEqual(["captains"]);
    const lean = await scim.get(`/Groups/${group.id}`, { excludedAttributes: "roles" });
    expect(lean.body).not.toHaveProperty("roles");
    const ids = await scim.get(`/Groups/${group.id}`, { attributes: "roles.value" });
    expect(ids.body.roles).toEqual([{ value: role.id }]);
  });
  test("follow each change of an assignment and each new name at once, and change the version", async () => {
    const { id, meta } = await scim.group();
    const own = await newRole(fresh("own"), { id });
    expect(await rolesOf({ id })).toEqual([own.displayName]);
    expect((await scim.read(`/Groups/${id}`)).meta.version).not.toBe(meta.version);
    await scim.patch(`/v2/Roles/${own.id}`, { op: "replace", path: "displayName", value: "another name" });
    expect(await rolesOf({ id })).toEqual(["another name"]);
    await scim.patch(`/v2/Roles/${own.id}`, { op: "remove", path: `groups[value eq "${id}"]` });
    expect(await rolesOf({ id })).toEqual([]);
    await scim.patch(`/v2/Roles/${own.id}`, { op: "add", path: "groups", value: [{ value: id }] });
    await scim.ask("DELETE", `/v2/Roles/${own.id}`);
    expect(await rolesOf({ id })).toEqual([]);
  });
  test("are in responses to changes of the group, which do not change them", async () => {
    const { id } = await scim.group();
    const { displayName } = await newRole(fresh("kept"), { id });
    const { roles: sent, ...read } = await scim.read(`/Groups/${id}`);
    for (const body of [{ ...read, roles: sent }, { ...read, roles: [{ value: role.id }] }, read]) {
      const put = await scim.ask("PUT", `/Groups/${id}`, { body });
      expect([put.status, rolesIn(put.body.roles)]).toEqual([200, [displayName]]);
    }
    const patched = await scim.patched(`/Groups/${id}`, { op: "replace", path: "displayName", value: fresh("named") });
    expect(rolesIn(patched.roles)).toEqual([displayName]);
    refusal(await scim.patch(`/Groups/${id}`, { op: "remove", path: "roles" }), 400, "mutability");
  });
  test("are not in SCIM 1.1, which has none", async () => {
    const read = await api.ask("GET", `/svc/scim/Groups/${group.id}`);
    expect([read.status, Object.keys(read.body)]).toEqual([200, expect.not.arrayContaining(["roles"])]);
    const listed = await api.ask("GET", "/svc/scim/Groups?attributes=roles,displayName");
    expect([listed.status, listed.text]).toEqual([200, expect.not.stringContaining("captains")]);
    expect((await api.ask("GET", "/svc/scim/Groups?filter=roles+eq+captains")).status).toBe(400);
  });
});

describe("a filter on the roles of groups", () => {
  test.each([
    ["their id", () => `roles.value eq "${role.id}"`],
    ["the complex attribute", () => `roles eq "${role.id}"`],
    ["an element", () => `roles[value eq "${role.id}" and display eq "CAPTAINS"]`],
    ["their name", () => 'roles.display eq "Captains"'],
    ["their URL", () => `roles.$ref eq "${role.meta.location}"`],
    ["another term too", () => `roles.value eq "${role.id}" and displayName sw "cr"`],
    ["one of several", () => `roles.value eq "${UNKNOWN_ID}" or roles.value eq "${role.id}"`],
  ])("finds groups by %s", async (_, filter) => {
    expect(await groupsBy(filter())).toEqual(["crew", "SECOND/crew"]);
  });
  test("finds groups without roles, and none for an unknown role", async () => {
    const bare = await scim.group({ displayName: fresh("bare") });
    const found = await groupsBy("not (roles pr)");
    expect([found.includes(bare.displayName), found.includes("crew")]).toEqual([true, false]);
    expect(await groupsBy(`roles.value eq "${UNKNOWN_ID}"`)).toEqual([]);
    expect(await groupsBy(`roles.value eq "${"x".repeat(3_000)}"`)).toEqual([]);
    expect(await groupsBy(`roles.value eq "${role.id.toUpperCase()}"`)).toEqual([]);
  });
});
