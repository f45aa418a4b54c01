import { beforeAll, describe, expect, test } from "vitest";
import { API_RESOURCES, apiResourcesOf } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
const { register } = apiResourcesOf(api);
const list = async (query = "") => (await ask("GET", `${API_RESOURCES}${query}`)).body;
const follow = async (href: string) => (await ask("GET", href)).body;
type Page = { apiResources: { name: string; id: string }[]; links: { rel: string; href: string }[] };
const namesOf = ({ apiResources }: Page) => apiResources.map(({ name }) => name);
const linkOf = ({ links }: Page, wanted: string) => links.find(({ rel }) => rel === wanted)?.href;
const SYSTEM = 20;
const names = Array.from({ length: 15 }, (_, index) => `Api ${String(index).padStart(2, "0")}`);
const newestFirst = [...names].reverse();

beforeAll(async () => {
  for (const name of names) await register({ name, identifier: `urn:${name.replace(" ", ":")}` });
});

describe("200", () => {
  test("lists the tenant's APIs, newest first, ten on a page, with the exact total", async () => {
    const page = await list();
    expect(page.totalResults).toBe(15 + SYSTEM);
    expect(namesOf(page)).toEqual(newestFirst.slice(0, 10));
    expect(page.apiResources[0]).toEqual({
      id: expect.any(String),
      name: "Api 14",
      identifier: "urn:Api:14",
      type: "BUSINESS",
      requiresAuthorization: true,
      self: `/t/carbon.super${API_RESOURCES}/${page.apiResources[0].id}`,
    });
    expect(page.links).toEqual([
      {
        rel: "next",
        href: expect.stringMatching(/^\/t\/carbon\.super\/api\/server\/v1\/api-resources\?limit=10&after=/),
      },
    ]);
  });
  test("links lead through all APIs once, and back", async () => {
    const seen: string[] = [];
    let page: Page = await list("?limit=4");
    const first = page;
    for (;;) {
      seen.push(...namesOf(page));
      const next = linkOf(page, "next");
      if (!next) break;
      page = await follow(next);
    }
    expect(seen.slice(0, 15)).toEqual(newestFirst);
    expect(new Set(seen).size).toBe(15 + SYSTEM);
    for (let previous = linkOf(page, "previous"); previous; previous = linkOf(page, "previous")) {
      page = await follow(previous);
    }
    expect(namesOf(page)).toEqual(namesOf(first));
  });
  test("a cursor stays valid when its API is deleted", async () => {
    const id = await register({ name: "Short", identifier: "short" });
    const page = await list("?limit=1");
    expect(namesOf(page)).toEqual(["Short"]);
    await ask("DELETE", `${API_RESOURCES}/${id}`);
    expect(namesOf(await follow(linkOf(page, "next") ?? ""))).toEqual(["Api 14"]);
  });
  test.each<[string, string[]]>([
    ["name eq Api 03", ["Api 03"]],
    ["identifier ew :04", ["Api 04"]],
    ["name sw Api 1 and type eq BUSINESS", ["Api 14", "Api 13", "Api 12", "Api 11", "Api 10"]],
    ["identifier eq /scim2/Me or name co 00", ["Api 00", "SCIM2 Me API"]],
    ["type eq SYSTEM", ["Tenant Management API"]],
    ["name eq nobody", []],
  ])("the filter %s", async (filter, expected) => {
    const page = await list(`?${new URLSearchParams({ filter })}`);
    expect(namesOf(page)).toEqual(expected);
    expect(page.totalResults).toBe(expected.length);
    expect(page.links).toEqual([]);
  });
  test("links contain the filter", async () => {
    const page = await list("?limit=2&filter=name+sw+Api+1");
    const second = await follow(linkOf(page, "next") ?? "");
    expect([second.totalResults, ...namesOf(second)]).toEqual([5, "Api 12", "Api 11"]);
  });
  test("lowers a limit above 100; attributes=properties shows properties", async () => {
    expect(namesOf(await list("?limit=5000"))).toHaveLength(15 + SYSTEM);
    expect((await list("?limit=1&attributes=properties")).apiResources[0].properties).toEqual([]);
  });
});

describe("400", () => {
  test.each([
    ["?limit=0", "API-RESOURCE-60010"],
    ["?limit=-1", "API-RESOURCE-60010"],
    ["?limit=ten", "UE-10000"],
    ["?after=eA==&before=eA==", "API-RESOURCE-60011"],
    ["?after=eA==", "API-RESOURCE-60002"],
    ["?before=%FF", "UE-10000"],
    ["?filter=description+eq+x", "API-RESOURCE-60001"],
    ["?filter=name", "API-RESOURCE-60001"],
    ["?filter=name+ne+x", "API-RESOURCE-60001"],
    ["?attributes=scopes", "API-RESOURCE-60013"],
  ])("%s", async (query, code) => {
    const answer = await ask("GET", `${API_RESOURCES}${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
  });
});
