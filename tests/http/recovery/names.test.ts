/** The other name under which a group or role comes back: read as a new one, so that later changes keep it. */
import { expect, test } from "vitest";
import { recoveryOf } from "#tests/support/recovery.ts";
import { fresh, type Shown, scimOf } from "#tests/support/scim.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: TWO_STORES });
const scim = scimOf(api, "wso2");
const { remove, restore, restored } = recoveryOf(api);
const ROLES = "/scim2/v2/Roles";

/** Deletes a new group of a store. Returns its path. */
const deleted = async (store = ""): Promise<string> => {
  const path = `/scim2/Groups/${(await scim.group({ displayName: `${store}${fresh("crew")}` })).id}`;
  await remove(path);
  return path;
};
const idIn = (path: string) => path.split("/").at(-1) ?? "";
const patched = async (path: string, name: string, user: Shown): Promise<Shown> => {
  const Operations = [{ op: "add", path: name, value: [{ value: user.id }] }];
  const answer = await api.ask("PATCH", path, { body: { Operations } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

test.each([
  ["the store before it", "", "PRIMARY/", "", ""],
  ["spaces around it", "", "  ", "  ", ""],
  ["spaces after the store", "", "PRIMARY/ ", " ", ""],
  ["another letter case of its store", "SECOND/", "second/", "", "SECOND/"],
  ["its name alone", "SECOND/", "", "", "SECOND/"],
])("a group by %s, and a new member leaves it", async (_, store, before, after, shown) => {
  const user = await scim.user({ userName: `${store}${fresh("user")}`, password: "Right-pass-1" });
  const path = await deleted(store);
  const name = fresh("ops");
  expect((await restored(idIn(path), { name: `${before}${name}${after}` })).name).toBe(`${shown}${name}`);
  expect((await patched(path, "members", user)).displayName).toBe(`${shown}${name}`);
  expect((await api.ask("GET", path)).body.displayName).toBe(`${shown}${name}`);
});

test.each([
  ["nothing but spaces", "   ", "name must have at least 1 character"],
  ["a store alone", "PRIMARY/ ", "1 to 255 characters"],
  ["another store", "SECOND/x", "another user store"],
])("a group is not restored by %s", async (_, name, description) => {
  const path = await deleted();
  const answer = await restore(idIn(path), { body: { name } });
  expect([answer.status, answer.body.description]).toEqual([400, expect.stringContaining(description)]);
  await restored(idIn(path));
});

test("a group keeps a slash in its name where no store is before it", async () => {
  const path = await deleted();
  const name = `${fresh("EMEA")}/Sales`;
  expect((await restored(idIn(path), { name })).name).toBe(name);
});

test("a role is restored without the spaces around its name, and not by spaces alone", async () => {
  const role = (await api.ask("POST", ROLES, { body: { displayName: fresh("role") } })).body;
  const path = `${ROLES}/${role.id}`;
  await remove(path);
  expect((await restore(role.id, { body: { name: "  " } })).status).toBe(400);
  const name = fresh("ops");
  expect((await restored(role.id, { name: ` ${name} ` })).name).toBe(name);
  expect((await patched(path, "users", await scim.user({ password: "Right-pass-1" }))).displayName).toBe(name);
});
