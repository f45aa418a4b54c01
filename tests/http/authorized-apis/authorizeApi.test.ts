import { describe, expect, test } from "vitest";
import { apiResourcesOf, everyKey, scopesNamed, UNKNOWN_ID } from "#tests/support/api-resources.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const { register, system, authorize, authorized, scopesOf } = apiResourcesOf(api);

describe("200", () => {
  test("authorizes scopes with a policy in any case and returns no body", async () => {
    const application = await create({ name: "first" });
    const open = { name: "Open", identifier: "open", requiresAuthorization: false, scopes: scopesNamed("o:1", "o:2") };
    const id = await register(open);
    const answer = await authorize(application, { id, policyIdentifier: "no policy", scopes: ["o:2"] });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(await authorized(application)).toMatchObject([
      { id, policyId: "NO POLICY", authorizedScopes: [{ name: "o:2" }] },
    ]);
  });
  test.each<[string, object]>([
    ["absent", {}],
    ["null", { policyIdentifier: null, scopes: null }],
    ["blank", { policyIdentifier: " ", scopes: [] }],
    ["in lower case", { policyIdentifier: "rbac" }],
  ])("a policy that is %s means RBAC; absent scopes mean none", async (name, body) => {
    const application = await create({ name: `policy ${name}` });
    const id = await system("/scim2/Users");
    expect((await authorize(application, { id, ...body })).status).toBe(200);
    expect(await authorized(application)).toMatchObject([{ id, policyId: "RBAC", authorizedScopes: [] }]);
  });
  test("ten concurrent authorizations are all stored", async () => {
    const application = await create({ name: "busy" });
    const ids = await Promise.all(
      Array.from({ length: 10 }, (_, index) => register({ name: "B", identifier: `busy ${index}` })),
    );
    const answers = await Promise.all(ids.map((id) => authorize(application, { id })));
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
    const shown = (await authorized(application)).map(({ id }: { id: string }) => id);
    expect(shown.sort()).toEqual(ids.sort());
  });
});

describe("400, and nothing changes", () => {
  test.each<[string, (id: string) => unknown, string]>([
    ["no id", () => ({ scopes: [] }), "APP-60507"],
    ["an unknown API", () => ({ id: UNKNOWN_ID, scopes: ["x"], policyIdentifier: "x" }), "APP-60507"],
    ["a scope of another API", (id) => ({ id, scopes: ["internal_login"], policyIdentifier: "x" }), "APP-60508"],
    ["a policy that is none", (id) => ({ id, policyIdentifier: "ABAC" }), "APP-60511"],
    ["no policy where authorization is required", (id) => ({ id, policyIdentifier: "No Policy" }), "APP-60512"],
    ["a text for scopes", (id) => ({ id, scopes: "internal_login" }), "UE-10000"],
  ])("%s", async (name, bodyOf, code) => {
    const application = await create({ name: `wrong ${name}` });
    const before = await everyKey(api.service);
    const answer = await authorize(application, bodyOf(await system("/scim2/Groups")));
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(await everyKey(api.service)).toEqual(before);
  });
  test("the 101st API", async () => {
    const application = await create({ name: "many" });
    for (let index = 0; index <= 100; index += 1) {
      const id = await register({ name: "M", identifier: `m${index}` });
      expect((await authorize(application, { id })).status).toBe(index < 100 ? 200 : 400);
    }
  });
});

test("returns 404 for an unknown application and stores no row", async () => {
  const before = await everyKey(api.service);
  const answer = await authorize(UNKNOWN_ID, { id: await system("/scim2/Users") });
  expect([answer.status, answer.body.code]).toEqual([404, "APP-60006"]);
  expect(await everyKey(api.service)).toEqual(before);
});

test("returns 409 for an authorized API before other faults, and to 19 of 20 concurrent requests", async () => {
  const application = await create({ name: "twice" });
  const id = await system("/scim2/Me");
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => authorize(application, { id, scopes: ["internal_login"] })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  const again = await authorize(application, { id, scopes: ["nothing"], policyIdentifier: "x" });
  expect([again.status, again.body.code]).toEqual([409, "APP-60509"]);
  expect(await scopesOf(application, id)).toEqual(["internal_login"]);
});

test("deleting the application leaves no row, also with a concurrent authorization", async () => {
  const [users, groups] = [await system("/scim2/Users"), await system("/scim2/Groups")];
  const before = await everyKey(api.service);
  for (let round = 0; round < 10; round += 1) {
    const application = await create({ name: "short-lived" });
    if (round % 2 === 0) await authorize(application, { id: users });
    const [granted, removed] = await Promise.all([
      authorize(application, { id: groups }),
      ask("DELETE", `${APPLICATIONS}/${application}`),
    ]);
    expect([200, 404]).toContain(granted.status);
    expect(removed.status).toBe(204);
    expect(await everyKey(api.service)).toEqual(before);
  }
});
