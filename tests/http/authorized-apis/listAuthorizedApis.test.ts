import { expect, test } from "vitest";
import { apiResourcesOf, scopesNamed, UNKNOWN_ID } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const { register, system, authorize, pathOf } = apiResourcesOf(api);

test("lists APIs in the order of authorization, with current names", async () => {
  const application = await create({ name: "caller" });
  const own = await register({ name: "Old", identifier: "own", scopes: scopesNamed("own:1", "own:2") });
  const users = await system("/scim2/Users");
  await authorize(application, { id: users, scopes: ["internal_user_mgt_list", "internal_user_mgt_view"] });
  await authorize(application, { id: own, scopes: ["own:2"] });
  await ask("PATCH", `/api/server/v1/api-resources/${own}`, { body: { name: "New" } });
  const answer = await ask("GET", pathOf(application));
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual([
    {
      id: users,
      identifier: "/scim2/Users",
      displayName: "SCIM2 Users API",
      policyId: "RBAC",
      type: "TENANT",
      authorizedScopes: [
        { id: expect.any(String), name: "internal_user_mgt_view", displayName: "View Users" },
        { id: expect.any(String), name: "internal_user_mgt_list", displayName: "List Users" },
      ],
    },
    {
      id: own,
      identifier: "own",
      displayName: "New",
      policyId: "RBAC",
      type: "BUSINESS",
      authorizedScopes: [{ id: expect.any(String), name: "own:2", displayName: "own:2" }],
    },
  ]);
});

test("returns an empty list without authorizations and for an unknown application", async () => {
  for (const id of [await create({ name: "lonely" }), UNKNOWN_ID]) {
    const answer = await ask("GET", pathOf(id));
    expect([answer.status, answer.body]).toEqual([200, []]);
  }
});
