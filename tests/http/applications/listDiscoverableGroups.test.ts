import { beforeAll, expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world({ deployment: TWO_STORES });
const GROUPS = `${APPLICATIONS}/meta/groups`;
const ids = new Map<string, string>();
const list = async (query = ""): Promise<string[]> => {
  const { status, body } = await api.ask("GET", `${GROUPS}${query}`);
  expect(status).toBe(200);
  return body.map(({ name }: { name: string }) => name);
};

beforeAll(async () => {
  for (const displayName of ["Night drivers", "Day drivers", "Office", "SECOND/Guests"]) {
    const { body } = await api.ask("POST", "/scim2/Groups", { body: { displayName } });
    ids.set(displayName, body.id);
  }
});

test("lists the groups of a user store by name, PRIMARY where none is named", async () => {
  const { body } = await api.ask("GET", GROUPS);
  expect(body).toEqual(["Day drivers", "Night drivers", "Office"].map((name) => ({ id: ids.get(name), name })));
  expect(await list("?domain=primary")).toEqual(await list());
  expect(await list("?domain=SECOND")).toEqual(["Guests"]);
  expect(await list("?domain=THIRD")).toEqual([]);
});

test("filters by a part of the name, in any letter case", async () => {
  expect(await list("?filter=name+co+DRIVERS")).toEqual(["Day drivers", "Night drivers"]);
  expect(await list("?filter=name+co+drivers&domain=SECOND")).toEqual([]);
});

test("finds a part of a Greek name that goes on after a sigma", async () => {
  await api.ask("POST", "/scim2/Groups", { body: { displayName: "ΠΑΠΑΣΤΑΜΟΥ" } });
  expect(await list(`?filter=name+co+${encodeURIComponent("ΠΑΠΑΣ")}`)).toEqual(["ΠΑΠΑΣΤΑΜΟΥ"]);
});

test("returns 400 for other filters and for an unknown user store", async () => {
  for (const query of ["filter=name+eq+Office", "filter=id+co+a", "filter=name+co+a+or+name+co+b", "domain=FOURTH"]) {
    const { status, body } = await api.ask("GET", `${GROUPS}?${query}`);
    expect([status, body.description]).toEqual([400, expect.stringMatching(/\S/)]);
  }
});

test("a right to view applications alone shows no groups", async () => {
  const viewer = { username: "viewer", password: "a-long-password" };
  await addUser(api.service, { ...viewer, scopes: ["internal_application_mgt_view"] });
  expect((await api.ask("GET", GROUPS, { as: viewer })).status).toBe(403);
});
