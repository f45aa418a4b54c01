import { beforeAll, describe, expect, test } from "vitest";
import { starterTemplates } from "#core/applications/templates/starter.ts";
import { world } from "#tests/support/world.ts";
import { addTemplate, allTemplates, TEMPLATES } from "./support.ts";

const api = world();
const { ask } = api;
const list = async (query = "") => (await ask("GET", `${TEMPLATES}${query}`)).body.templates;
const namesOf = (templates: { name: string }[]) => templates.map(({ name }) => name);
const starters = starterTemplates.map(({ name }) => name);
const own = Array.from({ length: 40 }, (_, index) => `Own ${String(index).padStart(2, "0")}`);
const everything = [...starters, ...own, "\uFB00", "\u{1F600}"];

beforeAll(async () => {
  await addTemplate(api, { name: "\u{1F600}" });
  await addTemplate(api, { name: "\uFB00" });
  for (const [index, name] of [...own].reverse().entries()) {
    await addTemplate(api, {
      name,
      ...(index % 2 === 0 && { category: "VENDOR", displayOrder: 1_000 + index }),
      ...(name === "Own 07" && { description: "Salt and Pepper (new)", image: "https://i", templateGroup: "g7" }),
      ...(name === "Own 08" && { types: ["react"], authenticationProtocol: "oidc" }),
    });
  }
});

describe("200", () => {
  test("lists starter templates, then the tenant's by name, 30 on a page", async () => {
    expect(namesOf(await list())).toEqual(everything.slice(0, 30));
    expect(namesOf(await list("?offset=30"))).toEqual(everything.slice(30));
    expect(namesOf(await list("?limit=1000"))).toEqual(everything);
    expect(await list("?offset=1000")).toEqual([]);
  });
  test("pages contain every template once", async () => {
    const seen: string[] = [];
    for (let offset = 0; offset < everything.length; offset += 7) {
      seen.push(...namesOf(await list(`?limit=7&offset=${offset}`)));
    }
    expect(seen).toEqual(everything);
    expect(namesOf(await allTemplates(api))).toEqual(everything);
  });
  test("a row has its path and no application", async () => {
    const [item] = await list(`?filter=${encodeURIComponent("name eq 'Own 08'")}`);
    expect(item).toEqual({
      id: expect.any(String),
      name: "Own 08",
      types: ["react"],
      authenticationProtocol: "oidc",
      self: `/t/carbon.super/api/server/v1/applications/templates/${item.id}`,
    });
    expect((await ask("GET", item.self)).body).toMatchObject({ id: item.id, application: { name: "a" } });
    expect((await list("?limit=1"))[0]).not.toHaveProperty("application");
  });
  test.each<[string, string[]]>([
    ["name eq Own 07", ["Own 07"]],
    ["name eq own 07", []],
    ["name sw Own 1", own.slice(10, 20)],
    ["name ew 3", own.filter((name) => name.endsWith("3"))],
    ["name co web app", starters.filter((name) => name.includes("web app"))],
    ["name eq 'SAML web application'", ["SAML web application"]],
    ['description eq "Salt and Pepper (new)"', ["Own 07"]],
    ["image sw https and templateGroup eq 'g7'", ["Own 07"]],
    ["category eq 'VENDOR' and name ew 1", own.filter((name) => name.endsWith("1"))],
    ["category eq 'DEFAULT'", starters],
    ["displayOrder eq 1000", ["Own 39"]],
    [
      "authenticationProtocol eq 'saml' or (authenticationProtocol eq oidc and name sw Own)",
      ["SAML web application", "Own 08"],
    ],
    ["clientId co a or issuer eq b", []],
    ["name eq 'nobody'", []],
  ])("filter=%s", async (filter, expected) => {
    expect(namesOf(await list(`?${new URLSearchParams({ filter, limit: "100" })}`))).toEqual(expected);
  });
  test("pages through the matches of a filter", async () => {
    expect(namesOf(await list("?filter=name+sw+Own&limit=2&offset=38"))).toEqual(["Own 38", "Own 39"]);
  });
  test("ignores a blank filter and sort parameters", async () => {
    expect(await list("?filter=+&limit=100&sortBy=name&sortOrder=DESC")).toHaveLength(everything.length);
  });
});

describe("400", () => {
  test.each<[string, string, RegExp]>([
    ["limit=0", "UE-10000", /limit/],
    ["limit=abc", "UE-10000", /limit/],
    ["limit=", "UE-10000", /limit/],
    ["offset=-1", "UE-10000", /offset/],
    ["offset=1.5", "UE-10000", /offset/],
    ["limit=1&limit=2", "UE-10000", /more than once/],
    ["filter=id+eq+abc", "APP-65502", /'id'.*templateGroup/],
    ["filter=types+eq+react", "APP-65502", /'types'/],
    ["filter=__proto__+eq+a", "APP-65502", /__proto__/],
    ["filter=name", "APP-60004", /authenticationProtocol eq/],
    ["filter=name+ne+abc", "APP-60004", /ne/],
    ["filter=name+eq+'abc", "APP-60004", /quote/],
    ["filter=(name+eq+abc", "APP-60004", /parenthesis/],
  ])("?%s", async (query, code, description) => {
    const answer = await ask("GET", `${TEMPLATES}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code, description: expect.stringMatching(description) });
    if (code === "APP-65502") expect(answer.body.message).toBe("Search request validation failed.");
  });
});
