/**
 * Rows C061 to C066, C098 to C119, P05, P08, S02, S07 and S08 of docs/scim-conformance.md: pages, orders and
 * projections.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { NEGOTIATED, refusal, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { ask, get } = scim;
const namesOf = ({ Resources }: Shown): string[] => Resources.map(({ userName }: Shown) => userName);
const list = async (query: Shown = {}, path = "/Users"): Promise<Shown> => {
  const answer = await get(path, query);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

const people: readonly Shown[] = [
  {
    userName: "ann",
    title: "banker",
    name: { familyName: "Zed" },
    emails: [{ value: "z@x" }, { value: "a@x", primary: true }],
  },
  { userName: "Ben", title: "Actor", name: { familyName: "young" }, emails: [{ value: "m@x" }, { value: "b@x" }] },
  { userName: "cid", name: { familyName: "Abel" }, emails: [{ value: "c@x" }] },
  { userName: "dot", title: "cook", active: false, nickName: "D" },
];
const ofPeople = 'userName eq "ann" or userName eq "ben" or userName eq "cid" or userName eq "dot"';
const everybody = ["admin", "ann", "Ben", "cid", "dot"];
let ann: Shown;

beforeAll(async () => {
  const made = await Promise.all(people.map((body) => scim.user(body)));
  ann = made[0] ?? {};
});

describe("listUsers", () => {
  test("C061 C062 C063 C065 lists whole users in the order of their names, with its schema and the total", async () => {
    const page = await list();
    expect(page).toMatchObject({ schemas: [URN.list], totalResults: 5, startIndex: 1, itemsPerPage: 5 });
    expect(namesOf(page)).toEqual(everybody);
    for (const user of page.Resources) expect(await scim.read(`/Users/${user.id}`)).toEqual(user);
  });
  test("C066 W10 returns the start and the size of a page", async () => {
    const page = await list({ startIndex: 2, count: 2 });
    expect(page).toMatchObject({ totalResults: 5, startIndex: 2, itemsPerPage: 2 });
    expect(namesOf(page)).toEqual(["ann", "Ben"]);
  });
});

describe("pages", () => {
  test("C105 counts resources from 1", async () => {
    expect(namesOf(await list({ startIndex: 1, count: 1 }))).toEqual(["admin"]);
    expect(namesOf(await list({ startIndex: 2, count: 1 }))).toEqual(["ann"]);
  });
  test.each([0, -5, "", "+1"])("C106 S08 reads startIndex %j as 1", async (startIndex) => {
    expect(await list({ startIndex, count: 2 })).toEqual(await list({ count: 2 }));
  });
  test("C107 returns at most count resources", async () => {
    for (const count of [1, 3, 5]) expect((await list({ count })).Resources).toHaveLength(count);
    expect((await list({ count: 100 })).Resources).toHaveLength(5);
  });
  test.each([0, -1, -100])("C108 C109 S08 returns only the total for count %j", async (count) => {
    expect(await list({ count })).toEqual({
      schemas: [URN.list],
      totalResults: 5,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
  });
  test("C110 returns the total of all matches on every page", async () => {
    for (const [startIndex, count] of [
      [1, 1],
      [5, 1],
      [3, 2],
      [90, 5],
    ]) {
      expect((await list({ startIndex, count })).totalResults).toBe(5);
      expect((await list({ startIndex, count, filter: "title pr" })).totalResults).toBe(3);
    }
  });
  test("C111 O23 has every resource on exactly one page", async () => {
    for (const query of [
      {},
      { filter: "userName pr" },
      { filter: "active eq true or title pr" },
      { sortBy: "title" },
    ]) {
      const walk: string[] = [];
      for (let startIndex = 1; startIndex <= 6; startIndex += 1)
        walk.push(...namesOf(await list({ ...query, startIndex, count: 1 })));
      expect(walk).toEqual(namesOf(await list(query)));
      expect([...walk].sort()).toEqual([...everybody].sort());
    }
  });
  test("C112 P05 returns an empty page with the total after the end", async () => {
    expect(await list({ startIndex: 6 })).toEqual({
      schemas: [URN.list],
      totalResults: 5,
      startIndex: 6,
      itemsPerPage: 0,
      Resources: [],
    });
    await scim.group();
    expect(await list({ startIndex: 1_000_000, count: 5 }, "/Groups")).toMatchObject({
      totalResults: 1,
      startIndex: 1_000_000,
      Resources: [],
    });
  });
  test("S07 returns at most 200 resources of a page, and 100 by default", async () => {
    const data = Array.from({ length: 210 }, (_, n) => ({
      method: "POST",
      path: "/Groups",
      bulkId: `g${n}`,
      data: { displayName: `page ${String(n).padStart(3, "0")}` },
    }));
    expect((await scim.ask("POST", "/Bulk", { body: { schemas: [URN.bulk], Operations: data } })).status).toBe(200);
    const filter = 'displayName sw "page"';
    for (const count of [201, 1_000_000_000]) {
      const page = await list({ filter, count }, "/Groups");
      expect([page.totalResults, page.itemsPerPage]).toEqual([210, 200]);
    }
    expect((await list({ filter }, "/Groups")).itemsPerPage).toBe(100);
    const last = await list({ filter, startIndex: 205, count: 200 }, "/Groups");
    expect(last.Resources.map(({ displayName }: Shown) => displayName)).toEqual(
      [4, 5, 6, 7, 8, 9].map((n) => `page 20${n}`),
    );
  });
  test.each([
    ["startIndex", "abc"],
    ["startIndex", "1.5"],
    ["startIndex", "9007199254740993000"],
    ["count", "many"],
    ["count", "1e3"],
    ["count", "0x10"],
  ])("returns 400 invalidValue for %s=%s", async (name, value) => {
    expect(refusal(await get("/Users", { [name]: value }), 400, "invalidValue")).toContain(name);
    expect(refusal(await ask("POST", "/Users/.search", { body: { [name]: value } }), 400, "invalidValue")).toContain(
      name,
    );
  });
  test("returns 400 for a repeated parameter, and accepts parameter names in any case", async () => {
    refusal(await ask("GET", "/Users?count=1&count=2"), 400, "invalidValue");
    refusal(await ask("GET", "/Users?count=1&COUNT=2"), 400, "invalidValue");
    expect(namesOf(await list({ startindex: 0, COUNT: 1 }))).toEqual(["admin"]);
  });
  test("P08 lists one user store with domain, and returns 400 for an unknown one", async () => {
    expect(namesOf(await list({ domain: "primary" }))).toEqual(everybody);
    for (const domain of ["NOWHERE", "INTERNAL", "../x", "carbon.super"]) {
      expect(refusal(await get("/Users", { domain }), 400, "invalidValue")).toContain("Invalid user store domain");
      refusal(await ask("POST", "/Users/.search", { body: { domain } }), 400, "invalidValue");
      refusal(await get("/Groups", { domain }), 400, "invalidValue");
    }
  });
});

describe("orders", () => {
  const sorted = async (query: Shown) => namesOf(await list({ filter: ofPeople, ...query }));
  test("C098 sorts ascending by default", async () => {
    expect(await sorted({ sortBy: "userName" })).toEqual(["ann", "Ben", "cid", "dot"]);
    expect(await sorted({ sortBy: "userName", sortOrder: "Ascending" })).toEqual(["ann", "Ben", "cid", "dot"]);
  });
  test("C099 sorts descending", async () => {
    expect(await sorted({ sortBy: "userName", sortOrder: "descending" })).toEqual(["dot", "cid", "Ben", "ann"]);
    expect(await sorted({ sortBy: "userName", sortOder: "DESCENDING" })).toEqual(["dot", "cid", "Ben", "ann"]);
  });
  test("C100 C101 sorts resources without a value last, first when descending, and ignores case", async () => {
    expect(await sorted({ sortBy: "title" })).toEqual(["Ben", "ann", "dot", "cid"]);
    expect(await sorted({ sortBy: "title", sortOrder: "descending" })).toEqual(["cid", "dot", "ann", "Ben"]);
  });
  test("C102 sorts by a sub-attribute", async () => {
    expect(await sorted({ sortBy: "name.familyName" })).toEqual(["cid", "Ben", "ann", "dot"]);
    expect(await sorted({ sortBy: `${URN.user}:NAME.familyname` })).toEqual(["cid", "Ben", "ann", "dot"]);
  });
  test("C103 sorts several values by the primary one, else by the first", async () => {
    expect(await sorted({ sortBy: "emails.value" })).toEqual(["ann", "cid", "Ben", "dot"]);
    expect(await sorted({ sortBy: "emails" })).toEqual(["ann", "cid", "Ben", "dot"]);
  });
  test("W11 sorts by id", async () => {
    const ids = (await list({ sortBy: "id", sortOrder: "ascending" })).Resources.map(({ id }: Shown) => id);
    expect(ids).toEqual([...ids].sort());
  });
  test("advertises sorting", async () => {
    expect((await get("/ServiceProviderConfig")).body.sort).toEqual({ supported: true });
  });
  test.each<Shown>([
    { sortBy: "shoeSize" },
    { sortBy: "name" },
    { sortBy: "password" },
    { sortBy: URN.enterprise },
    { sortBy: "title", sortOrder: "sideways" },
    { sortBy: "__proto__" },
  ])("returns 400 invalidValue for %j", async (query) => {
    refusal(await get("/Users", query), 400, "invalidValue");
  });
  test("ignores sortOrder without sortBy", async () => {
    expect(await sorted({ sortOrder: "descending" })).toEqual(["ann", "Ben", "cid", "dot"]);
  });
});

describe("projections", () => {
  const keys = async (query: Shown) => Object.keys((await get(`/Users/${ann.id}`, query)).body);
  test("C113 S02 shows the attributes that the parameter names, and those that are always shown", async () => {
    expect(await keys({ attributes: "title" })).toEqual(["schemas", "id", "title"]);
    expect(await keys({ attributes: " TITLE , userName,nickName" })).toEqual(["schemas", "id", "userName", "title"]);
    const page = await list({ attributes: "userName,emails,name.familyName,nickName" });
    expect(Object.keys(page.Resources[1])).toEqual(["schemas", "id", "userName", "name", "emails"]);
    expect(Object.keys(page.Resources[0])).toEqual(["schemas", "id", "userName", "name", "emails"]);
    expect(Object.keys((await list({ attributes: "userName,title" })).Resources[0])).not.toContain("title");
  });
  test("C114 hides what excludedAttributes names", async () => {
    expect(await keys({ excludedAttributes: "title,emails,meta" })).toEqual([
      "schemas",
      "id",
      "userName",
      "name",
      "active",
    ]);
    const page = await list({ excludedAttributes: "emails.value,name" });
    expect(page.Resources[1]).not.toHaveProperty("name");
    expect(page.Resources[1].emails).toEqual([{ primary: true }]);
  });
  test("C115 always shows id and schemas", async () => {
    expect(await keys({ excludedAttributes: "id,schemas,meta,userName,title,emails,name,active" })).toEqual([
      "schemas",
      "id",
    ]);
  });
  test("C116 shows a sub-attribute alone", async () => {
    const { body } = await get(`/Users/${ann.id}`, { attributes: "name.familyName,emails.value,meta.location" });
    expect(body).toMatchObject({ name: { familyName: "Zed" }, emails: [{ value: "z@x" }, { value: "a@x" }] });
    expect(Object.keys(body.meta)).toEqual(["location"]);
  });
  test("C117 accepts full names and whole extensions", async () => {
    const { id } = await scim.user({ [URN.enterprise]: { employeeNumber: "7", division: "V" }, title: "T" });
    const { body } = await get(`/Users/${id}`, { attributes: `${URN.enterprise}:employeeNumber` });
    expect(body).toEqual({ schemas: [URN.user, URN.enterprise], id, [URN.enterprise]: { employeeNumber: "7" } });
    expect((await get(`/Users/${id}`, { attributes: URN.enterprise })).body[URN.enterprise]).toEqual({
      employeeNumber: "7",
      division: "V",
    });
    expect((await get(`/Users/${id}`, { excludedAttributes: URN.enterprise })).body.schemas).toEqual([URN.user]);
    await ask("DELETE", `/Users/${id}`);
  });
  test("C118 shows attributes that are returned on request only then", async () => {
    const shown = await get(`/Users/${ann.id}`, { attributes: `userName,${URN.system}:isReadOnlyUser` });
    expect(shown.body[URN.system]).toEqual({ isReadOnlyUser: false });
    expect(shown.body.schemas).toEqual([URN.user, URN.system]);
    for (const query of [{}, { attributes: URN.system }, { excludedAttributes: "title" }]) {
      expect((await get(`/Users/${ann.id}`, query)).body).not.toHaveProperty([URN.system]);
    }
    expect(await scim.names(`schemas eq "${URN.system}"`)).toEqual([]);
  });
  test("C119 never shows the password, also where attributes names it alone", async () => {
    expect(await keys({ attributes: "password" })).toEqual(["schemas", "id"]);
  });
  test("ignores unknown names, and excludedAttributes where attributes is given", async () => {
    expect(await keys({ attributes: "shoeSize,__proto__,constructor" })).toEqual(["schemas", "id"]);
    expect(await keys({ excludedAttributes: "shoeSize,__proto__" })).toEqual(Object.keys(ann));
    expect(await keys({ attributes: "title", excludedAttributes: "title" })).toEqual(["schemas", "id", "title"]);
    expect(await keys({ attributes: 'emails[type eq "work"].value,title' })).toEqual([
      "schemas",
      "id",
      "title",
      "emails",
    ]);
    expect(await keys({ attributes: "" })).toEqual(Object.keys(ann));
  });
});
