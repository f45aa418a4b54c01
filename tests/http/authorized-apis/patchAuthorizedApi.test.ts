import { beforeAll, describe, expect, test } from "vitest";
import { apiResourcesOf, scopesNamed, UNKNOWN_ID } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const { register, system, authorize, scopesOf, pathOf } = apiResourcesOf(api);
const names = Array.from({ length: 20 }, (_, index) => `s:${String(index).padStart(2, "0")}`);
let apiId = "";
beforeAll(async () => {
  apiId = await register({ name: "S", identifier: "s", scopes: scopesNamed(...names) });
});
const patch = (application: string, body: unknown, id = apiId) => ask("PATCH", pathOf(application, id), { body });
const caller = async (name: string, scopes: string[] = []) => {
  const application = await create({ name });
  await authorize(application, { id: apiId, scopes });
  return application;
};

describe("200", () => {
  test("adds and removes scopes; a scope in both lists is removed", async () => {
    const application = await caller("changing", ["s:00", "s:01", "s:02"]);
    const answer = await patch(application, {
      addedScopes: ["s:00", "s:03", "s:04"],
      removedScopes: ["s:01", "s:04", "s:05", "nobody knows"],
    });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(await scopesOf(application, apiId)).toEqual(["s:00", "s:02", "s:03"]);
  });
  test("a body without lists changes nothing", async () => {
    const application = await caller("still", ["s:00"]);
    for (const body of [{}, { addedScopes: null }, { addedScopes: [], removedScopes: [] }]) {
      expect((await patch(application, body)).status).toBe(200);
    }
    expect(await scopesOf(application, apiId)).toEqual(["s:00"]);
  });
  test("twenty concurrent changes are all stored", async () => {
    const application = await caller("busy", names.slice(0, 10));
    const answers = await Promise.all([
      ...names.slice(0, 10).map((name) => patch(application, { removedScopes: [name] })),
      ...names.slice(10).map((name) => patch(application, { addedScopes: [name] })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect(await scopesOf(application, apiId)).toEqual(names.slice(10));
  });
});

describe("400", () => {
  test("checks for an unknown API, then an unknown scope, then a missing authorization", async () => {
    const application = await caller("refused");
    const users = await system("/scim2/Users");
    const refused = [
      await patch(application, { addedScopes: ["x"] }, UNKNOWN_ID),
      await patch(application, { addedScopes: ["x"] }, users),
      await patch(application, { addedScopes: ["s:00", "internal_login"] }),
      await patch(application, { addedScopes: ["internal_user_mgt_view"] }, users),
      await patch(UNKNOWN_ID, { addedScopes: ["s:00"] }),
    ];
    expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual([
      "400 APP-60507",
      "400 APP-60508",
      "400 APP-60508",
      "400 APP-60510",
      "400 APP-60510",
    ]);
    expect(await scopesOf(application, apiId)).toEqual([]);
  });
});
