import { expect, test } from "vitest";
import { API_RESOURCES, apiResourcesOf, scopesNamed, UNKNOWN_ID } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const { register, read, system, authorize, scopesOf } = apiResourcesOf(api);
const remove = (id: string, name: string) => ask("DELETE", `${API_RESOURCES}/${id}/scopes/${name}`);

test("returns 204, removes the scope from applications too, and frees its name", async () => {
  const id = await register({ name: "A", identifier: "a", scopes: scopesNamed("a:1", "a:2") });
  const application = await create({ name: "caller" });
  await authorize(application, { id, scopes: ["a:1", "a:2"] });
  const answer = await remove(id, "a:1");
  expect([answer.status, answer.text]).toEqual([204, ""]);
  expect((await read(id)).scopes).toMatchObject([{ name: "a:2" }]);
  expect(await scopesOf(application, id)).toEqual(["a:2"]);
  await register({ name: "B", identifier: "b", scopes: scopesNamed("a:1") });
});

test("returns 204 for an unknown scope of a known or unknown API", async () => {
  const id = await register({ name: "C", identifier: "c" });
  for (const api of [id, UNKNOWN_ID]) expect((await remove(api, "nothing")).status).toBe(204);
});

test("removes the scope with a question mark or a number sign in its name, and no scope of a shorter name", async () => {
  const id = await register({ name: "D", identifier: "d", scopes: scopesNamed("d", "d?e", "d#e", "d?") });
  for (const name of ["d%3Fe", "d%23e", "d%3f"]) expect((await remove(id, name)).status).toBe(204);
  expect((await read(id)).scopes).toMatchObject([{ name: "d" }]);
});

test("returns 403 for a scope of this service", async () => {
  const answer = await remove(await system("/scim2/Me"), "internal_login");
  expect([answer.status, answer.body.code]).toEqual([403, "API-RESOURCE-60012"]);
});
