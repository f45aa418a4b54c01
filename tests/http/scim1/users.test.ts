/** Users by SCIM 1.1. */
import { beforeEach, describe, expect, test } from "vitest";
import { idOf } from "#tests/support/people.ts";
import { fresh, type Shown, UNKNOWN_ID } from "#tests/support/scim.ts";
import { CORE, ENTERPRISE, refusal1, scim1Of, WSO2 } from "#tests/support/scim1.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const scim = scim1Of(api);
const { ask, user, read, put, patch } = scim;
const password = "good-password";

/** A body with every attribute of SCIM 1.1. */
const everything = {
  externalId: "E-1",
  name: {
    formatted: "Ms. Kim A. Lee III",
    familyName: "Lee",
    givenName: "Kim",
    middleName: "A.",
    honorificPrefix: "Ms.",
    honorificSuffix: "III",
  },
  displayName: "Kim",
  nickName: "K",
  profileUrl: "https://people.example/kim",
  title: "Pilot",
  userType: "Employee",
  preferredLanguage: "de",
  locale: "de-CH",
  timezone: "Europe/Zurich",
  active: true,
  emails: [
    { value: "kim@home.example", type: "home", primary: true },
    { value: "kim@work.example", display: "Work", type: "work" },
  ],
  phoneNumbers: [{ value: "10-040-1308" }],
  ims: [{ value: "kim", type: "xmpp" }],
  photos: [{ value: "https://people.example/kim.jpg", type: "photo" }],
  addresses: [{ streetAddress: "Main Street 1", locality: "Bern", postalCode: "3000", country: "CH", type: "work" }],
  entitlements: [{ value: "parking" }],
  roles: [{ value: "captain", type: "crew" }],
  x509Certificates: [{ value: "MIIB" }],
};
const employment = {
  employeeNumber: "7",
  costCenter: "C",
  organization: "O",
  division: "D",
  department: "X",
  manager: { managerId: "m-1" },
};

let kim: Shown;
beforeEach(async () => {
  kim = await user({ userName: fresh("kim") });
});
const path = () => `/Users/${kim.id}`;

describe("createScim1User", () => {
  test("returns 201 with the address and all attributes but the password, in both extensions", async () => {
    const userName = fresh("whole");
    const answer = await ask("POST", "/Users", {
      body: { schemas: [], userName, password, ...everything, [ENTERPRISE]: employment },
    });
    expect(answer.status).toBe(201);
    const { id } = answer.body;
    expect(answer.headers.get("location")).toBe(`${api.url}/svc/scim/Users/${id}`);
    expect(answer.body).toEqual({
      id,
      schemas: [CORE, ENTERPRISE, WSO2],
      userName,
      ...everything,
      [ENTERPRISE]: employment,
      wso2Extension: employment,
      meta: { ...answer.body.meta, location: answer.headers.get("location") },
    });
    expect(await read(`/Users/${id}`)).toEqual(answer.body);
  });
  test("returns 201 for a name and a password alone, and accepts PRIMARY/ before the name", async () => {
    const userName = fresh("bare");
    const made = await user({ userName: `primary/${userName}` });
    expect(made).toEqual({
      id: expect.any(String),
      schemas: [CORE],
      userName,
      active: true,
      meta: expect.any(Object),
    });
  });
  test("ignores read-only, unknown and empty attributes", async () => {
    const made = await user({
      id: UNKNOWN_ID,
      meta: { created: "2000-01-01T00:00:00", attributes: 5 },
      groups: [{ value: UNKNOWN_ID }],
      unknown: { deep: [1] },
      "urn:okta:custom:user:1.0": { color: "red" },
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "not by this name" },
      wso2Extension: { accountLocked: true, department: "" },
      nickName: "",
      emails: [],
      title: null,
      displayName: "  Kim  ",
    });
    expect(made.id).not.toBe(UNKNOWN_ID);
    expect(Object.keys(made).sort()).toEqual(["active", "displayName", "id", "meta", "schemas", "userName"]);
    expect(made.displayName).toBe("Kim");
  });
  test("accepts names in any case, elements without an object, and booleans as texts", async () => {
    const made = await user({
      USERNAME: fresh("cased"),
      userName: undefined,
      Emails: ["a@x.example", { VALUE: "b@x.example", Primary: "True" }],
      ACTIVE: "False",
      WSO2EXTENSION: { DEPARTMENT: "X", Manager: "m-1", askpassword: "true" },
    });
    expect(made).toMatchObject({
      active: false,
      emails: [{ value: "a@x.example" }, { value: "b@x.example", primary: true }],
      wso2Extension: { department: "X", manager: { managerId: "m-1" }, askPassword: true },
    });
  });
  test("ignores elements that are marked delete", async () => {
    const made = await user({ emails: [{ value: "a@x.example" }, { value: "b@x.example", operation: "delete" }] });
    expect(made.emails).toEqual([{ value: "a@x.example" }]);
  });
  test("authenticates by the password, and needs none with askPassword", async () => {
    const made = await user({ password });
    const as = { username: made.userName, password };
    expect((await api.ask("GET", "/scim2/Me", { as })).status).toBe(200);
    const invited = await user({ password: undefined, wso2Extension: { askPassword: true } });
    expect(invited.wso2Extension).toEqual({ askPassword: true });
  });
  test("returns 400 that names what is missing or wrong", async () => {
    for (const [body, reason] of [
      [{}, /userName/],
      [{ userName: fresh("nopass") }, /password/],
      [{ userName: "ab", password }, /userName must have/],
      [{ userName: "two words", password }, /spaces/],
      [{ userName: "a*b*c", password }, /\* \? %/],
      [{ userName: fresh("short"), password: "abcd" }, /8 to 100/],
      [{ userName: fresh("spaced"), password: "with\ttab" }, /control characters/],
      [{ userName: "NOWHERE/kim", password }, /user store domain: NOWHERE/],
      [{ userName: 5, password }, /userName/],
      [{ userName: fresh("typed"), password, name: "Kim" }, /name/],
      [{ userName: fresh("typed"), password, active: "perhaps" }, /active/],
      [{ userName: fresh("typed"), password, emails: [{ value: { a: 1 } }] }, /emails/],
      [{ userName: fresh("typed"), password, wso2Extension: "x" }, /wso2Extension/],
      [{ userName: fresh("typed"), password, [ENTERPRISE]: { department: 5 } }, /enterprise:1\.0\.department/],
      [{ userName: fresh("long"), password, nickName: "x".repeat(1_025) }, /nickName/],
      [
        {
          userName: fresh("two"),
          password,
          emails: [
            { value: "a", primary: true },
            { value: "b", primary: true },
          ],
        },
        /primary/,
      ],
    ] as const) {
      expect(refusal1(await ask("POST", "/Users", { body }), 400), JSON.stringify(body)).toMatch(reason);
    }
  });
  test("returns 409 for a name that is in use, in any case, and creates one of many concurrent users", async () => {
    const body = { userName: kim.userName.toUpperCase(), password };
    expect(refusal1(await ask("POST", "/Users", { body }), 409)).toBe(
      `User with the name: ${body.userName} already exists in the system.`,
    );
    const wanted = { userName: fresh("wanted"), password };
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask("POST", "/Users", { body: wanted })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });
});

describe("getScim1User", () => {
  test("returns 200 with the address of its creation", async () => {
    const answer = await ask("GET", path());
    expect(answer.status).toBe(200);
    expect(answer.headers.get("location")).toBe(`${api.url}/svc/scim${path()}`);
    expect(answer.headers.get("etag")).toMatch(/^W\/"\d+"$/);
    expect(answer.body).toEqual(kim);
  });
  test("shows its groups with their user store, and its assigned roles", async () => {
    const group = await scim.group({ members: [{ value: kim.id }] });
    expect((await read(path())).groups).toEqual([{ value: group.id, display: group.displayName }]);
    expect(group.displayName).toMatch(/^PRIMARY\//);
    const admin = await read(`/Users/${await idOf(api.service, "admin")}`);
    expect(admin.roles).toEqual([{ value: "admin", display: "admin", type: "default" }]);
  });
  test("shows only what attributes names, besides id, userName and meta", async () => {
    await patch(path(), { ...everything, [ENTERPRISE]: employment });
    const shown = async (attributes: string) => (await ask("GET", path(), { query: { attributes } })).body;
    expect(Object.keys(await shown("name.givenName, emails,unknown"))).toEqual([
      "id",
      "schemas",
      "userName",
      "name",
      "emails",
      "meta",
    ]);
    expect((await shown("NAME.givenName")).name).toEqual({ givenName: "Kim" });
    expect((await shown("wso2Extension.department")).wso2Extension).toEqual({ department: "X" });
    expect((await shown("urn:scim:schemas:core:1.0:nickName")).nickName).toBe("K");
    expect(Object.keys(await shown("password"))).toEqual(["id", "schemas", "userName", "meta"]);
  });
  test("returns 404 for an id of any form that no user has", async () => {
    for (const id of [UNKNOWN_ID, "x", "__proto__", "constructor", "me2", "a#b", "x".repeat(1_000)]) {
      expect(refusal1(await ask("GET", `/Users/${encodeURIComponent(id)}`), 404)).toContain(id.slice(0, 50));
    }
    refusal1(await ask("GET", `/Users/${"x".repeat(1_100)}`), 400);
  });
});

describe("replaceScim1User", () => {
  test("returns 200, replaces all attributes, and keeps only password and active where they are not sent", async () => {
    await patch(path(), { ...everything, [ENTERPRISE]: employment, active: false });
    const answer = await ask("PUT", path(), { body: { userName: kim.userName, title: "Captain" } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("location")).toBe(`${api.url}/svc/scim${path()}`);
    expect(answer.body).toEqual({
      id: kim.id,
      schemas: [CORE],
      userName: kim.userName,
      title: "Captain",
      active: false,
      meta: { ...kim.meta, lastModified: answer.body.meta.lastModified },
    });
    expect(await read(path())).toEqual(answer.body);
    await put(path(), { userName: kim.userName, active: true });
    expect((await api.ask("GET", "/scim2/Me", { as: { username: kim.userName, password } })).status).toBe(200);
  });
  test("accepts a resource as it was read, and changes nothing", async () => {
    const group = await scim.group({ members: [{ value: kim.id }] });
    await patch(path(), { ...everything, [ENTERPRISE]: employment, wso2Extension: { askPassword: true } });
    const before = await read(path());
    expect(before.groups).toEqual([{ value: group.id, display: group.displayName }]);
    expect(await put(path(), before)).toEqual(before);
  });
  test("takes the changed value of an attribute that both extensions have", async () => {
    await patch(path(), { [ENTERPRISE]: employment });
    const before = await read(path());
    const changed = await put(path(), { ...before, wso2Extension: { ...employment, department: "Y" } });
    expect(changed[ENTERPRISE]).toEqual({ ...employment, department: "Y" });
    expect(changed.wso2Extension).toEqual(changed[ENTERPRISE]);
    const again = await put(path(), { ...changed, [ENTERPRISE]: { ...employment, manager: { managerId: "m-2" } } });
    expect(again.wso2Extension.manager).toEqual({ managerId: "m-2" });
  });
  test("renames, also only in case, and frees the old name", async () => {
    const upper = await put(path(), { userName: kim.userName.toUpperCase() });
    expect(upper.userName).toBe(kim.userName.toUpperCase());
    const userName = fresh("renamed");
    expect((await put(path(), { userName })).userName).toBe(userName);
    await user({ userName: kim.userName });
  });
  test("sets the password", async () => {
    await put(path(), { userName: kim.userName, password: "another-password" });
    const me = async (given: string) =>
      (await api.ask("GET", "/scim2/Me", { as: { username: kim.userName, password: given } })).status;
    expect([await me("another-password"), await me(password)]).toEqual([200, 401]);
  });
  test("changes nothing with 400, 404 and 409", async () => {
    const other = await user();
    const before = await read(path());
    expect(refusal1(await ask("PUT", path(), { body: { title: "T" } }), 400)).toMatch(/userName/);
    refusal1(await ask("PUT", path(), { body: { userName: kim.userName, emails: 5, name: [] } }), 400);
    refusal1(await ask("PUT", path(), { body: { userName: "ELSEWHERE/kim" } }), 400);
    refusal1(await ask("PUT", path(), { body: { userName: other.userName.toUpperCase() } }), 409);
    refusal1(await ask("PUT", `/Users/${UNKNOWN_ID}`, { body: { userName: fresh("nobody") } }), 404);
    expect(await read(path())).toEqual(before);
  });
  test("returns 403 where the administrator would be locked out", async () => {
    const id = await idOf(api.service, "admin");
    refusal1(await ask("PUT", `/Users/${id}`, { body: { userName: "admin", active: false } }), 403);
  });
});

describe("patchScim1User", () => {
  test("returns 200, changes what is sent, also single parts of a name, and keeps the rest", async () => {
    await patch(path(), { ...everything, [ENTERPRISE]: employment });
    const before = await read(path());
    const answer = await ask("PATCH", path(), {
      body: {
        schemas: [],
        name: { givenName: "Kimberly" },
        title: "Captain",
        wso2Extension: { division: "Z" },
        meta: {},
      },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("location")).toBe(`${api.url}/svc/scim${path()}`);
    expect(answer.body).toEqual({
      ...before,
      name: { ...everything.name, givenName: "Kimberly" },
      title: "Captain",
      [ENTERPRISE]: { ...employment, division: "Z" },
      wso2Extension: { ...employment, division: "Z" },
      meta: answer.body.meta,
    });
  });
  test("deactivates as Okta does: by id and active, without a name", async () => {
    expect(await patch(path(), { schemas: [CORE], id: kim.id, active: false })).toMatchObject({ active: false });
    expect((await api.ask("GET", "/scim2/Me", { as: { username: kim.userName, password } })).status).toBe(401);
  });
  test("adds elements of a list, changes one with the same value and type, and removes one marked delete", async () => {
    await patch(path(), { emails: everything.emails });
    const [home, work] = everything.emails;
    expect(
      (await patch(path(), { emails: [{ value: "new@x.example", type: "other", primary: true }] })).emails,
    ).toEqual([{ ...home, primary: false }, work, { value: "new@x.example", type: "other", primary: true }]);
    const { emails } = await patch(path(), {
      emails: [
        { value: "KIM@work.example", type: "work", display: "Office" },
        { value: "new@x.example", type: "other", operation: "delete" },
        { value: "unheard@of.example", operation: "DELETE" },
      ],
    });
    expect(emails).toEqual([
      { ...home, primary: false },
      { ...work, display: "Office" },
    ]);
    expect((await patch(path(), { emails: [{ value: "kim@work.example", primary: true }] })).emails).toEqual([
      { ...home, primary: false },
      { ...work, display: "Office", primary: true },
    ]);
  });
  test("removes of equal values the one with the type, and an address by all of its parts", async () => {
    await patch(path(), {
      phoneNumbers: [
        { value: "1", type: "work" },
        { value: "1", type: "home" },
      ],
      addresses: [{ locality: "Bern" }, { locality: "Basel", type: "home" }],
    });
    const after = await patch(path(), {
      phoneNumbers: [{ value: "1", type: "home", operation: "delete" }],
      addresses: [{ type: "home", operation: "delete" }],
    });
    expect(after.phoneNumbers).toEqual([{ value: "1", type: "work" }]);
    expect(after.addresses).toEqual([{ locality: "Bern" }]);
    expect(await patch(path(), { phoneNumbers: [{ value: "1", operation: "delete" }] })).not.toHaveProperty(
      "phoneNumbers",
    );
  });
  test("removes what meta.attributes names first, which replaces a list", async () => {
    await patch(path(), { ...everything, [ENTERPRISE]: employment });
    const after = await patch(path(), {
      emails: ["only@x.example"],
      meta: {
        attributes: [
          "NICKNAME",
          "emails",
          "name.familyName",
          "urn:scim:schemas:core:1.0.title",
          "urn:scim:schemas:core:1.0:locale",
          "wso2Extension.manager",
          `${ENTERPRISE}:costCenter`,
          "nothing.of.this.name",
          "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department",
        ],
      },
    });
    expect(after.emails).toEqual([{ value: "only@x.example" }]);
    const { familyName: _, ...name } = everything.name;
    expect(after.name).toEqual(name);
    for (const gone of ["nickName", "title", "locale"]) expect(after).not.toHaveProperty(gone);
    const { costCenter: __, manager: ___, ...rest } = employment;
    expect(after.wso2Extension).toEqual(rest);
    const bare = await patch(path(), { meta: { attributes: ["wso2Extension", "addresses"] } });
    expect(bare.schemas).toEqual([CORE]);
    expect(bare).not.toHaveProperty("addresses");
  });
  test("keeps the version where nothing changes", async () => {
    for (const body of [
      {},
      { meta: {} },
      { meta: { attributes: [] } },
      { title: "" },
      { groups: [], userName: kim.userName },
    ]) {
      expect(await patch(path(), body)).toEqual(kim);
    }
  });
  test("renames", async () => {
    const userName = fresh("patched");
    expect((await patch(path(), { userName })).userName).toBe(userName);
  });
  test("returns 400 that says what is wrong", async () => {
    for (const [body, reason] of [
      [{ meta: { attributes: "nickName" } }, /meta\.attributes/],
      [{ meta: { attributes: [5] } }, /meta\.attributes/],
      [{ meta: "x" }, /meta/],
      [{ meta: { attributes: ["userName"] } }, /userName/],
      [{ meta: { attributes: ["id"] } }, /id/],
      [{ meta: { attributes: ["groups"] } }, /groups/],
      [{ meta: { attributes: ["meta.created"] } }, /meta\.created/],
      [{ meta: { attributes: ["password"] } }, /password/],
      [{ meta: { attributes: Array.from({ length: 1_001 }, () => "nickName") } }, /1000/],
      [{ id: UNKNOWN_ID }, /id/],
      [{ id: 5 }, /id/],
      [
        {
          emails: [
            { value: "a", primary: true },
            { value: "b", primary: true },
          ],
        },
        /primary/,
      ],
      [{ name: "Kim" }, /name/],
      [{ password: "x y" }, /password/],
      [{ userName: "SECOND/kim" }, /SECOND/],
    ] as const) {
      expect(refusal1(await ask("PATCH", path(), { body }), 400), JSON.stringify(body)).toMatch(reason);
    }
    expect(await read(path())).toEqual(kim);
  });
  test("returns 404 for an unknown user and 409 for a name in use", async () => {
    refusal1(await ask("PATCH", `/Users/${UNKNOWN_ID}`, { body: { title: "T" } }), 404);
    const other = await user();
    refusal1(await ask("PATCH", path(), { body: { userName: other.userName } }), 409);
  });
});

describe("deleteScim1User", () => {
  test("returns 200 without a body, and removes every trace", async () => {
    const group = await scim.group({ members: [{ value: kim.id }] });
    const answer = await ask("DELETE", path(), { headers: { accept: "application/json" } });
    expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([200, "", null]);
    for (const method of ["GET", "DELETE"]) refusal1(await ask(method, path()), 404);
    for (const method of ["PUT", "PATCH"])
      refusal1(await ask(method, path(), { body: { userName: kim.userName } }), 404);
    expect((await read(`/Groups/${group.id}`)).members).toEqual([]);
    await user({ userName: kim.userName });
  });
  test("returns 403 for the administrator of the tenant", async () => {
    refusal1(await ask("DELETE", `/Users/${await idOf(api.service, "admin")}`), 403);
  });
});
