/** Rows C124 to C132 and C191 to C195 of docs/scim-conformance.md: replacement of users, and entity tags. */
import { beforeEach, describe, expect, test } from "vitest";
import { fresh, NEGOTIATED, refusal, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { basic, world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { ask, get, patch } = scim;
let user: Shown;
let path: string;
const put = (body: unknown, headers: Readonly<Record<string, string>> = {}) => ask("PUT", path, { body, headers });

beforeEach(async () => {
  user = await scim.user({
    externalId: "E",
    nickName: "Nick",
    name: { givenName: "G", familyName: "F" },
    emails: [
      { value: "one@x", type: "work" },
      { value: "two@x", type: "home", primary: true },
    ],
    [URN.enterprise]: { department: "D", employeeNumber: "7" },
  });
  path = `/Users/${user.id}`;
});

describe("replaceUser", () => {
  test("C124 C125 C132 returns 200 with the whole user, removes what is not sent, and replaces lists", async () => {
    const answer = await put({
      schemas: [URN.user],
      userName: user.userName,
      emails: [{ value: "new@x", type: "work" }],
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("location")).toBe(user.meta.location);
    expect(answer.headers.get("etag")).toBe(answer.body.meta.version);
    expect(answer.body).toEqual({
      schemas: [URN.user],
      id: user.id,
      userName: user.userName,
      active: true,
      emails: [{ value: "new@x", type: "work" }],
      meta: { ...user.meta, lastModified: expect.any(String), version: expect.any(String) },
    });
    expect(await scim.read(path)).toEqual(answer.body);
  });
  test("removes an extension that is sent empty", async () => {
    const { body } = await put({ schemas: [URN.user, URN.enterprise], userName: user.userName });
    expect(body.schemas).toEqual([URN.user]);
  });
  test("C126 ignores read-only attributes, also with other values", async () => {
    const { body } = await put({
      ...user,
      id: UNKNOWN_ID,
      meta: { resourceType: "Group", created: "2001-01-01T00:00:00Z", version: 'W/"99"' },
      groups: [{ value: UNKNOWN_ID }],
    });
    expect(body).toEqual(user);
  });
  test("accepts a user as it was read, and keeps its version", async () => {
    expect((await put(await scim.read(path))).body).toEqual(user);
  });
  test("keeps active and the password where they are not sent", async () => {
    const password = "a-good-password";
    const as = { username: user.userName, password };
    await put({ ...user, password });
    expect((await ask("GET", "/Me", { as })).status).toBe(200);
    expect((await put({ userName: user.userName, active: false })).body.active).toBe(false);
    refusal(await ask("GET", "/Me", { as }), 401, "Unauthorized");
    expect((await put({ userName: user.userName })).body.active).toBe(false);
    expect((await put({ userName: user.userName, active: "True" })).body.active).toBe(true);
    expect((await ask("GET", "/Me", { as })).status).toBe(200);
  });
  test.each<[string, Shown]>([
    ["without a userName", {}],
    ["with an empty userName", { userName: "" }],
    ["with the userName of another attribute", { user_name: "x" }],
  ])("C128 M43 %s returns 400, and changes nothing", async (_, body) => {
    refusal(await put({ schemas: [URN.user], ...body }), 400, "invalidValue");
    expect(await scim.read(path)).toEqual(user);
  });
  test("C129 returns 404 for an unknown id, and creates no user", async () => {
    const userName = fresh("never");
    for (const id of [UNKNOWN_ID, "my-own-id"]) refusal(await ask("PUT", `/Users/${id}`, { body: { userName } }), 404);
    expect(await scim.names(`userName eq "${userName}"`)).toEqual([]);
  });
  test("C130 returns 409 for the name of another user, and changes nothing", async () => {
    const other = await scim.user();
    refusal(await put({ ...user, userName: other.userName.toUpperCase(), title: "T" }), 409, "uniqueness");
    expect(await scim.read(path)).toEqual(user);
  });
  test("renames, frees the old name, and accepts another case of the same name", async () => {
    const userName = fresh("renamed");
    expect((await put({ ...user, userName })).body.userName).toBe(userName);
    expect(await scim.names(`userName eq "${userName}"`)).toEqual([userName]);
    expect(await scim.names(`userName eq "${user.userName}"`)).toEqual([]);
    await scim.user({ userName: user.userName });
    expect((await put({ ...user, userName: userName.toUpperCase() })).body.userName).toBe(userName.toUpperCase());
    refusal(await put({ ...user, userName: `NOWHERE/${userName}` }), 400, "invalidValue");
  });
  test("C131 sets the password, which authenticates and is not returned", async () => {
    const password = "another-password";
    const { text, status } = await put({ ...user, password });
    expect(status).toBe(200);
    expect(text).not.toContain(password);
    expect((await ask("GET", "/Me", { as: basic({ username: user.userName, password }) })).status).toBe(200);
  });
  test("C127 S04 accepts the same value of an immutable attribute, and returns 400 mutability for another", async () => {
    const { body: role } = await ask("POST", "/v2/Roles", { body: { displayName: fresh("role") } });
    const replace = (audience: unknown) =>
      ask("PUT", `/v2/Roles/${role.id}`, { body: { displayName: role.displayName, audience } });
    const { type, value } = role.audience;
    for (const same of [{ type, value }, undefined]) {
      const answer = await replace(same);
      expect([answer.status, answer.body.audience]).toEqual([200, role.audience]);
    }
    refusal(await replace({ type: "application", value: UNKNOWN_ID }), 400, "mutability");
    expect((await scim.read(`/v2/Roles/${role.id}`)).audience).toEqual(role.audience);
    const group = await scim.group({ members: [{ value: user.id }] });
    const change = { op: "replace", path: `members[value eq "${user.id}"].value`, value: UNKNOWN_ID };
    refusal(await patch(`/Groups/${group.id}`, change), 400, "mutability");
  });
  test("shows the requested attributes", async () => {
    const { body } = await ask("PUT", path, { body: user, query: { attributes: "nickName" } });
    expect(body).toEqual({ schemas: [URN.user], id: user.id, nickName: "Nick" });
  });
});

describe("entity tags", () => {
  test("C191 C192 returns meta.version as a weak entity tag", async () => {
    for (const at of [path, `/Groups/${(await scim.group()).id}`]) {
      const { headers, body } = await get(at);
      expect(headers.get("etag")).toBe(body.meta.version);
      expect(headers.get("etag")).toMatch(/^W\/"[^"]+"$/);
    }
    expect((await get("/ServiceProviderConfig")).body.etag).toEqual({ supported: true });
  });
  test("C193 returns 304 without a body for the current tag in If-None-Match", async () => {
    const { version } = user.meta;
    for (const tag of [version, version.replace("W/", ""), `"x", ${version}`, "*"]) {
      const answer = await ask("GET", path, { headers: { "if-none-match": tag } });
      expect([answer.status, answer.text, answer.headers.get("etag")]).toEqual([304, "", version]);
    }
    expect((await ask("GET", path, { headers: { "if-none-match": 'W/"99"' } })).status).toBe(200);
  });
  test("C194 returns 412 for another version in If-Match, and changes nothing", async () => {
    const group = await scim.group();
    const headers = { "if-match": 'W/"99", "x"' };
    const body = { userName: user.userName, displayName: "other", title: "T" };
    const Operations = [{ op: "add", path: "externalId", value: "other" }];
    for (const [at, before] of [
      [path, user],
      [`/Groups/${group.id}`, group],
    ] as const) {
      refusal(await ask("PUT", at, { body, headers }), 412);
      refusal(await ask("PATCH", at, { body: { Operations }, headers }), 412);
      refusal(await ask("DELETE", at, { headers }), 412);
      expect(await scim.read(at)).toEqual(before);
    }
  });
  test("accepts the current version, or any, in If-Match", async () => {
    const once = await put({ ...user, title: "1" }, { "if-match": user.meta.version });
    expect(once.status).toBe(200);
    refusal(await put({ ...user, title: "2" }, { "if-match": user.meta.version }), 412);
    expect((await put({ ...user, title: "3" }, { "if-match": `W/"0", ${once.body.meta.version}` })).status).toBe(200);
    expect((await put({ ...user, title: "4" }, { "if-match": "*" })).status).toBe(200);
    const { version } = (await scim.read(path)).meta;
    expect((await ask("DELETE", path, { headers: { "if-match": version } })).status).toBe(204);
    refusal(await ask("DELETE", path, { headers: { "if-match": "*" } }), 404);
  });
  test("C195 gives every change a new version, and keeps it where nothing changes", async () => {
    const versions = [user.meta.version];
    for (const title of ["a", "b", "b", "c"]) {
      versions.push((await scim.patched(path, { op: "replace", path: "title", value: title })).meta.version);
    }
    expect(new Set(versions).size).toBe(4);
    expect(versions[2]).toBe(versions[3]);
  });
  test("applies one of several concurrent changes with the same If-Match", async () => {
    const race = Array.from({ length: 8 }, (_, n) =>
      put({ ...user, title: `t${n}` }, { "if-match": user.meta.version }),
    );
    const statuses = (await Promise.all(race)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([200, 412]));
  });
  test("loses none of several concurrent changes without If-Match", async () => {
    const values = Array.from({ length: 10 }, (_, n) => `role-${n}`);
    const race = values.map((value) => patch(path, { op: "add", path: "roles", value: [{ value }] }));
    for (const { status } of await Promise.all(race)) expect(status).toBe(200);
    expect((await scim.read(path)).roles.map(({ value }: Shown) => value).sort()).toEqual(values);
  });
});
