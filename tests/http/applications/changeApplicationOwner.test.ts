import { describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { addUser, idOf, TENANT, tableOf } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const give = (id: string, body: unknown) => ask("PUT", `${APPLICATIONS}/${id}/owner`, { body });
const ownerOf = async (id: string) =>
  (await tableOf(api.service).get(keys.application(TENANT, id)))?.application as unknown as { ownerId: string };

test("returns 200 and changes the owner only", async () => {
  const id = await create({ name: "given" });
  expect((await ownerOf(id)).ownerId).toBe(await idOf(api.service, "admin"));
  const heir = await addUser(api.service, { username: "heir", password: "a password" });
  const before = (await ask("GET", `${APPLICATIONS}/${id}`)).body;
  const answer = await give(id, { id: heir });
  expect([answer.status, answer.text]).toEqual([200, ""]);
  expect((await ownerOf(id)).ownerId).toBe(heir);
  expect((await ask("GET", `${APPLICATIONS}/${id}`)).body).toEqual(before);
});

test("returns 404 for an unknown application before it checks the user", async () => {
  const answer = await give("00000000-0000-0000-0000-000000000000", { id: "nobody" });
  expect([answer.status, answer.body.code]).toEqual([404, "APP-60006"]);
});

test("returns 400 for an unknown user", async () => {
  const answer = await give(await create({ name: "to give" }), { id: "00000000-0000-0000-0000-000000000000" });
  expect([answer.status, answer.body.code, answer.body.message]).toEqual([400, "APP-60504", "User not found"]);
});

describe("400 for a text that is not a user id", () => {
  test.each([[{}], [{ id: null }], [{ id: "" }], [{ id: 7 }], [{ id: "x".repeat(300) }]])("%j", async (body) => {
    const answer = await give(await create({ name: `bad owner ${JSON.stringify(body).length}` }), body);
    expect([answer.status, answer.body.code]).toEqual([400, "UE-10000"]);
  });
});
