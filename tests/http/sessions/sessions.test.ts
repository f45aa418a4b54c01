/** Sessions are listed and ended by API, for their users and for administrators. */
import { beforeAll, describe, expect, test } from "vitest";
import type { TestClient } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser, tokensOf } = signInOf(api);
const USERS = "/api/users/v1";
const OWN = `${USERS}/me/sessions`;
const kim = PERSON;
const lee = { username: "lee", password: "a-good-Password-2" };
const viewer = { username: "viewer", password: "a-good-Password-3" };
const ender = { username: "ender", password: "a-good-Password-4" };
const stranger = { username: "stranger", password: "a-good-Password-5" };
let client: TestClient;
let kimId = "";

const newUser = async ({ username: userName, password }: typeof PERSON): Promise<string> => {
  const { status, body, text } = await api.ask("POST", "/scim2/Users", { body: { userName, password } });
  if (status !== 201) throw new Error(text);
  return body.id;
};

beforeAll(async () => {
  kimId = await newUser(kim);
  await newUser(lee);
  for (const [user, scopes] of [
    [viewer, ["internal_session_view"]],
    [ender, ["internal_session_delete"]],
    [stranger, []],
  ] as const) {
    await addUser(api.service, { ...user, scopes });
  }
  client = await newApplication();
});

// biome-ignore lint/suspicious/noExplicitAny: the body of a response
type Shown = any;
const listed = async (as = kim): Promise<readonly Shown[]> => (await api.ask("GET", OWN, { as })).body.sessions;

/** A browser in which kim is signed in, with the id of the session. */
const signedIn = async (of = client, person = kim) => {
  const page = browser();
  const shown = await page.open(requestOf(of), { "user-agent": "Browser/1.0" });
  expect(shown.status).toBe(200);
  const { code } = answerOf(await page.submit(person, { "user-agent": "Browser/1.0" }));
  const { body } = await redeem(of, code);
  return { page, tokens: body, sid: claimsIn(body.id_token).sid as string };
};
const isSignedIn = async (page: ReturnType<typeof browser>, of = client) =>
  "code" in answerOf(await page.open(requestOf(of, { prompt: "none" })));

describe("listMySessions", () => {
  test("shows each browser with its applications, without a secret", async () => {
    await api.ask("DELETE", OWN, { as: kim });
    const other = await newApplication({}, { name: "Bikes" });
    const [first, second] = [await signedIn(), await signedIn()];
    await second.page.open(requestOf(other));
    const { status, body, text } = await api.ask("GET", OWN, { as: kim });
    expect([status, body.userId]).toEqual([200, kimId]);
    const byId = new Map(body.sessions.map((each: Shown) => [each.id, each]));
    expect([...byId.keys()].sort()).toEqual([first.sid, second.sid].sort());
    const cars = { id: client.applicationId, appId: client.applicationId, subject: kimId };
    expect(byId.get(first.sid)).toEqual({
      id: first.sid,
      applications: [{ ...cars, appName: expect.any(String) }],
      userAgent: "Browser/1.0",
      ip: "127.0.0.1",
      loginTime: expect.stringMatching(/^\d{13}$/),
      lastAccessTime: expect.stringMatching(/^\d{13}$/),
    });
    const names = (byId.get(second.sid) as Shown).applications.map(({ appName }: Shown) => appName);
    expect(names).toHaveLength(2);
    expect(names).toContain("Bikes");
    for (const { page } of [first, second]) {
      const [, secret = ""] = page.cookies.get("__Host-session")?.split(".") ?? [];
      expect(text).not.toContain(secret);
    }
  });

  test("shows nothing that has ended: by a sign-out, a password, or another user in the browser", async () => {
    await api.ask("DELETE", OWN, { as: kim });
    const out = await signedIn();
    await out.page.open(`/oidc/logout?id_token_hint=${out.tokens.id_token}`);
    const taken = await signedIn();
    await taken.page.open(requestOf(client, { prompt: "login" }));
    await enter(taken.page, lee);
    expect(await listed()).toEqual([]);
    expect(await listed(lee)).toHaveLength(1);

    const again = await signedIn();
    expect((await listed()).map(({ id }) => id)).toEqual([again.sid]);
    await api.ask("PATCH", `/scim2/Users/${kimId}`, {
      body: {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "replace", value: { password: kim.password } }],
      },
    });
    expect(await listed()).toEqual([]);
    expect(await isSignedIn(again.page)).toBe(false);
  });

  test("a session of the same user in the same browser goes on with its id when the password is entered again", async () => {
    const { page, sid } = await signedIn();
    const cookie = page.cookies.get("__Host-session");
    await page.open(requestOf(client, { prompt: "login" }));
    const { code } = answerOf(await enter(page));
    const { body } = await redeem(client, code);
    expect(claimsIn(body.id_token).sid).toBe(sid);
    expect(page.cookies.get("__Host-session")).not.toBe(cookie);
    const copy = browser();
    copy.cookies.set("__Host-session", cookie ?? "");
    expect(await isSignedIn(copy)).toBe(false);
    expect(await isSignedIn(page)).toBe(true);
  });

  test("is for users: an application on its own account has none", async () => {
    const robot = await newApplication({ grantTypes: ["client_credentials"] });
    const basic = `Basic ${Buffer.from(`${robot.clientId}:${robot.clientSecret}`).toString("base64")}`;
    const { body } = await api.ask("POST", "/oauth2/token", {
      as: basic,
      raw: "grant_type=client_credentials",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect((await api.ask("GET", OWN, { as: `Bearer ${body.access_token}` })).status).toBe(403);
  });

  test("needs internal_login in a token of a sign-in", async () => {
    const { tokens } = await tokensOf(client);
    expect((await api.ask("GET", OWN, { as: `Bearer ${tokens.access_token}` })).status).toBe(403);
  });
});

describe("a rehearsal", () => {
  test.each([
    ["all of the caller", () => OWN, () => kim],
    ["one of the caller", (sid: string) => `${OWN}/${sid}`, () => kim],
    ["all of a user", () => `${USERS}/${kimId}/sessions`, () => ender],
    ["one of a user", (sid: string) => `${USERS}/${kimId}/sessions/${sid}`, () => ender],
  ])("of the end of %s ends nothing; the same request does", async (_, pathOf, as) => {
    const { page, sid } = await signedIn();
    const rehearsed = await api.ask("DELETE", `${pathOf(sid)}?dryRun=true`, { as: as() });
    expect([rehearsed.status, rehearsed.headers.get("dry-run")]).toEqual([204, "true"]);
    expect(await isSignedIn(page)).toBe(true);
    expect((await api.ask("DELETE", pathOf(sid), { as: as() })).status).toBe(204);
    expect(await isSignedIn(page)).toBe(false);
  });
});

describe("endMySession", () => {
  test("ends the one that is named, at once, and is 404 for any other", async () => {
    const [ended, kept] = [await signedIn(), await signedIn()];
    expect((await api.ask("DELETE", `${OWN}/${ended.sid}`, { as: kim })).status).toBe(204);
    expect([await isSignedIn(ended.page), await isSignedIn(kept.page)]).toEqual([false, true]);
    expect((await api.ask("DELETE", `${OWN}/${ended.sid}`, { as: kim })).status).toBe(404);
    expect((await api.ask("DELETE", `${OWN}/${kept.sid}`, { as: lee })).status).toBe(404);
    for (const id of ["a", `${kept.sid}%23${client.clientId}`, "%00"]) {
      expect((await api.ask("DELETE", `${OWN}/${id}`, { as: kim })).status).toBe(404);
    }
    expect(await isSignedIn(kept.page)).toBe(true);
  });
});

describe("endMySessions", () => {
  test("ends all of the user, and of nobody else", async () => {
    const pages = [await signedIn(), await signedIn()];
    const other = await signedIn(client, lee);
    expect((await api.ask("DELETE", OWN, { as: kim })).status).toBe(204);
    expect(await Promise.all(pages.map(({ page }) => isSignedIn(page)))).toEqual([false, false]);
    expect(await isSignedIn(other.page)).toBe(true);
    expect((await api.ask("DELETE", OWN, { as: kim })).status).toBe(204);
  });

  test("one more than 50 ends the one that was used longest ago", async () => {
    await api.ask("DELETE", OWN, { as: lee });
    const first = await signedIn(client, lee);
    for (let count = 1; count < 50; count += 1) await signedIn(client, lee);
    expect(await listed(lee)).toHaveLength(50);
    const last = await signedIn(client, lee);
    const ids = (await listed(lee)).map(({ id }) => id);
    expect(ids).toHaveLength(50);
    expect(ids).toContain(last.sid);
    expect((await api.ask("DELETE", OWN, { as: lee })).status).toBe(204);
    expect(await listed(lee)).toEqual([]);
    expect(await isSignedIn(first.page)).toBe(false);
  }, 120_000);
});

describe("listUserSessions", () => {
  test("shows the sessions of a user to those with internal_session_view", async () => {
    const { sid } = await signedIn();
    const path = `${USERS}/${kimId}/sessions`;
    const { status, body } = await api.ask("GET", path, { as: viewer });
    expect([status, body.userId]).toEqual([200, kimId]);
    expect(body.sessions.map(({ id }: Shown) => id)).toContain(sid);
    for (const as of [stranger, ender, kim]) expect((await api.ask("GET", path, { as })).status).toBe(403);
    expect((await api.ask("GET", path, { as: null })).status).toBe(401);
    const unknown = `${USERS}/8c5a8c1c-6a5f-4a63-9d5e-5a4a1a7c0001/sessions`;
    expect((await api.ask("GET", unknown, { as: viewer })).status).toBe(404);
  });

  test("a user of another tenant is like one that does not exist, for every operation", async () => {
    const owner = {
      username: "boss",
      password: "a-good-Password-6",
      email: "b@acme.com",
      firstname: "B",
      lastname: "B",
    };
    const { status } = await api.ask("POST", "/api/server/v1/tenants", {
      body: { domain: "acme.com", owners: [{ ...owner, provisioningMethod: "inline-password" }] },
    });
    expect(status).toBe(201);
    const { page, sid } = await signedIn();
    const as = { username: "boss@acme.com", password: owner.password };
    const calls = [
      ["GET", `/${kimId}/sessions`],
      ["DELETE", `/${kimId}/sessions`],
      ["DELETE", `/${kimId}/sessions/${sid}`],
      ["GET", `/${kimId}/authorized-apps`],
      ["DELETE", `/${kimId}/authorized-apps`],
      ["DELETE", `/${kimId}/authorized-apps/${client.applicationId}`],
      ["DELETE", `/me/sessions/${sid}`],
    ] as const;
    for (const [method, path] of calls) {
      expect([path, (await api.ask(method, `${USERS}${path}`, { as })).status]).toEqual([path, 404]);
      expect((await api.ask(method, `/t/acme.com${USERS}${path}`, { as })).status).toBe(404);
    }
    expect(await isSignedIn(page)).toBe(true);
    expect((await api.ask("GET", OWN, { as })).body.sessions).toEqual([]);
  });
});

describe("endUserSession", () => {
  test("ends a session of a user, with internal_session_delete", async () => {
    const { page, sid } = await signedIn();
    const path = `${USERS}/${kimId}/sessions/${sid}`;
    for (const as of [stranger, viewer, kim]) expect((await api.ask("DELETE", path, { as })).status).toBe(403);
    expect(await isSignedIn(page)).toBe(true);
    expect((await api.ask("DELETE", path, { as: ender })).status).toBe(204);
    expect(await isSignedIn(page)).toBe(false);
    expect((await api.ask("DELETE", path, { as: ender })).status).toBe(404);
  });
});

describe("endUserSessions", () => {
  test("ends all sessions of a user, with internal_session_delete", async () => {
    const { page } = await signedIn();
    const path = `${USERS}/${kimId}/sessions`;
    for (const as of [stranger, viewer]) expect((await api.ask("DELETE", path, { as })).status).toBe(403);
    expect((await api.ask("DELETE", path, { as: ender })).status).toBe(204);
    expect(await isSignedIn(page)).toBe(false);
  });
});

describe("tokens", () => {
  const endsTokens = (more: object = {}) =>
    newApplication({
      accessToken: { type: "Default", revokeTokensWhenIDPSessionTerminated: true, ...more },
    });
  const isActive = async (text: string) =>
    (
      await api.ask("POST", "/oauth2/introspect", {
        raw: `token=${text}`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      })
    ).body.active;
  const refresh = (of: TestClient, token: string) =>
    api.ask("POST", "/oauth2/token", {
      as: `Basic ${Buffer.from(`${of.clientId}:${of.clientSecret}`).toString("base64")}`,
      raw: `grant_type=refresh_token&refresh_token=${token}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });

  test.each(["Default", "JWT"])("of type %s end with their session where the application says so", async (type) => {
    const [ending, staying] = [await endsTokens({ type }), await newApplication({ accessToken: { type } })];
    const { page, tokens, sid } = await signedIn(ending);
    const second = (await redeem(staying, answerOf(await page.open(requestOf(staying))).code)).body;
    const refreshed = (await refresh(ending, tokens.refresh_token)).body;
    const elsewhere = await signedIn(ending);
    expect((await api.ask("DELETE", `${OWN}/${sid}`, { as: kim })).status).toBe(204);
    expect(await isActive(refreshed.access_token)).toBe(false);
    expect((await refresh(ending, refreshed.refresh_token)).status).toBe(400);
    expect(await isActive(second.access_token)).toBe(true);
    expect((await refresh(staying, second.refresh_token)).status).toBe(200);
    // Another session of the same user at the same application.
    expect(await isActive(elsewhere.tokens.access_token)).toBe(true);
    expect((await refresh(ending, elsewhere.tokens.refresh_token)).status).toBe(200);
  });

  test("end with a sign-out by an application too, and a code that was not redeemed counts no more", async () => {
    const ending = await endsTokens();
    const { page, tokens } = await signedIn(ending);
    const { code } = answerOf(await page.open(requestOf(ending)));
    await page.open(`/oidc/logout?id_token_hint=${tokens.id_token}`);
    expect(await isActive(tokens.access_token)).toBe(false);
    expect((await refresh(ending, tokens.refresh_token)).status).toBe(400);
    expect((await redeem(ending, code)).status).toBe(400);
    // The next sign-in is not affected.
    const next = await signedIn(ending);
    expect(await isActive(next.tokens.access_token)).toBe(true);
  });
});
