import { describe, expect, test } from "vitest";
import { recordsIn } from "#tests/support/changes.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const SCOPES = "/api/server/v1/oidc/scopes";
const OTHER = "other.example";
const password = "a-long-password";

const create = (body: unknown) => api.ask("POST", SCOPES, { body });
const badge = (name: string) => ({ name, displayName: "Badge", description: "d", claims: ["given_name"] });
const namesIn = async (as?: { username: string; password: string }): Promise<string[]> => {
  const { status, body } = await api.ask("GET", SCOPES, as ? { as } : {});
  expect(status).toBe(200);
  return body.map(({ name }: { name: string }) => name);
};
const refusal = ({ status, body }: Awaited<ReturnType<typeof create>>) => [status, body.code];

describe("listOidcScopes", () => {
  test("a tenant begins with the scopes of OpenID Connect, and with those of Identity Server", async () => {
    const { status, body } = await api.ask("GET", SCOPES);
    expect(status).toBe(200);
    expect(body.map(({ name }: { name: string }) => name)).toEqual([
      ...["openid", "profile", "email", "address", "phone", "groups", "roles"],
    ]);
    expect(body[2]).toEqual({
      name: "email",
      displayName: "Email",
      description: "The e-mail address of the user",
      claims: ["email", "email_verified"],
    });
  });

  test("each tenant has scopes of its own, at its own path too", async () => {
    await api.ask("POST", "/api/server/v1/tenants", {
      body: { domain: OTHER, owners: [{ username: "kim", password }] },
    });
    const as = { username: `kim@${OTHER}`, password };
    const answer = await api.ask("POST", `/t/${OTHER}${SCOPES}`, { as, body: badge("theirs") });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      201,
      expect.stringMatching(new RegExp(`/t/${OTHER}${SCOPES}/theirs$`)),
    ]);
    expect(await namesIn(as)).toContain("theirs");
    expect(await namesIn()).not.toContain("theirs");
    expect((await api.ask("GET", `${SCOPES}/theirs`)).status).toBe(404);
  });
});

describe("createOidcScope", () => {
  test("returns 201 with the scope and its address; a claim that is sent twice counts once", async () => {
    const answer = await create({ ...badge("badge:one"), claims: ["given_name", "email", "given_name"] });
    expect([answer.status, answer.body]).toEqual([201, { ...badge("badge:one"), claims: ["given_name", "email"] }]);
    const at = new URL(answer.headers.get("location") ?? "").pathname;
    const read = await api.ask("GET", at);
    expect([read.status, read.body]).toEqual([200, answer.body]);
    expect(read.headers.get("etag")).toBe(answer.headers.get("etag"));
  });

  test("twenty at once are all stored", async () => {
    const names = Array.from({ length: 20 }, (_, at) => `many-${at}`);
    const answers = await Promise.all(names.map((name) => create(badge(name))));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
    expect(await namesIn()).toEqual(expect.arrayContaining(names));
  });

  test.each([
    [{ displayName: "x", claims: [] }, "41001"],
    [{ name: " ", displayName: "x", claims: [] }, "41001"],
    [{ name: "a", claims: [] }, "41002"],
    [{ name: "a", displayName: " ", claims: [] }, "41002"],
    [{ name: "a b", displayName: "x", claims: [] }, "41006"],
    [{ name: "a/b", displayName: "x", claims: [] }, "OAUTH-60001"],
    [{ name: "..", displayName: "x", claims: [] }, "OAUTH-60001"],
    [{ name: "internal_user_mgt_view", displayName: "x", claims: [] }, "OAUTH-60001"],
    [{ name: "a", displayName: "x" }, "UE-10000"],
  ])("refuses %j with %s", async (body, code) => {
    const before = await namesIn();
    expect(refusal(await create(body))).toEqual([400, code]);
    expect(await namesIn()).toEqual(before);
  });

  test("returns 409 for a name in use, also that of a default scope", async () => {
    expect((await create(badge("twice"))).status).toBe(201);
    expect(refusal(await create(badge("twice")))).toEqual([409, "41004"]);
    expect(refusal(await create(badge("openid")))).toEqual([409, "41004"]);
  });

  test("refuses more than a row holds, and more scopes than a tenant can have", async () => {
    const as = { username: `kim@${OTHER}`, password };
    const add = (name: string, claims: readonly string[]) =>
      api.ask("POST", SCOPES, { as, body: { name, displayName: "n", claims } });
    const long = Array.from({ length: 200 }, (_, at) => `${at}`.padStart(255, "c"));
    const statuses = [];
    for (let at = 0; at < 6; at += 1) statuses.push((await add(`long-${at}`, long)).status);
    expect(statuses).toEqual([201, 201, 201, 201, 201, 400]);
    for (let at = 0; at < 5; at += 1)
      expect((await api.ask("DELETE", `${SCOPES}/long-${at}`, { as })).status).toBe(204);
    const free = 200 - (await namesIn(as)).length;
    for (let at = 0; at < free; at += 1) expect((await add(`small-${at}`, [])).status).toBe(201);
    expect(refusal(await add("one-more", []))).toEqual([400, "OAUTH-60001"]);
  });
});

describe("getOidcScope", () => {
  test("reads a default scope, and is 304 while it stays the same", async () => {
    const { status, body, headers } = await api.ask("GET", `${SCOPES}/phone`);
    expect([status, body.claims]).toEqual([200, ["phone_number", "phone_number_verified"]]);
    const again = await api.ask("GET", `${SCOPES}/phone`, { headers: { "if-none-match": headers.get("etag") ?? "" } });
    expect(again.status).toBe(304);
  });
  test("returns 404 for a name that no scope has", async () => {
    expect(refusal(await api.ask("GET", `${SCOPES}/unknown`))).toEqual([404, "41003"]);
  });
});

describe("updateOidcScope", () => {
  test("replaces everything but the name, and keeps the place in the list", async () => {
    await create(badge("changing"));
    const before = await namesIn();
    const body = { displayName: "New", claims: ["family_name"] };
    const answer = await api.ask("PUT", `${SCOPES}/changing`, { body });
    expect([answer.status, answer.body]).toEqual([200, { name: "changing", ...body }]);
    expect((await api.ask("GET", `${SCOPES}/changing`)).body).toEqual(answer.body);
    expect(await namesIn()).toEqual(before);
    const same = await api.ask("PUT", `${SCOPES}/changing`, { body: { ...body, name: "changing" } });
    expect(same.status).toBe(200);
  });

  test("changes a default scope", async () => {
    const body = { displayName: "Address", claims: ["address", "country"] };
    expect((await api.ask("PUT", `${SCOPES}/address`, { body })).status).toBe(200);
    expect((await api.ask("GET", `${SCOPES}/address`)).body.claims).toEqual(["address", "country"]);
  });

  test("returns 400 for another name and a blank display name, 404 for an unknown scope, 412 for an old tag", async () => {
    const put = (name: string, body: unknown, headers = {}) => api.ask("PUT", `${SCOPES}/${name}`, { body, headers });
    const body = { displayName: "x", claims: [] };
    expect(refusal(await put("profile", { ...body, name: "other" }))).toEqual([400, "OAUTH-60001"]);
    expect(refusal(await put("profile", { ...body, displayName: "" }))).toEqual([400, "41002"]);
    expect(refusal(await put("unknown", body))).toEqual([404, "41003"]);
    expect((await put("profile", body, { "if-match": '"old"' })).status).toBe(412);
    expect((await api.ask("GET", `${SCOPES}/profile`)).body.displayName).toBe("User Profile");
  });
});

describe("deleteOidcScope", () => {
  test("removes a scope, once; a default one too", async () => {
    await create(badge("leaving"));
    for (const name of ["leaving", "roles"]) {
      expect((await api.ask("DELETE", `${SCOPES}/${name}`)).status).toBe(204);
      expect(refusal(await api.ask("DELETE", `${SCOPES}/${name}`))).toEqual([404, "41003"]);
      expect(await namesIn()).not.toContain(name);
    }
    expect((await create(badge("roles"))).status).toBe(201);
  });
});

test("a change is recorded with the scope that changed, and can be rehearsed and repeated", async () => {
  await create(badge("told"));
  const from = new Set((await recordsIn(api)).map(({ id }) => id));
  const body = { ...badge("told"), displayName: "Told" };
  const rehearsed = await api.ask("PUT", `${SCOPES}/told?dryRun=true`, { body });
  expect([rehearsed.status, rehearsed.body.displayName]).toEqual([200, "Told"]);
  expect((await api.ask("GET", `${SCOPES}/told`)).body.displayName).toBe("Badge");
  expect((await api.ask("PUT", `${SCOPES}/told`, { body })).status).toBe(200);
  // The same again changes nothing.
  expect((await api.ask("PUT", `${SCOPES}/told`, { body })).status).toBe(200);
  const headers = { "idempotency-key": "one" };
  const first = await api.ask("POST", SCOPES, { body: badge("keyed"), headers });
  const second = await api.ask("POST", SCOPES, { body: badge("keyed"), headers });
  expect([first.status, second.status, second.headers.get("idempotency-replayed")]).toEqual([201, 201, "true"]);
  expect((await api.ask("DELETE", `${SCOPES}/told`)).status).toBe(204);
  const records = (await recordsIn(api)).filter(({ id }) => !from.has(id));
  const resource = { type: "oidc-scopes", id: "carbon.super" };
  expect(records).toMatchObject([
    {
      operation: "updateOidcScope",
      resource,
      changes: [{ op: "replace", path: "/scopes/told/displayName", from: "Badge", value: "Told" }],
    },
    { operation: "createOidcScope", resource, changes: [{ op: "add", path: "/scopes/keyed" }] },
    { operation: "deleteOidcScope", resource, changes: [{ op: "remove", path: "/scopes/told" }] },
  ]);
  const listed = await api.ask("GET", "/api/server/v1/audit-events?resourceType=oidc-scopes&resourceId=carbon.super");
  expect(listed.body.records[0]).toMatchObject({ operation: "deleteOidcScope", resource });
});
