/** Rows O01 to O23 of docs/scim-conformance.md: the requests of Okta's test suites and provisioning, in their order. */
import { beforeAll, describe, expect, test } from "vitest";
import { NEGOTIATED, refusal, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const JSON_TYPE = "application/json";
const reading = {
  accept: "application/scim+json",
  "accept-charset": "utf-8",
  "content-type": "application/scim+json; charset=utf-8",
  "user-agent": "OKTA SCIM Integration",
};
const writing = { accept: "application/scim+json; charset=utf-8", "content-type": JSON_TYPE };
const get = (path: string) => scim.ask("GET", path, { headers: reading });
const send = (method: string, path: string, body?: unknown) => scim.ask(method, path, { body, headers: writing });
const change = (path: string, ...Operations: Shown[]) => send("PATCH", path, { schemas: [URN.patch], Operations });
const byName = (userName: string) =>
  get(`/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}&startIndex=1&count=100`);

/** What the suites expect of every user. */
const checkUser = (user: Shown): void => {
  expect(user).toMatchObject({
    schemas: expect.arrayContaining([URN.user]),
    id: expect.stringMatching(/./),
    userName: expect.stringMatching(/./),
    active: expect.any(Boolean),
    name: { givenName: expect.stringMatching(/./), familyName: expect.stringMatching(/./) },
    emails: [expect.objectContaining({ value: expect.stringMatching(/@/) })],
  });
};
const runscope = (userName: string): Shown => ({
  schemas: [URN.user],
  userName,
  name: { givenName: "Runscope", familyName: "User" },
  emails: [{ primary: true, value: userName, type: "work" }],
  displayName: "Runscope User",
  active: true,
});
let first: Shown;

beforeAll(async () => {
  // The first user is that of a fresh tenant.
  await scim.user(runscope("existing@example.org"));
});

describe("the specification suite", () => {
  const name = "runscope300@atko.com";
  let id: string;

  test("O01 returns a page of one whole user", async () => {
    const { status, body } = await get("/Users?count=1&startIndex=1");
    expect(status).toBe(200);
    expect(body).toMatchObject({ schemas: [URN.list], itemsPerPage: 1, startIndex: 1, totalResults: 2 });
    first = body.Resources[0];
    checkUser(first);
  });
  test("O02 returns that user by its id", async () => {
    const { status, body } = await get(`/Users/${first.id}`);
    expect([status, body.id]).toEqual([200, first.id]);
    checkUser(body);
  });
  test("O03 O05 returns an empty list for a filter without matches", async () => {
    for (const filter of [
      'userName eq "abcdefgh@atko.com"',
      'emails.value eq "nobody@atko.com"',
      'emails eq "nobody@atko.com"',
    ]) {
      const { status, body } = await get(`/Users?filter=${encodeURIComponent(filter)}`);
      expect([status, body.totalResults, body.schemas]).toEqual([200, 0, [URN.list]]);
    }
  });
  test("O04 O12 returns 404 with a detail for an unknown id", async () => {
    for (const unknown of ["00919288221112222", "00000000000000000000", "does-not-exist"]) {
      const answer = await get(`/Users/${unknown}`);
      expect(refusal(answer, 404)).toMatch(/./);
      expect(answer.body).toMatchObject({ status: "404", schemas: [URN.error] });
    }
  });
  test("O06 creates a user without a password", async () => {
    const { status, body } = await send("POST", "/Users", runscope(name));
    expect(status).toBe(201);
    expect(body).toMatchObject(runscope(name));
    id = body.id;
  });
  test("O07 reads it", async () => {
    expect((await get(`/Users/${id}`)).body).toMatchObject({ userName: name, name: runscope(name).name });
  });
  test("O08 returns 409 for the same name", async () => {
    refusal(await send("POST", "/Users", runscope(name)), 409, "uniqueness");
  });
  test("O09 finds it by its name in capitals", async () => {
    const { status, body } = await byName(name.toUpperCase());
    expect([status, body.totalResults, body.Resources[0].id]).toEqual([200, 1, id]);
  });
  test("O10 lists groups", async () => {
    const { status, body } = await get("/Groups");
    expect([status, body.totalResults, body.Resources]).toEqual([200, 0, []]);
  });
  test("O11 returns 401 with a detail for an invalid credential", async () => {
    const answer = await scim.ask("GET", "/Users", { as: "non-token", headers: reading });
    expect(refusal(answer, 401, "Unauthorized")).toMatch(/./);
    expect(answer.body).toMatchObject({ status: "401", schemas: [URN.error] });
  });
});

describe("the life of an assigned user", () => {
  const name = "assigned@example.org";
  let user: Shown;

  test("O13 is searched, created and found on assignment", async () => {
    expect((await byName(name)).body.totalResults).toBe(0);
    const body = {
      ...runscope(name),
      externalId: "00ujl29u0le5T6Aj10h7",
      locale: "en-US",
      groups: [],
      password: "1mz050nq",
    };
    expect((await send("POST", "/Users", body)).status).toBe(201);
    user = (await byName(name)).body.Resources[0];
    checkUser(user);
    expect(user).toMatchObject({ userName: name, externalId: "00ujl29u0le5T6Aj10h7", locale: "en-US" });
    expect(user.emails[0].value).toBe(name);
  });
  test("O14 O17 is read whole and sent back whole on a change of its profile", async () => {
    const before = (await get(`/Users/${user.id}`)).body;
    const same = await send("PUT", `/Users/${user.id}`, { ...before, groups: [] });
    expect([same.status, same.body]).toEqual([200, before]);
    const { status, body } = await send("PUT", `/Users/${user.id}`, {
      ...before,
      name: { ...before.name, givenName: "Changed" },
    });
    expect(status).toBe(200);
    checkUser(body);
    expect((await get(`/Users/${user.id}`)).body.name.givenName).toBe("Changed");
  });
  test("O15 is deactivated, reactivated and unassigned, and stays visible", async () => {
    for (const active of [false, true, false]) {
      const { status, body } = await change(`/Users/${user.id}`, { op: "replace", value: { active } });
      expect([status, body.active]).toEqual([200, active]);
      expect((await get(`/Users/${user.id}`)).body.active).toBe(active);
      expect((await byName(name)).body.Resources[0].active).toBe(active);
    }
  });
});

describe("pushed groups", () => {
  let group: Shown;
  let a: Shown;
  let b: Shown;
  let c: Shown;
  const members = () => group.members.map(({ value }: Shown) => value).sort();
  const reread = async () => {
    group = (await get(`/Groups/${group.id}`)).body;
  };

  test("O18 are created without members", async () => {
    const pushed = async (name: string) => {
      const { id, userName } = await scim.user(runscope(`${name}@push.example`));
      return { value: id, display: userName };
    };
    [a, b, c] = await Promise.all([pushed("a"), pushed("b"), pushed("c")]);
    const answer = await send("POST", "/Groups", { schemas: [URN.group], displayName: "Test SCIMv2", members: [] });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ displayName: "Test SCIMv2", members: [] });
    group = answer.body;
  });
  test("O19 are renamed with their id in the value", async () => {
    const { status } = await change(`/Groups/${group.id}`, {
      op: "replace",
      value: { id: group.id, displayName: "Test SCIMv2 renamed" },
    });
    expect(status).toBe(200);
    await reread();
    expect(group.displayName).toBe("Test SCIMv2 renamed");
  });
  test("O20 lose and gain members in one request", async () => {
    expect((await change(`/Groups/${group.id}`, { op: "add", path: "members", value: [a] })).status).toBe(200);
    const both = [
      { op: "remove", path: `members[value eq "${a.value}"]` },
      { op: "add", path: "members", value: [b, c] },
    ];
    expect((await change(`/Groups/${group.id}`, ...both)).status).toBe(200);
    await reread();
    expect(members()).toEqual([b.value, c.value].sort());
  });
  test("O21 replace the whole list, by PATCH and by PUT", async () => {
    expect((await change(`/Groups/${group.id}`, { op: "replace", path: "members", value: [a] })).status).toBe(200);
    await reread();
    expect(members()).toEqual([a.value]);
    const { status } = await send("PUT", `/Groups/${group.id}`, {
      schemas: [URN.group],
      id: group.id,
      displayName: group.displayName,
      members: [a, b],
    });
    expect(status).toBe(200);
    await reread();
    expect(members()).toEqual([a.value, b.value].sort());
  });
  test("O22 are deleted", async () => {
    expect((await send("DELETE", `/Groups/${group.id}`)).status).toBe(204);
    expect((await get(`/Groups/${group.id}`)).status).toBe(404);
  });
});

describe("import", () => {
  test("O23 reads every page in one order, and no user twice", async () => {
    const data = Array.from({ length: 205 }, (_, n) => ({
      method: "POST",
      path: "/Users",
      bulkId: `u${n}`,
      data: runscope(`import-${n}@example.org`),
    }));
    await send("POST", "/Bulk", { schemas: [URN.bulk], Operations: data });
    const walk = async () => {
      const seen: string[] = [];
      for (let total = 1; seen.length < total; ) {
        const { body } = await get(`/Users?startIndex=${seen.length + 1}&count=100`);
        total = body.totalResults;
        seen.push(...body.Resources.map(({ id }: Shown) => id));
      }
      return seen;
    };
    const once = await walk();
    expect(new Set(once).size).toBe(once.length);
    expect(once.length).toBeGreaterThan(205);
    expect(await walk()).toEqual(once);
  });
});

describe("the entitlements suite", () => {
  test("O16 returns a page of one role", async () => {
    const { Resources } = (await get("/ResourceTypes")).body;
    const { endpoint } = Resources.find(({ name }: Shown) => name === "Role");
    const { status, body } = await get(`${endpoint}?count=1&startIndex=1`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      schemas: [URN.list],
      itemsPerPage: 1,
      startIndex: 1,
      totalResults: expect.any(Number),
    });
    expect(body.Resources[0]).toMatchObject({ id: expect.any(String), displayName: expect.any(String) });
  });
});
