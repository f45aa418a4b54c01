/** Access to an application that asks for an assignment (`enableAuthorization`; decision 0170), and attacks on it. */
import { beforeAll, describe, expect, test } from "vitest";
import { noAccessPage } from "#core/sign-in/pages/no-access-page.ts";
import { ACCESS, EXCHANGE } from "#tests/support/exchange.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { saasOf } from "#tests/support/saas.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { type Answer, APPLICATIONS, world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";

const api = world();
const saas = saasOf(api);
const { requestOf, enter, answerOf, redeem, browser, newApplication } = saas;
const CLOSED = { skipLoginConsent: true, enableAuthorization: true };
const GRANTS = ["authorization_code", "refresh_token", "password", "client_credentials", EXCHANGE];
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

let kim = "";
let group = "";
/** A group without roles: who leaves it loses no token by that. */
let crew = "";
let role = "";
let groupRole = "";
let made = 0;

const closed = (more: object = {}, oidc: object = {}): Promise<TestClient> =>
  newApplication({ grantTypes: GRANTS, ...oidc }, { advancedConfigurations: { ...CLOSED, ...more } });
const pathOf = ({ applicationId }: TestClient) => `${APPLICATIONS}/${applicationId}/assignments`;
const assign = async (client: TestClient, type: string, id: string): Promise<string> => {
  const answer = await api.ask("POST", pathOf(client), { body: { type, id } });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.id;
};
const unassign = async (client: TestClient, id: string) =>
  expect((await api.ask("DELETE", `${pathOf(client)}/${id}`)).status).toBe(204);
const password = (client: TestClient, scope = "openid") =>
  saas.post("/oauth2/token", { grant_type: "password", ...PERSON, scope }, client);
const exchange = (client: TestClient, subject: string, more: Record<string, string> = {}) =>
  saas.post(
    "/oauth2/token",
    { grant_type: EXCHANGE, subject_token: subject, subject_token_type: ACCESS, ...more },
    client,
  );
const refused = ({ status, body }: Answer) => expect([status, body.error]).toEqual([400, "invalid_grant"]);
const members = (id: string, op: "add" | "remove", to = "Groups", attribute = "members") =>
  api.ask("PATCH", `/scim2/${to}/${id}`, {
    body: {
      schemas: [PATCH],
      Operations: [
        op === "add"
          ? { op, path: attribute, value: [{ value: kim }] }
          : { op, path: `${attribute}[value eq "${kim}"]` },
      ],
    },
  });
const isActive = async (client: TestClient, token: string | undefined) =>
  (await saas.introspect(token, client)).body.active;

beforeAll(async () => {
  const created = await api.ask("POST", "/scim2/Users", {
    body: { userName: PERSON.username, password: PERSON.password },
  });
  kim = created.body.id;
  const of = [{ value: kim }];
  group = (await api.ask("POST", "/scim2/Groups", { body: { displayName: "drivers", members: of } })).body.id;
  crew = (await api.ask("POST", "/scim2/Groups", { body: { displayName: "crew", members: of } })).body.id;
  role = (await api.ask("POST", "/scim2/v2/Roles", { body: { displayName: "own", users: of } })).body.id;
  groupRole = (
    await api.ask("POST", "/scim2/v2/Roles", { body: { displayName: "inherited", groups: [{ value: group }] } })
  ).body.id;
});

const ways = ["user", "group", "role", "role of a group"] as const;
const wayOf = (way: (typeof ways)[number]): readonly [string, string] => {
  if (way === "user") return ["user", kim];
  if (way === "group") return ["group", group];
  return ["role", way === "role" ? role : groupRole];
};

describe("only a user who is assigned, by whatever way, gets a code and tokens", () => {
  test.each(ways)("by an assignment of the %s", async (way) => {
    const client = await closed();
    const page = browser();
    await page.open(requestOf(client, { state: "s" }));
    const shown = await enter(page);
    expect([shown.status, shown.title]).toEqual([200, expect.stringMatching(/^No access/)]);
    expect(shown.html).toContain("carbon.super");
    expect(shown.alert).toContain(PERSON.username);
    // The page is no way in.
    expect((await page.submit({ answer: "allow" })).title).toMatch(/^No access/);
    expect(answerOf(await page.submit({ answer: "deny" }))).toMatchObject({ error: "access_denied", state: "s" });
    expect(await saas.silently(page, client)).toMatchObject({ error: "access_denied" });
    expect((await page.open(requestOf(client))).title).toMatch(/^No access/);
    refused(await password(client));

    const id = await assign(client, ...wayOf(way));
    const code = answerOf(await page.open(requestOf(client))).code;
    const redeemed = await redeem(client, code);
    expect([redeemed.status, (await saas.infoOf(redeemed.body.access_token)).status]).toEqual([200, 200]);
    expect(await saas.silently(page, client)).toHaveProperty("code");
    const granted = await password(client);
    expect(granted.status, granted.text).toBe(200);
    const { refresh_token, access_token } = (await saas.refresh(client, granted.body.refresh_token)).body;
    expect(await isActive(client, access_token)).toBe(true);

    const late = answerOf(await page.open(requestOf(client))).code;
    await unassign(client, id);
    refused(await redeem(client, late));
    expect(await saas.silently(page, client)).toMatchObject({ error: "access_denied" });
    expect((await page.open(requestOf(client))).title).toMatch(/^No access/);
    expect([await isActive(client, refresh_token), (await saas.infoOf(redeemed.body.access_token)).status]).toEqual([
      false,
      401,
    ]);
    expect(await isActive(client, redeemed.body.access_token)).toBe(false);
    refused(await password(client));
    // For good: another assignment does not bring it back.
    await assign(client, ...wayOf(way));
    refused(await saas.refresh(client, refresh_token));
    const next = await password(client);
    expect((await saas.refresh(client, next.body.refresh_token)).status).toBe(200);
  });

  test("an application that does not ask for it takes everybody, assigned or not", async () => {
    const open = await newApplication({ grantTypes: GRANTS });
    expect((await password(open)).status).toBe(200);
    const { refresh_token } = (await password(open)).body;
    await unassign(open, await assign(open, "user", kim));
    expect((await saas.refresh(open, refresh_token)).status).toBe(200);
    // It counts from the moment when it is set.
    const page = browser();
    await page.open(requestOf(open));
    const { code } = answerOf(await enter(page));
    await api.ask("PATCH", `${APPLICATIONS}/${open.applicationId}`, { body: { advancedConfigurations: CLOSED } });
    refused(await redeem(open, code));
    refused(await saas.refresh(open, refresh_token));
  });

  test("with a first sign-in of the person the page comes after the password, and the session is there", async () => {
    const client = await closed();
    const other = await newApplication();
    const page = browser();
    await page.open(requestOf(client));
    expect((await enter(page, { ...PERSON, password: "wrong" })).title).toMatch(/^Sign in/);
    expect((await enter(page)).title).toMatch(/^No access/);
    expect(answerOf(await page.open(requestOf(other)))).toHaveProperty("code");
  });

  test("an open page of consent is no way in for who has lost access meanwhile", async () => {
    const client = await closed({ skipLoginConsent: false });
    const id = await assign(client, "user", kim);
    const page = browser();
    await page.open(requestOf(client));
    expect((await enter(page)).title).toMatch(/Give access|asks for access/);
    await unassign(client, id);
    expect((await page.submit({ answer: "allow" })).title).toMatch(/^No access/);
  });

  test("in German, too", () => {
    const form = { application: "<b>Fahrten</b>", tenant: "Taxi", action: "/x", request: "r", userName: "kim" };
    const { html } = noAccessPage({ language: "de", ...form });
    expect(html).toContain("<title>Kein Zugang – &lt;b&gt;Fahrten&lt;/b&gt;</title>");
    expect(html).toContain("Zurück zur Anwendung");
  });
});

describe("another assignment that gives access", () => {
  test.each([
    ["user", "group"],
    ["group", "user"],
    ["role", "group"],
    ["role of a group", "role"],
  ] as const)(
    "keeps the refresh tokens where the one of the %s is taken away and that of the %s stays",
    async (lost, kept) => {
      const client = await closed();
      const id = await assign(client, ...wayOf(lost));
      const { refresh_token } = (await password(client)).body;
      await assign(client, ...wayOf(kept));
      await unassign(client, id);
      const again = await saas.refresh(client, refresh_token);
      expect(again.status, again.text).toBe(200);
      await assign(client, ...wayOf(lost));
      expect((await saas.refresh(client, again.body.refresh_token)).status).toBe(200);
    },
  );
});

describe("who leaves", () => {
  test("a group or a role has no access at the next refresh, and not again when back", async () => {
    for (const [way, leave] of [
      [["group", crew], (op: "add" | "remove") => members(crew, op)],
      [["group", group], (op: "add" | "remove") => members(group, op)],
      [["role", role], (op: "add" | "remove") => members(role, op, "v2/Roles", "users")],
    ] as const) {
      const client = await closed();
      await assign(client, way[0] ?? "", way[1] ?? "");
      const { refresh_token } = (await password(client)).body;
      expect((await leave("remove")).status).toBe(200);
      const answer = await saas.refresh(client, refresh_token);
      const gone = await password(client);
      expect((await leave("add")).status).toBe(200);
      refused(answer);
      refused(gone);
      refused(await saas.refresh(client, refresh_token));
      expect((await password(client)).status).toBe(200);
    }
  });

  test("a deleted group gives no access, and none comes with an id that is assigned again", async () => {
    made += 1;
    const body = { displayName: `short ${made}`, members: [{ value: kim }] };
    const { id } = (await api.ask("POST", "/scim2/Groups", { body })).body;
    const client = await closed();
    await assign(client, "group", id);
    const { refresh_token } = (await password(client)).body;
    expect((await api.ask("DELETE", `/scim2/Groups/${id}`)).status).toBe(204);
    refused(await password(client));
    refused(await saas.refresh(client, refresh_token));
    expect((await api.ask("GET", pathOf(client))).body.totalResults).toBe(0);
    await assign(client, "user", kim);
    const next = await password(client);
    expect((await saas.refresh(client, next.body.refresh_token)).status).toBe(200);
  });
});

describe("an exchange", () => {
  test("needs access to the application that hands the token over, and to the one that takes it", async () => {
    const [front, back] = [await closed(), await closed()];
    const id = await assign(front, "user", kim);
    const subject = (await password(front)).body.access_token;
    const handed = await exchange(front, subject, { audience: back.clientId });
    expect(handed.status, handed.text).toBe(200);
    refused(await exchange(back, handed.body.access_token));
    const behind = await assign(back, "user", kim);
    expect((await exchange(back, handed.body.access_token)).status).toBe(200);
    await assign(back, "group", crew);
    await unassign(back, behind);
    // From here on the group gives access to the second application, and nothing to the first.
    await members(crew, "remove");
    const left = await exchange(back, handed.body.access_token);
    await members(crew, "add");
    expect([left.status, left.body.error]).toEqual([400, "invalid_grant"]);
    await unassign(front, id);
    const ended = await exchange(back, handed.body.access_token);
    expect(ended.status).toBe(400);
  });

  test("of a token of a front application whose group the user has left is refused", async () => {
    const [front, back] = [await closed(), await newApplication({ grantTypes: GRANTS })];
    await assign(front, "group", crew);
    const subject = (await password(front)).body.access_token;
    const handed = (await exchange(front, subject, { audience: back.clientId })).body.access_token;
    await members(crew, "remove");
    const [one, other] = [await exchange(front, subject), await exchange(back, handed)];
    await members(crew, "add");
    refused(one);
    refused(other);
  });
});

describe("strangers", () => {
  test("guests have no access, whatever is assigned", async () => {
    const acme = await saas.newTenant("access.example");
    const guest = await acme.newUser("kim");
    const client = await closed({ saas: true });
    const everyone = (await api.ask("GET", `/scim2/v2/Roles?filter=${encodeURIComponent("displayName eq everyone")}`))
      .body.Resources[0].id;
    await assign(client, "role", everyone);
    expect((await api.ask("POST", pathOf(client), { body: { type: "user", id: guest } })).status).toBe(400);
    const page = browser();
    await page.open(requestOf(client));
    expect((await enter(page, { username: "kim@access.example", password: PERSON.password })).title).toMatch(
      /^No access/,
    );
    expect(answerOf(await page.submit({ answer: "deny" }))).toMatchObject({ error: "access_denied" });
    expect(await saas.silently(page, client)).toMatchObject({ error: "access_denied" });
    // Users of the tenant have it by the role that everyone has.
    expect((await password(client)).status).toBe(200);
  });

  test("a guest who was signed in before loses the tokens when an assignment is asked for", async () => {
    const acme = await saas.newTenant("before.example");
    await acme.newUser("kim");
    const client = await saas.newSaas();
    const { tokens } = await saas.tokensOf(client, { username: "kim@before.example" });
    const advancedConfigurations = { ...CLOSED, saas: true };
    await api.ask("PATCH", `${APPLICATIONS}/${client.applicationId}`, { body: { advancedConfigurations } });
    expect((await saas.infoOf(tokens.access_token)).status).toBe(401);
    refused(await saas.refresh(client, tokens.refresh_token));
  });

  test("an assignment of another tenant's application or user gives nothing here", async () => {
    const acme = await saas.newTenant("crossed.example");
    const theirs = await acme.newUser("kim");
    const there = await acme.newApplication({ advancedConfigurations: CLOSED });
    expect((await acme.ask("POST", pathOf(there), { body: { type: "user", id: theirs } })).status).toBe(201);
    expect((await acme.ask("POST", pathOf(there), { body: { type: "user", id: kim } })).status).toBe(400);
    const client = await closed();
    expect((await acme.ask("POST", pathOf(client), { body: { type: "user", id: theirs } })).status).toBe(404);
    refused(await password(client));
  });
});

test("a race of sign-ins with the removal leaves no token that can be refreshed", async () => {
  const client = await closed();
  for (let turn = 0; turn < 4; turn += 1) {
    const id = await assign(client, "user", kim);
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 6 }, () => password(client))),
      new Promise((resolve) => setTimeout(resolve, turn * 5)).then(() => unassign(client, id)),
    ]);
    for (const { status, body } of answers) {
      if (status !== 200) continue;
      refused(await saas.refresh(client, body.refresh_token));
      expect(await isActive(client, body.access_token)).toBe(false);
    }
  }
});

test("many assigned groups and roles: those of the user give access, those of others do not", async () => {
  const client = await closed();
  const ids: string[] = [];
  for (let at = 0; at < 66; at += 1) {
    const { body } = await api.ask("POST", "/scim2/Groups", { body: { displayName: `many ${at}` } });
    ids.push(await assign(client, "group", body.id));
  }
  refused(await password(client));
  const own = await assign(client, "group", group);
  const first = await password(client);
  expect(first.status, first.text).toBe(200);
  await unassign(client, own);
  refused(await saas.refresh(client, first.body.refresh_token));
  await assign(client, "role", groupRole);
  expect((await password(client)).status).toBe(200);
  // Few again.
  for (const id of ids.slice(0, 10)) await unassign(client, id);
  expect((await password(client)).status).toBe(200);
  expect((await api.ask("GET", pathOf(client))).body.totalResults).toBe(57);
});

test("costs one round trip and two read units more, where others are assigned too", async () => {
  const [client, plain] = [await closed(), await newApplication()];
  await assign(client, "group", group);
  for (let at = 0; at < 5; at += 1) {
    const { body } = await api.ask("POST", "/scim2/Users", {
      body: { userName: `other-${at}`, password: PERSON.password },
    });
    await assign(client, "user", body.id);
  }
  const page = browser();
  await page.open(requestOf(plain));
  await enter(page);
  await page.open(requestOf(client));
  const costOf = async (of: TestClient) => {
    const lines = await listening(() => page.open(requestOf(of)));
    const [line] = lines.filter((each: LogLine) => each.service === "sign-in" && each.RoundTrips !== undefined);
    return { trips: line?.RoundTrips ?? 99, reads: line?.ReadUnits ?? 99 };
  };
  const [without, withIt] = [await costOf(plain), await costOf(client)];
  expect(withIt.trips - without.trips).toBeLessThanOrEqual(1);
  expect(withIt.reads - without.reads).toBeLessThanOrEqual(2);
});
