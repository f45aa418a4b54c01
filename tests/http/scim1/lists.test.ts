/** Lists and filters of SCIM 1.1. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Shown, scimOf } from "#tests/support/scim.ts";
import { CORE, ENTERPRISE, refusal1, scim1Of } from "#tests/support/scim1.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const scim = scim1Of(api);
const { ask, list } = scim;

const users: Record<string, Shown> = {};
const groups: Record<string, Shown> = {};
beforeAll(async () => {
  for (const [userName, more] of [
    ["kim", { name: { familyName: "Lee" }, externalId: "E-1", emails: [{ value: "Kim@work.example", type: "work" }] }],
    ["lee", { name: { familyName: "Lee" }, active: false, [ENTERPRISE]: { department: "Sales", manager: "m-1" } }],
    ["max", { emails: [{ value: "kim@work.example", type: "home" }] }],
  ] as const) {
    users[userName] = await scim.user({ userName, ...more });
  }
  for (const displayName of ["Requirements", "Test (EU) SCIM", "equip", "staff", 'say "hi" \\ bye', "a/b"]) {
    const members = displayName === "staff" ? [{ value: users.kim?.id }, { value: users.max?.id }] : [];
    const { body } = await scimOf(api, "wso2").ask("POST", "/Groups", { body: { displayName, members } });
    groups[displayName] = body;
  }
});

const namesIn = ({ Resources }: Shown): string[] =>
  Resources.map(({ userName, displayName }: Shown) => userName ?? displayName);
const found = async (filter: string) => namesIn(await list("/Users", { filter }));
const foundGroups = async (filter: string) =>
  namesIn(await list("/Groups", { filter })).map((name) => name.replace("PRIMARY/", ""));
const refused = async (path: string, filter: string) => refusal1(await ask("GET", path, { query: { filter } }), 400);

describe("listScim1Users", () => {
  test("returns 200 with the numbers of the page and a summary of each user", async () => {
    const body = await list("/Users");
    expect(body).toMatchObject({ totalResults: 4, itemsPerPage: 4, startIndex: 1, schemas: [CORE] });
    expect(body.Resources.map(({ userName }: Shown) => userName)).toEqual(["admin", "kim", "lee", "max"]);
    expect(body.Resources[1]).toEqual({ id: users.kim?.id, userName: "kim", meta: users.kim?.meta });
  });
  test("pages by startIndex and count, which must be whole numbers", async () => {
    const page = async (query: Readonly<Record<string, unknown>>) => {
      const body = await list("/Users", query);
      return [body.totalResults, body.startIndex, body.itemsPerPage, namesIn(body).join()];
    };
    expect(await page({ startIndex: 2, count: 2 })).toEqual([4, 2, 2, "kim,lee"]);
    expect(await page({ startIndex: 4 })).toEqual([4, 4, 1, "max"]);
    expect(await page({ count: 1 })).toEqual([4, 1, 1, "admin"]);
    expect(await page({ COUNT: 0, startindex: -3 })).toEqual([4, 1, 0, ""]);
    expect(await page({ startIndex: 9 })).toEqual([4, 9, 0, ""]);
    expect(await page({ count: 5_000 })).toEqual([4, 1, 4, "admin,kim,lee,max"]);
    expect(await page({ filter: 'name.familyName Eq "Lee"', startIndex: 2, count: 1 })).toEqual([2, 2, 1, "lee"]);
    for (const query of [{ count: "x" }, { startIndex: "1.5" }, { count: "1e3" }]) {
      refusal1(await ask("GET", "/Users", { query }), 400);
    }
  });
  test("adds what attributes names to the summary, and sorts by sortBy", async () => {
    const body = await list("/Users", {
      attributes: "emails,urn:scim:schemas:core:1.0:name,nothing",
      filter: "userName Eq kim",
    });
    expect(body.Resources).toEqual([
      {
        id: users.kim?.id,
        userName: "kim",
        name: { familyName: "Lee" },
        emails: users.kim?.emails,
        meta: users.kim?.meta,
      },
    ]);
    const whole = await list("/Users", { attributes: "wso2Extension", filter: "userName Eq lee" });
    expect(whole.Resources[0].wso2Extension).toEqual({ department: "Sales", manager: { managerId: "m-1" } });
    expect(namesIn(await list("/Users", { sortBy: "userName", sortOrder: "descending" }))).toEqual([
      "max",
      "lee",
      "kim",
      "admin",
    ]);
    expect(namesIn(await list("/Users", { sortBy: "externalId", count: 1 }))).toEqual(["kim"]);
    refusal1(await ask("GET", "/Users", { query: { sortBy: "urn:scim:wso2:schema:country" } }), 400);
  });
  test.each([
    ['userName Eq "kim"', "kim"],
    ["userName eq kim", "kim"],
    ["USERNAME EQ KIM", "kim"],
    ['  userName   eQ   "primary/Kim"  ', "kim"],
    ['userName Eq "NOWHERE/kim"', ""],
    ['userName Eq "k*"', ""],
    ['userName Eq "nobody"', ""],
    ['externalId Eq "E-1"', "kim"],
    ['externalId Eq "e-1"', ""],
    ['name.familyName Eq "LEE"', "kim,lee"],
    ['emails Eq "KIM@work.example"', "kim,max"],
    ['emails.work Eq "kim@work.example"', "kim"],
    ['emails.type Eq "home"', "max"],
    ["active Eq false", "lee"],
    ['groups Eq "PRIMARY/staff"', "kim,max"],
    ['groups Eq "STAFF"', "kim,max"],
    ['groups.display Eq "primary/staff"', "kim,max"],
    [`${ENTERPRISE}:department Eq "sales"`, "lee"],
    ['wso2Extension.manager.managerId Eq "m-1"', "lee"],
    ["department Eq Sales", "lee"],
    ["urn:scim:schemas:core:1.0:userName Eq max", "max"],
    [" ", "admin,kim,lee,max"],
  ])("the filter %s finds %j", async (filter, names) => {
    expect((await found(filter)).join()).toBe(names);
  });
  test("finds by id, by the id of a group, and by what meta shows", async () => {
    expect(await found(`id Eq "${users.max?.id}"`)).toEqual(["max"]);
    expect(await found(`groups.value Eq "${groups.staff?.id}"`)).toEqual(["kim", "max"]);
    expect(await found(`meta.location Eq "${users.max?.meta.location}"`)).toEqual(["max"]);
    expect(await found(`meta.created Eq "${users.max?.meta.created}"`)).toContain("max");
    expect(await found('meta.created Eq "2001-01-01T00:00:00"')).toEqual([]);
  });
  test("returns an empty list without an error where nothing matches", async () => {
    expect(await list("/Users", { filter: 'userName Eq "nobody"' })).toEqual({
      totalResults: 0,
      itemsPerPage: 0,
      startIndex: 1,
      schemas: [CORE],
      Resources: [],
    });
  });
  test.each([
    "FOO",
    "userName",
    "userName Eq",
    "userName Eq ",
    'userNameEq"kim"',
    'userNameEq "kim"',
    'userName Sw "k"',
    'userName Eq "kim" and active Eq true',
    'userName Eq "kim" or userName Eq "lee"',
    '(userName Eq "kim")',
    "userName Eq (kim)",
    "userName Eq kim lee",
    'userName Eq "kim',
    'userName Eq "kim" "lee"',
    "not userName Eq kim",
    'nothing Eq "x"',
    'password Eq "good-password"',
    "schemas Eq x",
    "name Eq x",
    "emails.nothing.more Eq x",
    "active Eq perhaps",
    "meta.created Eq yesterday",
    'urn:scim:wso2:schema:country Eq "CH"',
    "country Eq CH",
    "__proto__ Eq x",
    "constructor Eq x",
    'wso2Extension Eq "x"',
  ])("returns 400 for the filter %s", async (filter) => {
    expect(await refused("/Users", filter)).toMatch(/filter|attribute|value|written/);
  });
  test("responds quickly to a filter of any length and form", async () => {
    for (const filter of [
      `userName Eq "${'\\"'.repeat(500)}`,
      `${"a ".repeat(1_500)}`,
      `userName${" ".repeat(3_000)}Eq x`,
    ]) {
      expect([200, 400]).toContain((await ask("GET", "/Users", { query: { filter } })).status);
    }
  });
});

describe("listScim1Groups", () => {
  test("returns 200 with a summary of each group", async () => {
    const body = await list("/Groups");
    expect(body).toMatchObject({ totalResults: 6, itemsPerPage: 6, startIndex: 1, schemas: [CORE] });
    expect(body.Resources.find(({ id }: Shown) => id === groups.staff?.id)).toEqual({
      id: groups.staff?.id,
      displayName: "PRIMARY/staff",
      meta: expect.any(Object),
    });
    const withMembers = await list("/Groups", { filter: "displayNameEqstaff", attributes: "members" });
    expect(withMembers.Resources[0].members.map(({ display }: Shown) => display).sort()).toEqual(["kim", "max"]);
  });
  test.each([
    ['displayName Eq "staff"', "staff"],
    ["displayName eq PRIMARY/STAFF", "staff"],
    ["displayNameEqstaff", "staff"],
    ["displaynameeqstaff", "staff"],
    ['displayNameEq"primary/staff"', "staff"],
    ["displayNameEqequip", "equip"],
    ["displayNameEqno such group (yet)", ""],
    ["displayName Eq Requirements", "Requirements"],
    ["displayNameEqrequirements", "Requirements"],
    ['displayName Eq "Test (EU) SCIM"', "Test (EU) SCIM"],
    ['displayName Eq "say \\"hi\\" \\\\ bye"', 'say "hi" \\ bye'],
    ['displayName Eq "a/b"', "a/b"],
    ["displayNameEq*eq*", "equip,Requirements"],
    ['displayName Eq "*EQ*"', "equip,Requirements"],
    ["displayNameEqPRIMARY/*ff", "staff"],
    ["displayNameEqs*ff", "staff"],
    ["displayNameEqst*aff", "staff"],
    ["displayNameEqsta*aff", ""],
    ["displayNameEq*u*e*t*", "Requirements"],
    ["displayNameEq*e*u*t*s", "Requirements"],
    ["displayNameEq*t*e*u*s", ""],
    ['displayName Eq "*EU*s*"', "Test (EU) SCIM"],
    ["displayNameEqe*", "equip"],
    ["displayNameEq**", 'a/b,equip,Requirements,say "hi" \\ bye,staff,Test (EU) SCIM'],
    ["displayNameEqnobody*", ""],
    ["displayNameEqNOWHERE/staff", ""],
    ["displayNameEqNOWHERE/*", ""],
  ])("the filter %s finds %j", async (filter, names) => {
    expect((await foundGroups(filter)).join()).toBe(names);
  });
  test("pages, counts and sorts the matches of a wildcard", async () => {
    const body = await list("/Groups", {
      filter: "displayNameEq*e*",
      startIndex: 2,
      count: 2,
      sortBy: "displayName",
      sortOrder: "descending",
    });
    expect([body.totalResults, namesIn(body)]).toEqual([4, ['PRIMARY/say "hi" \\ bye', "PRIMARY/Requirements"]]);
  });
  test("finds by id and by member", async () => {
    expect(await foundGroups(`id Eq "${groups.equip?.id}"`)).toEqual(["equip"]);
    expect(await foundGroups(`members Eq "${users.kim?.id}"`)).toEqual(["staff"]);
    expect(await foundGroups("members.display Eq max")).toEqual(["staff"]);
  });
  test.each(["FOO", "displayName", "displayNameEq", "displayName Sw x", "userName Eq x"])(
    "returns 400 for the filter %s",
    async (filter) => {
      expect(await refused("/Groups", filter)).toBeTruthy();
    },
  );
});
