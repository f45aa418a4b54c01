/** The default profile, which follows WSO2 Identity Server, by its documented samples. */
import { describe, expect, test } from "vitest";
import { fresh, refusal, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const scim = scimOf(api, "wso2");
const { ask, get } = scim;
const password = "hasinitg";

describe("createUser", () => {
  test("returns 201 for the documented sample, with username and its store before userName", async () => {
    const answer = await ask("POST", "/Users", {
      body: {
        schemas: [],
        name: { givenName: "Kim", familyName: "Berry" },
        userName: "kim",
        password: "MyPa33w0rd",
        emails: [
          { type: "home", value: "kim@gmail.com", primary: true },
          { type: "work", value: "kim@wso2.com" },
        ],
        [URN.enterprise]: { employeeNumber: "1234A", manager: { value: "Taylor" } },
      },
      headers: { "content-type": "application/json; charset=utf-8" },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      schemas: [URN.user, URN.enterprise],
      id: expect.any(String),
      username: "PRIMARY/kim",
      userName: "kim",
      name: { familyName: "Berry", givenName: "Kim" },
      active: true,
      emails: [
        { value: "kim@gmail.com", type: "home", primary: true },
        { value: "kim@wso2.com", type: "work" },
      ],
      [URN.enterprise]: { employeeNumber: "1234A", manager: { value: "Taylor" } },
      meta: expect.objectContaining({ resourceType: "User" }),
    });
    const names = Object.keys(answer.body);
    expect(names.indexOf("username")).toBeLessThan(names.indexOf("userName"));
    expect(Object.keys(JSON.parse(answer.text))).toEqual(names);
  });
  test("returns 400 invalidValue without a password, as the schema says, and creates no user", async () => {
    const userName = fresh("wordless");
    const detail = refusal(await ask("POST", "/Users", { body: { userName } }), 400, "invalidValue");
    expect(detail).toContain("password");
    expect(await scim.names(`userName eq "${userName}"`)).toEqual([]);
    const { attributes } = (await get(`/Schemas/${URN.user}`)).body;
    expect(attributes.find(({ name }: Shown) => name === "password").required).toBe(true);
  });
  test("needs no password for a user that is invited to choose one", async () => {
    const user = await scim.user({ [URN.system]: { askPassword: true } });
    expect(user[URN.system]).toEqual({ askPassword: true });
    refusal(
      await ask("POST", "/Users", { body: { userName: fresh("x"), [URN.system]: { askPassword: false } } }),
      400,
      "invalidValue",
    );
  });
  test("accepts username alone, and ignores it where userName is sent", async () => {
    const alone = fresh("alias");
    expect((await ask("POST", "/Users", { body: { username: `PRIMARY/${alone}`, password } })).body.userName).toBe(
      alone,
    );
    const userName = fresh("own");
    expect((await scim.user({ username: "PRIMARY/other", userName, password })).userName).toBe(userName);
  });
});

describe("the alias", () => {
  test("is shown wherever userName is: in lists, in responses to changes and in projections", async () => {
    const user = await scim.user({ userName: "Alias", password, title: "T" });
    const path = `/Users/${user.id}`;
    expect((await scim.find('userName eq "alias"')).Resources[0].username).toBe("PRIMARY/Alias");
    expect((await scim.patched(path, { op: "replace", path: "title", value: "U" })).username).toBe("PRIMARY/Alias");
    for (const attributes of ["userName", "username", "USERNAME", `${URN.user}:userName`]) {
      expect((await get(path, { attributes })).body).toEqual({
        schemas: [URN.user],
        id: user.id,
        username: "PRIMARY/Alias",
        userName: "Alias",
      });
    }
    expect((await get(path, { attributes: "title" })).body).not.toHaveProperty("username");
    expect((await get(path, { excludedAttributes: "username" })).body).not.toHaveProperty("userName");
    expect((await get(path, { excludedAttributes: "userName" })).body).not.toHaveProperty("username");
  });
  test("changes nothing where it is sent back", async () => {
    const user = await scim.user({ password });
    const { status, body } = await ask("PUT", `/Users/${user.id}`, { body: user });
    expect([status, body]).toEqual([200, user]);
    const renamed = fresh("renamed");
    expect((await ask("PUT", `/Users/${user.id}`, { body: { ...user, userName: renamed } })).body).toMatchObject({
      username: `PRIMARY/${renamed}`,
      userName: renamed,
    });
  });
  test("is not an attribute of the schema", async () => {
    const { attributes } = (await get(`/Schemas/${URN.user}`)).body;
    expect(attributes.filter(({ name }: Shown) => /^username$/i.test(name)).map(({ name }: Shown) => name)).toEqual([
      "userName",
    ]);
  });
});

describe("errors", () => {
  test("have schemas as one text, also from the gateway and in bulk results", async () => {
    for (const answer of [
      await get(`/Users/${UNKNOWN_ID}`),
      await ask("GET", "/Users", { as: null }),
      await ask("GET", "/nothing"),
      await ask("POST", "/Users", { raw: "{" }),
      await ask("DELETE", "/Users"),
    ]) {
      expect(answer.body).toEqual({
        schemas: URN.error,
        status: String(answer.status),
        ...(answer.body.scimType && { scimType: answer.body.scimType }),
        detail: expect.any(String),
      });
    }
    const { body } = await api.ask("POST", "/scim2/Bulk", {
      body: { Operations: [{ method: "DELETE", path: `/Users/${UNKNOWN_ID}` }] },
    });
    expect(body.Operations[0].response.schemas).toBe(URN.error);
  });
});

describe("the documented samples", () => {
  test("filter without quotes, joined by and", async () => {
    await scim.user({ userName: "kimberly", password, name: { familyName: "Kerr" } });
    expect(await scim.names("userName sw ki and name.familyName co err")).toEqual(["kim", "kimberly"]);
  });
  test("search with a domain, startIndex and count", async () => {
    const body = {
      schemas: [URN.search],
      attributes: ["name.familyName", "userName"],
      filter: "userName sw ki and name.familyName co err",
      domain: "PRIMARY",
      startIndex: 1,
      count: 10,
    };
    const found = await ask("POST", "/Users/.search", { body });
    expect(found.body).toMatchObject({ schemas: [URN.list], totalResults: 2, startIndex: 1, itemsPerPage: 2 });
    expect(found.body.Resources[0]).toEqual({
      schemas: [URN.user],
      id: expect.any(String),
      username: "PRIMARY/kim",
      userName: "kim",
      name: { familyName: "Berry" },
    });
  });
  test("add a nickName without a path", async () => {
    const [{ id }] = (await scim.find("userName eq kim")).Resources;
    const answer = await scim.patch(`/Users/${id}`, { op: "add", value: { nickName: "shaggy" } });
    expect([answer.status, answer.body.nickName]).toEqual([200, "shaggy"]);
  });
});
