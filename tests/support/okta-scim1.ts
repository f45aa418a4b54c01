/** The requests that Okta's SCIM 1.1 tests send, in their order, and what they expect. */
import { expect, test } from "vitest";
import type { Shown } from "#tests/support/scim.ts";
import { CORE, ENTERPRISE, refusal1, scim1Of } from "#tests/support/scim1.ts";
import { world } from "#tests/support/world.ts";

/** The headers of Okta's requests. */
const headers = { accept: "application/scim+json", "content-type": "application/scim+json; charset=utf-8" };

/** The tests, on a service with the given deployment.toml, or that of the project. */
export const oktaSequence = (deployment?: string): void => {
  const api = world({ ...(deployment !== undefined && { deployment }) });
  const scim = scim1Of(api);
  const ask = (method: string, path: string, rest: Shown = {}) => scim.ask(method, path, { headers, ...rest });
  const login = "test.user@okta.example";
  const profile = {
    schemas: [CORE, ENTERPRISE],
    userName: login,
    name: { givenName: "Test", familyName: "User" },
    emails: [{ primary: true, value: login, type: "work" }],
    password: "1mz050nq",
    active: true,
    groups: [],
    externalId: "00ujl29u0le5T6Aj10h7",
  };
  let id = "";
  let groupId = "";

  test("returns a page of one user, with the numbers of the page", async () => {
    const { status, body } = await ask("GET", "/Users", { query: { count: 1, startIndex: 1 } });
    expect(status).toBe(200);
    expect(body.schemas).toContain(CORE);
    expect([body.itemsPerPage, body.startIndex, body.totalResults]).toEqual([1, 1, 1]);
    expect(body.Resources[0]).toMatchObject({ id: expect.any(String), userName: "admin" });
  });
  test("returns 200 and an empty list for an unknown name", async () => {
    const { status, body } = await ask("GET", "/Users", {
      query: { filter: 'userName eq "nobody@okta.example"', startIndex: 1, count: 100 },
    });
    expect([status, body.totalResults, body.Resources]).toEqual([200, 0, []]);
  });
  test("returns 404 with the list of errors for an unknown id", async () => {
    refusal1(await ask("GET", "/Users/010101001010101011001010101011"), 404);
  });
  test("creates a user once, and finds it by its name in any case", async () => {
    const created = await ask("POST", "/Users", { body: profile });
    expect(created.status).toBe(201);
    id = created.body.id;
    expect(created.body).toMatchObject({
      userName: login,
      active: true,
      name: profile.name,
      externalId: profile.externalId,
    });
    refusal1(await ask("POST", "/Users", { body: profile }), 409);
    const { body } = await ask("GET", "/Users", { query: { filter: `userName eq "${login.toUpperCase()}"` } });
    expect(body).toMatchObject({ totalResults: 1, Resources: [{ id, userName: login }] });
  });
  test("returns 400 for a text that is not a filter", async () => {
    refusal1(await ask("GET", "/Users", { query: { filter: "test" } }), 400);
  });
  test("accepts a user as it was read, with another name", async () => {
    const { body: read } = await ask("GET", `/Users/${id}`);
    const { status, body } = await ask("PUT", `/Users/${id}`, {
      body: { ...read, name: { ...read.name, givenName: "Another" } },
    });
    expect(status).toBe(200);
    expect(body).toEqual({ ...read, name: { givenName: "Another", familyName: "User" }, meta: body.meta });
  });
  test("deactivates and activates a user", async () => {
    for (const active of [false, true]) {
      const answer = await ask("PATCH", `/Users/${id}`, { body: { schemas: [CORE], id, active } });
      expect([200, 204]).toContain(answer.status);
      expect((await ask("GET", `/Users/${id}`)).body.active).toBe(active);
    }
  });
  test("creates a group, adds and removes members, renames it, and lists it", async () => {
    const created = await ask("POST", "/Groups", {
      body: { schemas: [CORE, "urn:okta:custom:group:1.0"], displayName: "Test SCIM", members: [] },
    });
    expect(created.status).toBe(201);
    groupId = created.body.id;
    const path = `/Groups/${groupId}`;
    const joined = await ask("PATCH", path, { body: { schemas: [CORE], members: [{ value: id, display: login }] } });
    expect([joined.status, joined.body.members]).toEqual([200, [{ value: id, display: login }]]);
    const left = await ask("PATCH", path, { body: { schemas: [CORE], members: [{ value: id, operation: "delete" }] } });
    expect([left.status, left.body.members]).toEqual([200, []]);
    const renamed = await ask("PUT", path, {
      body: { schemas: [CORE], id: groupId, displayName: "Renamed SCIM", members: [{ value: id }] },
    });
    expect(renamed.body).toMatchObject({ displayName: "PRIMARY/Renamed SCIM", members: [{ value: id }] });
    const page = await ask("GET", "/Groups", { query: { startIndex: 1, count: 100 } });
    expect(page.body).toMatchObject({
      totalResults: 1,
      Resources: [{ id: groupId, displayName: "PRIMARY/Renamed SCIM" }],
    });
    expect((await ask("DELETE", path)).status).toBe(200);
  });
  test("returns 404 for the discovery endpoints, which SCIM 1.1 leaves open", async () => {
    for (const path of ["/ServiceProviderConfigs", "/ResourceTypes", "/Schemas", "/Schemas/Users"]) {
      for (const method of ["GET", "POST"]) refusal1(await ask(method, path), 404);
    }
  });
  test("lists show summaries or whole users, as the profile says", async () => {
    const { body } = await ask("GET", "/Users", { query: { filter: `userName eq "${login}"` } });
    const [found] = body.Resources;
    const names =
      deployment === undefined ? ["id", "userName", "meta"] : Object.keys((await ask("GET", `/Users/${id}`)).body);
    expect(Object.keys(found)).toEqual(names);
    if (deployment !== undefined) {
      expect(found).toMatchObject({ emails: [{ value: login }], name: { givenName: "Another" }, active: true });
    }
    const asked = await ask("GET", "/Users", { query: { filter: `userName eq "${login}"`, attributes: "emails" } });
    expect(Object.keys(asked.body.Resources[0])).toEqual(["id", "userName", "emails", "meta"]);
  });
};
