/**
 * Groups and their members: rows C044, C045, C047, C048, P04 and P06 of docs/scim-conformance.md, and further rules.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { everyKey } from "#tests/support/api-resources.ts";
import { fresh, NEGOTIATED, refusal, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { ask, get, patch, find } = scim;
let kim: Shown;
let lee: Shown;
let max: Shown;
const idsIn = ({ members = [] }: Shown): string[] => members.map(({ value }: Shown) => value).sort();
const groupsOf = async ({ id }: Shown): Promise<string[]> =>
  ((await scim.read(`/Users/${id}`)).groups ?? []).map(({ display }: Shown) => display).sort();
const ids = (...users: readonly Shown[]): string[] => users.map(({ id }) => id).sort();
const members = (...users: readonly Shown[]) => users.map(({ id }) => ({ value: id }));

beforeAll(async () => {
  const named = (userName: string) => scim.user({ userName });
  [kim, lee, max] = await Promise.all([named("kim"), named("lee"), named("max")]);
});

describe("createGroup", () => {
  test("C048 returns 201 with the members: value, address, name and type", async () => {
    const answer = await ask("POST", "/Groups", {
      body: {
        displayName: "Tea Party",
        externalId: "E-1",
        members: [...members(kim), { value: lee.id, display: "wrong" }],
      },
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`${api.url}/scim2/Groups/${answer.body.id}`);
    expect(answer.headers.get("etag")).toBe(answer.body.meta.version);
    expect(answer.body).toEqual({
      schemas: [URN.group],
      id: expect.any(String),
      externalId: "E-1",
      displayName: "Tea Party",
      members: expect.arrayContaining(
        [kim, lee].map(({ id, userName }) => ({
          value: id,
          $ref: `${api.url}/scim2/Users/${id}`,
          display: userName,
          type: "User",
        })),
      ),
      meta: expect.objectContaining({ resourceType: "Group", location: answer.headers.get("location") }),
    });
    expect(await scim.read(`/Groups/${answer.body.id}`)).toEqual(answer.body);
  });
  test("shows an empty list for a group without members", async () => {
    expect((await scim.group({ displayName: "Empty" })).members).toEqual([]);
    expect((await scim.group({ members: [] })).members).toEqual([]);
  });
  test("adds a repeated member once, also as a bare id", async () => {
    expect(idsIn(await scim.group({ members: [...members(kim, kim), lee.id] }))).toEqual(ids(kim, lee));
  });
  test.each<[string, Shown]>([
    ["C047 without a displayName", {}],
    ["C047 with an empty displayName", { displayName: "" }],
    ["with a displayName of blanks", { displayName: "  " }],
    ["with a displayName that is too long", { displayName: "n".repeat(256) }],
    ["with a control character in the displayName", { displayName: "a\u0007b" }],
    ["P04 with a member that does not exist", { displayName: "x", members: [{ value: UNKNOWN_ID }] }],
    ["P04 with a member that is not an id", { displayName: "x", members: [{ value: "../Users" }] }],
    ["with a member without a value", { displayName: "x", members: [{ display: "kim" }] }],
    ["with a group as a member", { displayName: "x", members: [{ value: UNKNOWN_ID, type: "Group" }] }],
  ])("%s returns 400 invalidValue, and creates nothing", async (_, body) => {
    const before = await everyKey(api.service);
    expect(refusal(await ask("POST", "/Groups", { body }), 400, "invalidValue")).toMatch(/displayName|member/i);
    expect(await everyKey(api.service)).toEqual(before);
  });
  test("P04 adds no member where one is unknown, and names it", async () => {
    const body = { displayName: "Half", members: [...members(kim), { value: UNKNOWN_ID }] };
    expect(refusal(await ask("POST", "/Groups", { body }), 400, "invalidValue")).toContain(UNKNOWN_ID);
    expect((await find('displayName eq "Half"', "/Groups")).totalResults).toBe(0);
    expect(await groupsOf(kim)).not.toContain("Half");
  });
  test("returns 409 for a name that is in use, in any case", async () => {
    await scim.group({ displayName: "Taken Name" });
    for (const displayName of ["taken name", "PRIMARY/Taken Name", "TAKEN NAME "]) {
      refusal(await ask("POST", "/Groups", { body: { displayName } }), 409, "uniqueness");
    }
  });
  test("treats a slash as a part of the name unless a user store precedes it", async () => {
    expect((await scim.group({ displayName: "R&D / Labs" })).displayName).toBe("R&D / Labs");
    expect((await scim.group({ displayName: "PRIMARY/Sales" })).displayName).toBe("Sales");
    expect((await find('displayName eq "PRIMARY/sales"', "/Groups")).totalResults).toBe(1);
  });
});

describe("getGroup", () => {
  test("returns 200, without members where they are not requested", async () => {
    const { id } = await scim.group({ members: members(kim) });
    const { body } = await get(`/Groups/${id}`, { excludedAttributes: "members" });
    expect(body).not.toHaveProperty("members");
    expect(Object.keys((await get(`/Groups/${id}`, { attributes: "displayName" })).body)).toEqual([
      "schemas",
      "id",
      "displayName",
    ]);
    expect((await get(`/Groups/${id}`, { attributes: "members.value" })).body.members).toEqual(members(kim));
  });
  test("returns 404 for an id that no group has, also that of a user", async () => {
    for (const id of [UNKNOWN_ID, kim.id]) refusal(await get(`/Groups/${id}`), 404);
  });
});

describe("listGroups", () => {
  test("filters by names, external ids and members", async () => {
    const group = await scim.group({ displayName: "Findable", externalId: "Find-1", members: members(max) });
    for (const filter of [
      'displayName eq "findable"',
      'displayName sw "FIND" and displayName co "abl"',
      'externalId eq "Find-1"',
      `id eq "${group.id}"`,
      `members.value eq "${max.id}"`,
      `members[value eq "${max.id}" and display eq "MAX"]`,
      'members.display eq "max" and meta.created gt "2020-01-01T00:00:00Z"',
      'not (displayName ne "findable")',
    ]) {
      const found = await find(filter, "/Groups");
      expect(found.Resources, filter).toEqual([group]);
    }
    expect((await find('externalId eq "find-1"', "/Groups")).totalResults).toBe(0);
    refusal(await get("/Groups", { filter: 'userName eq "kim"' }), 400, "invalidFilter");
  });
});

describe("membership", () => {
  test("C044 ignores groups of a user in a change of the user", async () => {
    await scim.group({ displayName: "Own", members: members(kim) });
    const before = await groupsOf(kim);
    const { body } = await ask("PUT", `/Users/${kim.id}`, { body: { userName: "kim", groups: [] } });
    expect(body.groups.map(({ display }: Shown) => display).sort()).toEqual(before);
    refusal(await patch(`/Users/${kim.id}`, { op: "remove", path: "groups" }), 400, "mutability");
    await scim.patched(`/Users/${kim.id}`, { op: "replace", value: { groups: [], title: "Queen" } });
    expect(await groupsOf(kim)).toEqual(before);
  });
  test("C045 S09 shows its groups in a user at once, also in lists, and filters by them", async () => {
    const user = await scim.user();
    const group = await scim.group({ displayName: "Reflected", members: members(user) });
    const shown = [
      { value: group.id, $ref: `${api.url}/scim2/Groups/${group.id}`, display: "Reflected", type: "direct" },
    ];
    expect((await scim.read(`/Users/${user.id}`)).groups).toEqual(shown);
    for (const filter of [
      `groups.value eq "${group.id}"`,
      'groups.display eq "reflected"',
      'groups eq "Reflected"',
      `groups[value eq "${group.id}"]`,
    ]) {
      expect((await find(filter)).Resources.map(({ id, groups }: Shown) => [id, groups])).toEqual([[user.id, shown]]);
    }
    await scim.patched(`/Groups/${group.id}`, { op: "replace", path: "displayName", value: "Renamed" });
    expect(await groupsOf(user)).toEqual(["Renamed"]);
    await scim.patched(`/Groups/${group.id}`, { op: "remove", path: `members[value eq "${user.id}"]` });
    expect(await scim.read(`/Users/${user.id}`)).not.toHaveProperty("groups");
  });
  test("shows the new name of a renamed user in its groups", async () => {
    const user = await scim.user();
    const group = await scim.group({ members: members(user) });
    await scim.patched(`/Users/${user.id}`, { op: "replace", value: { userName: "renamed-member" } });
    expect((await scim.read(`/Groups/${group.id}`)).members[0].display).toBe("renamed-member");
  });
  test("gives user and group a new version when membership changes", async () => {
    const user = await scim.user();
    const group = await scim.group();
    const patched = await scim.patched(`/Groups/${group.id}`, { op: "add", path: "members", value: members(user) });
    expect(patched.meta.version).not.toBe(group.meta.version);
    expect((await scim.read(`/Users/${user.id}`)).meta.version).not.toBe(user.meta.version);
  });
});

describe("replaceGroup", () => {
  test("replaces name, external id and members, and removes what is not sent", async () => {
    const { id } = await scim.group({ displayName: "Before", externalId: "E", members: members(kim, lee) });
    const answer = await ask("PUT", `/Groups/${id}`, { body: { displayName: "After", members: members(lee, max) } });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, displayName: "After" });
    expect(answer.body).not.toHaveProperty("externalId");
    expect(idsIn(answer.body)).toEqual(ids(lee, max));
    expect(await groupsOf(kim)).not.toContain("After");
    expect(await groupsOf(max)).toContain("After");
    const emptied = await ask("PUT", `/Groups/${id}`, { body: { displayName: "After" } });
    expect(emptied.body.members).toEqual([]);
  });
  test("P06 returns 409 for the name of another group, and changes nothing", async () => {
    await scim.group({ displayName: "Occupied" });
    const group = await scim.group({ members: members(kim) });
    const body = { displayName: "occupied", members: [] };
    refusal(await ask("PUT", `/Groups/${group.id}`, { body }), 409, "uniqueness");
    refusal(
      await patch(`/Groups/${group.id}`, { op: "replace", value: { displayName: "OCCUPIED" } }),
      409,
      "uniqueness",
    );
    expect(await scim.read(`/Groups/${group.id}`)).toEqual(group);
  });
  test("returns 400 without a name, and 404 for an unknown group", async () => {
    const { id } = await scim.group();
    refusal(await ask("PUT", `/Groups/${id}`, { body: { members: members(kim) } }), 400, "invalidValue");
    refusal(await ask("PUT", `/Groups/${UNKNOWN_ID}`, { body: { displayName: "x" } }), 404);
  });
});

describe("patchGroup", () => {
  test("changes nothing when it adds a member again or removes a user who is not a member", async () => {
    const group = await scim.group({ members: members(kim) });
    const path = `/Groups/${group.id}`;
    expect(await scim.patched(path, { op: "add", path: "members", value: members(kim) })).toEqual(group);
    expect(await scim.patched(path, { op: "remove", path: `members[value eq "${lee.id}"]` })).toEqual(group);
    expect(await scim.patched(path, { op: "remove", path: "members", value: members(lee) })).toEqual(group);
  });
  test("removes members by name, removes all, and replaces them", async () => {
    const { id } = await scim.group({ members: members(kim, lee, max) });
    const path = `/Groups/${id}`;
    expect(idsIn(await scim.patched(path, { op: "remove", path: 'members[display eq "KIM"]' }))).toEqual(ids(lee, max));
    expect(idsIn(await scim.patched(path, { op: "replace", path: "members", value: members(kim) }))).toEqual(ids(kim));
    expect(idsIn(await scim.patched(path, { op: "add", value: { members: members(max) } }))).toEqual(ids(kim, max));
    expect((await scim.patched(path, { op: "remove", path: "members" })).members).toEqual([]);
    expect((await scim.patched(path, { op: "replace", path: "members", value: [] })).members).toEqual([]);
  });
  test("applies operations in order: the last one on a member decides", async () => {
    const { id } = await scim.group({ members: members(kim) });
    const add = (user: Shown) => ({ op: "add", path: "members", value: members(user) });
    const remove = (user: Shown) => ({ op: "remove", path: `members[value eq "${user.id}"]` });
    expect(idsIn(await scim.patched(`/Groups/${id}`, add(lee), remove(lee), remove(kim), add(kim)))).toEqual(ids(kim));
  });
  test("applies nothing where a later operation fails", async () => {
    const group = await scim.group({ displayName: "Whole", members: members(kim) });
    const good = [
      { op: "replace", path: "displayName", value: "Broken" },
      { op: "add", path: "members", value: members(lee) },
    ];
    for (const [bad, scimType] of [
      [{ op: "add", path: "members", value: [{ value: UNKNOWN_ID }] }, "invalidValue"],
      [{ op: "replace", path: "nope", value: "x" }, "invalidPath"],
      [{ op: "remove", path: "displayName" }, "mutability"],
      [{ op: "replace", path: "id", value: "x" }, "mutability"],
      [{ op: "replace", path: `members[value eq "${kim.id}"].value`, value: lee.id }, "mutability"],
    ] as const) {
      refusal(await patch(`/Groups/${group.id}`, ...good, bad), 400, scimType);
      expect(await scim.read(`/Groups/${group.id}`)).toEqual(group);
      expect(await groupsOf(lee)).not.toContain("Broken");
    }
  });
  test("keeps both members that two concurrent changes add", async () => {
    const users = await Promise.all(Array.from({ length: 20 }, () => scim.user()));
    const { id } = await scim.group();
    const adding = users.map((user) => patch(`/Groups/${id}`, { op: "add", path: "members", value: members(user) }));
    for (const { status } of await Promise.all(adding)) expect(status).toBe(200);
    const group = await scim.read(`/Groups/${id}`);
    expect(idsIn(group)).toEqual(ids(...users));
    const removing = users
      .slice(1)
      .map((user) => patch(`/Groups/${id}`, { op: "remove", path: `members[value eq "${user.id}"]` }));
    for (const { status } of await Promise.all(removing)) expect(status).toBe(200);
    expect(idsIn(await scim.read(`/Groups/${id}`))).toEqual(ids(users[0] ?? {}));
  });
  test("creates one of 20 concurrent groups of the same name", async () => {
    const displayName = fresh("contended");
    const race = Array.from({ length: 20 }, () =>
      ask("POST", "/Groups", { body: { displayName, members: members(kim) } }),
    );
    const statuses = (await Promise.all(race)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    expect((await groupsOf(kim)).filter((name) => name === displayName)).toHaveLength(1);
  });
});

describe("deleteGroup", () => {
  test("returns 204, keeps the users without the group, and frees the name", async () => {
    const { id } = await scim.group({ displayName: "Passing", externalId: "P", members: members(kim) });
    const answer = await ask("DELETE", `/Groups/${id}`);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    refusal(await get(`/Groups/${id}`), 404);
    refusal(await ask("DELETE", `/Groups/${id}`), 404);
    refusal(await patch(`/Groups/${id}`, { op: "add", path: "members", value: members(kim) }), 404);
    expect(await groupsOf(kim)).not.toContain("Passing");
    expect((await find('externalId eq "P"', "/Groups")).totalResults).toBe(0);
    expect((await everyKey(api.service)).join()).not.toContain(id);
    expect((await scim.group({ displayName: "passing" })).id).not.toBe(id);
  });
});

describe("many members", () => {
  test("creates, extends, reduces and deletes a group of 120 members", async () => {
    const bulk = Array.from({ length: 120 }, (_, n) => ({
      method: "POST",
      path: "/Users",
      bulkId: `u${n}`,
      data: { userName: `many-${n}` },
    }));
    const made = await scim.ask("POST", "/Bulk", { body: { schemas: [URN.bulk], Operations: bulk } });
    const users = made.body.Operations.map(({ location }: Shown) => ({ id: location.split("/").at(-1) }));
    const group = await scim.group({ displayName: "Many", members: members(...users) });
    expect(idsIn(group)).toEqual(ids(...users));
    const { id } = group;
    expect(
      idsIn(await scim.patched(`/Groups/${id}`, { op: "add", path: "members", value: members(kim) })),
    ).toHaveLength(121);
    const fewer = await ask("PUT", `/Groups/${id}`, {
      body: { displayName: "Many", members: members(...users.slice(60), lee) },
    });
    expect(idsIn(fewer.body)).toEqual(ids(...users.slice(60), lee));
    expect((await find(`groups.value eq "${id}"`, "/Users", { count: 1 })).totalResults).toBe(61);
    expect((await ask("DELETE", `/Groups/${id}`)).status).toBe(204);
    expect((await everyKey(api.service)).join()).not.toContain(id);
    expect(await groupsOf(users[70])).toEqual([]);
  });
});
