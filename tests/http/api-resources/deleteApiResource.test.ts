import { expect, test } from "vitest";
import { API_RESOURCES, apiResourcesOf, everyKey, scopesNamed, UNKNOWN_ID } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const { register, read, system, authorize, authorized, scopesOf } = apiResourcesOf(api);
const remove = (id: string) => ask("DELETE", `${API_RESOURCES}/${id}`);
/** Without the rows of revocations and of sources that have signed in. */
const everyItem = async () => (await everyKey(api.service)).filter((key) => !/#(?:REV[SG]?|LOCK)[# ]/.test(key));
const body = { name: "Gone", identifier: "gone", scopes: scopesNamed("gone:a", "gone:b") };

test("returns 204, leaves no row and frees identifier and scopes at once", async () => {
  const before = await everyItem();
  const id = await register(body);
  const answer = await remove(id);
  expect([answer.status, answer.text]).toEqual([204, ""]);
  expect(await everyItem()).toEqual(before);
  expect((await ask("GET", `${API_RESOURCES}/${id}`)).status).toBe(404);
  const again = await register(body);
  expect(again).not.toBe(id);
  expect((await remove(again)).status).toBe(204);
});

test("returns 204 for a repeated delete and for an unknown id", async () => {
  for (const id of [UNKNOWN_ID, UNKNOWN_ID]) expect((await remove(id)).status).toBe(204);
});

test("returns 204 and ends authorizations, also for a new API with the same names", async () => {
  const application = await create({ name: "caller" });
  const id = await register(body);
  expect((await authorize(application, { id, scopes: ["gone:a"] })).status).toBe(200);
  expect(await scopesOf(application, id)).toEqual(["gone:a"]);
  await remove(id);
  expect(await authorized(application)).toEqual([]);
  const again = await register(body);
  expect(await authorized(application)).toEqual([]);
  expect((await authorize(application, { id, scopes: [] })).body.code).toBe("APP-60507");
  expect((await authorize(application, { id: again })).status).toBe(200);
  expect(await scopesOf(application, again)).toEqual([]);
});

test("returns 403 for an API of this service", async () => {
  const id = await system("/scim2/Users");
  const answer = await remove(id);
  expect([answer.status, answer.body.code]).toEqual([403, "API-RESOURCE-60012"]);
  expect((await read(id)).name).toBe("SCIM2 Users API");
});

test("a concurrent delete and patch leave all rows or none", async () => {
  for (let round = 0; round < 5; round += 1) {
    const before = await everyItem();
    const id = await register({ name: "Race", identifier: "race", scopes: scopesNamed("race:a") });
    const [patched, removed] = await Promise.all([
      ask("PATCH", `${API_RESOURCES}/${id}`, { body: { addedScopes: scopesNamed("race:b") } }),
      remove(id),
    ]);
    expect([204, 404]).toContain(patched.status);
    expect(removed.status).toBe(204);
    expect(await everyItem()).toEqual(before);
  }
});
