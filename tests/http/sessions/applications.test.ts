/** The applications that a person can open: which ones portals show, to whom, and what of each. */
import { beforeAll, describe, expect, test } from "vitest";
import { DELETED } from "#tests/support/recovery.ts";
import { saasOf } from "#tests/support/saas.ts";
import { APPLICATIONS, type Ask, world } from "#tests/support/world.ts";

const api = world();
const { newTenant } = saasOf(api);
const OWN = "/api/users/v1/me/applications";
const kim = { username: "kim", password: "a-good-Password-1" };
const lee = { username: "lee", password: "a-good-Password-2" };
const NOTHING = "00000000-0000-0000-0000-000000000000";

const ids: Record<string, string> = {};
const sent = async (method: string, path: string, body?: unknown, status = 200) => {
  const answer = await api.ask(method, path, body === undefined ? {} : { body });
  expect([answer.status, answer.text], `${method} ${path}`).toEqual([status, answer.text]);
  return answer;
};
/** A discoverable application with this name. */
const add = async (name: string, advanced: object = {}, more: object = {}): Promise<string> =>
  api.create({
    name,
    accessUrl: "https://apps.example.com/open",
    advancedConfigurations: { discoverableByEndUsers: true, ...advanced },
    ...more,
  });
const list = async (query = "", as: Ask["as"] = kim) =>
  (await api.ask("GET", `${OWN}${query}`, { as: as ?? kim })).body;
const names = async (as: Ask["as"] = kim, query = "?limit=100") =>
  (await list(query, as)).applications.map(({ name }: { name: string }) => name);
const patch = (id: string, body: object) => sent("PATCH", `${APPLICATIONS}/${id}`, body);
const groups = (id: string) => [{ userStore: "PRIMARY", groups: [{ id }] }];

beforeAll(async () => {
  for (const { username: userName, password } of [kim, lee]) {
    ids[userName] = (await sent("POST", "/scim2/Users", { userName, password }, 201)).body.id;
  }
  const members = [{ value: ids.kim }];
  ids.drivers = (await sent("POST", "/scim2/Groups", { displayName: "drivers", members }, 201)).body.id;
  ids.dispatchers = (await sent("POST", "/scim2/v2/Roles", { displayName: "dispatchers" }, 201)).body.id;
});

describe("listMyApplications", () => {
  test("shows discoverable applications in the order of their names, and no others", async () => {
    const id = await add("b board", {}, { description: "Who drives", imageUrl: "https://apps.example.com/b.png" });
    await add("A first");
    await add("c hidden", { discoverableByEndUsers: false });
    const { applications, links, ...page } = await list();
    expect(page).toEqual({ totalResults: 2, startIndex: 1, count: 2 });
    expect(links).toEqual([]);
    expect(applications).toEqual([
      { id: expect.any(String), name: "A first", accessUrl: "https://apps.example.com/open" },
      {
        id,
        name: "b board",
        description: "Who drives",
        image: "https://apps.example.com/b.png",
        accessUrl: "https://apps.example.com/open",
      },
    ]);
  });

  test("follows each change of the application, its deletion and its return", async () => {
    const id = await add("d changing");
    await patch(id, { name: "d renamed", description: "New" });
    expect(await names()).toContain("d renamed");
    expect((await api.ask("GET", `${OWN}/${id}`, { as: kim })).body).toMatchObject({ description: "New" });
    await patch(id, { applicationEnabled: false });
    expect(await names()).not.toContain("d renamed");
    await patch(id, { applicationEnabled: true });
    await patch(id, { advancedConfigurations: { discoverableByEndUsers: false } });
    expect(await names()).not.toContain("d renamed");
    await patch(id, { advancedConfigurations: { discoverableByEndUsers: true } });
    expect(await names()).toContain("d renamed");
    await sent("DELETE", `${APPLICATIONS}/${id}`, undefined, 204);
    expect(await names()).not.toContain("d renamed");
    await sent("POST", `${DELETED}/${id}/restore`, {}, 200);
    expect(await names()).toContain("d renamed");
    await sent("DELETE", `${APPLICATIONS}/${id}`, undefined, 204);
  });

  test("shows those with groups to the members of one of them", async () => {
    const id = await add("e drivers", { discoverableGroups: groups(ids.drivers ?? "") });
    expect([await names(kim), await names(lee)].map((shown) => shown.includes("e drivers"))).toEqual([true, false]);
    expect((await api.ask("GET", `${OWN}/${id}`, { as: lee })).status).toBe(404);
    await patch(id, { advancedConfigurations: { discoverableGroups: groups(NOTHING) } });
    expect(await names(kim)).not.toContain("e drivers");
    await sent("DELETE", `${APPLICATIONS}/${id}`, undefined, 204);
  });

  test.each([
    ["user", () => ids.lee],
    ["group", () => ids.drivers],
    ["role", () => ids.dispatchers],
  ] as const)("shows one that needs an assignment to those who have access by a %s", async (type, principal) => {
    const id = await add(`f by ${type}`, { enableAuthorization: true });
    const seen = async () => [await names(kim), await names(lee)].map((shown) => shown.includes(`f by ${type}`));
    expect(await seen()).toEqual([false, false]);
    expect((await api.ask("GET", `${OWN}/${id}`, { as: lee })).status).toBe(404);
    const made = await sent("POST", `${APPLICATIONS}/${id}/assignments`, { type, id: principal() }, 201);
    const role = `/scim2/v2/Roles/${ids.dispatchers}`;
    const give = (op: string, path: string, value?: object[]) =>
      sent("PATCH", role, {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op, path, ...(value && { value }) }],
      });
    // The role by a group: kim; by herself: lee.
    if (type === "role") {
      await give("add", "groups", [{ value: ids.drivers }]);
      await give("add", "users", [{ value: ids.lee }]);
    }
    expect(await seen()).toEqual({ user: [false, true], group: [true, false], role: [true, true] }[type]);
    expect((await api.ask("GET", `${OWN}/${id}`, { as: type === "group" ? kim : lee })).status).toBe(200);
    await sent("DELETE", `${APPLICATIONS}/${id}/assignments/${made.body.id}`, undefined, 204);
    expect(await seen()).toEqual([false, false]);
    await sent("DELETE", `${APPLICATIONS}/${id}`, undefined, 204);
  });

  test("filters by name, and pages with the exact total", async () => {
    const all = await names(kim);
    expect(await names(kim, "?filter=name%20co%20boar")).toEqual(["b board"]);
    const first = await list("?limit=1&attributes=name");
    expect(first).toMatchObject({ totalResults: all.length, startIndex: 1, count: 1 });
    expect(first.applications).toEqual([{ id: expect.any(String), name: all[0] }]);
    expect(first.links).toEqual([
      { rel: "next", href: "/t/carbon.super/api/users/v1/me/applications?offset=1&limit=1&attributes=name" },
    ]);
    const { applications } = (await api.ask("GET", first.links[0].href, { as: kim })).body;
    expect(applications).toEqual([{ id: expect.any(String), name: all[1] }]);
  });

  test.each([
    ["?attributes=name,owner", 400, "UAM-60002"],
    ["?filter=owner%20eq%20kim", 400, expect.any(String)],
    ["?limit=0", 400, expect.any(String)],
    ["?offset=-1", 400, expect.any(String)],
  ])("refuses %s", async (query, status, code) => {
    expect(await api.ask("GET", `${OWN}${query}`, { as: kim })).toMatchObject({ status, body: { code } });
  });
});

describe("getMyApplication", () => {
  test("refuses an unknown id, and one of another tenant", async () => {
    const other = await newTenant("acme.com");
    const advancedConfigurations = { discoverableByEndUsers: true };
    const { applicationId: foreign } = await other.newApplication({
      accessUrl: "https://a.example.com",
      advancedConfigurations,
    });
    expect((await other.ask("GET", `${OWN}/${foreign}`)).status).toBe(200);
    expect((await other.ask("GET", OWN)).body.totalResults).toBe(1);
    for (const id of [NOTHING, foreign, "x".repeat(255)]) {
      expect(await api.ask("GET", `${OWN}/${id}`, { as: kim })).toMatchObject({
        status: 404,
        body: { code: "UAM-60001", description: `You have no application with the id ${id.slice(0, 100)}.` },
      });
    }
  });
});
