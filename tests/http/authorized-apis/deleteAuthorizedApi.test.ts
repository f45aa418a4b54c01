import { expect, test } from "vitest";
import { apiResourcesOf, everyKey, UNKNOWN_ID } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const { system, authorize, authorized, pathOf } = apiResourcesOf(api);
const remove = (application: string, id: string) => ask("DELETE", pathOf(application, id));

test("returns 204 and removes one authorization; it can be authorized again", async () => {
  const application = await create({ name: "caller" });
  const [users, groups] = [await system("/scim2/Users"), await system("/scim2/Groups")];
  for (const id of [users, groups]) await authorize(application, { id, scopes: [] });
  const answer = await remove(application, users);
  expect([answer.status, answer.text]).toEqual([204, ""]);
  expect(await authorized(application)).toMatchObject([{ id: groups }]);
  expect((await authorize(application, { id: users })).status).toBe(200);
});

test("returns 204 for an unauthorized or unknown API and an unknown application, and stores nothing", async () => {
  const application = await create({ name: "lonely" });
  const users = await system("/scim2/Users");
  const before = await everyKey(api.service);
  for (const [at, id] of [
    [application, users],
    [application, UNKNOWN_ID],
    [UNKNOWN_ID, users],
  ] as const) {
    expect((await remove(at, id)).status).toBe(204);
  }
  expect(await everyKey(api.service)).toEqual(before);
});
