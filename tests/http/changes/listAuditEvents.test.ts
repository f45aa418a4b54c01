/** The list of changes: by time, by resource, by actor, over pages, of one tenant. */
import { beforeAll, describe, expect, test } from "vitest";
import { recordsIn } from "#tests/support/changes.ts";
import { URN } from "#tests/support/scim.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const EVENTS = "/api/server/v1/audit-events";
const PASSWORD = "a-planted-Secret-1";

const get = async (query = "", as?: { readonly username: string; readonly password: string }) => {
  const answer = await api.ask("GET", `${EVENTS}${query}`, { ...(as && { as }) });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const ids = (body: { readonly records: readonly { readonly id: string }[] }) => body.records.map(({ id }) => id);

/** All pages of a list. */
const all = async (query: string): Promise<string[]> => {
  const found: string[] = [];
  for (let after = ""; ; ) {
    const page = await get(`?${query}${after && `&after=${after}`}`);
    found.push(...ids(page));
    if (page.next === undefined) return found;
    after = page.next;
  }
};
const rename = (id: string, familyName: string) =>
  api.ask("PATCH", `/scim2/Users/${id}`, {
    body: { schemas: [URN.patch], Operations: [{ op: "replace", path: "name.familyName", value: familyName }] },
  });

describe("listAuditEvents", () => {
  let user = "";
  let application = "";
  beforeAll(async () => {
    user = (await api.ask("POST", "/scim2/Users", { body: { userName: "busy", password: PASSWORD } })).body.id;
    for (let at = 0; at < 70; at += 1) await rename(user, `name ${at}`);
    application = await api.create({ name: "audited" });
    await api.ask("PATCH", `${APPLICATIONS}/${application}`, { body: { description: "d" } });
    await api.ask("PUT", `${APPLICATIONS}/${application}/inbound-protocols/oidc`, {
      body: { grantTypes: ["client_credentials"], clientSecret: PASSWORD },
    });
  });

  test("returns the newest changes first, with the members that an auditor asks for", async () => {
    const page = await get("?limit=2");
    expect(page.records).toHaveLength(2);
    expect(page.records[0]).toMatchObject({
      version: page.records[0].id,
      tenant: "carbon.super",
      actor: { type: "user", name: "admin", signIn: "password" },
      operation: "updateOidcConfiguration",
      resource: { type: "inbound-protocol", id: "oidc", name: "audited", applicationId: application },
    });
    expect(Date.parse(page.records[0].time)).toBeGreaterThan(0);
    expect(page.records[0].sourceIp).not.toBe("");
    expect(page.records[0]).not.toHaveProperty("previous");
    expect(page.next).toEqual(expect.any(String));
  });

  test.each([9, 50, 1_000])("shows every change once over pages of %i, in both orders", async (limit) => {
    const stored = (await recordsIn(api)).map(({ id }) => id);
    expect(await all(`limit=${limit}&order=asc`)).toEqual(stored);
    expect(await all(`limit=${limit}`)).toEqual(stored.toReversed());
  });

  test.each([10, 1_000])("shows all changes of one resource over pages of %i", async (limit) => {
    const own = (await recordsIn(api)).filter(({ resource }) => resource.id === user).map(({ id }) => id);
    expect(own).toHaveLength(71);
    for (const type of ["", "&resourceType=user"]) {
      const query = `limit=${limit}&resourceId=${user}${type}`;
      expect(await all(query)).toEqual(own.toReversed());
      expect(await all(`${query}&order=asc`)).toEqual(own);
    }
  });

  test("shows the changes of an application with those of its protocols", async () => {
    expect(await all(`resourceId=${application}`)).toHaveLength(3);
    expect(await all(`resourceId=${application}&resourceType=inbound-protocol`)).toHaveLength(1);
    expect(await all("resourceId=oidc&resourceType=inbound-protocol")).toHaveLength(1);
    expect(await all("resourceType=application")).toHaveLength(2);
  });

  test("shows the changes of a deleted resource, and also when nothing is left of its row", async () => {
    const { id } = (await api.ask("POST", "/scim2/Users", { body: { userName: "gone", password: PASSWORD } })).body;
    await rename(id, "x");
    await api.ask("DELETE", `/scim2/Users/${id}`);
    expect(await all(`resourceId=${id}`)).toHaveLength(3);
    expect(await all(`resourceId=${id}&resourceType=user&operation=deleteUser`)).toHaveLength(1);
  });

  test("shows the changes of the tenant by its id, and of its resident application by the domain", async () => {
    await api.ask("PUT", `${APPLICATIONS}/resident`, { body: { inboundProvisioning: { proxyMode: true } } });
    expect(await all("resourceType=resident-application")).toHaveLength(1);
    expect(await all("resourceType=resident-application&resourceId=carbon.super")).toHaveLength(1);
    expect(await all("resourceType=resident-application&resourceId=any")).toEqual([]);
    const { records } = await get("?resourceType=tenant");
    const [{ resource, changes, actor, operation }] = records;
    expect([records.length, operation, actor]).toEqual([1, "createTenant", { type: "operator", id: "" }]);
    expect(resource.id).toBe(changes[0].value.id);
    expect(await all(`resourceId=${resource.id}`)).toHaveLength(1);
    expect(await all("resourceId=carbon.super")).toHaveLength(1);
  });

  test("filters by actor, operation and time", async () => {
    const stored = await recordsIn(api);
    const [{ actor = { id: "" } } = {}] = stored.slice(-1);
    const by = stored.filter((record) => record.actor.id === actor.id).map(({ id }) => id);
    expect(await all(`actor=${actor.id}&limit=20`)).toEqual(by.toReversed());
    expect(await all("actor=admin")).toEqual(by.toReversed());
    expect(await all("actor=unknown")).toEqual([]);
    const patches = stored.filter(({ operation }) => operation === "patchUser").map(({ id }) => id);
    expect(await all("operation=patchUser&limit=9")).toEqual(patches.toReversed());
    const at = stored[40]?.atMs ?? 0;
    const [since, until] = [new Date(at).toISOString(), new Date(at + 200).toISOString()];
    const between = stored.filter(({ atMs }) => atMs >= at && atMs < at + 200).map(({ id }) => id);
    expect(await all(`since=${since}&until=${until}`)).toEqual(between.toReversed());
    expect(await all(`since=${since}&until=${until}&order=asc&limit=3`)).toEqual(between);
    const own = stored.filter(({ resource, atMs }) => resource.id === user && atMs >= at).map(({ id }) => id);
    expect(await all(`resourceId=${user}&since=${since}`)).toEqual(own.toReversed());
  });

  test.each([
    "limit=0",
    "limit=1001",
    "limit=x",
    "since=yesterday",
    "until=2026-13-01T00:00:00Z",
    "order=up",
    "resourceType=dog",
    "after=x",
    "after=%00",
    "actor=",
  ])("refuses ?%s with a reason", async (query) => {
    const answer = await api.ask("GET", `${EVENTS}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.description).not.toBe("");
  });

  test("refuses a cursor of another list", async () => {
    const { next } = await get("?limit=1");
    const other = await api.ask("GET", `${EVENTS}?limit=1&order=asc&after=${next}`);
    expect([other.status, other.body.description]).toEqual([400, expect.stringContaining("after:")]);
  });

  test("contains no planted secret", async () => {
    expect(JSON.stringify(await recordsIn(api))).not.toContain(PASSWORD);
    expect((await api.ask("GET", `${EVENTS}?limit=1000`)).text).not.toContain(PASSWORD);
  });
});
