import { expect, test } from "vitest";
import { API_RESOURCES, apiResourcesOf, scopesNamed, UNKNOWN_ID } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
const { register, read, system } = apiResourcesOf(api);
const patch = (id: string, name: string, body: unknown) =>
  ask("PATCH", `${API_RESOURCES}/${id}/scopes/${name}`, { body });

test("returns 204 and changes display name and description only", async () => {
  const id = await register({ name: "A", identifier: "a", scopes: scopesNamed("a:1", "a:2") });
  const { scopes } = await read(id);
  expect((await patch(id, "a:2", { displayName: "Two", description: "The second" })).status).toBe(204);
  expect((await patch(id, "a:2", { displayName: " ", name: "other" })).status).toBe(204);
  expect((await read(id)).scopes).toEqual([scopes[0], { ...scopes[1], displayName: "Two", description: "The second" }]);
});

test("returns 403 for an API of this service, 404 for an unknown API or scope", async () => {
  const id = await register({ name: "B", identifier: "b", scopes: scopesNamed("b:1") });
  const refused = [
    await patch(await system("/scim2/Me"), "internal_login", { displayName: "x" }),
    await patch(UNKNOWN_ID, "b:1", { displayName: "x" }),
    await patch(id, "b:2", { displayName: "x" }),
  ];
  expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual([
    "403 API-RESOURCE-60012",
    "404 API-RESOURCE-60002",
    "404 API-RESOURCE-60005",
  ]);
});
