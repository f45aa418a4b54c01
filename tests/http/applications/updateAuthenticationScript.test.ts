import { expect, test } from "vitest";
import { recordsIn } from "#tests/support/changes.ts";
import { addUser } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const steps = [{ id: 1, options: [{ idp: "LOCAL", authenticator: "totp" }] }];
const SCRIPT = "var onLoginRequest = function (context) { executeStep(1); };";
const pathOf = (id: string) => `${APPLICATIONS}/${id}/authenticationSequence/script`;
const put = (id: string, body: unknown, headers = {}) => ask("PUT", pathOf(id), { body, headers });
const read = async (id: string) => (await ask("GET", `${APPLICATIONS}/${id}`)).body;

test("returns 200 without a body, sets the script and nothing else; a blank one removes it", async () => {
  const id = await create({ name: "scripted", authenticationSequence: { type: "USER_DEFINED", steps } });
  const before = await read(id);
  const answer = await put(id, { script: SCRIPT });
  expect([answer.status, answer.text]).toEqual([200, ""]);
  expect(await read(id)).toEqual({
    ...before,
    authenticationSequence: { ...before.authenticationSequence, script: SCRIPT },
  });
  expect((await put(id, { script: " \n" })).status).toBe(200);
  expect(await read(id)).toEqual(before);
});

test("a change is one record; the same script again is none", async () => {
  const id = await create({ name: "recorded", authenticationSequence: { type: "USER_DEFINED", steps } });
  await put(id, { script: SCRIPT });
  await put(id, { script: SCRIPT });
  const records = (await recordsIn(api)).filter(({ operation }) => operation === "updateAuthenticationScript");
  expect(records.filter(({ resource }) => resource.id === id)).toMatchObject([
    { changes: [{ op: "add", path: "/authenticationSequence/script", value: SCRIPT }] },
  ]);
});

test("returns 400 for the default sequence, where a blank script is nothing to do, and for a body without script", async () => {
  const id = await create({ name: "unscripted" });
  const refused = await put(id, { script: SCRIPT });
  expect([refused.status, refused.body.code]).toEqual([400, "APP-60001"]);
  expect((await put(id, { script: "" })).status).toBe(200);
  for (const body of [{}, { script: null }, { script: 1 }]) expect((await put(id, body)).status).toBe(400);
  expect((await read(id)).authenticationSequence.script).toBeUndefined();
});

test("returns 404 for an unknown application, 412 for an old tag", async () => {
  const id = await create({ name: "tagged", authenticationSequence: { type: "USER_DEFINED", steps } });
  expect((await put("unknown", { script: SCRIPT })).status).toBe(404);
  expect((await put(id, { script: SCRIPT }, { "if-match": '"old"' })).status).toBe(412);
  expect((await read(id)).authenticationSequence.script).toBeUndefined();
});

test("needs the right to update scripts, and no right to update applications", async () => {
  const id = await create({ name: "righted", authenticationSequence: { type: "USER_DEFINED", steps } });
  const password = "a-long-password";
  const [scripter, manager] = [
    { username: "scripter", password },
    { username: "manager", password },
  ];
  await addUser(api.service, { ...scripter, scopes: ["internal_application_script_update"] });
  await addUser(api.service, { ...manager, scopes: ["internal_application_mgt_update"] });
  expect((await ask("PUT", pathOf(id), { as: manager, body: { script: SCRIPT } })).status).toBe(403);
  expect((await ask("PUT", pathOf(id), { as: scripter, body: { script: SCRIPT } })).status).toBe(200);
});
