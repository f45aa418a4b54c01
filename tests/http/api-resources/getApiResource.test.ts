import { expect, test } from "vitest";
import { API_RESOURCES, apiResourcesOf, UNKNOWN_ID } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
const { register, read, system } = apiResourcesOf(api);

test("returns an API of the tenant", async () => {
  const id = await register({ name: "Taxis", identifier: "https://taxis.example.com" });
  expect(await read(id)).toMatchObject({ id, name: "Taxis", identifier: "https://taxis.example.com" });
});

test("returns an API of this service with an id that is the same in every deployment", async () => {
  const id = await system("/api/server/v1/applications");
  expect(id).toBe("28df96d7-f71e-5df4-80bc-cfe952df2fd4");
  const shown = await read(id);
  expect(shown).toMatchObject({ name: "Application Management API", type: "TENANT", requiresAuthorization: true });
  expect(shown.scopes).toContainEqual({
    id: expect.any(String),
    name: "internal_application_mgt_view",
    displayName: "View Applications",
  });
});

test.each([UNKNOWN_ID, "nobody", "x".repeat(255), "toString"])("404: %s", async (id) => {
  const answer = await ask("GET", `${API_RESOURCES}/${id}`);
  expect([answer.status, answer.body.code]).toEqual([404, "API-RESOURCE-60002"]);
  expect(answer.body.description).toContain(id);
});
