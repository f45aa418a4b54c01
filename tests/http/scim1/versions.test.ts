/**
 * Both SCIM versions on the same resources: each shows what the other creates, and neither loses what only the other
 * can name.
 */
import { describe, expect, test } from "vitest";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { tableOf } from "#tests/support/people.ts";
import { fresh, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { ENTERPRISE, refusal1, scim1Of } from "#tests/support/scim1.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const one = scim1Of(api);
const two = scimOf(api, "wso2");
const password = "good-password";
const without = (resource: Shown, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => !names.includes(name)));

describe("users", () => {
  test("shows by 2.0 what 1.1 creates: attributes, extension, groups, times", async () => {
    const kim = await one.user({
      userName: fresh("kim"),
      name: { givenName: "Kim" },
      emails: [{ value: "kim@x.example", type: "work", primary: true }],
      wso2Extension: { department: "X", manager: { managerId: "m-1" }, verifyEmail: true },
    });
    const group = await one.group({ members: [kim.id] });
    const shown = await two.read(`/Users/${kim.id}`);
    expect(shown).toMatchObject({
      id: kim.id,
      userName: kim.userName,
      name: kim.name,
      emails: kim.emails,
      active: true,
      groups: [{ value: group.id, display: group.displayName.replace("PRIMARY/", "") }],
      [URN.enterprise]: { department: "X", manager: { value: "m-1" } },
      [URN.system]: { verifyEmail: true },
    });
    expect(shown.meta.created.slice(0, 19)).toBe(kim.meta.created);
    expect(shown.meta.created).toMatch(/Z$/);
  });

  test("loses nothing that 2.0 creates when 1.1 reads it and writes it back, also what 1.1 cannot name", async () => {
    const made = await two.user({
      userName: fresh("lee"),
      password,
      externalId: "E-2",
      name: { familyName: "Lee" },
      emails: [
        { value: "a@x.example", type: "work" },
        { value: "b@x.example", display: "B" },
      ],
      addresses: [{ locality: "Bern", primary: true }],
      roles: [
        { value: "captain", type: "crew" },
        { value: "pilot", primary: true },
      ],
      [URN.enterprise]: { employeeNumber: "7", manager: { value: "m-1", $ref: "https://people.example/m-1" } },
      [URN.system]: {
        accountLocked: false,
        country: "CH",
        dateOfBirth: "1970-01-01",
        askPassword: true,
        mobileNumbers: ["1", "2"],
      },
    });
    const path = `/Users/${made.id}`;
    const before = await two.read(path);
    const shown = await one.read(path);
    expect(shown.roles).toEqual([
      { value: "captain", type: "crew" },
      { value: "pilot", primary: true },
    ]);
    expect(await one.put(path, shown)).toEqual(shown);
    expect(await two.read(path)).toEqual(before);

    await one.put(path, { ...shown, title: "T" });
    expect(without(await two.read(path), "meta", "title")).toEqual(without(before, "meta"));
    // A PUT without any of these removes all that 1.1 can name, and no more.
    await one.put(path, { userName: made.userName });
    const rest = await two.read(path);
    expect(rest[URN.system]).toEqual({
      accountLocked: false,
      country: "CH",
      dateOfBirth: "1970-01-01",
      mobileNumbers: ["1", "2"],
    });
    for (const gone of ["name", "emails", "addresses", "roles", "externalId", URN.enterprise]) {
      expect(rest).not.toHaveProperty([gone]);
    }
  });

  test("keeps the rest in a PATCH of 1.1, and removes a manager's address with the manager", async () => {
    const made = await two.user({
      password,
      [URN.enterprise]: { manager: { value: "m-1", $ref: "https://people.example/m-1" }, division: "D" },
      [URN.system]: { country: "CH" },
    });
    const path = `/Users/${made.id}`;
    await one.patch(path, { [ENTERPRISE]: { manager: { managerId: "m-1" }, department: "X" } });
    expect((await two.read(path))[URN.enterprise]).toEqual({
      division: "D",
      department: "X",
      manager: { value: "m-1", $ref: "https://people.example/m-1" },
    });
    await one.patch(path, { wso2Extension: { manager: "m-2" } });
    expect((await two.read(path))[URN.enterprise].manager).toEqual({ value: "m-2" });
    await one.patch(path, { meta: { attributes: ["wso2Extension", "accountLocked", "country"] } });
    const rest = await two.read(path);
    expect(rest).not.toHaveProperty([URN.enterprise]);
    expect(rest[URN.system]).toEqual({ country: "CH" });
  });

  test("ignores assigned roles that come back with a replacement", async () => {
    const admins = await two.find('displayName eq "admin"', "/v2/Roles");
    const kim = await one.user({ roles: [{ value: "pilot" }] });
    await two.patch(`/v2/Roles/${admins.Resources[0].id}`, { op: "add", path: "users", value: [{ value: kim.id }] });
    const shown = await one.read(`/Users/${kim.id}`);
    expect(shown.roles).toEqual([{ value: "admin", display: "admin", type: "default" }, { value: "pilot" }]);
    expect((await one.put(`/Users/${kim.id}`, shown)).roles).toEqual(shown.roles);
    expect((await one.patch(`/Users/${kim.id}`, { roles: shown.roles })).roles).toEqual(shown.roles);
    expect((await one.put(`/Users/${kim.id}`, without(shown, "roles"))).roles).toEqual([shown.roles[0]]);
  });

  test("shows changes and deletions of one in the other, and shares names", async () => {
    const kim = await one.user({ userName: fresh("shared") });
    expect((await two.ask("POST", "/Users", { body: { userName: kim.userName, password } })).status).toBe(409);
    await two.patched(`/Users/${kim.id}`, { op: "replace", value: { active: false, nickName: "N" } });
    expect(await one.read(`/Users/${kim.id}`)).toMatchObject({ active: false, nickName: "N" });
    expect((await two.ask("DELETE", `/Users/${kim.id}`)).status).toBe(204);
    refusal1(await one.ask("GET", `/Users/${kim.id}`), 404);
    const lee = await two.user({ userName: kim.userName, password });
    expect((await one.ask("DELETE", `/Users/${lee.id}`)).status).toBe(200);
    expect((await two.get(`/Users/${lee.id}`)).status).toBe(404);
  });
});

describe("groups", () => {
  test("shows the same group under each version's form of its name, and keeps its external id", async () => {
    const kim = await one.user();
    const made = await two.group({ displayName: fresh("team"), externalId: "E-3", members: [{ value: kim.id }] });
    const path = `/Groups/${made.id}`;
    const before = await two.read(path);
    const shown = await one.read(path);
    expect(shown).toMatchObject({ displayName: `PRIMARY/${made.displayName}`, externalId: "E-3" });
    expect(await one.put(path, shown)).toEqual(shown);
    expect(await two.read(path)).toEqual(before);
    await one.put(path, { displayName: shown.displayName, members: [] });
    expect(await two.read(path)).toMatchObject({ displayName: made.displayName, externalId: "E-3" });
    expect(await one.patch(path, { meta: { attributes: ["externalId"] } })).not.toHaveProperty("externalId");
    expect(refusal1(await one.ask("POST", "/Groups", { body: { displayName: made.displayName } }), 409)).toBeTruthy();
  });
});

describe("tenants", () => {
  test("takes the tenant from the credential, and shows nothing of another tenant at the same paths", async () => {
    const domain = "walls.example";
    await bootstrapTenant(tableOf(api.service), domain, { username: "boss", password });
    const as = { username: `boss@${domain}`, password };
    const kim = await one.user({ userName: fresh("walled") });
    const group = await one.group();
    for (const path of [`/Users/${kim.id}`, `/Groups/${group.id}`]) {
      refusal1(await one.ask("GET", path, { as }), 404);
      refusal1(await one.ask("DELETE", path, { as }), 404);
      refusal1(await one.ask("PATCH", path, { as, body: {} }), 404);
    }
    refusal1(await one.ask("POST", "/Groups", { as, body: { displayName: "mixed", members: [kim.id] } }), 400);
    const made = await one.ask("POST", "/Users", { as, body: { userName: kim.userName, password } });
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toBe(`${api.url}/svc/scim/Users/${made.body.id}`);
    const list = async (path = "") => (await api.ask("GET", `${path}/svc/scim/Users`, { as })).body;
    expect((await list()).Resources.map(({ userName }: Shown) => userName)).toEqual(["boss", kim.userName]);
    expect(await list(`/t/${domain}`)).toEqual(await list());
    expect((await one.ask("GET", "/Users/me", { as })).body.userName).toBe("boss");
    expect((await api.ask("GET", `/t/carbon.super/svc/scim/Users`, { as })).status).toBe(401);
    refusal1(await one.ask("GET", `/Users/${made.body.id}`), 404);
  });
});
