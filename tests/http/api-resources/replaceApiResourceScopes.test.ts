import { expect, test } from "vitest";
import { API_RESOURCES, apiResourcesOf, everyKey, NOBODY, scopesNamed } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const { register, read, system, authorize, scopesOf } = apiResourcesOf(api);
const put = (id: string, body: unknown) => ask("PUT", `${API_RESOURCES}/${id}/scopes`, { body });

test("204: the scopes are those of the body; one that keeps its name keeps its id and stays authorized", async () => {
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
  // A name that comes back is another scope, which nobody authorized.
  expect((await put(id, scopesNamed("a:1", "a:2"))).status).toBe(204);
  expect(await scopesOf(application, id)).toEqual(["a:2"]);
});

test("204: none at all frees every name", async () => {
  const id = await register({ name: "B", identifier: "b", scopes: scopesNamed("b:1") });
  expect((await put(id, [])).status).toBe(204);
  await register({ name: "C", identifier: "c", scopes: scopesNamed("b:1") });
});

test("400: reserved names, and more than one transaction can change; nothing changes", async () => {
  const names = (prefix: string) => scopesNamed(...Array.from({ length: 60 }, (_, index) => `${prefix}:${index}`));
  const id = await register({ name: "D", identifier: "d", scopes: names("d") });
  const before = await everyKey(api.service);
  for (const body of [scopesNamed("internal_x"), names("e")]) expect((await put(id, body)).status).toBe(400);
  expect(await everyKey(api.service)).toEqual(before);
});

test("403, 404 and 409: an API of this service, no API, a scope of another API", async () => {
  await register({ name: "F", identifier: "f", scopes: scopesNamed("f:1") });
  const id = await register({ name: "G", identifier: "g", scopes: scopesNamed("g:1") });
  const refused = [
    await put(await system("/scim2/Me"), []),
    await put(NOBODY, []),
    await put(id, scopesNamed("g:2", "f:1")),
  ];
  expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual([
    "403 API-RESOURCE-60012",
    "404 API-RESOURCE-60002",
    "409 API-RESOURCE-60004",
  ]);
  expect((await read(id)).scopes).toMatchObject([{ name: "g:1" }]);
});

test("the same scopes from ten at the same time: each succeeds, and they are there once", async () => {
  const id = await register({ name: "H", identifier: "h" });
  const answers = await Promise.all(Array.from({ length: 10 }, () => put(id, scopesNamed("h:1", "h:2"))));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
  expect((await read(id)).scopes).toMatchObject([{ name: "h:1" }, { name: "h:2" }]);
});
