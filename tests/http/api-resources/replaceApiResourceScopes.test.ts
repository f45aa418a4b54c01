import { expect, test } from "vitest";
import { API_RESOURCES, apiResourcesOf, everyKey, scopesNamed, UNKNOWN_ID } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const { register, read, system, authorize, scopesOf } = apiResourcesOf(api);
const put = (id: string, body: unknown) => ask("PUT", `${API_RESOURCES}/${id}/scopes`, { body });

test("returns 204 and replaces the scopes; a scope with the same name keeps its id and its authorizations", async () => {
  const id = await register({ name: "A", identifier: "a", scopes: scopesNamed("a:1", "a:2") });
  const application = await create({ name: "caller" });
  await authorize(application, { id, scopes: ["a:1", "a:2"] });
  const [, second] = (await read(id)).scopes;
  const answer = await put(id, [{ name: "a:2", displayName: "Two" }, { name: "a:3" }]);
  expect([answer.status, answer.text]).toEqual([204, ""]);
  expect((await read(id)).scopes).toEqual([
    { id: second.id, name: "a:2", displayName: "Two" },
    { id: expect.any(String), name: "a:3", displayName: "a:3" },
  ]);
  expect(await scopesOf(application, id)).toEqual(["a:2"]);
  // A scope that is created again under the same name is another scope, which is not authorized.
  expect((await put(id, scopesNamed("a:1", "a:2"))).status).toBe(204);
  expect(await scopesOf(application, id)).toEqual(["a:2"]);
});

test("an empty list frees every name", async () => {
  const id = await register({ name: "B", identifier: "b", scopes: scopesNamed("b:1") });
  expect((await put(id, [])).status).toBe(204);
  await register({ name: "C", identifier: "c", scopes: scopesNamed("b:1") });
});

test("returns 400 for reserved names and too many changes, and changes nothing", async () => {
  const names = (prefix: string) => scopesNamed(...Array.from({ length: 60 }, (_, index) => `${prefix}:${index}`));
  const id = await register({ name: "D", identifier: "d", scopes: names("d") });
  const before = await everyKey(api.service);
  for (const body of [scopesNamed("internal_x"), names("e")]) expect((await put(id, body)).status).toBe(400);
  expect(await everyKey(api.service)).toEqual(before);
});

test("returns 403 for an API of this service, 404 for an unknown one, 409 for a scope of another", async () => {
  await register({ name: "F", identifier: "f", scopes: scopesNamed("f:1") });
  const id = await register({ name: "G", identifier: "g", scopes: scopesNamed("g:1") });
  const refused = [
    await put(await system("/scim2/Me"), []),
    await put(UNKNOWN_ID, []),
    await put(id, scopesNamed("g:2", "f:1")),
  ];
  expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual([
    "403 API-RESOURCE-60012",
    "404 API-RESOURCE-60002",
    "409 API-RESOURCE-60004",
  ]);
  expect((await read(id)).scopes).toMatchObject([{ name: "g:1" }]);
});

test("ten concurrent equal replacements succeed and store each scope once", async () => {
  const id = await register({ name: "H", identifier: "h" });
  const answers = await Promise.all(Array.from({ length: 10 }, () => put(id, scopesNamed("h:1", "h:2"))));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
  expect((await read(id)).scopes).toMatchObject([{ name: "h:1" }, { name: "h:2" }]);
});
