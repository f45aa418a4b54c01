/**
 * Rows C067 to C069, C120 to C123 and C212 to C224 of docs/scim-conformance.md: searches, all types together, cursors,
 * tenants.
 */
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { asScim, NEGOTIATED, refusal, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { ADMIN, world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { ask, get } = scim;
const NAMES = Array.from({ length: 25 }, (_, n) => `walker-${String(n).padStart(2, "0")}`);
const body = (rest: Shown = {}) => ({ schemas: [URN.search], ...rest });
const search = (path: string, rest: Shown = {}) => ask("POST", `${path}/.search`, { body: body(rest) });
const namesOf = ({ Resources }: Shown): string[] =>
  Resources.map(({ userName, displayName }: Shown) => userName ?? displayName);

beforeAll(async () => {
  const Operations = NAMES.map((userName, n) => ({
    method: "POST",
    path: "/Users",
    bulkId: userName,
    data: { userName, title: `title ${n % 3}`, ...(n % 2 && { active: false }) },
  }));
  expect((await scim.ask("POST", "/Bulk", { body: { schemas: [URN.bulk], Operations } })).status).toBe(200);
  await scim.group({ displayName: "walkers" });
  await bootstrapTenant(tableOf(api.service), "other.example", {
    username: "olga",
    password: "a long enough password",
  });
});
afterEach(() => vi.useRealTimers());

describe("searchUsers", () => {
  test.each<Shown>([
    {},
    { filter: 'userName sw "walker"', startIndex: 3, count: 4 },
    { filter: "active eq false", sortBy: "title", sortOrder: "descending", count: 5 },
    { filter: 'userName eq "nobody"' },
    { attributes: "userName,title", count: 2 },
    { excludedAttributes: "meta", count: 2, domain: "PRIMARY" },
    { cursor: "", count: 5, attributes: "userName" },
  ])("C120 C122 C123 returns 200 and the same as GET for %j", async ({ attributes, excludedAttributes, ...rest }) => {
    const lists = {
      ...(attributes && { attributes: attributes.split(",") }),
      ...(excludedAttributes && { excludedAttributes: excludedAttributes.split(",") }),
    };
    const found = await search("/Users", { ...rest, ...lists });
    expect(found.status).toBe(200);
    expect(found.headers.get("location")).toBeNull();
    const asked = await get("/Users", {
      ...rest,
      ...(attributes && { attributes }),
      ...(excludedAttributes && { excludedAttributes }),
    });
    const { nextCursor: _, ...page } = found.body;
    const { nextCursor: __, ...same } = asked.body;
    expect(page).toEqual(same);
  });
  test("C121 returns 400 for another URN, and accepts no schemas", async () => {
    for (const schemas of [[URN.patch], ["urn:x"], URN.list]) {
      refusal(await ask("POST", "/Users/.search", { body: { schemas } }), 400, "invalidValue");
    }
    for (const schemas of [[], [URN.search.toUpperCase()], ["urn:x", URN.search]]) {
      expect((await ask("POST", "/Users/.search", { body: { schemas } })).status).toBe(200);
    }
    expect(
      (await ask("POST", "/Users/.search", { body: { COUNT: 1, StartIndex: "2", foo: { bar: 1 } } })).body.itemsPerPage,
    ).toBe(1);
  });
  test.each<Shown>([
    { filter: 5 },
    { filter: ["userName pr"] },
    { attributes: { a: 1 } },
    { attributes: ["userName", 5] },
    { sortBy: {} },
    { domain: [] },
    { cursor: 5 },
    { schemas: 5 },
  ])("returns 400 invalidSyntax for %j", async (wrong) => {
    refusal(await ask("POST", "/Users/.search", { body: wrong }), 400, "invalidSyntax");
  });
});

describe("searchGroups", () => {
  test("returns the same as GET", async () => {
    const found = await search("/Groups", { filter: 'displayName eq "WALKERS"', excludedAttributes: ["members"] });
    expect(namesOf(found.body)).toEqual(["walkers"]);
    expect(found.body.Resources[0]).not.toHaveProperty("members");
  });
});

describe("searchResources", () => {
  test("C068 returns users, then groups, each with its type", async () => {
    const page = (await search("", { startIndex: 26, count: 10 })).body;
    expect(page).toMatchObject({ totalResults: 27, startIndex: 26, itemsPerPage: 2 });
    expect(page.Resources.map(({ meta }: Shown) => meta.resourceType)).toEqual(["User", "Group"]);
    for (const [type, total] of [
      ["User", 26],
      ["Group", 1],
      ["Role", 0],
    ] as const) {
      expect((await search("", { filter: `meta.resourceType eq "${type}"` })).body.totalResults).toBe(total);
    }
    expect(
      (await search("", { filter: 'not (meta.resourceType eq "User") or userName eq "admin"' })).body.totalResults,
    ).toBe(2);
  });
  test("C069 has no match of a type that lacks an attribute of the filter", async () => {
    expect(namesOf((await search("", { filter: 'userName sw "walker-0" or displayName sw "walk"' })).body)).toEqual([
      ...NAMES.slice(0, 10),
      "walkers",
    ]);
    expect((await search("", { filter: "userName pr" })).body.totalResults).toBe(26);
    expect((await search("", { filter: "members.value pr" })).body.totalResults).toBe(0);
    expect(
      (await search("", { filter: "title pr", attributes: ["displayName", "title"], count: 1 })).body.Resources[0],
    ).toHaveProperty("title");
    refusal(await search("", { filter: "userName xx 1" }), 400, "invalidFilter");
  });
});

describe("listResources", () => {
  test("C068 returns the same by GET on the base", async () => {
    for (const path of ["", "/"]) {
      expect((await get(path, { filter: 'displayName eq "walkers" or userName eq "admin"' })).body.totalResults).toBe(
        2,
      );
    }
    refusal(await get("", { sortBy: "id" }), 400, "invalidValue");
    refusal(await get("", { cursor: "" }), 400, "invalidCursor");
  });
});

describe("large searches", () => {
  test("C067 return 400 tooMany for a filter with more than 10,000 candidates", async () => {
    const table = tableOf(api.service);
    const puts = Array.from({ length: 10_001 }, (_, n) => ({
      put: { ...keys.lookup(TENANT, "externalId", "crowd", `id-${n}`) },
      when: "absent" as const,
      otherwise: () => new Error("there already"),
    }));
    const writes = Array.from({ length: 101 }, (_, n) => table.write(...puts.slice(n * 100, n * 100 + 100)));
    await Promise.all(writes);
    expect(refusal(await get("/Users", { filter: 'externalId eq "crowd"' }), 400, "tooMany")).toMatch(/10000/);
  });
});

describe("cursors", () => {
  const walk = async (query: Shown, follow: (cursor: string) => Promise<Shown>): Promise<Shown[]> => {
    const pages = [(await get("/Users", { cursor: "", ...query })).body];
    for (let next = pages[0].nextCursor; next; next = pages.at(-1)?.nextCursor) {
      expect(pages.length).toBeLessThan(50);
      pages.push(await follow(next));
    }
    return pages;
  };
  const byGet = (query: Shown) => async (cursor: string) => (await get("/Users", { cursor, ...query })).body;

  test("C212 are advertised", async () => {
    expect((await get("/ServiceProviderConfig")).body.pagination).toEqual({
      cursor: true,
      index: true,
      defaultPaginationMethod: "index",
      defaultPageSize: 100,
      maxPageSize: 200,
      cursorTimeout: 3_600,
    });
  });
  test.each<Shown>([
    { count: 7 },
    { count: 5, filter: 'userName sw "walker-1"' },
    { count: 4, filter: "active eq false", attributes: "userName" },
    { count: 6, sortBy: "title", sortOrder: "descending" },
    { count: 6, sortBy: "userName", sortOrder: "descending" },
    { count: 200 },
  ])("C213 C214 C215 C216 page through %j to the end, with every resource once, in order", async (query) => {
    const pages = await walk(query, byGet(query));
    const { count: _, ...rest } = query;
    const whole = (await get("/Users", rest)).body;
    expect(pages.flatMap(namesOf)).toEqual(namesOf(whole));
    for (const [at, page] of pages.entries()) {
      expect(page.totalResults).toBe(whole.totalResults);
      expect(page).not.toHaveProperty("startIndex");
      if (at === 0) expect(page).not.toHaveProperty("previousCursor");
      if (at < pages.length - 1) expect(page.nextCursor).toMatch(/^[A-Za-z0-9._~-]+$/);
    }
  });
  test("show resources that exist throughout exactly once, whatever is created or deleted meanwhile", async () => {
    const query = { count: 5, filter: 'userName sw "walker"' };
    const first = (await get("/Users", { cursor: "", ...query })).body;
    const passing = await scim.user({ userName: "walker-00a" });
    const coming = await scim.user({ userName: "walker-24b" });
    await ask("DELETE", `/Users/${first.Resources.at(-1).id}`);
    const met = namesOf(first);
    for (let next = first.nextCursor; next; ) {
      const page = await byGet(query)(next);
      met.push(...namesOf(page));
      next = page.nextCursor;
    }
    expect(met).toEqual([...NAMES, "walker-24b"]);
    for (const { id } of [passing, coming]) await ask("DELETE", `/Users/${id}`);
    await scim.user({ userName: "walker-04", title: "title 1" });
  });
  test("C217 return 400 invalidCursor if forged, cut or changed", async () => {
    const { nextCursor } = (await get("/Users", { cursor: "", count: 2 })).body;
    for (const cursor of [
      "x",
      "../..",
      nextCursor.slice(1),
      `${nextCursor}A`,
      nextCursor.slice(0, -2),
      nextCursor.toLowerCase(),
      "a".repeat(5_000),
    ]) {
      refusal(await get("/Users", { cursor, count: 2 }), 400, "invalidCursor");
    }
  });
  test("C218 return 400 expiredCursor after their time", async () => {
    const { nextCursor } = (await get("/Users", { cursor: "", count: 2 })).body;
    vi.useFakeTimers({ toFake: ["Date"], now: systemClock.now() + 3_599_000 });
    expect((await get("/Users", { cursor: nextCursor, count: 2 })).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: systemClock.now() + 2_000 });
    refusal(await get("/Users", { cursor: nextCursor, count: 2 }), 400, "expiredCursor");
  });
  test("C219 return 400 invalidCount for another or too large count, and the total for 0", async () => {
    const { nextCursor } = (await get("/Users", { cursor: "", count: 2 })).body;
    for (const count of [3, 1, 200]) refusal(await get("/Users", { cursor: nextCursor, count }), 400, "invalidCount");
    refusal(await get("/Users", { cursor: nextCursor }), 400, "invalidCount");
    refusal(await get("/Users", { cursor: "", count: 201 }), 400, "invalidCount");
    for (const count of [0, -3]) {
      const { body: page } = await get("/Users", { cursor: "", count });
      expect(page).toEqual({ schemas: [URN.list], totalResults: 26, itemsPerPage: 0, Resources: [] });
    }
  });
  test("C220 return 400 invalidCursor for another filter, order, projection, endpoint or store", async () => {
    const query = { count: 2, filter: "userName pr" };
    const cursor = (await get("/Users", { cursor: "", ...query })).body.nextCursor;
    for (const other of [
      { filter: "title pr" },
      { sortBy: "title" },
      { sortOrder: "descending" },
      { attributes: "title" },
      { domain: "PRIMARY" },
    ]) {
      refusal(await get("/Users", { cursor, ...query, ...other }), 400, "invalidCursor");
    }
    refusal(await get("/Groups", { cursor, count: 2 }), 400, "invalidCursor");
    refusal(await get("/Users", { cursor, ...query, startIndex: 1 }), 400, "invalidValue");
  });
  test("C221 continue by a search, also where the first page was a GET", async () => {
    const query = { count: 7, filter: "active eq true" };
    const pages = await walk(query, async (cursor) => (await search("/Users", { ...query, cursor })).body);
    expect(pages.flatMap(namesOf)).toEqual(namesOf((await get("/Users", { filter: query.filter })).body));
  });
  test("C222 return 400 invalidCursor for another user or another tenant", async () => {
    const as = { username: "stranger", password: "a long enough password" };
    const other = { username: "olga@other.example", password: as.password };
    const { nextCursor } = (await get("/Users", { cursor: "", count: 1 })).body;
    expect((await ask("GET", "/Users", { as: other, query: { cursor: "", count: 1 } })).status).toBe(200);
    refusal(await ask("GET", "/Users", { as: other, query: { cursor: nextCursor, count: 1 } }), 400, "invalidCursor");
    refusal(await ask("GET", "/Users", { as, query: { cursor: nextCursor, count: 1 } }), 401, "Unauthorized");
  });
  test("C223 are not used without the parameter: pages go by index", async () => {
    const { body: page } = await get("/Users", { count: 2 });
    expect(page.startIndex).toBe(1);
    expect(page).not.toHaveProperty("nextCursor");
  });
});

describe("tenants", () => {
  const olga = { username: "olga@other.example", password: "a long enough password" };
  const asOlga = (method: string, path: string, rest: Shown = {}) => ask(method, path, { as: olga, ...rest });

  test("C224 hide the resources of other tenants: by id, in lists, as members", async () => {
    const kim = await scim.user({ userName: "kim", externalId: "K" });
    const group = await scim.group({ displayName: "Ours", members: [{ value: kim.id }] });
    const PATCH = { Operations: [{ op: "add", path: "externalId", value: "stolen" }] };
    for (const path of [`/Users/${kim.id}`, `/Groups/${group.id}`]) {
      const nothing = path.replace(/[0-9a-f]{12}$/, "000000000000");
      for (const [method, sent] of [
        ["GET", undefined],
        ["PUT", { userName: "kim", displayName: "Ours" }],
        ["PATCH", PATCH],
        ["DELETE", undefined],
      ] as const) {
        const answer = await asOlga(method, path, { body: sent });
        refusal(answer, 404);
        const unknown = await asOlga(method, nothing, { body: sent });
        expect(answer.text.replaceAll(path.slice(-12), "")).toBe(unknown.text.replaceAll("000000000000", ""));
      }
    }
    for (const filter of [
      `id eq "${kim.id}"`,
      'userName eq "kim"',
      'externalId eq "K"',
      `groups.value eq "${group.id}"`,
    ]) {
      expect((await asOlga("GET", "/Users", { query: { filter } })).body.totalResults).toBe(0);
    }
    refusal(
      await asOlga("POST", "/Groups", { body: { displayName: "Ours", members: [{ value: kim.id }] } }),
      400,
      "invalidValue",
    );
    expect(await scim.read(`/Users/${kim.id}`)).toMatchObject({ userName: "kim", externalId: "K" });
    expect((await scim.read(`/Groups/${group.id}`)).members).toHaveLength(1);
  });
  test("have their own names, and links to themselves", async () => {
    const made = await asOlga("POST", "/Users", { body: { userName: "walker-00" } });
    expect(made.status).toBe(201);
    expect(made.body.meta.location).toBe(`${api.url}/t/other.example/scim2/Users/${made.body.id}`);
    const path = new URL(made.body.meta.location).pathname;
    expect((await api.ask("GET", path, { as: olga, headers: asScim })).body).toEqual(made.body);
    expect((await api.ask("GET", path, { as: ADMIN })).status).toBe(401);
    expect((await asOlga("DELETE", `/Users/${made.body.id}`)).status).toBe(204);
    expect(await scim.names('userName eq "walker-00"')).toEqual(["walker-00"]);
  });
  test("get no user of another tenant by a name with their domain", async () => {
    const refused = await ask("POST", "/Users", {
      body: { schemas: [URN.user], userName: "bob@other.example" },
    });
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining("other.example")]);
    expect((await asOlga("GET", "/Users")).body.totalResults).toBe(1);
  });
});
