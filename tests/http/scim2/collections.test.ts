/**
 * Rows M17 to M53 (Entra ID's validator on groups, Microsoft's collections) and W04 to W11 (WSO2's suite) of
 * docs/scim-conformance.md.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { fresh, NEGOTIATED, refusal, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { ask, get, find } = scim;
const later = new Date(Date.now() + 3_600_000).toISOString().replace("Z", "0000Z");
const namesOf = ({ Resources }: Shown): string[] => Resources.map(({ userName }: Shown) => userName);

describe("the validator: groups", () => {
  const displayName = "NHMSTWHQLXRE";
  let group: Shown;
  let path: string;
  let users: Shown[];
  const membersOf = async (): Promise<string[]> =>
    (await scim.read(path)).members.map(({ value }: Shown) => value).sort();

  beforeAll(async () => {
    users = await Promise.all(Array.from({ length: 3 }, () => scim.user()));
  });
  test("M17 M38 creates a group, also with a foreign URN", async () => {
    group = await scim.group({
      schemas: [URN.group, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
      displayName,
      externalId: "8aa1a0c0",
    });
    expect(group).toMatchObject({ displayName, externalId: "8aa1a0c0", meta: { resourceType: "Group" } });
    path = `/Groups/${group.id}`;
  });
  test("M18 returns 409 for the same name", async () => {
    refusal(await ask("POST", "/Groups", { body: { displayName, externalId: "other" } }), 409, "uniqueness");
  });
  test("M19 M21 finds the group by its name in any case, without members, and finds no other", async () => {
    for (const [name, total] of [
      [displayName, 1],
      [displayName.toLowerCase(), 1],
      ["UNKNOWN_ID-HAS-THIS", 0],
    ] as const) {
      const page = await find(`displayName eq "${name}"`, "/Groups", { excludedAttributes: "members" });
      expect(page.totalResults).toBe(total);
      for (const found of page.Resources) expect(found).not.toHaveProperty("members");
    }
  });
  test("M20 reads the group without its members", async () => {
    const { body } = await get(path, { excludedAttributes: "members" });
    expect(body.id).toBe(group.id);
    expect(body).not.toHaveProperty("members");
  });
  test("M22 M23 replaces the external id and the name", async () => {
    expect((await scim.patched(path, { op: "Replace", value: { externalId: "new-ext" } })).externalId).toBe("new-ext");
    expect((await scim.patched(path, { op: "Replace", value: { displayName: "BZKWTQCUNSZO" } })).displayName).toBe(
      "BZKWTQCUNSZO",
    );
    expect((await find('displayName eq "BZKWTQCUNSZO"', "/Groups")).totalResults).toBe(1);
  });
  test("M24 M25 adds and removes members", async () => {
    const [a, b] = users as [Shown, Shown];
    await scim.patched(path, { op: "Replace", path: "members", value: [{ value: a.id }] });
    await scim.patched(path, { op: "Add", path: "members", value: [{ $ref: null, value: b.id }] } as never);
    expect(await membersOf()).toEqual([a.id, b.id].sort());
    await scim.patched(path, { op: "Remove", path: `members[value eq "${a.id}"]` });
    expect(await membersOf()).toEqual([b.id]);
    await scim.patched(path, { op: "Add", path: "members", value: a.id });
    expect(await membersOf()).toEqual([a.id, b.id].sort());
  });
  test("M36 removes the members that the value lists, and only those", async () => {
    const [a, b, c] = users as [Shown, Shown, Shown];
    await scim.patched(path, { op: "Add", path: "members", value: [{ value: c.id }] });
    await scim.patched(path, { op: "Remove", path: "members", value: [{ value: a.id }, { value: c.id }] });
    expect(await membersOf()).toEqual([b.id]);
  });
  test("M31 removes a member that one request adds and removes", async () => {
    const { id } = users[2] as Shown;
    await scim.patched(
      path,
      { op: "Add", path: "members", value: [{ value: id }] },
      { op: "Remove", path: `members[value eq "${id}"]` },
    );
    expect(await membersOf()).not.toContain(id);
  });
  test("M26 M30 deletes the group, and then returns 404", async () => {
    expect((await ask("DELETE", path)).status).toBe(204);
    refusal(await get(path), 404);
    refusal(await ask("DELETE", path), 404);
  });
});

describe("Microsoft's collections", () => {
  beforeAll(async () => {
    await scim.user({
      userName: "OMalley",
      displayName: "OMalley",
      name: { familyName: "Employee" },
      emails: [{ type: "work", value: "om@example.com" }],
    });
  });

  test("M41 accepts a boolean as a text", async () => {
    expect((await scim.user({ active: "True" })).active).toBe(true);
  });
  test("M42 returns 400 without a userName, and for a body that is not JSON", async () => {
    refusal(await ask("POST", "/Users", { body: { displayName: "OMalley" } }), 400, "invalidValue");
    refusal(await ask("POST", "/Users", { raw: "{ junk" }), 400, "invalidSyntax");
  });
  test("M43 M44 returns 400 for a PUT with a misspelt required attribute, and ignores other misspelt ones", async () => {
    const { id, userName } = await scim.user();
    refusal(await ask("PUT", `/Users/${id}`, { body: { UserNamee: userName } }), 400, "invalidValue");
    const answer = await ask("PUT", `/Users/${id}`, { body: { userName, displayNammme: "x" } });
    expect([answer.status, Object.keys(answer.body)]).toEqual([200, ["schemas", "id", "userName", "active", "meta"]]);
  });
  test("M45 stores extension attributes in capitals under the schema's names", async () => {
    const user = await scim.user({
      emails: [{ Primary: true, Type: "work", Value: "a@b.c" }],
      [URN.enterprise]: { Department: "D", Manager: { Value: "boss" }, EmployeeNumber: "7" },
    });
    expect(user.emails).toEqual([{ value: "a@b.c", type: "work", primary: true }]);
    expect(user[URN.enterprise]).toEqual({ employeeNumber: "7", department: "D", manager: { value: "boss" } });
  });
  test("M46 accepts values without quotes, and names in any case", async () => {
    const filter = "name.FamilyName eq Employee and (emails.Value co example.com or emails.Value co example.org)";
    expect(namesOf(await find(filter))).toEqual(["OMalley"]);
  });
  test("M47 accepts a time without quotes, with seven digits of a second and an offset", async () => {
    expect((await find("meta.Created gt 2015-10-10T14:38:21.8617979-07:00")).totalResults).toBeGreaterThan(1);
    // A plus sign that is not escaped is a blank.
    expect((await ask("GET", '/Users?filter=meta.created gt "2015-10-10T14:38:21+07:00"')).status).toBe(200);
  });
  test("M48 accepts a projection with brackets", async () => {
    const page = await find('userName eq "OMalley"', "/Users", { attributes: 'emails[type eq "work"]' });
    expect(page.Resources[0].emails).toEqual([{ type: "work", value: "om@example.com" }]);
  });
  test("M49 accepts a slash after the endpoint", async () => {
    expect(namesOf((await get("/Users/", { filter: 'DisplayName eq "omalley"' })).body)).toEqual(["OMalley"]);
  });
  test("M50 returns the resource for a PATCH of a user and of a group", async () => {
    const [user, group] = [await scim.user(), await scim.group()];
    expect((await scim.patched(`/Users/${user.id}`, { op: "add", path: "title", value: "T" })).title).toBe("T");
    expect((await scim.patched(`/Groups/${group.id}`, { op: "add", path: "externalId", value: "E" })).externalId).toBe(
      "E",
    );
  });
  test("M51 M52 finds active users that changed within some time", async () => {
    const between = `active eq true and (meta.lastModified ge "0001-01-03T00:00:00.0000000Z" and meta.lastModified le "${later}")`;
    const page = (await get("/Users", { filter: between, count: 5, startIndex: 1 })).body;
    expect([page.itemsPerPage, page.totalResults > 1]).toEqual([Math.min(5, page.totalResults), true]);
    expect(
      (await find('(ActiVe eq true) and meta.lastmodified ge "2015-10-10T14:38:21.8617979-07:00"')).totalResults,
    ).toBe(page.totalResults);
  });
  test("M53 serves 25 concurrent requests", async () => {
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, n) =>
        n % 5 ? get("/Users", { count: 1 }) : ask("POST", "/Users", { body: { userName: fresh("rate") } }),
      ),
    );
    for (const { status } of answers) expect([200, 201]).toContain(status);
  });
});

describe("WSO2's compliance suite", () => {
  const users: Shown[] = [];

  test("W04 creates users with passwords and two e-mail addresses", async () => {
    for (const userName of ["loginUser1", "loginUser2"]) {
      const emails = [
        { value: `${userName}@x.com`, type: "work", primary: true },
        { value: `${userName}@y.com`, type: "home" },
      ];
      const answer = await ask("POST", "/Users", {
        body: { schemas: [URN.user], password: "7019asd84", userName, emails },
      });
      expect([answer.status, answer.body.emails]).toEqual([201, emails]);
      users.push(answer.body);
    }
  });
  test("W05 W06 reads, replaces and changes users", async () => {
    const [user] = users as [Shown];
    const path = `/Users/${user.id}`;
    const answers = [
      await get(path),
      await ask("PUT", path, { body: { userName: user.userName, emails: [{ value: "new@x.com", type: "work" }] } }),
      await scim.patch(path, { op: "add", value: { nickName: "shaggy" } }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toMatchObject({ schemas: [URN.user], id: user.id, userName: user.userName });
    }
    expect(answers[2]?.body).toMatchObject({ nickName: "shaggy", emails: [{ value: "new@x.com", type: "work" }] });
  });
  test("W07 creates, reads, replaces, changes and deletes groups", async () => {
    const group = await scim.group({ displayName: "EYE" });
    const path = `/Groups/${group.id}`;
    const answers = [
      await get(path),
      await ask("PUT", path, { body: { displayName: "EAR", members: [] } }),
      await scim.patch(path, { op: "add", value: { displayName: "NOSE" } }),
      await ask("DELETE", path),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 204]);
    expect(answers[2]?.body.displayName).toBe("NOSE");
  });
  test("W08 lists the users and groups", async () => {
    const groups = await Promise.all(["eye", "ear"].map((displayName) => scim.group({ displayName })));
    const idsIn = async (path: string) => (await get(path)).body.Resources.map(({ id }: Shown) => id);
    expect(await idsIn("/Users")).toEqual(expect.arrayContaining(users.map(({ id }) => id)));
    expect(await idsIn("/Groups")).toEqual(expect.arrayContaining(groups.map(({ id }) => id)));
  });
  test("W09 accepts filters without quotes, and blanks as plus signs", async () => {
    expect(namesOf((await ask("GET", "/Users?filter=userName+eq+loginUser1")).body)).toEqual(["loginUser1"]);
    expect(
      (await ask("GET", "/Groups?filter=displayName+eq+eye")).body.Resources.map(
        ({ displayName }: Shown) => displayName,
      ),
    ).toEqual(["eye"]);
  });
  test("W10 W11 returns a page of two, in the order of ids", async () => {
    const { body } = await ask("GET", "/Users?startIndex=1&count=2&sortBy=id&sortOrder=ascending");
    expect(body.Resources).toHaveLength(2);
    expect(body.Resources[0].id < body.Resources[1].id).toBe(true);
  });
  test("W05 deletes users", async () => {
    for (const { id } of users) expect((await ask("DELETE", `/Users/${id}`)).status).toBe(204);
  });
});
