/** Rows C064, C070 to C097, P07, S03 and S06 of docs/scim-conformance.md: what filters match; and hostile filters. */
import { beforeAll, describe, expect, test } from "vitest";
import { NEGOTIATED, refusal, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { ask, get, find } = scim;
const HOUR = 3_600_000;
const ago = new Date(Date.now() - HOUR).toISOString();
const ahead = new Date(Date.now() + HOUR).toISOString();

/** The administrator is listed too; it has only a name. */
const people: readonly Shown[] = [
  {
    userName: "alice",
    externalId: "Ext-A",
    name: { givenName: "Alice", familyName: "Liddell" },
    title: "Queen",
    userType: "Employee",
    emails: [
      { type: "work", value: "alice@example.com" },
      { type: "home", value: "al@wonderland.example" },
    ],
    addresses: [
      { type: "home", locality: "Redwood Shores" },
      { type: "work", locality: "Oxford" },
    ],
    x509Certificates: [{ value: "AQID" }],
    [URN.enterprise]: { department: "Tea & Co", employeeNumber: "7", manager: { value: "m-1" } },
  },
  {
    userName: "Bob",
    name: { givenName: "Bob", familyName: "Hatter" },
    displayName: 'The "mad" Hatter \\ Ünï',
    nickName: "Hat",
    userType: "Contractor",
    active: false,
    emails: [
      { type: "home", value: "bob@example.com" },
      { type: "work", value: "bob@hats.example" },
    ],
    [URN.system]: { failedLoginAttempts: 3, emailAddresses: ["b1@x.example", "b2@x.example"] },
  },
  {
    userName: "carol.hatter",
    name: { familyName: "Hatter" },
    title: "queen",
    roles: ["Tea-Maker", { value: "Guest", primary: true }],
    [URN.enterprise]: { department: "hats", employeeNumber: "12" },
  },
  { userName: "dave", nickName: "Dave", locale: "en-US" },
];
const everybody = ["admin", ...people.map(({ userName }) => userName as string)];
const ids = new Map<string, string>();
const but = (...names: readonly string[]) => everybody.filter((name) => !names.includes(name));

beforeAll(async () => {
  for (const { id, userName } of await Promise.all(people.map((body) => scim.user(body)))) ids.set(userName, id);
  const { id } = await scim.group({ displayName: "Tea Party", members: [{ value: ids.get("alice") }] });
  ids.set("Tea Party", id);
});

/** The ids of a row, a filter, and the users that match. */
const rows: readonly [string, string, readonly string[]][] = [
  ["C070 eq", 'userName eq "alice"', ["alice"]],
  ["C070 eq", 'title eq "queen"', ["alice", "carol.hatter"]],
  ["C071 ne", 'userName ne "alice"', but("alice")],
  ["C071 ne holds without a value", 'title ne "Queen"', but("alice", "carol.hatter")],
  ["C072 co", 'userName co "AR"', ["carol.hatter"]],
  ["C072 co", 'name.familyName co "att"', ["Bob", "carol.hatter"]],
  ["C073 sw", 'userName sw "A"', ["admin", "alice"]],
  ["C073 sw", 'nickName sw "da"', ["dave"]],
  ["C074 ew", 'userName ew "e"', ["alice", "dave"]],
  ["C074 ew", 'emails.value ew "hats.EXAMPLE"', ["Bob"]],
  ["C075 pr", "title pr", ["alice", "carol.hatter"]],
  ["C075 pr of a complex attribute", "name pr", ["admin", "alice", "Bob", "carol.hatter"]],
  ["C075 pr of an extension's attribute", "manager pr", ["alice"]],
  ["C076 gt on a time", `meta.lastModified gt "${ago}"`, everybody],
  ["C076 ge on a time", `meta.created ge "${ahead}"`, []],
  ["C076 lt on a time", `meta.created lt "${ahead}"`, everybody],
  ["C076 le on a time", `meta.lastModified le "${ago}"`, []],
  ["C077 ge on texts", 'userName ge "bob"', ["Bob", "carol.hatter", "dave"]],
  ["C077 gt on texts", 'userName gt "BOB"', ["carol.hatter", "dave"]],
  ["C077 lt on texts", 'userName lt "b"', ["admin", "alice"]],
  ["C077 le on texts", 'name.familyName le "hatter"', ["admin", "Bob", "carol.hatter"]],
  ["C077 ordering of texts is by characters", `${URN.enterprise}:employeeNumber lt "2"`, ["carol.hatter"]],
  ["ordering of numbers is by their size", `${URN.system}:failedLoginAttempts ge 2`, ["Bob"]],
  ["C080 and", 'userName sw "a" and title pr', ["alice"]],
  ["C081 or", 'title eq "queen" or userName eq "DAVE"', ["alice", "carol.hatter", "dave"]],
  ["C082 not", 'not (name.familyName eq "Hatter")', but("Bob", "carol.hatter")],
  ["C082 not without a blank", "not(title pr)", but("alice", "carol.hatter")],
  ["C083 parentheses", 'name.familyName eq "hatter" and (title pr or userName eq "dave")', ["carol.hatter"]],
  ["C084 and binds closer than or", 'userName eq "dave" or title pr and userName eq "alice"', ["alice", "dave"]],
  ["C084 and binds closer than or", 'title pr and userName eq "alice" or userName eq "dave"', ["alice", "dave"]],
  ["C084 not binds closest", 'not (title pr) and userName eq "alice" or userName eq "dave"', ["dave"]],
  ["C085 one element must satisfy all", 'emails[type eq "work" and value co "@example.com"]', ["alice"]],
  [
    "C085 separate terms may match different elements",
    'emails.type eq "work" and emails.value co "@example.com"',
    ["alice", "Bob"],
  ],
  [
    "C085 any filter in brackets",
    'emails[not (type eq "work") and (value ew "com" or value sw "al")]',
    ["alice", "Bob"],
  ],
  ["S06 an element by two of its parts", 'addresses[type eq "home" and locality eq "Redwood Shores"]', ["alice"]],
  ["S06 an element by two of its parts", 'addresses[type eq "home" and locality eq "Oxford"]', []],
  ["a part after the brackets", 'emails[type eq "work"].value eq "bob@hats.example"', ["Bob"]],
  ["a part after the brackets", 'emails[type eq "home"].value eq "bob@hats.example"', []],
  ["C086 a sub-attribute", 'name.givenName eq "bob"', ["Bob"]],
  ["C087 a full name", `${URN.enterprise}:department eq "HATS"`, ["carol.hatter"]],
  ["C087 a full name", `${URN.user}:userName sw "ca"`, ["carol.hatter"]],
  ["C087 a full name with a sub-attribute", `${URN.enterprise}:manager.value eq "m-1"`, ["alice"]],
  ["C088 operators in any case", 'userName EQ "alice" OR userName Sw "dav" AND NOT (title PR)', ["alice", "dave"]],
  ["C089 case does not count", 'userName eq "ALICE"', ["alice"]],
  ["C089 case does not count", 'emails.value eq "Alice@Example.COM"', ["alice"]],
  ["C090 case counts", 'externalId eq "Ext-A"', ["alice"]],
  ["C090 case counts", 'externalId eq "ext-a"', []],
  ["C090 case counts", 'externalId co "ext"', []],
  ["C091 a boolean", "active eq true", but("Bob")],
  ["C091 a boolean", 'active eq "False"', ["Bob"]],
  ["C092 null", "nickName eq null", but("Bob", "dave")],
  ["C092 null", "nickName ne null", ["Bob", "dave"]],
  ["C092 a quoted null is a text", 'nickName eq "null"', []],
  ["C093 escapes", 'displayName eq "The \\"mad\\" Hatter \\\\ \\u00dcnï"', ["Bob"]],
  ["C096 any value", 'emails.value eq "al@wonderland.example"', ["alice"]],
  ["C096 any value", 'emails co "@hats"', ["Bob"]],
  ["C096 any value of a simple list", `${URN.system}:emailAddresses eq "b2@x.example"`, ["Bob"]],
  ["C097 schemas", `schemas eq "${URN.enterprise}"`, ["alice", "carol.hatter"]],
  ["C097 schemas", `schemas eq "${URN.user}" and schemas co "wso2"`, ["Bob"]],
  ["P07 terms without quotes", "userName sw a and name.familyName co idd", ["alice"]],
  ["S03 a time without a zone", 'userType eq "Employee" and meta.lastModified gt "2024-01-01T00:00:00"', ["alice"]],
  [
    "times with any fraction and offset",
    'meta.created gt "0001-01-03T00:00:00.0000000Z" and meta.created gt 2015-10-10T14:38:21.8617979-07:00',
    everybody,
  ],
  ["the group by its id", "GROUP", ["alice"]],
  ["the group by its name", 'groups.display eq "tea party"', ["alice"]],
  ["the group by either", 'groups eq "Tea Party"', ["alice"]],
  ["a role", 'roles.value eq "guest"', ["carol.hatter"]],
  ["an assigned role", 'roles eq "admin"', ["admin"]],
  ["a bare name of an extension's attribute", 'department eq "tea & co"', ["alice"]],
  ["the name with its store", 'userName eq "PRIMARY/alice" or userName sw "primary/Bo"', ["alice", "Bob"]],
  ["the name with another store", 'userName eq "OTHER/alice"', []],
  ["a text that looks like a pattern", 'userName co "%" or userName sw "*" or nickName eq ".*" or title co "_"', []],
  ["a text that looks like another filter", 'userName eq "*) or (userName pr"', []],
];

describe("listUsers", () => {
  test.each(rows)("%s: %s", async (_, given, expected) => {
    const filter = given === "GROUP" ? `groups.value eq "${ids.get("Tea Party")}"` : given;
    const page = await find(filter);
    expect(page.Resources.map(({ userName }: Shown) => userName)).toEqual(expected);
    expect(page.totalResults).toBe(expected.length);
  });
  test("finds by an id and another term", async () => {
    const id = ids.get("alice");
    expect(await scim.names(`id eq "${id}"`)).toEqual(["alice"]);
    expect(await scim.names(`id eq "${id}" and manager eq "m-1"`)).toEqual(["alice"]);
    expect(await scim.names(`id eq "${id}" and manager eq "m-2"`)).toEqual([]);
    expect(await scim.names(`id eq "${id?.toUpperCase()}"`)).toEqual([]);
  });
  test("C064 returns 200 with a total of 0 and an empty list where nothing matches", async () => {
    const answer = await get("/Users", { filter: 'userName eq "nobody-at-all"' });
    expect(answer.body).toEqual({
      schemas: [URN.list],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
  });
});

describe("400 invalidFilter", () => {
  test.each([
    ["C078 ordering of a boolean", "active gt true", /active.*boolean/],
    ["C078 a part of a boolean", 'active co "t"', /active.*boolean/],
    ["C079 ordering of binary data", 'x509Certificates.value gt "A"', /x509Certificates.*binary/],
    ["ordering of a complex attribute", 'name gt "A"', /name/],
    ["C094 an unknown operator", 'userName xx "a"', /'xx'.*character 10|character 10.*'xx'/],
    ["C094 an operator of another language", "userName == alice", /==/],
    ["C095 no value", "userName eq", /value/],
    ["C095 no value", 'userName eq and title eq "x"', /character 17/],
    ["C095 nothing but blanks in parentheses", "( )", /name of an attribute/],
    ["C095 an open parenthesis", '(userName eq "a"', /parenthesis/],
    ["C095 a parenthesis too many", 'userName eq "a")', /end/],
    ["C095 an open bracket", 'emails[type eq "work"', /bracket/],
    ["C095 brackets in brackets", 'emails[type[value eq "a"]]', /brackets/],
    ["C095 an open quote", 'userName eq "a', /quote/],
    ["C095 a broken escape", 'userName eq "\\x"', /JSON/],
    ["C095 two filters in a row", 'userName eq "a" title pr', /'and', 'or'/],
    ["C095 a joint at the end", "title pr and", /attribute/],
    ["C095 a joint at the start", "or title pr", /operator/],
    ["C095 not without parentheses", 'not userName eq "a"', /parentheses/],
    ["an unknown attribute", 'shoeSize eq "42"', /shoeSize/],
    ["an unknown sub-attribute", 'name.shoe eq "42"', /name\.shoe/],
    ["an unknown sub-attribute in brackets", 'emails[size eq "42"]', /size/],
    ["a sub-attribute too deep", 'emails.value.x eq "42"', /emails\.value\.x/],
    ["a prototype's name", '__proto__ eq "x"', /__proto__/],
    ["a prototype's name", "constructor pr", /constructor/],
    ["a text for a number", `${URN.system}:failedLoginAttempts eq "many"`, /integer/],
    ["a text for a time", 'meta.created gt "yesterday"', /dateTime/],
    ["a day that no calendar has", 'meta.created gt "2024-02-30T00:00:00Z"', /dateTime/],
    ["a text for a boolean", 'active eq "perhaps"', /boolean/],
    ["a part of a time", 'meta.created co "2024"', /dateTime/],
    ["ordering with null", "title gt null", /null/],
    ["half of a character", 'userName eq "\\ud800"', /surrogate/],
  ])("%s: %s", async (_, filter, sentence) => {
    expect(refusal(await get("/Users", { filter }), 400, "invalidFilter")).toMatch(sentence);
  });
});

describe("hostile filters", () => {
  const nested = (levels: number) => `${"(".repeat(levels)}userName pr${")".repeat(levels)}`;
  test.each<[string, string]>([
    ["10 KB", `userName eq "${"x".repeat(10_000)}"`],
    ["10 KB of a name", `${"x".repeat(10_000)} pr`],
    ["200 levels", nested(200)],
    ["1,000 levels", nested(1_000)],
    ["200 negations", `${"not (".repeat(200)}userName pr${")".repeat(200)}`],
    ["300 terms", Array.from({ length: 300 }, () => "userName pr").join(" or ")],
    ["200 brackets", `${"emails[".repeat(200)}value pr${"]".repeat(200)}`],
    ["the password", 'password eq "x" or password sw "a"'],
  ])("returns 400 invalidFilter for a filter of %s", async (_, filter) => {
    refusal(await ask("POST", "/Users/.search", { body: { filter } }), 400, "invalidFilter");
    refusal(await ask("POST", "/Groups/.search", { body: { filter } }), 400, "invalidFilter");
    if (filter.length < 8_000) refusal(await get("/Users", { filter }), 400, "invalidFilter");
  });
  test("rejects a filter of 10 KB in the address, at the gateway or as a filter", async () => {
    const answer = await api.ask("GET", `/scim2/Users?filter=${"x".repeat(10_000)}+pr`);
    expect([400, 431]).toContain(answer.status);
  });
  test("treats values that other languages interpret as texts", async () => {
    for (const value of ["*) OR (1=1", ":v0", "#n", "%", "_", ".*", "$where", "(a+)+$", "*".repeat(3_000)]) {
      const page = await ask("POST", "/Users/.search", {
        body: { filter: `userName co ${JSON.stringify(value)} or title eq ${JSON.stringify(value)}` },
      });
      expect([page.status, page.body.totalResults]).toEqual([200, 0]);
    }
  });
  test("accepts 50 levels and 200 terms", async () => {
    expect((await scim.find(nested(50))).totalResults).toBeGreaterThan(1);
    expect((await scim.find(Array.from({ length: 200 }, () => 'userName eq "alice"').join(" or "))).totalResults).toBe(
      1,
    );
  });
});
