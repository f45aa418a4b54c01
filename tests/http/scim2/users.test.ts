/**
 * Rows C026 to C060 and C169 to C173 of docs/scim-conformance.md: what resources have in common; creating, reading and
 * deleting users.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { everyKey } from "#tests/support/api-resources.ts";
import { asScim, fresh, NEGOTIATED, refusal, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { ask, get, patch, find } = scim;
const later = () => new Promise((resolve) => setTimeout(resolve, 5));
let kim: Shown;

beforeAll(async () => {
  kim = await scim.user({ userName: "Kim.Doe", nickName: "K", name: { givenName: "Kim", familyName: "Doe" } });
});

describe("what every resource has", () => {
  test("C026 C027 C029 has a unique id that never changes", async () => {
    const group = await scim.group();
    const all = [kim, await scim.user(), group];
    expect(new Set(all.map(({ id }) => id)).size).toBe(3);
    for (const { id } of all) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await scim.read(`/Users/${kim.id}`)).id).toBe(kim.id);
    expect((await scim.read(`/Users/${kim.id}`)).id).toBe(kim.id);
  });
  test("C027 C172 has another id when it is created again under the same name", async () => {
    const first = await scim.user({ userName: "phoenix" });
    expect((await ask("DELETE", `/Users/${first.id}`)).status).toBe(204);
    expect((await scim.user({ userName: "Phoenix" })).id).not.toBe(first.id);
  });
  test("C028 C036 C053 ignores id, meta and groups of the client", async () => {
    const made = await scim.user({
      id: "mine",
      meta: {
        resourceType: "Group",
        created: "2001-01-01T00:00:00Z",
        location: "https://evil.example/x",
        version: "1",
      },
      groups: [{ value: UNKNOWN_ID, display: "admins" }],
    });
    expect(made.id).not.toBe("mine");
    expect(made.meta.resourceType).toBe("User");
    expect(made.meta.created).not.toMatch(/^2001/);
    expect(made.meta.location).toBe(`${api.url}/scim2/Users/${made.id}`);
    expect(made).not.toHaveProperty("groups");
    refusal(await get("/Users/mine"), 404);
  });
  test("C030 keeps the external id as sent, which need not be unique", async () => {
    const externalId = "Ext-ÄÖ 00/+?#";
    for (const one of [
      await scim.user({ externalId }),
      await scim.user({ externalId }),
      await scim.group({ externalId }),
    ]) {
      expect(one.externalId).toBe(externalId);
    }
  });
  test("C031 has the type of the resource", async () => {
    expect(kim.meta.resourceType).toBe("User");
    expect((await scim.group()).meta.resourceType).toBe("Group");
  });
  test("C032 C033 C034 keeps created, and advances lastModified with every change", async () => {
    const made = await scim.user();
    expect(made.meta.lastModified).toBe(made.meta.created);
    await later();
    const { meta } = await scim.patched(`/Users/${made.id}`, { op: "add", path: "title", value: "T" });
    expect(meta.created).toBe(made.meta.created);
    expect(Date.parse(meta.lastModified)).toBeGreaterThan(Date.parse(made.meta.lastModified));
  });
  test("C035 C050 C060 has its absolute location in the body and the header", async () => {
    const answer = await ask("POST", "/Users", { body: { userName: fresh("located") } });
    const { location } = answer.body.meta;
    expect(location).toBe(`${api.url}/scim2/Users/${answer.body.id}`);
    expect(answer.headers.get("location")).toBe(location);
    const read = await get(new URL(location).pathname.replace("/scim2", ""));
    expect(read.headers.get("location")).toBe(location);
    expect(read.body).toEqual(answer.body);
    const prefixed = await api.ask("GET", `/t/carbon.super/scim2/Users/${answer.body.id}`, { headers: asScim });
    expect(prefixed.body).toEqual(answer.body);
  });
  test("C037 C038 lists in schemas the core schema and the extensions that it uses", async () => {
    const plain = await scim.user({ schemas: [URN.user, URN.enterprise, "urn:foreign"] });
    expect(plain.schemas).toEqual([URN.user]);
    const full = await scim.user({ schemas: [], [URN.enterprise]: { department: "Tea" } });
    expect(full.schemas).toEqual([URN.user, URN.enterprise]);
    const { schemas } = await scim.patched(`/Users/${full.id}`, { op: "remove", path: `${URN.enterprise}:department` });
    expect(schemas).toEqual([URN.user]);
  });
});

describe("createUser", () => {
  test("C049 C051 returns 201 with the whole user, active, without the password", async () => {
    const password = "a-secret-word";
    const { status, body } = await ask("POST", "/Users", { body: { userName: "whole", displayName: "W", password } });
    expect(status).toBe(201);
    expect(body).toEqual({
      schemas: [URN.user],
      id: expect.any(String),
      userName: "whole",
      displayName: "W",
      active: true,
      meta: expect.any(Object),
    });
    expect(await scim.read(`/Users/${body.id}`)).toEqual(body);
  });
  test.each<[string, Shown]>([
    ["C039 without a userName", {}],
    ["C039 with a userName that is null", { userName: null }],
    ["C040 with an empty userName", { userName: "" }],
    ["P03 with a userName of blanks", { userName: "   " }],
    ["P03 with a userName that is too short", { userName: "ab" }],
    ["P03 with a userName that is too long", { userName: "u".repeat(256) }],
    ["P03 with a blank in the userName", { userName: "kim doe" }],
    ["P03 with a wildcard in the userName", { userName: "kim*" }],
    ["P03 with a control character in the userName", { userName: "kim\u0000doe" }],
    ["P03 with a password that is too short", { userName: "weak", password: "abcd" }],
    ["P03 with a tab in the password", { userName: "weak", password: "maple\ttree-42" }],
    ["P03 with a control character in the password", { userName: "weak", password: "abc\u0001def" }],
    ["P03 with a password that is too long", { userName: "weak", password: "p".repeat(101) }],
    ["P08 in a user store that does not exist", { userName: "NOWHERE/kim" }],
    ["P08 in a store for roles", { userName: "INTERNAL/kim" }],
    ["with a value that is too long", { userName: "long", title: "t".repeat(1_025) }],
    ["with too many values", { userName: "many", roles: Array.from({ length: 101 }, (_, n) => `r${n}`) }],
    ["with too many e-mail addresses", { userName: "many", emails: Array.from({ length: 16 }, (_, n) => `${n}@x`) }],
  ])("%s returns 400 invalidValue, and creates nothing", async (_, body) => {
    const before = await everyKey(api.service);
    expect(refusal(await ask("POST", "/Users", { body }), 400, "invalidValue")).toMatch(/\w+ .*\.$/);
    expect(await everyKey(api.service)).toEqual(before);
  });
  test("C041 C052 returns 409 for a name in use, in any case and with or without its store", async () => {
    for (const userName of ["Kim.Doe", "kim.doe", "KIM.DOE", "PRIMARY/kim.doe", " Kim.Doe "]) {
      const answer = await ask("POST", "/Users", { body: { userName } });
      expect(refusal(answer, 409, "uniqueness")).toMatch(/kim\.doe already exists/i);
    }
    expect((await find('userName eq "KIM.DOE"')).Resources).toEqual([kim]);
  });
  test("C042 never returns the password", async () => {
    const { id, userName } = await scim.user({ password: "se-cret-word" });
    const body = { userName, password: "an-other-word", attributes: ["password"] };
    const value = "a-third-word";
    for (const answer of [
      await get(`/Users/${id}`, { attributes: "password" }),
      await get("/Users", { attributes: `password,${URN.user}:password`, filter: `userName eq "${userName}"` }),
      await ask("POST", "/Users/.search", { body: { attributes: ["password", "userName"] } }),
      await ask("PUT", `/Users/${id}`, { body, query: { attributes: "password" } }),
      await ask("PATCH", `/Users/${id}`, { body: { Operations: [{ op: "replace", path: "password", value }] } }),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.text).not.toMatch(/word"/);
    }
  });
  test("C043 rejects filters and sorting by the password", async () => {
    for (const filter of ['password eq "x"', 'password sw "a"', "password pr", `not (${URN.user}:password pr)`]) {
      refusal(await get("/Users", { filter }), 400, "invalidFilter");
    }
    refusal(await get("/Users", { sortBy: "password" }), 400, "invalidValue");
  });
  test("C046 returns the enterprise extension as sent, with the manager", async () => {
    const sent = {
      employeeNumber: "701984",
      costCenter: "4130",
      organization: "Universal",
      division: "Theme Park",
      department: "Tours",
      manager: { value: "whoever", $ref: "../Users/whoever" },
    };
    const { id } = await scim.user({ [URN.enterprise]: sent });
    expect((await scim.read(`/Users/${id}`))[URN.enterprise]).toEqual(sent);
  });
  test("C054 ignores attributes that no schema has", async () => {
    const made = await scim.user({ foo: 1, urn: { "urn:x:y": { a: 1 } }, [`${URN.user}x`]: {}, name: { shoe: "42" } });
    expect(Object.keys(made).sort()).toEqual(["active", "id", "meta", "schemas", "userName"]);
  });
  test.each(["", "{", '{"userName": "x"', "[]", '"kim"', "5", "null", "{'userName': 'x'}", '{"userName": "xyz",}'])(
    "C055 returns 400 invalidSyntax for the body %j",
    async (raw) => {
      refusal(await ask("POST", "/Users", { raw }), 400, "invalidSyntax");
    },
  );
  test("C056 C057 S05 shows the requested attributes", async () => {
    const body = () => ({
      userName: fresh("shown"),
      name: { givenName: "G", familyName: "F" },
      [URN.enterprise]: { department: "D", division: "V" },
    });
    const only = await ask("POST", "/Users", {
      body: body(),
      query: { attributes: `userName,${URN.enterprise}:department` },
    });
    expect(only.status).toBe(201);
    expect(Object.keys(only.body)).toEqual(["schemas", "id", "userName", URN.enterprise]);
    expect(only.body[URN.enterprise]).toEqual({ department: "D" });
    const less = await ask("POST", "/Users", { body: body(), query: { excludedAttributes: `name,${URN.enterprise}` } });
    expect(Object.keys(less.body)).toEqual(["schemas", "id", "userName", "active", "meta"]);
  });
  test("treats names that differ only in Unicode form as the same", async () => {
    await scim.user({ userName: "re\u0301mi" });
    refusal(await ask("POST", "/Users", { body: { userName: "R\u00e9mi" } }), 409, "uniqueness");
  });
});

describe("getUser", () => {
  test("C058 returns 200 with the user", async () => {
    expect(await scim.read(`/Users/${kim.id}`)).toEqual(kim);
  });
  test.each([UNKNOWN_ID, "00919288221112222", "x", "constructor", "__proto__", "ÄÖ 🦄"])(
    "C059 returns 404 for the id %j",
    async (id) => {
      refusal(await get(`/Users/${encodeURIComponent(id)}`), 404);
    },
  );
});

describe("deleteUser", () => {
  test("C169 C170 C171 C173 returns 204 without a body, and removes every trace", async () => {
    const member = await scim.user({ externalId: "gone", emails: [{ value: "gone@example.org" }] });
    const group = await scim.group({ members: [{ value: member.id }] });
    const before = await everyKey(api.service);
    const answer = await ask("DELETE", `/Users/${member.id}`);
    expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([204, "", null]);
    const path = `/Users/${member.id}`;
    for (const later of [
      await get(path),
      await ask("PUT", path, { body: { userName: member.userName } }),
      await patch(path, { op: "add", path: "title", value: "T" }),
      await ask("DELETE", path),
    ]) {
      refusal(later, 404);
    }
    for (const filter of [
      `id eq "${member.id}"`,
      'externalId eq "gone"',
      'emails eq "gone@example.org"',
      `userName eq "${member.userName}"`,
    ]) {
      expect((await find(filter)).totalResults).toBe(0);
    }
    expect((await scim.read(`/Groups/${group.id}`)).members).toEqual([]);
    expect((await find(`members.value eq "${member.id}"`, "/Groups")).totalResults).toBe(0);
    // The revocation of its tokens is kept.
    const rest = (await everyKey(api.service)).filter((key) => !key.includes("#REV#")).join("\n");
    expect(rest).not.toContain(member.id);
    expect(before.join("\n")).toContain(member.id);
  });
  test("keeps the administrator of the tenant", async () => {
    const [{ id }] = (await find('userName eq "admin"')).Resources;
    refusal(await ask("DELETE", `/Users/${id}`), 403);
    refusal(await patch(`/Users/${id}`, { op: "replace", value: { active: false } }), 403);
    refusal(await ask("PUT", `/Users/${id}`, { body: { userName: "admin", active: false } }), 403);
    expect((await scim.read(`/Users/${id}`)).active).toBe(true);
  });
});

describe("races", () => {
  test("creates one of 50 concurrent users of the same name", async () => {
    const race = Array.from({ length: 50 }, (_, n) =>
      ask("POST", "/Users", { body: { userName: n % 2 ? "Contended" : "contended", externalId: "race" } }),
    );
    const statuses = (await Promise.all(race)).map(({ status, body }) => (status === 409 ? body.scimType : status));
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([201, "uniqueness"]));
    expect((await find('userName eq "contended"')).totalResults).toBe(1);
    expect((await find('externalId eq "race"')).totalResults).toBe(1);
  });
  test("deletes a user that changes concurrently, and frees its name", async () => {
    const { id, userName } = await scim.user();
    const [removed, ...changed] = await Promise.all([
      ask("DELETE", `/Users/${id}`),
      ...["a", "b", "c"].map((title) =>
        patch(`/Users/${id}`, { op: "replace", value: { title, userName: `${userName}-${title}` } }),
      ),
    ]);
    expect(removed.status).toBe(204);
    for (const { status } of changed) expect([200, 404]).toContain(status);
    refusal(await get(`/Users/${id}`), 404);
    for (const name of [userName, `${userName}-a`, `${userName}-b`, `${userName}-c`])
      await scim.user({ userName: name });
  });
});
