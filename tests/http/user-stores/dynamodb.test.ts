/** Secondary user stores in the table, with SCIM 2.0 in its default profile (S2-014, S2-029, S2-035). */
import { beforeAll, describe, expect, test } from "vitest";
import { userStore } from "#core/directory/users/store.ts";
import { tableOf } from "#tests/support/people.ts";
import { fresh, refusal, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: TWO_STORES });
const scim = scimOf(api, "wso2");
const { ask, get, find, names } = scim;
const password = "good-password";
const user = (userName: string, more: Shown = {}) => scim.user({ userName, password, ...more });
const resultsOf = async (path: string, query: Shown): Promise<{ total: number; names: string[] }> => {
  const { body } = await get(path, query);
  return {
    total: body.totalResults,
    names: body.Resources.map(({ userName, displayName }: Shown) => userName ?? displayName),
  };
};

describe("users", () => {
  test("creates three users of one name in three stores, each with its own qualified name", async () => {
    const made = [await user("same"), await user("SECOND/same"), await user("third/same")];
    expect(made.map(({ userName, username }) => [userName, username])).toEqual([
      ["same", "PRIMARY/same"],
      ["SECOND/same", "SECOND/same"],
      ["THIRD/same", "THIRD/same"],
    ]);
    expect(new Set(made.map(({ id }) => id)).size).toBe(3);
    for (const { id, userName } of made) expect(await scim.read(`/Users/${id}`)).toMatchObject({ userName });
    expect(await names('userName eq "same"')).toEqual(["same", "SECOND/same", "THIRD/same"]);
    expect(await names('userName eq "second/SAME"')).toEqual(["SECOND/same"]);
    expect(await names('userName eq "PRIMARY/same"')).toEqual(["same"]);
  });

  test("returns 409 for a name that its own store has, in any case", async () => {
    await user("SECOND/taken");
    const again = (userName: string) => ask("POST", "/Users", { body: { userName, password } });
    refusal(await again("second/TAKEN"), 409, "uniqueness");
    expect((await again("THIRD/taken")).status).toBe(201);
  });

  test.each(["FOURTH/kim", "secondd/kim", "/kim", "SECOND/a/b", "INTERNAL/kim"])(
    "400 for the name %s",
    async (userName) => {
      refusal(await ask("POST", "/Users", { body: { userName, password } }), 400, "invalidValue");
    },
  );

  test("renames a user within its store, and refuses to move it to another", async () => {
    const { id } = await user("SECOND/before");
    await user("SECOND/there");
    const rename = (userName: string) =>
      scim.patch(`/Users/${id}`, { op: "replace", path: "userName", value: userName });
    expect((await rename("SECOND/after")).body).toMatchObject({ userName: "SECOND/after", username: "SECOND/after" });
    expect(refusal(await rename("THIRD/after"), 400, "invalidValue")).toContain("another user store");
    expect(refusal(await rename("after"), 400, "invalidValue")).toContain("another user store");
    refusal(await rename("SECOND/there"), 409, "uniqueness");
    const whole = await scim.read(`/Users/${id}`);
    expect((await ask("PUT", `/Users/${id}`, { body: { ...whole, title: "T" } })).body).toMatchObject({
      userName: "SECOND/after",
      title: "T",
    });
    expect((await ask("DELETE", `/Users/${id}`)).status).toBe(204);
    expect((await get(`/Users/${id}`)).status).toBe(404);
    expect(await names('userName sw "SECOND/after"')).toEqual([]);
  });
});

describe("lists", () => {
  const word = "listed";
  const filter = `userName sw "${word}"`;
  beforeAll(async () => {
    for (const name of ["listed-a", "listed-b", "SECOND/listed-a", "SECOND/listed-c", "THIRD/listed-0"]) {
      await user(name, { emails: [{ value: `${name.replace("/", ".")}@listed.example` }] });
    }
  });

  test("shows one store after the other, with the exact total of all", async () => {
    const all = ["listed-a", "listed-b", "SECOND/listed-a", "SECOND/listed-c", "THIRD/listed-0"];
    expect(await resultsOf("/Users", { filter })).toEqual({ total: 5, names: all });
    expect(await resultsOf("/Users", { filter, startIndex: 2, count: 3 })).toEqual({
      total: 5,
      names: all.slice(1, 4),
    });
    expect(await resultsOf("/Users", { filter, count: 0 })).toEqual({ total: 5, names: [] });
    expect(await names('emails.value co "@listed.example"')).toEqual(all);
  });

  test("shows one store, named in any case, and all stores for an empty domain", async () => {
    const second = { total: 2, names: ["SECOND/listed-a", "SECOND/listed-c"] };
    expect(await resultsOf("/Users", { filter, domain: "SECOND" })).toEqual(second);
    expect(await resultsOf("/Users", { filter, domain: "second" })).toEqual(second);
    expect(await resultsOf("/Users", { filter, domain: "PRIMARY" })).toMatchObject({ total: 2 });
    expect(await resultsOf("/Users", { filter, domain: "" })).toMatchObject({ total: 5 });
    const search = { schemas: [URN.search], filter, domain: "third" };
    expect((await ask("POST", "/Users/.search", { body: search })).body.totalResults).toBe(1);
  });

  test.each(["FOURTH", "a/b", "PRIMARY/", "*"])("returns 400 for the domain %s", async (domain) => {
    expect(refusal(await get("/Users", { domain }), 400, "invalidValue")).toContain("Invalid user store domain");
    refusal(await get("/Groups", { domain }), 400, "invalidValue");
    const body = { schemas: [URN.search], domain };
    refusal(await ask("POST", "/Users/.search", { body }), 400, "invalidValue");
  });

  test("pages by cursor over all stores and over one, each user once", async () => {
    for (const [query, wanted] of [
      [{}, 5],
      [{ domain: "SECOND" }, 2],
    ] as const) {
      const seen: string[] = [];
      for (let cursor: string | undefined = ""; cursor !== undefined; ) {
        const { body } = await get("/Users", { filter, count: 1, cursor, ...query });
        expect(body.totalResults).toBe(wanted);
        seen.push(...body.Resources.map(({ userName }: Shown) => userName));
        cursor = body.nextCursor;
      }
      expect(new Set(seen).size).toBe(wanted);
      expect(seen.length).toBe(wanted);
    }
  });

  test("sorts over all stores", async () => {
    const sorted = await resultsOf("/Users", { filter, sortBy: "userName", sortOrder: "descending" });
    expect(sorted.total).toBe(5);
    expect(new Set(sorted.names).size).toBe(5);
    expect(sorted.names[0]).toBe("THIRD/listed-0");
  });
});

describe("groups", () => {
  test("creates groups of one name in two stores, with members of their own store only", async () => {
    const [here, there] = [await user(fresh("member")), await user(`SECOND/${fresh("member")}`)];
    const displayName = fresh("crew");
    const primary = await scim.group({ displayName, members: [{ value: here.id }] });
    const second = await scim.group({ displayName: `second/${displayName}`, members: [{ value: there.id }] });
    expect(second).toMatchObject({
      displayName: `SECOND/${displayName}`,
      members: [{ value: there.id, display: there.userName }],
    });
    for (const [group, stranger] of [
      [primary, there],
      [second, here],
    ] as const) {
      const add = { op: "add", path: "members", value: [{ value: stranger.id }] };
      expect(refusal(await scim.patch(`/Groups/${group.id}`, add), 400, "invalidValue")).toContain(stranger.id);
    }
    expect((await find(`displayName eq "${displayName}"`, "/Groups")).totalResults).toBe(2);
    expect((await find(`displayName eq "SECOND/${displayName}"`, "/Groups")).Resources).toMatchObject([
      { id: second.id },
    ]);
    expect((await find(`groups.display eq "SECOND/${displayName}"`)).Resources).toMatchObject([{ id: there.id }]);
    expect((await get("/Groups", { domain: "THIRD" })).body.totalResults).toBe(0);
    expect(await scim.read(`/Users/${there.id}`)).toMatchObject({
      groups: [{ value: second.id, display: `SECOND/${displayName}` }],
    });
    const renamed = await scim.patched(`/Groups/${second.id}`, {
      op: "replace",
      path: "displayName",
      value: `SECOND/${displayName}-2`,
    });
    expect(renamed.displayName).toBe(`SECOND/${displayName}-2`);
    const move = { op: "replace", path: "displayName", value: `THIRD/${displayName}` };
    refusal(await scim.patch(`/Groups/${second.id}`, move), 400, "invalidValue");
    await ask("DELETE", `/Users/${there.id}`);
    expect((await scim.read(`/Groups/${second.id}`)).members).toEqual([]);
  });

  test("assigns a role to users of several stores, and shows their names", async () => {
    const [here, there] = [await user(fresh("holder")), await user(`SECOND/${fresh("holder")}`)];
    const group = await scim.group({ displayName: `THIRD/${fresh("holders")}` });
    const role = await ask("POST", "/v2/Roles", {
      body: {
        displayName: fresh("role"),
        users: [{ value: here.id }, { value: there.id }],
        groups: [{ value: group.id }],
      },
    });
    expect(role.body.users.map(({ display }: Shown) => display).sort()).toEqual([there.userName, here.userName].sort());
    expect(role.body.groups).toMatchObject([{ display: group.displayName }]);
  });

  test("creates groups in bulk", async () => {
    const [userName, displayName] = [`SECOND/${fresh("bulk")}`, `SECOND/${fresh("bulk")}`];
    const { body } = await ask("POST", "/Bulk", {
      body: {
        schemas: [URN.bulk],
        Operations: [
          { method: "POST", path: "/Users", bulkId: "u", data: { userName, password } },
          { method: "POST", path: "/Groups", bulkId: "g", data: { displayName, members: [{ value: "bulkId:u" }] } },
          { method: "POST", path: "/Users", bulkId: "x", data: { userName: "FOURTH/x", password } },
        ],
      },
    });
    const codes = body.Operations.map(({ status }: Shown) => status.code ?? status);
    expect(codes.map(Number)).toEqual([201, 201, 400]);
    expect((await find(`displayName eq "${displayName}"`, "/Groups")).Resources[0].members).toMatchObject([
      { display: userName },
    ]);
  });
});

test("changes the owner of an application to a user of another store", async () => {
  const { id } = await user(`THIRD/${fresh("owner")}`);
  const application = await api.create({ name: fresh("owned") });
  const give = (heir: string) =>
    api.ask("PUT", `/api/server/v1/applications/${application}/owner`, { body: { id: heir } });
  expect((await give(id)).status).toBe(200);
  expect((await give(UNKNOWN_ID)).status).toBe(400);
});

test("offers the stores to every tenant, with separate users", async () => {
  const owners = [{ username: "boss", password }];
  expect((await api.ask("POST", "/api/server/v1/tenants", { body: { domain: "acme.example", owners } })).status).toBe(
    201,
  );
  const as = { username: "boss@acme.example", password };
  const { body } = await api.ask("POST", "/t/acme.example/scim2/Users", {
    as,
    body: { userName: "SECOND/same", password },
  });
  expect(body).toMatchObject({ userName: "SECOND/same" });
  const listed = await api.ask("GET", "/t/acme.example/scim2/Users?domain=second", { as });
  expect(listed.body.Resources).toMatchObject([{ id: body.id }]);
  const id = await userStore(tableOf(api.service)).idOf({ tenant: "acme.example", userStore: "SECOND", name: "same" });
  expect(id).toBe(body.id);
  expect((await get(`/Users/${body.id}`)).status).toBe(404);
});
