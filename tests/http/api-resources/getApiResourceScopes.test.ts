import { expect, test } from "vitest";
import { API_RESOURCES, apiResourcesOf, scopesNamed, UNKNOWN_ID } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
const { register, read, system } = apiResourcesOf(api);

test("returns the scopes of an API of the tenant and of this service", async () => {
  const own = await register({ name: "Own", identifier: "own", scopes: scopesNamed("own:b", "own:a") });
  for (const id of [own, await system("/scim2/Bulk")]) {
    const answer = await ask("GET", `${API_RESOURCES}/${id}/scopes`);
    expect([answer.status, answer.body]).toEqual([200, (await read(id)).scopes]);
    expect(answer.body.length).toBeGreaterThan(1);
  }
});

test("returns 404 for an unknown API", async () => {
  const answer = await ask("GET", `${API_RESOURCES}/${UNKNOWN_ID}/scopes`);
  expect([answer.status, answer.body.code]).toEqual([404, "API-RESOURCE-60002"]);
});
