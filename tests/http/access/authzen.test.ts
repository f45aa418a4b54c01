/** The Authorization API 1.0 (AuthZEN): its evaluations, searches, errors and metadata, on the decisions of explanations. */
import { beforeAll, describe, expect, test } from "vitest";
import { apiResourcesOf, scopesNamed, UNKNOWN_ID } from "#tests/support/api-resources.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { saasOf } from "#tests/support/saas.ts";
import { type Ask, world } from "#tests/support/world.ts";
import { costOf, heard, isAuthorizer } from "#tools/bench/calls.ts";

const api = world();
const oauth = oauthOf(api);
const resources = apiResourcesOf(api);
const saas = saasOf(api);
const password = "a-good-Password-1";
const CALL = { name: "call" };

let alice = "";
let bob = "";
let client: TestClient;
const made: string[] = [];

const post = (path: string, body: unknown, ask: Ask = {}) => api.ask("POST", `/access/v1/${path}`, { body, ...ask });
const evaluate = (body: object, ask: Ask = {}) => post("evaluation", body, ask);
const user = (id: string) => ({ type: "user", id });
const operation = (id: string) => ({ type: "operation", id });
const may = async (subject: object, resource: object, action: object = CALL, context?: object) =>
  (await evaluate({ subject, action, resource, ...(context && { context }) })).body.decision;
const create = async (path: string, body: object): Promise<string> => {
  const answer = await api.ask("POST", path, { body });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body.id;
};

beforeAll(async () => {
  alice = await create("/scim2/Users", { userName: "alice", password });
  bob = await create("/scim2/Users", { userName: "bob", password });
  const permissions = [{ value: "internal_user_mgt_list" }, { value: "orders:read" }];
  const apiId = await resources.register({
    identifier: "https://orders.example",
    name: "Orders",
    scopes: scopesNamed("orders:read", "orders:write"),
  });
  client = await oauth.newClient(["internal_user_mgt_list"]);
  await resources.authorize(client.applicationId, { id: apiId, scopes: ["orders:read", "orders:write"] });
  await create("/scim2/v2/Roles", { displayName: "lister", permissions, users: [{ value: alice }] });
  for (let at = 0; at < 12; at += 1) made.push(await create("/scim2/Users", { userName: `many-${at}`, password }));
  const users = [made[3], made[7]].map((value) => ({ value }));
  await create("/scim2/v2/Roles", {
    displayName: "grouper",
    permissions: [{ value: "internal_group_mgt_view" }],
    users,
  });
});

describe("evaluateAccess", () => {
  test("decides about an operation, a route, and a scope of an API", async () => {
    expect(await may(user(alice), operation("listUsers"))).toBe(true);
    expect(await may(user(bob), operation("listUsers"))).toBe(false);
    expect(await may(user(alice), { type: "route", id: "/scim2/Users" }, { name: "GET" })).toBe(true);
    expect(await may(user(alice), { type: "route", id: "/scim2/Users" }, { name: "POST" })).toBe(false);
    const orders = { type: "api", id: "https://orders.example" };
    const context = { application: client.applicationId };
    expect(await may(user(alice), orders, { name: "orders:read" }, context)).toBe(true);
    expect(await may(user(alice), orders, { name: "orders:write" }, context)).toBe(false);
    expect(await may(user(alice), { type: "api", id: "/scim2/Users" }, { name: "internal_user_mgt_list" })).toBe(true);
    expect(await may({ type: "client", id: client.clientId }, orders, { name: "orders:write" })).toBe(true);
  });

  test("takes context, properties and members that it does not know, without a word", async () => {
    const { status, body, headers } = await evaluate({
      subject: { ...user(alice), properties: { department: "Sales", "": null } },
      action: { ...CALL, properties: { method: "GET" } },
      resource: { ...operation("listUsers"), properties: { a: [1, { b: true }] } },
      context: { time: "2026-11-29T12:00Z" },
      futureField: { nested: true },
    });
    expect([status, body]).toEqual([200, { decision: true }]);
    expect(headers.get("ignored-members")).toBeNull();
  });

  test("says what is missing to callers who may see it", async () => {
    const question = { subject: user(bob), action: CALL, resource: operation("listUsers") };
    expect((await evaluate(question)).body).toEqual({
      decision: false,
      context: { missing: [{ requirement: "scope", scope: "internal_user_mgt_list", reason: "no_role" }] },
    });
    await addUser(api.service, { username: "pep", password, scopes: ["internal_access_view"] });
    const told = await evaluate(question, { as: { username: "pep", password } });
    expect([told.status, told.body]).toEqual([200, { decision: false }]);
  });

  test("denies a subject or an application that does not exist, or is of another tenant", async () => {
    const acme = await saas.newTenant("acme-authzen.example");
    const stranger = await acme.newUser("alice");
    for (const id of [UNKNOWN_ID, stranger]) {
      const { status, body } = await evaluate({ subject: user(id), action: CALL, resource: operation("listUsers") });
      expect([status, body.decision, body.context.error.status]).toEqual([200, false, 404]);
    }
    const context = { application: UNKNOWN_ID };
    expect(await may(user(alice), operation("listUsers"), CALL, context)).toBe(false);
    const own = await acme.ask("POST", "/access/v1/evaluation", {
      body: { subject: user(alice), action: CALL, resource: operation("listUsers") },
    });
    expect(own.body).toMatchObject({ decision: false, context: { error: { status: 404 } } });
  });

  test("is 400 with a message that says what to do, for what makes no question", async () => {
    const whole = { subject: user(alice), action: CALL, resource: operation("listUsers") };
    const { subject, action, resource } = whole;
    const said = async (body: unknown): Promise<unknown> => {
      const answer = await post("evaluation", body);
      expect([answer.status, typeof answer.body]).toEqual([400, "string"]);
      return answer.body;
    };
    for (const wrong of [
      { action, resource },
      { subject, resource },
      { subject, action },
      { ...whole, subject: { id: alice } },
      { ...whole, subject: { type: "user" } },
      { ...whole, action: {} },
      { ...whole, action: { name: 123 } },
      { ...whole, resource: { id: "x" } },
      { ...whole, resource: { type: "operation" } },
      { ...whole, subject: "alice" },
      { ...whole, context: { application: 7 } },
      [],
    ]) {
      await said(wrong);
    }
    expect(await said({ ...whole, resource: operation("listUser") })).toContain("Did you mean listUsers?");
    expect(await said({ ...whole, action: { name: "read" } })).toContain("call");
    expect(await said({ ...whole, resource: { type: "record", id: "1" } })).toContain("route");
    expect(await said({ ...whole, subject: { type: "group", id: "1" } })).toContain("client");
    const orders = { type: "api", id: "https://orders.example" };
    expect(await said({ ...whole, resource: orders, action: { name: "internal_user_mgt_list" } })).toContain(
      "orders.example",
    );
    expect(await said({ ...whole, resource: { type: "api", id: "nothing" }, action: { name: "x" } })).toContain(
      "scopes",
    );
  });

  test("is 400 for other media types, for what is no JSON, and without a body", async () => {
    for (const [raw, headers] of [
      ["{}", { "content-type": "text/plain" }],
      ["{", {}],
      ["", { "content-type": "application/json" }],
    ] as const) {
      const { status, body } = await api.ask("POST", "/access/v1/evaluation", { raw, headers });
      expect([raw, status, typeof body]).toEqual([raw, 400, "string"]);
    }
  });

  test("is 401 and 403 with a message, and has the X-Request-ID of the request", async () => {
    const headers = { "X-Request-ID": "bfe9eb29-ab87-4ca3" };
    const question = { subject: user(alice), action: CALL, resource: operation("listUsers") };
    const refused = await evaluate(question, { as: null, headers });
    expect([refused.status, typeof refused.body]).toEqual([401, "string"]);
    const forbidden = await evaluate(question, { as: { username: "alice", password }, headers });
    expect([forbidden.status, forbidden.body]).toEqual([403, expect.stringContaining("internal_access_view")]);
    const served = await evaluate(question, { headers });
    for (const one of [refused, forbidden, served]) expect(one.headers.get("x-request-id")).toBe("bfe9eb29-ab87-4ca3");
    expect((await evaluate(question)).headers.get("x-request-id")).toBeNull();
    const odd = { "X-Request-ID": "x".repeat(300) };
    expect((await evaluate(question, { headers: odd })).headers.get("x-request-id")).toBeNull();
  });
});

describe("evaluateAccesses", () => {
  const many = (body: object) => post("evaluations", body);
  const both = [
    { resource: operation("createUser") },
    { resource: operation("listUsers") },
    { resource: operation("getMe") },
  ];

  test("gives each evaluation the values of the request, and answers in their order", async () => {
    const { status, body } = await many({ subject: user(alice), action: CALL, evaluations: both });
    expect([status, body.evaluations.map(({ decision }: { decision: boolean }) => decision)]).toEqual([
      200,
      [false, true, true],
    ]);
    const mixed = await many({
      subject: user(alice),
      action: CALL,
      resource: operation("listUsers"),
      evaluations: [
        {},
        { subject: user(bob) },
        { resource: { type: "route", id: "/scim2/Me" }, action: { name: "GET" } },
      ],
    });
    expect(mixed.body.evaluations.map(({ decision }: { decision: boolean }) => decision)).toEqual([true, false, true]);
  });

  test.each([
    ["execute_all", [false, true, true]],
    ["deny_on_first_deny", [false]],
    ["permit_on_first_permit", [false, true]],
  ])("ends as %s says", async (evaluations_semantic, expected) => {
    const { body } = await many({
      subject: user(alice),
      action: CALL,
      evaluations: both,
      options: { evaluations_semantic, another_option: "value" },
    });
    expect(body.evaluations.map(({ decision }: { decision: boolean }) => decision)).toEqual(expected);
  });

  test("is an evaluation where the list is absent or empty", async () => {
    const question = { subject: user(alice), action: CALL, resource: operation("listUsers") };
    expect((await many(question)).body).toEqual({ decision: true });
    expect((await many({ ...question, evaluations: [] })).body).toEqual({ decision: true });
    expect((await many({ evaluations: [] })).status).toBe(400);
  });

  test("denies an evaluation that makes no sense, with the error, and decides the others", async () => {
    const { status, body } = await many({
      subject: user(alice),
      action: CALL,
      evaluations: [
        { resource: operation("nothing") },
        { resource: operation("listUsers") },
        { resource: { type: "record", id: "1" } },
        { resource: operation("listUsers"), subject: user(UNKNOWN_ID) },
      ],
    });
    expect(status).toBe(200);
    expect(
      body.evaluations.map(({ decision, context }: { decision: boolean; context?: { error: { status: number } } }) => [
        decision,
        context?.error.status,
      ]),
    ).toEqual([
      [false, 400],
      [true, undefined],
      [false, 400],
      [false, 404],
    ]);
  });

  test("is 400 for more than 100 evaluations, for one that lacks a part, and for an unknown semantic", async () => {
    const question = { subject: user(alice), action: CALL };
    const hundred = Array.from({ length: 100 }, () => ({ resource: operation("listUsers") }));
    const full = await many({ ...question, evaluations: hundred });
    expect([full.status, full.body.evaluations.length]).toEqual([200, 100]);
    const over = await many({ ...question, evaluations: [...hundred, ...hundred.slice(0, 1)] });
    expect([over.status, over.body]).toEqual([400, expect.stringContaining("at most 100 evaluations")]);
    const lacking = await many({ ...question, evaluations: [{ resource: operation("listUsers") }, {}] });
    expect([lacking.status, lacking.body]).toEqual([400, expect.stringContaining("evaluations[1] has no resource")]);
    const odd = await many({ ...question, evaluations: both, options: { evaluations_semantic: "all" } });
    expect([odd.status, odd.body]).toEqual([400, expect.stringContaining("evaluations_semantic")]);
  });

  test("costs three round trips for 100 evaluations of different users", async () => {
    const evaluations = Array.from({ length: 100 }, (_, at) => ({
      subject: user(made[at % made.length] ?? ""),
      resource: operation(at % 2 === 0 ? "listUsers" : "listGroups"),
      context: { application: client.applicationId },
    }));
    const { lines } = await heard(() => many({ action: CALL, evaluations }));
    expect(costOf(lines.find((line) => !isAuthorizer(line))).roundTrips).toBe(3);
  });
});

describe("searchAccessSubjects", () => {
  const question = {
    subject: { type: "user" },
    action: { name: "GET" },
    resource: { type: "route", id: "/scim2/Groups" },
  };
  const search = (body: object, ask: Ask = {}) => post("search/subject", body, ask);

  test("finds the users who may, page after page, and each once", async () => {
    const found: string[] = [];
    let token: string | undefined;
    let pages = 0;
    do {
      const { status, body } = await search({ ...question, page: { limit: 5, ...(token && { token }) } });
      expect([status, body.page.count]).toEqual([200, body.results.length]);
      found.push(...body.results.map(({ id }: { id: string }) => id));
      token = body.page.next_token;
      pages += 1;
    } while (token);
    expect(pages).toBeGreaterThan(2);
    expect(found).toEqual(expect.arrayContaining([made[3], made[7]]));
    expect(new Set(found).size).toBe(found.length);
    expect(found).not.toContain(bob);
    const all = await search({ ...question, subject: { type: "user", id: "ignored" } });
    expect(all.body.results.map(({ id }: { id: string }) => id)).toEqual(found);
    expect(all.body.page.next_token).toBe("");
    for (const id of found) expect(await may(user(id), question.resource, question.action)).toBe(true);
  });

  test("refuses a token of another search, and one that was made up", async () => {
    const { body } = await search({ ...question, page: { limit: 2 } });
    const token = body.page.next_token;
    expect(Buffer.from(token, "base64url").toString()).not.toContain("alice");
    const other = { ...question, resource: { type: "route", id: "/scim2/Users" }, page: { limit: 2, token } };
    for (const page of [{ token: "MTIz" }, { token: "x" }, { token: `${token}A` }]) {
      expect((await search({ ...question, page })).status).toBe(400);
    }
    expect((await search(other)).status).toBe(400);
    expect((await search({ ...question, page: { limit: -1 } })).status).toBe(400);
    const nothing = (await search({ ...question, page: { limit: 0 } })).body;
    expect([nothing.results, nothing.page.next_token === ""]).toEqual([[], false]);
  });

  test("needs the scope that lists users, and searches nothing else", async () => {
    const refused = await search(question, { as: { username: "pep", password } });
    expect([refused.status, refused.body]).toEqual([403, expect.stringContaining("internal_user_mgt_list")]);
    expect((await search({ ...question, subject: { type: "client" } })).status).toBe(400);
    expect((await search({ ...question, resource: operation("nothing"), action: CALL })).status).toBe(400);
    const context = { application: UNKNOWN_ID };
    expect((await search({ ...question, context })).status).toBe(404);
  });

  test("finds no user of another tenant", async () => {
    const acme = await saas.newTenant("acme-search.example");
    const { body } = await acme.ask("POST", "/access/v1/search/subject", { body: question });
    expect(body.results).toHaveLength(1);
    expect([...made, alice, bob]).not.toContain(body.results[0].id);
  });
});

describe("getAccessConfiguration, getTenantAccessConfiguration", () => {
  test.each([
    ["", ""],
    ["/t/acme-search.example", "/t/acme-search.example"],
  ])("name the endpoints of the decision point that they are derived from: %j", async (end, place) => {
    const { status, body } = await api.ask("GET", `/.well-known/authzen-configuration${end}`, { as: null });
    expect([status, body]).toEqual([
      200,
      {
        policy_decision_point: `${api.url}${place}`,
        access_evaluation_endpoint: `${api.url}${place}/access/v1/evaluation`,
        access_evaluations_endpoint: `${api.url}${place}/access/v1/evaluations`,
        search_subject_endpoint: `${api.url}${place}/access/v1/search/subject`,
      },
    ]);
    const unknown = await api.ask("GET", "/.well-known/authzen-configuration/t/nowhere.example", { as: null });
    expect(unknown.status).toBe(404);
  });
});
