import { beforeAll, describe, expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask, create } = world();
const list = async (query = "") => (await ask("GET", `${APPLICATIONS}${query}`)).body;
const namesOf = (body: { applications: { name: string }[] }) => body.applications.map(({ name }) => name);
const names = Array.from({ length: 45 }, (_, index) => `App ${String(index).padStart(2, "0")}`);
const newestFirst = [...names].reverse();

beforeAll(async () => {
  for (const name of names)
    await create({ name, description: `about ${name}`, templateId: "t", imageUrl: "https://i" });
});

describe("200", () => {
  test("lists the newest first, 30 on a page, with the exact total and a link to the next page", async () => {
    const page = await list();
    expect(page).toMatchObject({ totalResults: 45, startIndex: 1, count: 30 });
    expect(namesOf(page)).toEqual(newestFirst.slice(0, 30));
    expect(page.links).toEqual([{ rel: "next", href: "applications?offset=30&limit=30" }]);
    expect(page.applications[0]).toEqual({
      id: expect.any(String),
      name: "App 44",
      description: "about App 44",
      image: "https://i",
      access: "WRITE",
      self: `/t/carbon.super/api/server/v1/applications/${page.applications[0].id}`,
    });
  });
  test("links lead through every application once, and back", async () => {
    const seen: string[] = [];
    let next: string | undefined = "applications?offset=0&limit=7";
    while (next) {
      const page = await list(next.replace("applications", ""));
      seen.push(...namesOf(page));
      next = page.links.find(({ rel }: { rel: string }) => rel === "next")?.href;
    }
    expect(seen).toEqual(newestFirst);
    const middle = await list("?offset=10&limit=7");
    expect(middle.links).toEqual([
      { rel: "next", href: "applications?offset=17&limit=7" },
      { rel: "previous", href: "applications?offset=3&limit=7" },
    ]);
    expect((await list("?offset=3&limit=7")).links.at(-1)).toEqual({
      rel: "previous",
      href: "applications?offset=0&limit=3",
    });
  });
  test("a page beyond the end is empty, with the total and a link back", async () => {
    const page = await list("?offset=1000&limit=10");
    expect(page).toMatchObject({ totalResults: 45, startIndex: 1001, count: 0, applications: [] });
    expect(page.links).toEqual([{ rel: "previous", href: "applications?offset=40&limit=10" }]);
  });
  test("lowers a limit above 100 to 100", async () => {
    expect((await list("?limit=1000000000")).count).toBe(45);
    expect((await list("?limit=1000&offset=44")).links).toEqual([
      { rel: "previous", href: "applications?offset=0&limit=44" },
    ]);
  });
  test.each<[string, string[]]>([
    ["name eq App 07", ["App 07"]],
    ["name eq app 07", []],
    ["name sw App 1", newestFirst.filter((name) => name.startsWith("App 1"))],
    ["name ew 3", newestFirst.filter((name) => name.endsWith("3"))],
    ["name co p 2 or name eq App 00", newestFirst.filter((name) => name.includes("p 2") || name === "App 00")],
    ["name sw App 1 and name ew 1 or name sw App 2 and name ew 2", ["App 22", "App 11"]],
    ["name sw App 1 and (name ew 1 or name ew 2)", ["App 12", "App 11"]],
    ["name sw App and clientId co a", []],
    ["issuer eq https://sp", []],
    ["name eq nobody", []],
  ])("filter=%s", async (filter, expected) => {
    const page = await list(`?${new URLSearchParams({ filter, limit: "100" })}`);
    expect(namesOf(page)).toEqual(expected);
    expect(page.totalResults).toBe(expected.length);
  });
  test("links of a filtered list contain filter and attributes", async () => {
    const page = await list("?limit=2&filter=name+sw+App&attributes=templateId");
    expect(page.links).toEqual([
      { rel: "next", href: "applications?offset=2&limit=2&filter=name+sw+App&attributes=templateId" },
    ]);
  });
  test("shows requested attributes", async () => {
    const [item] = (await list("?limit=1&attributes=advancedConfigurations,templateId,clientId,issuer")).applications;
    expect(item).toMatchObject({ templateId: "t", clientId: "", issuer: "", advancedConfigurations: { saas: false } });
    expect((await list("?limit=1&attributes=")).applications[0]).not.toHaveProperty("templateId");
  });
  test("shows each attribute as a read of the application does, and only where it is requested", async () => {
    const names = [
      ...["templateVersion", "applicationVersion", "applicationEnabled", "realm", "enhancedOrgAuthenticationEnabled"],
      "associatedRoles",
    ];
    const id = await create({
      name: "With all attributes",
      templateVersion: "1.2",
      applicationEnabled: false,
      enhancedOrgAuthenticationEnabled: true,
      associatedRoles: { allowedAudience: "APPLICATION" },
      inboundProtocolConfiguration: { passiveSts: { realm: "listed", replyTo: "https://a.example" } },
    });
    const { body: read } = await ask("GET", `${APPLICATIONS}/${id}`);
    const only = "?filter=name+eq+With all attributes";
    for (const name of names) {
      const { applications } = await list(`${only}&attributes=${name}`);
      expect(applications[0]).toHaveProperty(name, read[name]);
      expect((await list(only)).applications[0]).not.toHaveProperty(name);
    }
    const { applications } = await list(`${only}&attributes=associatedRoles.allowedAudience`);
    expect(applications[0].associatedRoles).toEqual({ allowedAudience: "APPLICATION" });
    await ask("DELETE", `${APPLICATIONS}/${id}`);
  });
  test("shows creations, renames and deletions at once", async () => {
    const id = await create({ name: "fleeting" });
    expect((await list("?limit=1")).applications[0]).toMatchObject({ id, name: "fleeting" });
    await ask("PATCH", `${APPLICATIONS}/${id}`, { body: { name: "renamed", description: "new" } });
    expect((await list("?limit=1")).applications[0]).toMatchObject({ id, name: "renamed", description: "new" });
    await ask("DELETE", `${APPLICATIONS}/${id}`);
    expect((await list("?limit=1")).totalResults).toBe(45);
  });
  test("excludeSystemPortals leaves out nothing, because there are no portals", async () => {
    const { body } = await ask("GET", APPLICATIONS);
    for (const value of ["true", "false"]) {
      expect((await ask("GET", `${APPLICATIONS}?excludeSystemPortals=${value}`)).body).toEqual(body);
    }
  });
  test("the tenant path returns the same list", async () => {
    expect((await ask("GET", `/t/carbon.super${APPLICATIONS}/?limit=1`)).body.totalResults).toBe(45);
  });
});

describe("400", () => {
  test.each<[string, string, RegExp]>([
    ["limit=0", "UE-10000", /limit/],
    ["limit=-1", "UE-10000", /limit/],
    ["limit=abc", "UE-10000", /limit/],
    ["limit=", "UE-10000", /limit/],
    ["limit=1.5", "UE-10000", /limit/],
    ["limit=0x10", "UE-10000", /limit/],
    ["limit=+5", "UE-10000", /limit/],
    ["limit=9007199254740993", "UE-10000", /limit/],
    ["offset=-1", "UE-10000", /offset/],
    ["offset=x", "UE-10000", /offset/],
    ["limit=1&limit=2", "UE-10000", /limit.*more than once/],
    ["filter=%", "UE-10000", /percent/],
    ["filter=%zz", "UE-10000", /percent/],
    ["filter=%ff", "UE-10000", /percent/],
    ["filter=name", "APP-60004", /operator/],
    ["filter=name+coo+abc", "APP-60004", /coo/],
    ["filter=id+eq+abc", "APP-60004", /'id'/],
    ["filter=name+ne+abc", "APP-60004", /ne/],
    ["filter=not+name+eq+abc", "APP-60004", /not/],
    ["filter=(name+eq+abc", "APP-60004", /parenthesis/],
    [`filter=name+eq+${"a".repeat(1000)}`, "UE-10000", /filter/],
    ["excludeSystemPortals=yes", "UE-10000", /true or false/],
    ["attributes=name", "APP-60505", /'name'/],
    ["attributes=clientId,password", "APP-60505", /'password'/],
    ["attributes=__proto__", "APP-60505", /__proto__/],
  ])("?%s", async (query, code, description) => {
    const answer = await ask("GET", `${APPLICATIONS}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code, description: expect.stringMatching(description) });
  });
});

describe("501", () => {
  test.each(["sortBy=name", "sortOrder=ASC", "sortBy=", "sortOrder=DESC&sortBy=name"])("?%s", async (query) => {
    const answer = await ask("GET", `${APPLICATIONS}?${query}`);
    expect(answer.status).toBe(501);
    expect(answer.body).toMatchObject({ code: "APP-65002", message: "Sorting not supported." });
  });
});
