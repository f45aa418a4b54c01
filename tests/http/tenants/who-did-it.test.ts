/** Who changes another tenant is named in the records of the own tenant, and not in those of the other one. */
import { expect, test } from "vitest";
import { recordItemsIn } from "#tests/support/changes.ts";
import { world } from "#tests/support/world.ts";
import { costOf, listening } from "#tools/bench/calls.ts";

const api = world();
const { ask } = api;
const TENANTS = "/api/server/v1/tenants";
const password = "a-long-password";

test("a tenant is created, switched off and on, and its owner changed: the super tenant knows by whom", async () => {
  const domain = "who.example";
  const owner = { username: "boss", password, email: "boss@who.example", firstname: "B", lastname: "C" };
  const body = { domain, owners: [{ ...owner, provisioningMethod: "inline-password" }] };
  const made = await ask("POST", TENANTS, { body });
  expect(made.status).toBe(201);
  const id = (await ask("GET", `${TENANTS}/domain/${domain}`)).body.id as string;
  const set = (activated: boolean) => ask("PUT", `${TENANTS}/${id}/lifecycle-status`, { body: { activated } });
  expect((await set(false)).status).toBe(200);
  expect((await ask("DELETE", `${TENANTS}/${id}/metadata`)).status).toBe(204);
  expect((await set(true)).status).toBe(200);
  const [{ id: boss }] = (await ask("GET", `${TENANTS}/${id}/owners`)).body;
  const change = { email: "other@who.example", firstname: "D", lastname: "E" };
  expect((await ask("PUT", `${TENANTS}/${id}/owners/${boss}`, { body: change })).status).toBe(200);

  const admin = { type: "user", id: expect.stringMatching(/./), name: "admin", signIn: "password" };
  const { records } = (await ask("GET", "/api/server/v1/audit-events?actor=admin&order=asc&limit=1000")).body;
  // biome-ignore lint/suspicious/noExplicitAny: any record
  const foreign = records.filter(({ resource }: any) => resource.tenant === domain);
  // biome-ignore lint/suspicious/noExplicitAny: any record
  const of = (operation: string) => foreign.filter((one: any) => one.operation === operation);
  for (const operation of ["createTenant", "updateTenantStatus", "deleteTenantMetadata", "updateTenantOwner"]) {
    expect(of(operation).length, operation).toBeGreaterThan(0);
    for (const one of of(operation)) {
      expect(one).toMatchObject({ tenant: "carbon.super", actor: admin, sourceIp: expect.stringMatching(/./) });
    }
  }
  expect(of("updateTenantOwner")[0].resource).toMatchObject({ type: "user", id: boss, tenant: domain });
  const feed = (await ask("GET", "/api/server/v1/changes?limit=1000")).body.records;
  // biome-ignore lint/suspicious/noExplicitAny: any record
  expect(feed.filter(({ resource }: any) => resource.tenant === domain)).toHaveLength(foreign.length);

  const history = (await ask("GET", `${TENANTS}/${id}/history`)).body.records;
  expect(history.length).toBeGreaterThan(2);
  for (const one of history) expect(one).toMatchObject({ actor: admin, sourceIp: expect.stringMatching(/./) });

  const own = (
    await ask("GET", "/api/server/v1/audit-events?limit=1000", { as: { username: `boss@${domain}`, password } })
  ).body.records;
  expect(own.length).toBeGreaterThanOrEqual(foreign.length);
  for (const one of own) {
    expect(one).toMatchObject({ tenant: domain, actor: { type: "operator", id: "" } });
    expect(one.actor).not.toHaveProperty("name");
    expect(one.resource).not.toHaveProperty("tenant");
  }
});

test("the second record costs two write units and no round trip", async () => {
  const domain = "cost.example";
  const owners = [{ username: "boss", password, provisioningMethod: "inline-password" }];
  expect((await ask("POST", TENANTS, { body: { domain, owners } })).status).toBe(201);
  const { id } = (await ask("GET", `${TENANTS}/domain/${domain}`)).body;
  const items = (await Promise.all(["carbon.super", domain].map((tenant) => recordItemsIn(api, tenant)))).flat();
  const lines = await listening(async () => {
    const answer = await ask("PUT", `${TENANTS}/${id}/lifecycle-status`, { body: { activated: false } });
    expect(answer.status, answer.text).toBe(200);
  });
  const after = (await Promise.all(["carbon.super", domain].map((tenant) => recordItemsIn(api, tenant)))).flat();
  expect(after.length - items.length).toBe(2);
  const { roundTrips, writeUnits } = costOf(lines.find(({ service }) => service === "administration"));
  // The tenant, the note for containers that know it, and two records, at two units each in a transaction.
  expect([roundTrips, writeUnits]).toEqual([4, 8]);
});
