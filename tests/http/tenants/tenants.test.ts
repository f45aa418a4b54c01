/** Tenants: a new one has its administrator and roles at once, and no resources of other tenants. */
import { describe, expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const TENANTS = "/api/server/v1/tenants";
const password = "a-long-password";
const owner = (more: Record<string, unknown> = {}) => ({
  username: "kim",
  password,
  email: "kim@example.com",
  firstname: "Kim",
  lastname: "Berry",
  provisioningMethod: "inline-password",
  ...more,
});
let made = 0;
const newTenant = async (more: Record<string, unknown> = {}) => {
  made += 1;
  const domain = `taxi-${made}.example`;
  const { status, headers } = await api.ask("POST", TENANTS, { body: { domain, owners: [owner()], ...more } });
  expect(status).toBe(201);
  const location = headers.get("location") ?? "";
  return { domain, id: location.split("/").at(-1) ?? "", location, as: { username: `kim@${domain}`, password } };
};

describe("createTenant", () => {
  test("returns 201 with its Location; its administrator is authenticated at once and sees no other tenant", async () => {
    await api.create({ name: "Of the super tenant" });
    const { location, domain, as } = await newTenant();
    const path = new URL(location).pathname;
    const shown = await api.ask("GET", path);
    expect(shown.body).toMatchObject({ domain, owners: [{ username: "kim" }], lifecycleStatus: { activated: true } });
    expect(Date.parse(shown.body.createdDate)).toBeGreaterThan(0);

    const list = await api.ask("GET", APPLICATIONS, { as });
    expect([list.status, list.body.totalResults]).toEqual([200, 0]);
    expect((await api.ask("GET", `/t/${domain}${APPLICATIONS}`, { as })).status).toBe(200);
    expect((await api.ask("GET", `/t/carbon.super${APPLICATIONS}`, { as })).status).toBe(401);
    const me = await api.ask("GET", "/scim2/Me", { as });
    expect(me.body).toMatchObject({
      userName: "kim",
      name: { givenName: "Kim", familyName: "Berry" },
      emails: [{ value: "kim@example.com" }],
      roles: [{ value: "admin" }],
    });
    expect(me.body.meta.location).toContain(`/t/${domain}/scim2/Users/`);
    expect((await api.ask("GET", "/scim2/v2/Roles", { as })).body.totalResults).toBe(2);
    expect((await api.ask("GET", `${APPLICATIONS}/resident`, { as })).status).toBe(200);
  });
  test("accepts the name of the administrator with the domain", async () => {
    const domain = "with-at.example";
    const body = { domain, owners: [owner({ username: `lee@${domain}` })] };
    expect((await api.ask("POST", TENANTS, { body })).status).toBe(201);
    const as = { username: `lee@${domain}`, password };
    expect((await api.ask("GET", "/scim2/Me", { as })).body.userName).toBe("lee");
  });
  test("one of ten concurrent requests creates the domain; the others return 409", async () => {
    const body = { domain: "race.example", owners: [owner()] };
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.ask("POST", TENANTS, { body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe("TM-60009");
  });
  test.each([
    ["TM-60004", { domain: "" }],
    ["TM-60006", { domain: ".example" }],
    ["TM-60006", { domain: "taxi..example" }],
    ["TM-60006", { domain: "-taxi.example" }],
    ["TM-60007", { domain: "Taxi.example" }],
    ["TM-60007", { domain: "ta#xi.example" }],
    ["TM-60007", { domain: "ta_xi.example" }],
    ["TM-60007", { domain: "ta/xi.example" }],
    ["TM-60005", { domain: "taxi" }],
    ["TM-60013", { domain: "no.password", owners: [owner({ password: undefined })] }],
    ["TM-60000", { domain: "by.mail", owners: [owner({ provisioningMethod: "invite-via-email" })] }],
    ["UE-10000", { domain: "no.owner", owners: [] }],
    ["UE-10000", { domain: "weak.example", owners: [owner({ password: "a b c" })] }],
    ["UE-10000", { domain: "name.example", owners: [owner({ username: "k*m" })] }],
  ])("returns 400 %s for %j", async (code, body) => {
    const answer = await api.ask("POST", TENANTS, { body: { owners: [owner()], ...body } });
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(answer.text).not.toContain(password);
  });
  test("returns 409 for the super tenant", async () => {
    const answer = await api.ask("POST", TENANTS, { body: { domain: "carbon.super", owners: [owner()] } });
    expect(answer.status).toBe(409);
  });
});

describe("listTenants", () => {
  test("lists tenants by domain, filtered, without the super tenant", async () => {
    for (const domain of ["a.list.example", "b.list.example", "c.list.example"]) {
      await api.ask("POST", TENANTS, { body: { domain, owners: [owner()] } });
    }
    const filter = "filter=domainName+ew+.list.example";
    const first = await api.ask("GET", `${TENANTS}?${filter}&limit=2`);
    expect(first.body).toMatchObject({ totalResults: 3, startIndex: 1, count: 2, links: [{ rel: "next" }] });
    expect(first.body.tenants.map(({ domain }: { domain: string }) => domain)).toEqual([
      "a.list.example",
      "b.list.example",
    ]);
    const next = await api.ask("GET", first.body.links[0].href);
    expect(next.body.tenants).toMatchObject([{ domain: "c.list.example" }]);
    const reversed = await api.ask("GET", `${TENANTS}?${filter}&sortBy=domainName&sortOrder=DESC&limit=1`);
    expect(reversed.body.tenants).toMatchObject([{ domain: "c.list.example" }]);
    const all = await api.ask("GET", `${TENANTS}?limit=100`);
    expect(all.text).not.toContain("carbon.super");
  });
  test.each([
    ["limit=-1", "TM-60010"],
    ["offset=-1", "TM-60011"],
    ["filter=id+eq+1", "APP-60004"],
    ["sortBy=id", "UE-10000"],
    ["sortOrder=up", "UE-10000"],
  ])("returns 400 for %s", async (query, code) => {
    const answer = await api.ask("GET", `${TENANTS}?${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
  });
});

describe("getTenant", () => {
  test("returns 404 for an unknown id", async () => {
    const answer = await api.ask("GET", `${TENANTS}/unknown`);
    expect([answer.status, answer.body.code]).toEqual([404, "TM-60014"]);
  });
});

describe("getTenantByDomain", () => {
  test("returns a tenant by domain; HEAD checks whether it exists", async () => {
    const { domain, id } = await newTenant();
    expect((await api.ask("GET", `${TENANTS}/domain/${domain}`)).body.id).toBe(id);
    expect((await api.ask("HEAD", `${TENANTS}/domain/${domain}`)).status).toBe(200);
    expect((await api.ask("HEAD", `${TENANTS}/domain/nowhere.example`)).status).toBe(404);
    const unknown = await api.ask("GET", `${TENANTS}/domain/nowhere.example`);
    expect([unknown.status, unknown.body.code]).toEqual([404, "TM-60015"]);
  });
});

describe("listTenantOwners", () => {
  test("returns the first administrator", async () => {
    const { id } = await newTenant();
    expect((await api.ask("GET", `${TENANTS}/${id}/owners`)).body).toMatchObject([{ username: "kim" }]);
    expect((await api.ask("GET", `${TENANTS}/unknown/owners`)).status).toBe(404);
  });
});

describe("updateTenantStatus", () => {
  test("authenticates no user of an inactive tenant until it is active again", async () => {
    const { id, as } = await newTenant();
    const set = (activated: boolean) => api.ask("PUT", `${TENANTS}/${id}/lifecycle-status`, { body: { activated } });
    const enter = async () => (await api.ask("GET", "/scim2/Me", { as })).status;
    expect(await enter()).toBe(200);
    expect((await set(false)).body.lifecycleStatus).toEqual({ activated: false });
    expect(await enter()).toBe(401);
    expect((await set(true)).status).toBe(200);
    expect(await enter()).toBe(200);
    expect((await api.ask("PUT", `${TENANTS}/unknown/lifecycle-status`, { body: { activated: true } })).status).toBe(
      404,
    );
    expect((await api.ask("PUT", `${TENANTS}/${id}/lifecycle-status`, { body: { activated: "no" } })).status).toBe(400);
  });
  test("the super tenant cannot be deactivated", async () => {
    const { id } = (await api.ask("GET", `${TENANTS}/domain/carbon.super`)).body;
    const answer = await api.ask("PUT", `${TENANTS}/${id}/lifecycle-status`, { body: { activated: false } });
    expect(answer.status).toBe(400);
    expect((await api.ask("GET", TENANTS)).status).toBe(200);
  });
});

test("administrators of other tenants cannot manage tenants", async () => {
  const { id, domain, as } = await newTenant();
  const calls: [string, string, unknown?][] = [
    ["GET", TENANTS],
    ["POST", TENANTS, { domain: "of-another.example", owners: [owner()] }],
    ["GET", `${TENANTS}/${id}`],
    ["GET", `${TENANTS}/domain/${domain}`],
    ["GET", `${TENANTS}/${id}/owners`],
    ["PUT", `${TENANTS}/${id}/lifecycle-status`, { activated: true }],
  ];
  for (const [method, path, body] of calls) {
    expect((await api.ask(method, path, { as, ...(body !== undefined && { body }) })).status, path).toBe(403);
  }
});
