import { describe, expect, test } from "vitest";
import { API_RESOURCES, apiResourcesOf, everyKey, scopesNamed, UNKNOWN_ID } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
const { register, read, system } = apiResourcesOf(api);
const patch = (id: string, body: unknown) => ask("PATCH", `${API_RESOURCES}/${id}`, { body });
const namesOf = ({ scopes }: { scopes: { name: string }[] }) => scopes.map(({ name }) => name).sort();

describe("204", () => {
  test("changes the members of the body, in the list too", async () => {
    const id = await register({ name: "Old", identifier: "kept", description: "d", scopes: scopesNamed("kept:a") });
    const before = await read(id);
    const answer = await patch(id, { name: "New", addedScopes: scopesNamed("kept:b") });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    const after = await read(id);
    expect(after).toEqual({
      ...before,
      name: "New",
      scopes: [before.scopes[0], expect.objectContaining({ name: "kept:b" })],
    });
    const { body } = await ask("GET", `${API_RESOURCES}?filter=identifier+eq+kept`);
    expect(body.apiResources[0].name).toBe("New");
    expect((await patch(id, { description: "" })).status).toBe(204);
    expect((await read(id)).description).toBe("");
    expect((await patch(id, {})).status).toBe(204);
  });
  test("ten concurrent changes are all stored", async () => {
    const id = await register({ name: "Busy", identifier: "busy" });
    const names = Array.from({ length: 10 }, (_, index) => `busy:${index}`);
    const answers = await Promise.all(names.map((name) => patch(id, { addedScopes: scopesNamed(name) })));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 204));
    expect(namesOf(await read(id))).toEqual(names);
  });
});

test("returns 400 for a blank name, reserved or repeated scopes, and more than 90 scopes", async () => {
  const many = Array.from({ length: 89 }, (_, index) => `full:${index}`);
  const id = await register({ name: "Full", identifier: "full", scopes: scopesNamed(...many) });
  const before = await everyKey(api.service);
  const refused = [
    await patch(id, { name: " " }),
    await patch(id, { addedScopes: scopesNamed("internal_x") }),
    await patch(id, { addedScopes: scopesNamed("full:a", "full:a") }),
    await patch(id, { addedScopes: scopesNamed("full:a", "full:b") }),
  ];
  expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual([
    "400 API-RESOURCE-60003",
    "400 API-RESOURCE-60008",
    "400 API-RESOURCE-60005",
    "400 API-RESOURCE-60005",
  ]);
  expect(await everyKey(api.service)).toEqual(before);
});

test("returns 403 for an API of this service", async () => {
  const id = await system("/scim2/Groups");
  const answer = await patch(id, { name: "Mine" });
  expect([answer.status, answer.body.code]).toEqual([403, "API-RESOURCE-60012"]);
  expect((await read(id)).name).toBe("SCIM2 Groups API");
});

test("returns 404 for an unknown API", async () => {
  const answer = await patch(UNKNOWN_ID, { name: "x" });
  expect([answer.status, answer.body.code]).toEqual([404, "API-RESOURCE-60002"]);
});

test("returns 409 for a scope in use and changes nothing", async () => {
  await register({ name: "First", identifier: "first", scopes: scopesNamed("taken") });
  const id = await register({ name: "Second", identifier: "second", scopes: scopesNamed("own") });
  for (const name of ["taken", "own"]) {
    const answer = await patch(id, { name: "Changed", addedScopes: scopesNamed("free", name) });
    expect([answer.status, answer.body.code]).toEqual([409, "API-RESOURCE-60004"]);
  }
  expect(await read(id)).toMatchObject({ name: "Second", scopes: [{ name: "own" }] });
  expect((await patch(id, { addedScopes: scopesNamed("free") })).status).toBe(204);
});

test("returns 501 for removedScopes", async () => {
  const id = await register({ name: "Third", identifier: "third" });
  const answer = await patch(id, { removedScopes: [] });
  expect([answer.status, answer.body.code]).toEqual([501, "API-RESOURCE-60006"]);
});
