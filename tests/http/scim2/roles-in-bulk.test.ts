/** Roles in bulk requests and by cursor, with the rights, records and repetitions that single operations have. */
import { beforeAll, describe, expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { type Ask, world } from "#tests/support/world.ts";

const api = world();
const scim = scimOf(api);
const password = "a-long-password";
const ROLES = "/v2/Roles";
const patchOf = (path: string, value: unknown) => ({
  schemas: [URN.patch],
  Operations: [{ op: "replace", path, value }],
});
const bulk = (Operations: readonly Shown[], more: Partial<Ask> = {}) =>
  scim.ask("POST", "/Bulk", { body: { schemas: [URN.bulk], Operations }, ...more });
const newRole = async (displayName: string): Promise<Shown> =>
  (await scim.ask("POST", ROLES, { body: { displayName } })).body;
const roleNamed = async (name: string): Promise<readonly Shown[]> =>
  (await scim.find(`displayName eq "${name}"`, ROLES)).Resources;

describe("the scopes of a bulk request", () => {
  const [keeper, bulkOnly] = [
    { username: "bulk-keeper", password },
    { username: "bulk-only", password },
  ];

  beforeAll(async () => {
    const request = "internal_bulk_resource_create";
    const both = ["internal_role_mgt_update", "internal_role_mgt_users_update"];
    await addUser(api.service, { ...keeper, scopes: [request, ...both] });
    const verbs = ["create", "update", "delete"].map((verb) => `internal_bulk_role_${verb}`);
    await addUser(api.service, { ...bulkOnly, scopes: [request, ...verbs] });
  });

  test("a scope more never allows less", async () => {
    const { id } = await newRole("of a keeper");
    const operation = { method: "PATCH", path: `${ROLES}/${id}`, data: patchOf("displayName", "by a keeper") };
    expect((await bulk([operation], { as: keeper })).body.Operations[0].status).toBe("200");
    expect((await scim.read(`${ROLES}/${id}`)).displayName).toBe("by a keeper");
  });

  test("those for roles in bulk permit nothing, as before there were roles in bulk", async () => {
    const { id } = await newRole("of nobody else");
    const path = `${ROLES}/${id}`;
    const answer = await bulk(
      [
        { method: "POST", path: ROLES, bulkId: "r", data: { displayName: "made in bulk" } },
        { method: "PATCH", path, data: patchOf("displayName", "changed in bulk") },
        { method: "PUT", path, data: { displayName: "put in bulk" } },
        { method: "DELETE", path },
      ],
      { as: bulkOnly },
    );
    expect(answer.body.Operations.map(({ status }: Shown) => status)).toEqual(["403", "403", "403", "403"]);
    expect((await scim.read(path)).displayName).toBe("of nobody else");
  });
});

test("changes of roles in bulk are recorded", async () => {
  const answer = await bulk([
    { method: "POST", path: ROLES, bulkId: "r", data: { displayName: "recorded" } },
    { method: "PATCH", path: `${ROLES}/bulkId:r`, data: patchOf("displayName", "recorded twice") },
  ]);
  const id = String(answer.body.Operations[0].location).split("/").at(-1);
  const { body } = await api.ask("GET", `/scim2${ROLES}/${id}/history`);
  const records: readonly Shown[] = body.records;
  expect(records.map(({ resource }) => [resource.type, resource.name])).toEqual([
    ["role", "recorded twice"],
    ["role", "recorded"],
  ]);
});

test("a rehearsal of a bulk request with a role changes nothing", async () => {
  const operation = { method: "POST", path: ROLES, bulkId: "r", data: { displayName: "rehearsed" } };
  const answer = await scim.ask("POST", "/Bulk?dryRun=true", {
    body: { schemas: [URN.bulk], Operations: [operation] },
  });
  expect([answer.status, answer.headers.get("dry-run")]).toEqual([200, "true"]);
  expect(answer.body.Operations[0].status).toBe("201");
  expect(await roleNamed("rehearsed")).toEqual([]);
});

test("a bulk request with a role that is repeated takes effect once", async () => {
  const headers = { "idempotency-key": '"a role in bulk"' };
  const operation = { method: "POST", path: ROLES, bulkId: "r", data: { displayName: "made once" } };
  const [first, again] = [await bulk([operation], { headers }), await bulk([operation], { headers })];
  expect([first.body.Operations[0].status, again.headers.get("idempotency-replayed")]).toEqual(["201", "true"]);
  expect(again.body).toEqual(first.body);
  expect(await roleNamed("made once")).toHaveLength(1);
});

describe.each([
  {},
  { sortBy: "displayName", sortOrder: "descending" },
  { sortBy: "meta.created" },
  { filter: 'displayName sw "paged"' },
])("a cursor with %j", (order: Shown) => {
  test("skips no role when those of the pages before are deleted", async () => {
    for (let at = 10; at < 22; at += 1) await newRole(`paged ${at}`);
    const page = async (cursor: string): Promise<Shown> =>
      (await scim.get(ROLES, { filter: 'displayName sw "paged"', ...order, cursor, count: 4 })).body;
    const all = (await scim.get(ROLES, { filter: 'displayName sw "paged"', ...order, count: 200 })).body.Resources;
    const seen: string[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const { Resources, nextCursor } = await page(cursor);
      for (const { id } of Resources) {
        seen.push(id);
        await scim.ask("DELETE", `${ROLES}/${id}`);
      }
      cursor = nextCursor;
    }
    expect(seen).toEqual(all.map(({ id }: Shown) => id));
  });
});

test("the first user of a new tenant is what provisioning clients ask for", async () => {
  const owner = { username: "kim", password, email: "kim@example.com", firstname: "Kim", lastname: "Berry" };
  const body = { domain: "first.example", owners: [{ ...owner, provisioningMethod: "inline-password" }] };
  expect((await api.ask("POST", "/api/server/v1/tenants", { body })).status).toBe(201);
  const as = { username: "kim@first.example", password };
  const list = await scim.ask("GET", "/Users?count=1&startIndex=1", { as });
  expect(list.body).toMatchObject({ schemas: [URN.list], itemsPerPage: 1, startIndex: 1, totalResults: 1 });
  expect(list.body.Resources).toEqual([
    expect.objectContaining({
      userName: "kim",
      active: true,
      name: { givenName: "Kim", familyName: "Berry" },
      emails: [expect.objectContaining({ value: "kim@example.com" })],
    }),
  ]);
});
