/** The typed client against the service: every collection, lists of several pages, conditions, rehearsals, faults. */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { type Api, client, Fault, isFault } from "#client/client.ts";
import { ADMIN, world } from "#tests/support/world.ts";

const service = world({ delivers: true });
let api: Api;
beforeAll(() => {
  api = client({ url: service.url, credentials: ADMIN });
});
const unique = (word: string) => `${word}-${randomUUID().slice(0, 8)}`;
const kindOf = async (act: Promise<unknown>) => {
  try {
    await act;
    return "done";
  } catch (error) {
    return error instanceof Fault ? error.kind : String(error);
  }
};

describe("collections", () => {
  test("applications", async () => {
    const name = unique("Dispatch");
    const { id } = await api.applications.create({
      name,
      inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } },
    });
    await api.applications.update(id, { description: "Cars" });
    expect(await api.applications.get(id)).toMatchObject({ id, name, description: "Cars" });
    const found = await api.applications.list({ filter: `name eq ${name}` }).all();
    expect(found.map((each) => each.id)).toEqual([id]);
    await api.applications.delete(id);
    expect(await kindOf(api.applications.get(id))).toBe("notFound");
    const { items } = await api.deletedResources.list().page();
    expect(items.length).toBeGreaterThan(0);
  });
  test("templates", async () => {
    const name = unique("Starter");
    const { id } = await api.templates.create({ name, description: "For cars", application: { name: "x" } });
    await api.templates.replace(id, { name, description: "For vans", application: { name: "x" } });
    expect(await api.templates.get(id)).toMatchObject({ name, description: "For vans" });
    expect((await api.templates.list().all()).map((each) => each.name)).toContain(name);
    await api.templates.delete(id);
    expect(await kindOf(api.templates.get(id))).toBe("notFound");
  });
  test("API resources and scopes of OpenID Connect", async () => {
    const { id } = await api.apiResources.create({
      name: "Cars",
      identifier: unique("https://cars"),
      scopes: [{ name: "cars_view", displayName: "View" }],
    });
    expect(await api.apiResources.update(id, { description: "Of the pool" })).toBeUndefined();
    expect(await api.apiResources.get(id)).toMatchObject({
      description: "Of the pool",
      scopes: [{ name: "cars_view" }],
    });
    await api.apiResources.delete(id);
    await api.oidcScopes.create({ name: "cars", displayName: "Cars", claims: [] });
    expect((await api.oidcScopes.get("cars")).displayName).toBe("Cars");
    expect((await api.oidcScopes.list().all()).length).toBeGreaterThan(1);
    await api.oidcScopes.delete("cars");
  });
  test("users, groups and roles", async () => {
    const user = await api.users.create({ userName: unique("kim"), password: "maple-tree-42", active: true });
    expect(await api.users.update(user.id, { title: "Driver" })).toMatchObject({ id: user.id, title: "Driver" });
    const group = await api.groups.create({ displayName: unique("drivers"), members: [{ value: user.id }] });
    const role = await api.roles.create({
      displayName: unique("viewer"),
      permissions: [{ value: "internal_user_mgt_list" }],
      groups: [{ value: group.id }],
    });
    expect((await api.users.get(user.id, { attributes: "groups" })).groups?.[0]?.value).toBe(group.id);
    await api.groups.replace(group.id, { displayName: unique("vans") });
    await api.roles.update(role.id, { Operations: [{ op: "remove", path: "groups" }] });
    expect((await api.roles.get(role.id)).groups ?? []).toEqual([]);
    await api.roles.delete(role.id);
    await api.groups.delete(group.id);
    await api.users.delete(user.id);
    expect(await kindOf(api.users.get(user.id))).toBe("notFound");
  });
  test("tenants, and a client of another tenant", async () => {
    const domain = `t${randomUUID().slice(0, 8)}.com`;
    const owner = {
      username: "kim",
      password: "maple-tree-42",
      email: "kim@x.com",
      firstname: "Kim",
      lastname: "Berry",
    };
    const { id } = await api.tenants.create({ domain, owners: [{ ...owner, provisioningMethod: "inline-password" }] });
    expect((await api.tenants.get(id)).domain).toBe(domain);
    const other = client({ url: service.url, tenant: domain, credentials: { ...owner, username: `kim@${domain}` } });
    expect(other.url).toBe(`${service.url}/t/${domain}`);
    expect((await other.users.list().all()).map(({ userName }) => userName)).toEqual(["kim"]);
  });
  test("webhooks, changes and audit events", async () => {
    const { items } = await api.auditEvents.list({ limit: 3 }).page();
    expect(items).toHaveLength(3);
    const made = await api.users.create({ userName: unique("tail"), password: "maple-tree-42" });
    const seen = [];
    for await (const { resource } of api.changes.list({ limit: 5 })) seen.push(resource.id);
    expect(seen).toContain(made.id);
    expect(await api.webhooks.list().all()).toEqual([]);
  });
});

describe("lists of several pages", () => {
  test("by cursor, by index, by link and by offset: each item once", async () => {
    const word = randomUUID().slice(0, 8);
    for (let number = 0; number < 7; number += 1) {
      await api.users.create({ userName: `${word}-${number}`, password: "maple-tree-42" });
      await api.applications.create({ name: `${word}-${number}` });
    }
    const expected = Array.from({ length: 7 }, (_, number) => `${word}-${number}`);
    const filter = `userName sw "${word}"`;
    const byCursor = await api.users.list({ filter, count: 3 }).all();
    expect(byCursor.map(({ userName }) => userName)).toEqual(expected);
    const byIndex = await api.users.list({ filter, count: 3, startIndex: 1 }).all();
    expect(byIndex.map(({ userName }) => userName)).toEqual(expected);
    const byLink = await api.applications.list({ filter: `name sw ${word}`, limit: 3 }).all();
    expect(byLink.map(({ name }) => name)).toEqual(expected.toReversed());
    const byOffset = await api.templates.list({ limit: 2 }).all();
    expect(new Set(byOffset.map(({ id }) => id)).size).toBe((await api.templates.list().all()).length);
    const apis = await api.apiResources.list({ limit: 4 }).all();
    expect(new Set(apis.map(({ id }) => id)).size).toBe((await api.apiResources.list().all()).length);
    const pages = [];
    for await (const { items, total } of api.users.list({ filter, count: 3 }).pages())
      pages.push([items.length, total]);
    expect(pages).toEqual([
      [3, 7],
      [3, 7],
      [1, 7],
    ]);
  });
});

describe("requests of any route", () => {
  test("a rehearsal changes nothing", async () => {
    const name = unique("Rehearsed");
    const reply = await api.request("POST /api/server/v1/applications", { body: { name }, dryRun: true });
    expect([reply.status, reply.dryRun]).toEqual([201, true]);
    expect(reply.id).not.toBe("");
    expect(await api.applications.list({ filter: `name eq ${name}` }).all()).toEqual([]);
  });
  test("an entity tag that is out of date is the fault `changed`", async () => {
    const { id } = await api.applications.create({ name: unique("Tagged") });
    const route = "GET /api/server/v1/applications/{applicationId}";
    const { etag = "" } = await api.request(route, { params: { applicationId: id } });
    await api.applications.update(id, { description: "1" }, { ifMatch: etag });
    expect(await kindOf(api.applications.update(id, { description: "2" }, { ifMatch: etag }))).toBe("changed");
  });
  test("a key repeats the answer", async () => {
    const options = { idempotencyKey: randomUUID() };
    const body = { name: unique("Once") };
    const first = await api.applications.create(body, options);
    expect(await api.applications.create(body, options)).toEqual(first);
  });
  test("a form, a file, and a path that the program computes", async () => {
    const { body } = await api
      .request("POST /oauth2/token", {
        body: new URLSearchParams({ grant_type: "urn:none" }),
        headers: { authorization: "" },
      })
      .catch((error: unknown) => ({ body: error }));
    expect(isFault(body) && body.code).toMatch(/unsupported_grant_type|invalid_client/);
    const { id } = await api.applications.create({ name: unique("File") });
    const file = await api.request("GET /api/server/v1/applications/{applicationId}/exportFile", {
      params: { applicationId: id },
      headers: { accept: "application/xml" },
    });
    expect(file.body).toContain("<ServiceProvider>");
    const form = new FormData();
    form.set("file", new Blob([file.body.replace(/File/g, "Filed")], { type: "application/xml" }), "one.xml");
    const imported = await api.request("POST /api/server/v1/applications/import", { body: form });
    expect((await api.applications.get(imported.id)).name).toMatch(/^Filed/);
    expect((await api.send("GET", `/scim2/Users`, { query: { count: 1 } })).body).toMatchObject({ itemsPerPage: 1 });
  });
  test("any list", async () => {
    const { id } = await api.users.create({ userName: unique("history"), password: "maple-tree-42" });
    await api.users.update(id, { title: "1" });
    const versions = await api.list("GET /scim2/Users/{id}/history", { params: { id } }).all();
    expect(versions.map(({ operation }) => operation)).toEqual(["patchUser", "createUser"]);
  });
});

describe("a client with its own token", () => {
  test("requests it with the scopes that it names, and learns what it lacks", async () => {
    const { id } = await api.applications.create({
      name: unique("Machine"),
      inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } },
    });
    const [users] = await api.apiResources.list({ filter: "identifier eq /scim2/Users" }).all();
    await api.request("POST /api/server/v1/applications/{applicationId}/authorized-apis", {
      params: { applicationId: id },
      body: { id: users?.id ?? "", policyIdentifier: "RBAC", scopes: ["internal_user_mgt_list"] },
    });
    const { body: oidc } = await api.request("GET /api/server/v1/applications/{applicationId}/inbound-protocols/oidc", {
      params: { applicationId: id },
    });
    const machine = client({
      url: service.url,
      credentials: { clientId: oidc.clientId, clientSecret: oidc.clientSecret ?? "", scope: "internal_user_mgt_list" },
    });
    expect((await machine.users.list({ count: 1 }).page()).items).toHaveLength(1);
    const token = await machine.token();
    expect(await kindOf(machine.groups.list().page())).toBe("forbidden");
    await api.send("POST", "/oauth2/revoke", {
      body: new URLSearchParams({
        token: token ?? "",
        client_id: oidc.clientId,
        client_secret: oidc.clientSecret ?? "",
      }),
      headers: { authorization: "" },
    });
    expect((await machine.users.list({ count: 1 }).page()).items).toHaveLength(1);
    expect(await machine.token()).not.toBe(token);
    const fixed = client({ url: service.url, credentials: { token: token ?? "" } });
    expect(await kindOf(fixed.users.list().page())).toBe("unauthenticated");
  });
});
