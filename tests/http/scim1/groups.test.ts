/** Groups by SCIM 1.1. */
import { beforeEach, describe, expect, test } from "vitest";
import { fresh, type Shown, UNKNOWN_ID } from "#tests/support/scim.ts";
import { CORE, refusal1, scim1Of } from "#tests/support/scim1.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const scim = scim1Of(api);
const { ask, read, put, patch } = scim;

let [kim, lee]: Shown[] = [];
let group: Shown;
const members = (...users: readonly (Shown | undefined)[]) => users.map((user) => ({ value: user?.id }));
const shown = (...users: readonly (Shown | undefined)[]) =>
  users.map((user) => ({ value: user?.id, display: user?.userName })).sort((a, b) => (a.value < b.value ? -1 : 1));
beforeEach(async () => {
  [kim, lee] = [await scim.user(), await scim.user()];
  group = await scim.group({ members: members(kim) });
});
const path = () => `/Groups/${group.id}`;
const bare = () => group.displayName.replace("PRIMARY/", "");

describe("createScim1Group", () => {
  test("returns 201 with the address, the name after its user store, and the members with their names", async () => {
    const displayName = fresh("engineers of");
    const answer = await ask("POST", "/Groups", {
      body: { displayName, members: [{ value: kim?.id, display: "wrong" }, lee?.id] },
    });
    expect(answer.status).toBe(201);
    const { id } = answer.body;
    expect(answer.headers.get("location")).toBe(`${api.url}/svc/scim/Groups/${id}`);
    expect(answer.body).toEqual({
      id,
      schemas: [CORE],
      displayName: `PRIMARY/${displayName}`,
      members: shown(kim, lee),
      meta: { ...answer.body.meta, location: answer.headers.get("location") },
    });
    expect(await read(`/Groups/${id}`)).toEqual(answer.body);
  });
  test("returns 201 without members, and accepts the store before the name in any case", async () => {
    const name = fresh("cased");
    const made = await scim.group({
      displayName: `primary/${name}`,
      schemas: [],
      "urn:okta:custom:group:1.0": { a: 1 },
    });
    expect(made).toMatchObject({ displayName: `PRIMARY/${name}`, members: [] });
  });
  test("returns 400 that names what is missing or wrong, and creates nothing", async () => {
    const displayName = fresh("never");
    for (const [body, reason] of [
      [{}, /displayName/],
      [{ displayName: "   " }, /displayName/],
      [{ displayName: 5 }, /displayName/],
      [{ displayName: "NOWHERE/staff" }, /user store domain: NOWHERE/],
      [{ displayName, members: [{ value: kim?.id }, { value: UNKNOWN_ID }] }, new RegExp(UNKNOWN_ID)],
      [{ displayName, members: [{ value: group.id }] }, new RegExp(group.id)],
      [{ displayName, members: [{ display: "kim" }] }, /members\[0\]\.value/],
      [{ displayName, members: [{ value: kim?.id, type: "Group" }] }, /[Gg]roups/],
      [{ displayName, members: "kim" }, /kim/],
    ] as const) {
      expect(refusal1(await ask("POST", "/Groups", { body }), 400), JSON.stringify(body)).toMatch(reason);
    }
    expect((await scim.list("/Groups", { filter: `displayName Eq "${displayName}"` })).totalResults).toBe(0);
  });
  test("returns 400 for more members than a response can show", async () => {
    const body = { displayName: fresh("crowd"), members: Array.from({ length: 20_001 }, (_, at) => `nobody-${at}`) };
    expect(refusal1(await ask("POST", "/Groups", { body }), 400)).toMatch(/20001.*20000.*PATCH/);
    expect(refusal1(await ask("PUT", path(), { body }), 400)).toMatch(/20000/);
  });
  test("returns 409 for a name that is in use, in any case", async () => {
    const body = { displayName: bare().toUpperCase() };
    expect(refusal1(await ask("POST", "/Groups", { body }), 409)).toContain(body.displayName);
  });
});

describe("getScim1Group", () => {
  test("returns 200 with the address and the members, and without members where attributes leaves them out", async () => {
    const answer = await ask("GET", path());
    expect([answer.status, answer.headers.get("location")]).toEqual([200, `${api.url}/svc/scim${path()}`]);
    expect(answer.body).toEqual(group);
    const part = await ask("GET", path(), { query: { attributes: "displayName" } });
    expect(Object.keys(part.body)).toEqual(["id", "schemas", "displayName", "meta"]);
    expect((await ask("GET", path(), { query: { attributes: "members.value" } })).body.members).toEqual(members(kim));
  });
  test("returns 404 for an id that no group has", async () => {
    for (const id of [UNKNOWN_ID, kim?.id, "__proto__"]) refusal1(await ask("GET", `/Groups/${id}`), 404);
  });
});

describe("replaceScim1Group", () => {
  test("returns 200, replaces the members, and keeps a name that is not sent", async () => {
    const answer = await ask("PUT", path(), { body: { members: members(lee) } });
    expect([answer.status, answer.headers.get("location")]).toEqual([200, `${api.url}/svc/scim${path()}`]);
    expect(answer.body).toMatchObject({ displayName: group.displayName, members: shown(lee) });
    expect(await read(path())).toEqual(answer.body);
    expect(await put(path(), { displayName: group.displayName })).toMatchObject({ members: [] });
  });
  test("accepts a resource as it was read, and changes nothing", async () => {
    expect(await put(path(), group)).toEqual(group);
  });
  test("renames, and leaves out elements that are marked delete", async () => {
    const displayName = fresh("renamed");
    const body = { displayName, members: [{ value: kim?.id, operation: "delete" }, { value: lee?.id }] };
    expect(await put(path(), body)).toMatchObject({ displayName: `PRIMARY/${displayName}`, members: shown(lee) });
  });
  test("changes nothing with 400, 404 and 409", async () => {
    const other = await scim.group();
    refusal1(
      await ask("PUT", path(), { body: { displayName: bare(), members: members(lee, { id: UNKNOWN_ID }) } }),
      400,
    );
    refusal1(await ask("PUT", path(), { body: { displayName: "NOWHERE/x" } }), 400);
    refusal1(await ask("PUT", path(), { body: { displayName: other.displayName.toUpperCase() } }), 409);
    refusal1(await ask("PUT", `/Groups/${UNKNOWN_ID}`, { body: { displayName: fresh("x") } }), 404);
    expect(await read(path())).toEqual(group);
  });
});

describe("patchScim1Group", () => {
  test("adds members, and removes those that are marked delete", async () => {
    const body = { schemas: [CORE], id: group.id, members: [{ value: lee?.id, display: "lee" }] };
    const answer = await ask("PATCH", path(), { body });
    expect([answer.status, answer.headers.get("location")]).toEqual([200, `${api.url}/svc/scim${path()}`]);
    expect(answer.body).toMatchObject({ displayName: group.displayName, members: shown(kim, lee) });
    expect((await patch(path(), { members: [...members(lee), lee?.id] })).members).toEqual(shown(kim, lee));
    const leaving = {
      members: [
        { value: kim?.id, operation: "delete" },
        { value: UNKNOWN_ID, operation: "delete" },
      ],
    };
    expect((await patch(path(), leaving)).members).toEqual(shown(lee));
    expect(await read(`/Users/${kim?.id}`)).not.toHaveProperty("groups");
  });
  test("renames, alone and together with members", async () => {
    const [first, second] = [fresh("one"), fresh("two")];
    expect(await patch(path(), { displayName: first })).toEqual({
      ...group,
      displayName: `PRIMARY/${first}`,
      meta: expect.any(Object),
    });
    const both = await patch(path(), { displayName: `PRIMARY/${second}`, members: members(lee) });
    expect(both).toMatchObject({ displayName: `PRIMARY/${second}`, members: shown(kim, lee) });
    expect((await read(`/Users/${kim?.id}`)).groups).toEqual([{ value: group.id, display: `PRIMARY/${second}` }]);
    await scim.group({ displayName: first });
  });
  test("removes all members that meta.attributes names, then adds those that are sent", async () => {
    expect((await patch(path(), { members: members(lee), meta: { attributes: ["Members"] } })).members).toEqual(
      shown(lee),
    );
    expect((await patch(path(), { meta: { attributes: ["urn:scim:schemas:core:1.0:members"] } })).members).toEqual([]);
  });
  test("applies deletions first: a member that is sent both ways stays", async () => {
    const both = [{ value: kim?.id }, { value: kim?.id, operation: "delete" }];
    expect((await patch(path(), { members: both })).members).toEqual(shown(kim));
    expect((await patch(path(), { members: both.reverse() })).members).toEqual(shown(kim));
  });
  test("keeps the version where nothing changes", async () => {
    for (const body of [{}, { members: [] }, { displayName: bare() }, { "urn:okta:custom:group:1.0": { a: 1 } }]) {
      expect(await patch(path(), body)).toEqual(group);
    }
  });
  test("changes nothing with 400, 404 and 409", async () => {
    const other = await scim.group();
    for (const [body, reason] of [
      [{ members: members(lee, { id: UNKNOWN_ID }) }, new RegExp(UNKNOWN_ID)],
      [{ displayName: "NOWHERE/x" }, /NOWHERE/],
      [{ displayName: "x".repeat(256) }, /255/],
      [{ meta: { attributes: ["displayName"] } }, /displayName/],
      [{ meta: { attributes: ["members.value"] } }, /members\.value/],
      [{ id: other.id }, /id/],
      [{ members: [{ display: "x", operation: "delete" }] }, /members\[0\]\.value/],
    ] as const) {
      expect(refusal1(await ask("PATCH", path(), { body }), 400), JSON.stringify(body)).toMatch(reason);
    }
    refusal1(await ask("PATCH", path(), { body: { displayName: other.displayName } }), 409);
    refusal1(await ask("PATCH", `/Groups/${UNKNOWN_ID}`, { body: { displayName: fresh("x") } }), 404);
    expect(await read(path())).toEqual(group);
  });
  test("loses no member under concurrent changes of one group", async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => scim.user()));
    await Promise.all(users.map((user) => patch(path(), { members: members(user) })));
    expect((await read(path())).members).toEqual(shown(kim, ...users));
  });
});

describe("deleteScim1Group", () => {
  test("returns 200 without a body, keeps the members' users, and frees the name", async () => {
    const answer = await ask("DELETE", path());
    expect([answer.status, answer.text]).toEqual([200, ""]);
    for (const method of ["GET", "DELETE"]) refusal1(await ask(method, path()), 404);
    expect(await read(`/Users/${kim?.id}`)).not.toHaveProperty("groups");
    await scim.group({ displayName: group.displayName });
  });
});
