import { describe, expect, test } from "vitest";
import { systemScopes } from "#core/kernel/domain/system-apis.ts";
import { apiResourcesOf, scopesNamed } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { register, read } = apiResourcesOf(api);
const SCOPES = "/api/server/v1/scopes";
const COLLECTIONS = "/api/server/v1/meta/api-resource-collections";
const password = "a-long-password";

interface Named {
  readonly name: string;
}
const names = (list: readonly Named[]): string[] => list.map(({ name }) => name);
const scopes = async (filter?: string): Promise<string[]> => {
  const { status, body } = await api.ask("GET", filter ? `${SCOPES}?${new URLSearchParams({ filter })}` : SCOPES);
  expect(status).toBe(200);
  return names(body);
};
const refusal = async (path: string) => {
  const { status, body } = await api.ask("GET", path);
  return `${status} ${body.code}`;
};

describe("listScopes", () => {
  test("lists the scopes of the tenant's APIs, and then those of the service", async () => {
    await register({ name: "Old", identifier: "old", scopes: scopesNamed("old:read", "old:write") });
    const id = await register({ name: "New", identifier: "new", scopes: scopesNamed("new:read") });
    const all = await scopes();
    expect(all.slice(0, 3)).toEqual(["new:read", "old:read", "old:write"]);
    expect(all.slice(3)).toEqual([...systemScopes]);
    const { body } = await api.ask("GET", `${SCOPES}?filter=name+eq+new:read`);
    expect(body).toEqual((await read(id)).scopes);
  });
  test.each([
    ["name sw old", ["old:read", "old:write"]],
    ["name ew :write", ["old:write"]],
    ["name co :", ["new:read", "old:read", "old:write"]],
    ["name eq old:read or name eq internal_login or name eq none", ["old:read", "internal_login"]],
    ["name co : and name eq old:write", ["old:write"]],
    ["name eq old:write and name eq new:read", []],
    ["name eq old:write or name sw new", ["new:read", "old:write"]],
    [`name eq ${"\u20ac".repeat(900)}`, []],
  ])("%s", async (filter, expected) => {
    expect(await scopes(filter)).toEqual(expected);
  });
  test("shows a caller the scopes of the own tenant", async () => {
    const domain = "scopes.example";
    await api.ask("POST", "/api/server/v1/tenants", { body: { domain, owners: [{ username: "kim", password }] } });
    const { body } = await api.ask("GET", SCOPES, { as: { username: `kim@${domain}`, password } });
    expect(names(body)).toEqual([...systemScopes]);
  });
  test("returns 400 for another attribute and for a filter that cannot be read", async () => {
    for (const filter of ["id+eq+a", "name", "name+gt+a"]) {
      expect(await refusal(`${SCOPES}?filter=${filter}`)).toBe("400 API-RESOURCE-60001");
    }
  });
});

describe("listApiResourceCollections", () => {
  const all = async () => (await api.ask("GET", `${COLLECTIONS}?attributes=apiResources`)).body;
  test("has every scope of the service once as read or write, and each of write under one purpose", async () => {
    const { totalResults, apiResourceCollections } = await all();
    expect(apiResourceCollections).toHaveLength(totalResults);
    const inside = (...purposes: string[]) =>
      apiResourceCollections
        .flatMap(({ apiResources }: { apiResources: Record<string, { scopes: Named[] }[]> }) =>
          purposes.flatMap((purpose) => apiResources[purpose] ?? []),
        )
        .flatMap((one: { scopes: Named[] }) => names(one.scopes))
        .sort();
    expect(inside("read", "write")).toEqual([...systemScopes].sort());
    expect(inside("create", "update", "delete")).toEqual(inside("write"));
    expect(inside("read")).toContain("internal_user_mgt_list");
    expect(inside("read").filter((name: string) => /create|update|delete|modify|manage/.test(name))).toEqual([]);
  });
  test("filters by name and type, and shows APIs where they are asked for", async () => {
    const { body } = await api.ask("GET", `${COLLECTIONS}?filter=name+eq+applications`);
    expect(body).toEqual({
      totalResults: 1,
      apiResourceCollections: [
        {
          id: "YXBwbGljYXRpb25z",
          name: "applications",
          displayName: "Applications",
          type: "tenant",
          self: `/t/carbon.super${COLLECTIONS}/YXBwbGljYXRpb25z`,
        },
      ],
    });
    const system = await api.ask("GET", `${COLLECTIONS}?filter=type+eq+system`);
    expect(names(system.body.apiResourceCollections)).toEqual(["tenants"]);
  });
  test("returns 400 for unknown attributes", async () => {
    expect(await refusal(`${COLLECTIONS}?attributes=scopes`)).toBe("400 API-RESOURCE-60013");
    expect(await refusal(`${COLLECTIONS}?filter=id+eq+a`)).toBe("400 API-RESOURCE-60001");
  });
});

describe("getApiResourceCollection", () => {
  test("reads one collection with its APIs, which exist", async () => {
    const { body } = await api.ask("GET", `/t/carbon.super${COLLECTIONS}/YXBwbGljYXRpb25z`);
    expect([body.name, body.apiResources.read[0].name]).toEqual(["applications", "Application Management API"]);
    const [first] = body.apiResources.read;
    expect(first.scopes.every(({ name }: Named) => name.endsWith("_view"))).toBe(true);
    expect((await api.ask("GET", first.self)).body).toMatchObject({ id: first.id, identifier: first.identifier });
  });
  test("is 404 for an unknown id", async () => {
    expect(await refusal(`${COLLECTIONS}/unknown`)).toBe("404 API-RESOURCE-60014");
  });
});
