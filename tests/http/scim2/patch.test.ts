/** Rows C133 to C168 of docs/scim-conformance.md: changes of users by PATCH. */
import { beforeEach, describe, expect, test } from "vitest";
import { NEGOTIATED, type Op, refusal, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { ask, patch } = scim;
let user: Shown;
let path: string;
const patched = (...operations: readonly Op[]) => scim.patched(path, ...operations);
/** Sends a PATCH that must fail and change nothing. */
const refused = async (status: number, scimType: string | undefined, ...operations: readonly Op[]) => {
  const detail = refusal(await patch(path, ...operations), status, scimType);
  expect(await scim.read(path)).toEqual(user);
  return detail;
};

const work = { value: "work@x", type: "work", primary: true };
const home = { value: "home@x", type: "home" };

beforeEach(async () => {
  user = await scim.user({
    title: "Title",
    name: { givenName: "Given", familyName: "Family" },
    emails: [work, home],
    [URN.enterprise]: { department: "D", manager: { value: "boss" } },
  });
  path = `/Users/${user.id}`;
});

describe("patchUser", () => {
  test("C133 returns 400 invalidSyntax without valid Operations", async () => {
    for (const body of [
      { schemas: [URN.patch] },
      { Operations: "x" },
      { Operations: {} },
      { Operations: null },
      { Operations: [5] },
      { Operations: [null] },
      { Operations: [[]] },
      {},
    ]) {
      refusal(await ask("PATCH", path, { body }), 400, "invalidSyntax");
    }
    const Operations = [{ op: "add", path: "title", value: "x" }];
    refusal(await ask("PATCH", path, { body: { schemas: [URN.user], Operations } }), 400, "invalidSyntax");
    expect(await scim.read(path)).toEqual(user);
  });
  test("accepts members of the request in any case, and no schemas", async () => {
    const { status, body } = await ask("PATCH", path, {
      body: { operations: [{ OP: "add", Path: "title", VALUE: "x" }] },
    });
    expect([status, body.title]).toEqual([200, "x"]);
  });
  test("C134 returns 200 with the whole user", async () => {
    const answer = await patch(path, { op: "replace", path: "title", value: "T" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("location")).toBe(user.meta.location);
    expect(answer.headers.get("etag")).toBe(answer.body.meta.version);
    expect(answer.body).toEqual(await scim.read(path));
    expect(answer.body).toMatchObject({ title: "T", name: user.name, emails: user.emails });
  });
  test("C135 returns 200 with the requested attributes", async () => {
    const body = { Operations: [{ op: "add", path: "nickName", value: "N" }] };
    const answer = await ask("PATCH", path, { body, query: { attributes: "nickName" } });
    expect([answer.status, answer.body]).toEqual([200, { schemas: [URN.user], id: user.id, nickName: "N" }]);
  });
  test.each(["Add", "REPLACE", "aDD"])("C136 accepts the op %s", async (op) => {
    expect((await patched({ op, path: "title", value: "x" })).title).toBe("x");
  });
  test.each(["", "move", "set", "__proto__", "constructor"])(
    "C137 returns 400 invalidSyntax for the op %j",
    async (op) => {
      await refused(400, "invalidSyntax", { op, path: "title", value: "x" });
    },
  );
  test("C138 applies nothing where the third operation fails", async () => {
    const good = [
      { op: "replace", path: "title", value: "other" },
      { op: "remove", path: "emails" },
    ];
    for (const [bad, scimType] of [
      [{ op: "add", path: "nope", value: 1 }, "invalidPath"],
      [{ op: "replace", path: "active", value: "perhaps" }, "invalidSyntax"],
      [{ op: "replace", path: 'addresses[type eq "work"].region', value: "x" }, "noTarget"],
      [{ op: "remove", path: "userName" }, "mutability"],
      [{ op: "replace", path: "userName", value: "a b" }, "invalidValue"],
      [{ op: "replace", path: "password", value: "x" }, "invalidValue"],
    ] as const) {
      expect(await refused(400, scimType, ...good, bad)).toMatch(/Operations\[2\]|userName|password/);
    }
  });
  test("C139 applies each operation to the result of the previous one", async () => {
    const { title, emails } = await patched(
      { op: "remove", path: "title" },
      { op: "add", path: "title", value: "A" },
      { op: "replace", path: "title", value: "B" },
      { op: "remove", path: "emails" },
      { op: "add", path: "emails", value: [{ value: "a@x", type: "work" }] },
      { op: "replace", path: 'emails[type eq "work"].value', value: "b@x" },
    );
    expect([title, emails]).toEqual(["B", [{ value: "b@x", type: "work" }]]);
  });
  test("M32 changes nothing without operations", async () => {
    expect(await patched()).toEqual(user);
  });
  test("C165 changes attributes of an extension by their full names, and a whole extension", async () => {
    const { [URN.enterprise]: one } = await patched(
      { op: "replace", path: `${URN.enterprise}:department`, value: "E" },
      { op: "add", path: `${URN.enterprise}:manager.value`, value: "chief" },
      { op: "add", path: `${URN.enterprise}.costCenter`, value: "C" },
      { op: "add", path: "division", value: "V" },
    );
    expect(one).toEqual({ department: "E", manager: { value: "chief" }, costCenter: "C", division: "V" });
    expect(
      (await patched({ op: "replace", path: URN.enterprise, value: { department: "F" } }))[URN.enterprise],
    ).toMatchObject({ department: "F" });
    expect(await patched({ op: "remove", path: URN.enterprise })).not.toHaveProperty([URN.enterprise]);
    expect((await patched({ op: "replace", path: `${URN.user}:title`, value: "full" })).title).toBe("full");
  });
  test("C166 returns 409 for the name of another user", async () => {
    const other = await scim.user();
    await refused(409, "uniqueness", { op: "replace", path: "userName", value: other.userName.toUpperCase() });
    await refused(409, "uniqueness", { op: "replace", value: { title: "T", userName: other.userName } });
  });
  test("C167 returns 404 for an unknown id", async () => {
    refusal(await patch(`/Users/${UNKNOWN_ID}`, { op: "add", path: "title", value: "x" }), 404);
  });
  test("C168 deactivates and activates", async () => {
    for (const active of [false, true]) {
      expect((await patched({ op: "replace", path: "active", value: active })).active).toBe(active);
      expect((await scim.read(path)).active).toBe(active);
    }
  });
  test("C163 rejects read-only attributes that are named, and ignores them in a whole value", async () => {
    for (const readOnly of [
      "meta.created",
      "meta",
      "id",
      "groups",
      'groups[value eq "x"]',
      "schemas",
      `${URN.system}:accountState`,
    ]) {
      await refused(400, "mutability", { op: "replace", path: readOnly, value: "x" });
      await refused(400, "mutability", { op: "add", path: readOnly, value: "x" });
    }
    expect(
      await patched({ op: "replace", value: { meta: { created: "x" }, groups: [], schemas: [], id: user.id } }),
    ).toEqual(user);
    await refused(400, "mutability", { op: "replace", value: { id: UNKNOWN_ID } });
  });
  test.each([
    "nope",
    "name.nope",
    "nope.name",
    "emails[type eq",
    'emails[type eq "work"',
    'emails[nope eq "x"]',
    'emails[type eq "work"].nope',
    'name[givenName eq "x"]',
    "emails..value",
    "a b",
    "urn:x:y",
    "__proto__",
    "__proto__.x",
    "constructor.prototype",
    "emails[].value",
    "[]",
    "password.hash",
  ])("C164 returns 400 invalidPath for the path %j", async (bad) => {
    for (const op of ["add", "replace", "remove"]) await refused(400, "invalidPath", { op, path: bad, value: "x" });
  });
  test("returns 400 invalidFilter for a comparison in brackets of another type", async () => {
    await refused(400, "invalidFilter", { op: "remove", path: "emails[primary gt true]" });
  });
});

describe("add", () => {
  test("C140 without a path adds each member as by its own path", async () => {
    const { nickName, title, name, emails } = await patched({
      op: "add",
      value: { nickName: "N", title: "T", name: { middleName: "M" }, emails: [{ value: "n@x" }], nope: 1 },
    });
    expect([nickName, title]).toEqual(["N", "T"]);
    expect(name).toEqual({ ...user.name, middleName: "M" });
    expect(emails).toEqual([work, home, { value: "n@x" }]);
  });
  test("C141 C142 sets a single value, whether or not it was set", async () => {
    expect((await patched({ op: "add", path: "nickName", value: "N" })).nickName).toBe("N");
    expect((await patched({ op: "add", path: "title", value: "T" })).title).toBe("T");
  });
  test("C143 adds parts to a complex value", async () => {
    expect((await patched({ op: "add", path: "name", value: { middleName: "M", givenName: "H" } })).name).toEqual({
      familyName: "Family",
      givenName: "H",
      middleName: "M",
    });
    expect((await patched({ op: "add", path: "name.honorificPrefix", value: "Dr" })).name.honorificPrefix).toBe("Dr");
  });
  test("C144 adds elements to a list", async () => {
    const more = { value: "other@x", type: "other" };
    expect((await patched({ op: "add", path: "emails", value: [more] })).emails).toEqual([work, home, more]);
    expect((await patched({ op: "add", path: "emails", value: { value: "single@x" } })).emails).toHaveLength(4);
  });
  test("C145 changes nothing, also not lastModified, for existing values", async () => {
    for (const operation of [
      { op: "add", path: "title", value: "Title" },
      { op: "add", path: "emails", value: [home] },
      { op: "add", path: "name", value: { givenName: "Given" } },
      { op: "replace", path: 'emails[type eq "work"].value', value: "work@x" },
      { op: "replace", value: { title: "Title", active: true } },
      { op: "remove", path: "nickName" },
    ]) {
      expect(await patched(operation)).toEqual(user);
    }
  });
  test("C146 makes a new primary value the only one", async () => {
    const { emails } = await patched({ op: "add", path: "emails", value: [{ value: "n@x", primary: true }] });
    expect(emails).toEqual([{ ...work, primary: false }, home, { value: "n@x", primary: true }]);
    await scim.patched(path, { op: "replace", path: 'emails[type eq "home"].primary', value: "True" });
    const primary = (await scim.read(path)).emails.filter((email: Shown) => email.primary);
    expect(primary).toEqual([{ ...home, primary: true }]);
  });
  test("returns 400 invalidValue for two primary values", async () => {
    const two = ["a@x", "b@x"].map((value) => ({ value, primary: true }));
    await refused(400, "invalidValue", { op: "add", path: "emails", value: two });
    await refused(400, "invalidValue", { op: "replace", path: "emails", value: two });
  });
  test("M09 creates the element that brackets do not find", async () => {
    const { addresses } = await patched({ op: "add", path: 'addresses[type eq "work"].country', value: "CH" });
    expect(addresses).toEqual([{ type: "work", country: "CH" }]);
  });
  test("returns 400 invalidSyntax without a value", async () => {
    await refused(400, "invalidSyntax", { op: "add", path: "title" });
    await refused(400, "invalidSyntax", { op: "replace" });
    await refused(400, "invalidSyntax", { op: "add", value: "x" });
  });
});

describe("remove", () => {
  test("C147 returns 400 noTarget without a path", async () => {
    await refused(400, "noTarget", { op: "remove" });
    await refused(400, "noTarget", { op: "remove", path: " ", value: { title: "x" } });
  });
  test("C148 C149 C151 removes a single value, a part, and a whole list", async () => {
    const after = await patched(
      { op: "remove", path: "title" },
      { op: "remove", path: "name.givenName" },
      { op: "remove", path: "emails" },
    );
    for (const gone of ["title", "emails"]) expect(after).not.toHaveProperty(gone);
    expect(after.name).toEqual({ familyName: "Family" });
    expect(await patched({ op: "remove", path: "name.familyName" })).not.toHaveProperty("name");
  });
  test("C150 C151 removes the elements that match the brackets, and the list with its last element", async () => {
    expect((await patched({ op: "remove", path: 'emails[type eq "home"]' })).emails).toEqual([work]);
    expect(await patched({ op: "remove", path: 'emails[value sw "work" and primary eq true]' })).not.toHaveProperty(
      "emails",
    );
  });
  test("removes the elements that the value lists", async () => {
    expect((await patched({ op: "remove", path: "emails", value: [{ value: "HOME@x" }] })).emails).toEqual([work]);
  });
  test("C152 removes a part of the elements that match the brackets, and elements that become empty", async () => {
    expect((await patched({ op: "remove", path: 'emails[type eq "work"].primary' })).emails).toEqual([
      { value: "work@x", type: "work" },
      home,
    ]);
    expect((await patched({ op: "remove", path: 'emails[value eq "home@x"].type' })).emails[1]).toEqual({
      value: "home@x",
    });
    expect((await patched({ op: "remove", path: 'emails[value eq "home@x"].value' })).emails).toHaveLength(1);
  });
  test("C153 returns 400 mutability to remove a required attribute, and 400 invalidValue to empty it", async () => {
    await refused(400, "mutability", { op: "remove", path: "userName" });
    for (const value of ["", null]) await refused(400, "invalidValue", { op: "replace", path: "userName", value });
    const group = await scim.group();
    refusal(await patch(`/Groups/${group.id}`, { op: "remove", path: "displayName" }), 400, "mutability");
  });
  test("C154 returns 400 to remove a read-only attribute or the password", async () => {
    for (const readOnly of ["id", "meta", "meta.created", "groups", "schemas", "password", `${URN.user}:password`]) {
      await refused(400, "mutability", { op: "remove", path: readOnly });
    }
  });
  test("accepts the removal of an absent attribute", async () => {
    expect(
      await patched(
        { op: "remove", path: "nickName" },
        { op: "remove", path: 'emails[type eq "none"]' },
        { op: "remove", path: "addresses" },
      ),
    ).toEqual(user);
  });
});

describe("replace", () => {
  test("C155 without a path replaces each member", async () => {
    const { title, emails, name } = await patched({
      op: "replace",
      value: { title: "T", emails: [{ value: "n@x" }], name: { givenName: "H" } },
    });
    expect([title, emails, name]).toEqual(["T", [{ value: "n@x" }], { givenName: "H", familyName: "Family" }]);
  });
  test("C156 C158 replaces a single value, whether or not it was set", async () => {
    expect(
      await patched({ op: "replace", path: "title", value: "T" }, { op: "replace", path: "nickName", value: "N" }),
    ).toMatchObject({ title: "T", nickName: "N" });
  });
  test("C157 replaces a whole list, and removes it for an empty one", async () => {
    expect((await patched({ op: "replace", path: "emails", value: [home] })).emails).toEqual([home]);
    expect(await patched({ op: "replace", path: "emails", value: [] })).not.toHaveProperty("emails");
  });
  test("C159 keeps the parts of a complex value that are not named", async () => {
    expect((await patched({ op: "replace", path: "name", value: { givenName: "H" } })).name).toEqual({
      givenName: "H",
      familyName: "Family",
    });
  });
  test("C160 replaces the elements that match the brackets", async () => {
    const { emails } = await patched({
      op: "replace",
      path: 'emails[type eq "home"]',
      value: { value: "new@x", type: "home" },
    });
    expect(emails).toEqual([work, { value: "new@x", type: "home" }]);
  });
  test("C161 replaces a part of all elements that match the brackets", async () => {
    const { emails } = await patched({ op: "replace", path: 'emails[value ew "@x"].display', value: "D" });
    expect(emails.map(({ display }: Shown) => display)).toEqual(["D", "D"]);
  });
  test("C162 returns 400 noTarget where no element matches the brackets", async () => {
    await refused(400, "noTarget", { op: "replace", path: 'emails[type eq "other"].value', value: "x" });
    await refused(400, "noTarget", { op: "replace", path: 'emails[type eq "other"]', value: { value: "x" } });
  });
  test("treats a name with dots or brackets in a whole value as a path", async () => {
    const {
      name,
      emails,
      [URN.enterprise]: extension,
    } = await patched({
      op: "replace",
      value: { "name.givenName": "H", 'emails[type eq "work"].value': "w@x", [`${URN.enterprise}:department`]: "E" },
    });
    expect([name.givenName, emails[0].value, extension.department]).toEqual(["H", "w@x", "E"]);
  });
});
