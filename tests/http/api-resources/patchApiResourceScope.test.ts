import { expect, test } from "vitest";
import { API_RESOURCES, apiResourcesOf, NOBODY, scopesNamed } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
const { register, read, system } = apiResourcesOf(api);
const patch = (id: string, name: string, body: unknown) =>
  ask("PATCH", `${API_RESOURCES}/${id}/scopes/${name}`, { body });

test("204: display name and description change, name and id stay", async () => {
  const id = await register({ name: "A", identifier: "a", scopes: scopesNamed("a:1", "a:2") });
  const { scopes } = await read(id);
  expect((await patch(id, "a:2", { displayName: "Two", description: "The second" })).status).toBe(204);
  expect((await patch(id, "a:2", { displayName: " ", name: "other" })).status).toBe(204);
  expect((await read(id)).scopes).toEqual([scopes[0], { ...scopes[1], displayName: "Two", description: "The second" }]);
});

test("403 and 404: an API of this service, no API, no such scope", async () => {
  const id = await register({ name: "B", identifier: "b", scopes: scopesNamed("b:1") });
  const refused = [
    await patch(await system("/scim2/Me"), "internal_login", { displayName: "x" }),
    await patch(NOBODY, "b:1", { displayName: "x" }),
    await patch(id, "b:2", { displayName: "x" }),
  ];
  expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual([
    "403 API-RESOURCE-60012",
    "404 API-RESOURCE-60002",
    "404 API-RESOURCE-60005",
  ]);
});
