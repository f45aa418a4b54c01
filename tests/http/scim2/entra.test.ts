/**
 * Rows M01 to M16, M27 to M35, M37, M39 and M40 of docs/scim-conformance.md: users by Entra ID's validator and
 * provisioning service.
 */
import { describe, expect, test } from "vitest";
import { fresh, NEGOTIATED, refusal, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { ask, get, find, patch } = scim;
const E = URN.enterprise;
const list = (value: string): Shown[] => [{ primary: "True", display: `d-${value}`, value, type: "work" }];
const address = (word: string): Shown => ({
  primary: true,
  formatted: `f-${word}`,
  streetAddress: `s-${word}`,
  locality: `l-${word}`,
  region: `r-${word}`,
  postalCode: "12345",
  country: `c-${word}`,
  type: "work",
});
/** A user as the validator generates one. */
const random = (word: string): Shown => ({
  schemas: [URN.user, E],
  userName: `${word}@cole.test`,
  externalId: `Ext-${word}`,
  active: true,
  displayName: "OTMRXTLKTMAN",
  nickName: "FKPVIXRCPTUV",
  profileUrl: "BZCEZJSHXDQK",
  title: "TNLQVNJTAQWV",
  userType: "XBKWSSQKDQKQ",
  preferredLanguage: "zh-HK",
  locale: "UNPVQIVCPKZJ",
  timezone: "Africa/Lubumbashi",
  name: {
    formatted: "Fmt",
    familyName: "Fam",
    givenName: "Giv",
    middleName: "Mid",
    honorificPrefix: "Pre",
    honorificSuffix: "Suf",
  },
  emails: list(`${word}@schoen.test`),
  phoneNumbers: [
    { primary: "true", value: "10-040-1308", type: "work" },
    { value: "31-930-6131", type: "mobile" },
    { value: "74-113-7230", type: "fax" },
  ],
  addresses: [address(word)],
  roles: list("SBLJDCXCXUCQ"),
  entitlements: list("GSUPSJVKWWUR"),
  ims: list("im"),
  photos: [{ primary: true, value: "https://photos.test/1", type: "photo" }],
  [E]: {
    employeeNumber: "RJQBQRICTTYA",
    department: "VRJXNIUNQAGQ",
    costCenter: "KXAPOTWBZKVB",
    organization: "AZRWLDQGUGSB",
    division: "QKTXHVLXVZIV",
    manager: { value: "HQVSBZQXMPAH" },
  },
});
/** The same with booleans as they are stored. */
const kept = (body: Shown): Shown =>
  JSON.parse(JSON.stringify(body), (name, value) =>
    name === "primary" ? String(value).toLowerCase() === "true" : value,
  );
const byName = async (userName: string): Promise<Shown> => find(`userName eq "${userName}"`);

describe("the validator: users", () => {
  const body = random("one");
  let user: Shown;
  let path: string;

  test("M01 M03 creates a user, and finds it by its name with everything as sent", async () => {
    user = await scim.user(body);
    path = `/Users/${user.id}`;
    const page = await byName(body.userName);
    expect(page.totalResults).toBe(1);
    expect(page.Resources[0]).toMatchObject(kept(body));
  });
  test("M02 returns 409 for the same name", async () => {
    refusal(await ask("POST", "/Users", { body: { ...random("two"), userName: body.userName } }), 409, "uniqueness");
  });
  test("M04 M34 returns an empty list for an unknown name", async () => {
    expect(await byName(crypto.randomUUID())).toMatchObject({ totalResults: 0, Resources: [] });
    expect(await find(`externalId eq "${crypto.randomUUID()}"`)).toMatchObject({ totalResults: 0, Resources: [] });
  });
  test("M05 finds the user by its name in capitals, and shows the name as it was sent", async () => {
    expect((await byName(body.userName.toUpperCase())).Resources[0].userName).toBe(body.userName);
  });
  test("M06 reads the user by its id", async () => {
    expect(await scim.read(path)).toEqual(user);
  });
  test("M07 replaces everything in one operation: names with dots, full names, brackets", async () => {
    const value = {
      displayName: "new-display",
      nickName: "new-nick",
      "name.givenName": "new-given",
      "name.familyName": "new-family",
      active: "False",
      [`${E}:employeeNumber`]: "new-number",
      [`${E}:manager`]: "new-manager",
    };
    const after = await scim.patched(
      path,
      { op: "replace", path: 'emails[type eq "work"].value', value: "new@schoen.test" },
      { op: "replace", path: 'emails[type eq "work"].primary', value: true },
      { op: "replace", path: 'addresses[type eq "work"].locality', value: "new-locality" },
      { op: "replace", path: 'phoneNumbers[type eq "mobile"].value', value: "new-phone" },
      { op: "replace", value },
    );
    expect(after).toMatchObject({ displayName: "new-display", nickName: "new-nick", active: false });
    expect(after.name).toMatchObject({ givenName: "new-given", familyName: "new-family", middleName: "Mid" });
    expect(after.emails).toEqual([
      { primary: true, display: "d-one@schoen.test", value: "new@schoen.test", type: "work" },
    ]);
    expect(after.addresses[0]).toMatchObject({ locality: "new-locality", country: "c-one" });
    expect(after.phoneNumbers.map(({ value: number }: Shown) => number)).toEqual([
      "10-040-1308",
      "new-phone",
      "74-113-7230",
    ]);
    expect(after[E]).toMatchObject({
      employeeNumber: "new-number",
      manager: { value: "new-manager" },
      division: "QKTXHVLXVZIV",
    });
    expect(await scim.read(path)).toEqual(after);
  });
  test("M08 M10 replaces each attribute by its own operation, and lists by their primary element", async () => {
    const simple = [
      "displayName",
      "nickName",
      "title",
      "userType",
      "preferredLanguage",
      "locale",
      "timezone",
      "profileUrl",
      "externalId",
    ];
    const names = ["formatted", "familyName", "givenName", "middleName", "honorificPrefix", "honorificSuffix"].map(
      (name) => `name.${name}`,
    );
    const ofLists = ["emails", "phoneNumbers", "ims", "photos", "entitlements", "roles"].map(
      (name) => `${name}[primary eq true].value`,
    );
    const ofAddress = ["formatted", "streetAddress", "locality", "region", "postalCode", "country"].map(
      (name) => `addresses[primary eq "True"].${name}`,
    );
    const ofExtension = ["employeeNumber", "department", "costCenter", "organization", "division", "manager"].map(
      (name) => `${E}:${name}`,
    );
    const paths = [...simple, ...names, ...ofLists, ...ofAddress, ...ofExtension];
    expect(paths.length).toBeGreaterThan(30);
    const operations = [
      ...paths.map((one) => ({ op: "Replace", path: one, value: `v ${one}` })),
      { op: "Replace", path: "active", value: true },
    ];
    const after = await scim.patched(path, ...operations);
    for (const name of simple) expect(after[name]).toBe(`v ${name}`);
    for (const name of names) expect(after.name[name.slice(5)]).toBe(`v ${name}`);
    for (const name of ["emails", "ims", "photos", "entitlements", "roles", "phoneNumbers"])
      expect(after[name][0].value).toBe(`v ${name}[primary eq true].value`);
    expect(after.phoneNumbers[1].value).toBe("new-phone");
    for (const [name, value] of Object.entries(after.addresses[0])) {
      if (typeof value === "string" && name !== "type") expect(value).toBe(`v addresses[primary eq "True"].${name}`);
    }
    expect(after[E].manager).toEqual({ value: `v ${E}:manager` });
    expect(after.active).toBe(true);
  });
  test("M09 adds attributes to a user without any, and lists by brackets", async () => {
    const bare = await scim.user();
    const after = await scim.patched(
      `/Users/${bare.id}`,
      { op: "Add", path: 'emails[type eq "work"].value', value: "added@x" },
      { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "555" },
      { op: "Add", path: 'addresses[type eq "work"].country', value: "CH" },
      { op: "Add", path: 'addresses[type eq "work"].formatted', value: "F" },
      { op: "Add", path: 'roles[primary eq "True"].value', value: "R" },
      { op: "Add", path: "name.givenName", value: "G" },
      { op: "Add", path: `${E}:department`, value: "D" },
      { op: "Add", path: "displayName", value: "N" },
    );
    expect(after).toMatchObject({
      emails: [{ type: "work", value: "added@x" }],
      phoneNumbers: [{ type: "mobile", value: "555" }],
      addresses: [{ type: "work", country: "CH", formatted: "F" }],
      roles: [{ primary: true, value: "R" }],
      name: { givenName: "G" },
      [E]: { department: "D" },
      displayName: "N",
    });
  });
  test("M11 replaces the userName", async () => {
    const userName = "renamed@cole.test";
    expect((await scim.patched(path, { op: "replace", value: { userName } })).userName).toBe(userName);
    expect((await byName(userName)).totalResults).toBe(1);
    expect((await byName(body.userName)).totalResults).toBe(0);
  });
  test.each<[string, Shown]>([
    ["M12 by a boolean", { op: "replace", path: "active", value: false }],
    ["M35 by a text", { op: "Replace", path: "active", value: "False" }],
  ])("%s disables a user, which stays visible", async (_, operation) => {
    await scim.patched(path, { op: "replace", value: { active: true } });
    expect((await scim.patched(path, operation as never)).active).toBe(false);
    expect((await scim.read(path)).active).toBe(false);
    expect((await byName("renamed@cole.test")).Resources[0].active).toBe(false);
  });
  test.each<[string, unknown]>([
    ["M13 as an object", { value: "boss" }],
    ["M13 as a text", "boss"],
    ["M40 as a list of one", [{ $ref: "http://x/Users/boss", value: "boss" }]],
  ])("%s adds a manager once", async (_, value) => {
    for (const op of ["Add", "Replace"]) {
      const { manager } = (await scim.patched(path, { op, path: `${E}:manager`, value }))[E];
      expect(manager).toMatchObject({ value: "boss" });
    }
    await scim.patched(path, { op: "add", path: "manager", value: "chief" });
    expect((await scim.read(path))[E].manager).toEqual({ value: "chief" });
  });
  test("M14 M15 replaces the manager, and removes it in each possible way", async () => {
    expect(
      (await scim.patched(path, { op: "Replace", path: `${E}:manager`, value: { value: "other" } }))[E].manager,
    ).toEqual({ value: "other" });
    for (const operation of [
      { op: "Replace", path: `${E}:manager`, value: { value: "" } },
      { op: "Replace", path: `${E}:manager`, value: "" },
      { op: "Remove", path: `${E}:manager` },
      { op: "Replace", path: `${E}:manager.value`, value: "" },
    ]) {
      await scim.patched(path, { op: "Add", path: `${E}:manager`, value: "someone" });
      expect((await scim.patched(path, operation))[E]).not.toHaveProperty("manager");
    }
  });
  test("M39 finds a user by its id and its manager", async () => {
    await scim.patched(path, { op: "Add", path: `${E}:manager`, value: "m-39" });
    const matching = (manager: string) =>
      find(`id eq "${user.id}" and manager eq "${manager}"`, "/Users", { attributes: "id" });
    expect((await matching("m-39")).Resources).toEqual([{ schemas: [URN.user], id: user.id }]);
    expect((await matching("m-40")).totalResults).toBe(0);
  });
  test("M27 M28 applies many operations, on different attributes and on one", async () => {
    const after = await scim.patched(
      path,
      { op: "add", path: "nickName", value: "a" },
      { op: "replace", path: "title", value: "b" },
      { op: "remove", path: "displayName" },
      { op: "remove", path: "locale" },
      { op: "add", path: "locale", value: "c" },
      { op: "replace", path: "locale", value: "d" },
    );
    expect([after.nickName, after.title, after.displayName, after.locale]).toEqual(["a", "b", undefined, "d"]);
  });
  test("M32 accepts an empty list of operations", async () => {
    expect((await patch(path)).status).toBe(200);
  });
  test("M16 M29 M30 deletes the user, and then returns 404, twice", async () => {
    expect((await ask("DELETE", path)).status).toBe(204);
    refusal(await get(path), 404);
    refusal(await ask("DELETE", path), 404);
    refusal(await patch(path, { op: "replace", path: "title", value: "x" }), 404);
    refusal(await ask("DELETE", `/Users/${UNKNOWN_ID}`), 404);
    refusal(await ask("DELETE", `/Groups/${UNKNOWN_ID}`), 404);
  });
  test("M37 treats null as absent", async () => {
    const { body: made, status } = await ask("POST", "/Users", {
      body: {
        userName: fresh("nulls"),
        addresses: null,
        phoneNumbers: null,
        displayName: null,
        name: { givenName: null },
      },
    });
    expect(status).toBe(201);
    expect(Object.keys(made)).toEqual(["schemas", "id", "userName", "active", "meta"]);
  });
});
