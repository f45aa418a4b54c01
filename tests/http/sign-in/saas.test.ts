/** Users of other tenants sign in to an application with `saas`, as guests (decision 0134). */
import * as openid from "openid-client";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { setUp, TWO_STEPS } from "#tests/support/codes.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { fragmentOf, requestsOf } from "#tests/support/requests.ts";
import { EVERYTHING, saasOf } from "#tests/support/saas.ts";
import { CALLBACK, claimsIn, PERSON } from "#tests/support/sign-in.ts";
import { directoryStore, hasSlapd, startSlapd } from "#tests/support/slapd.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";
import { codeAt, STEP_MS } from "#tools/examples/authenticator.ts";

const api = world();
const saas = saasOf(api);
const { newTenant, newSaas, requestOf, enter, answerOf, redeem, browser, agree, arrive, tokensOf, infoOf, silently } =
  saas;
const ACME = "acme.example";
const KIM = { username: `kim@${ACME}` };
const OWN = { username: "kim", password: "another-good-Password-2" };
type Tenant = Awaited<ReturnType<typeof newTenant>>;
let acme: Tenant;
let kimId = "";
let ownId = "";
let client: TestClient;

beforeAll(async () => {
  acme = await newTenant(ACME);
  kimId = await acme.newUser("kim", PERSON.password, {
    name: { givenName: "Kim", familyName: "Guest" },
    emails: [{ value: "kim@mail.example", primary: true }],
    "urn:scim:wso2:schema": { emailVerified: "true" },
  });
  const members = [{ value: kimId }];
  await acme.ask("POST", "/scim2/Groups", { body: { displayName: "drivers", members } });
  await acme.ask("POST", "/scim2/v2/Roles", { body: { displayName: "manager", users: members } });
  const own = { userName: OWN.username, password: OWN.password, name: { givenName: "Kim", familyName: "Own" } };
  ownId = (await api.ask("POST", "/scim2/Users", { body: own })).body.id;
  client = await newSaas({ accessToken: { type: "JWT" } });
});
afterEach(() => vi.useRealTimers());

const introspected = async (token: string | undefined, of: TestClient) => (await saas.introspect(token, of)).body;
const idTokenOf = async (of: TestClient, code: string | undefined) => claimsIn((await redeem(of, code)).body.id_token);

describe("a guest", () => {
  test("gets tokens of the application's tenant, with a subject and names that end in the own one", async () => {
    const { tokens } = await tokensOf(client, KIM, { scope: EVERYTHING, nonce: "n" });
    const sub = `${kimId}@${ACME}`;
    const about = {
      sub,
      preferred_username: KIM.username,
      family_name: "Guest",
      email: "kim@mail.example",
      email_verified: false,
      groups: [`drivers@${ACME}`],
      roles: expect.arrayContaining([`manager@${ACME}`, `everyone@${ACME}`]),
    };
    expect(claimsIn(tokens.id_token ?? "")).toMatchObject({
      ...about,
      iss: `${api.url}/oauth2/token`,
      aud: client.clientId,
      nonce: "n",
    });
    expect(tokens.scope?.split(" ").sort()).toEqual(EVERYTHING.split(" ").sort());
    // A JWT would show the id, and outlive the end of the account elsewhere.
    expect(tokens.access_token).toMatch(/^at_/);
    const info = await infoOf(tokens.access_token);
    expect([info.status, info.body]).toEqual([200, expect.objectContaining(about)]);
    expect(await introspected(tokens.access_token, client)).toMatchObject({
      ...{ active: true, sub, username: KIM.username, client_id: client.clientId, iss: `${api.url}/oauth2/token` },
    });
    expect(await introspected(tokens.refresh_token, client)).toMatchObject({
      active: true,
      sub,
      username: KIM.username,
    });
    const refreshed = await saas.refresh(client, tokens.refresh_token);
    expect(claimsIn(refreshed.body.id_token)).toMatchObject(about);
    expect((await infoOf(refreshed.body.access_token)).body).toMatchObject(about);
    expect((await infoOf(tokens.access_token)).status).toBe(401);
    await saas.revoke(client, refreshed.body.access_token);
    expect((await infoOf(refreshed.body.access_token)).status).toBe(401);
    expect(await introspected(refreshed.body.refresh_token, client)).toEqual({ active: false });
  });

  test("of the same name as a user of the tenant is another one: each with its own password", async () => {
    for (const [username, password, sub, other] of [
      [KIM.username, PERSON.password, `${kimId}@${ACME}`, OWN.password],
      [OWN.username, OWN.password, ownId, PERSON.password],
      [`${OWN.username}@carbon.super`, OWN.password, ownId, PERSON.password],
    ] as const) {
      const page = browser();
      await page.open(requestOf(client));
      expect((await enter(page, { username, password: other })).alert).toMatch(/wrong/);
      const { code } = answerOf(await agree(page, await enter(page, { username, password })));
      expect((await idTokenOf(client, code)).sub).toBe(sub);
    }
  });

  test("is asked for consent, whatever skipLoginConsent says, once", async () => {
    const strict = await newSaas();
    const page = browser();
    await page.open(requestOf(strict, { scope: "openid email internal_login internal_user_mgt_view" }));
    const asked = await enter(page, { ...PERSON, ...KIM });
    expect(asked.title).toMatch(/asks for access/);
    expect(asked.html).toContain(KIM.username);
    expect(asked.html).not.toContain("internal_");
    expect(await silently(page, strict)).toMatchObject({ error: "consent_required" });
    await page.open(requestOf(strict, { scope: "openid email" }));
    const { code } = answerOf(await page.submit({ answer: "allow" }));
    expect(code).toMatch(/^ac_/);
    expect((await silently(page, strict, { scope: "openid email" })).code).toMatch(/^ac_/);
    expect(await silently(page, strict, { scope: "openid phone" })).toMatchObject({ error: "consent_required" });
    await page.open(requestOf(strict, { scope: "openid phone" }));
    expect(answerOf(await page.submit({ answer: "deny" }))).toMatchObject({ error: "access_denied" });
    expect((await arrive(strict, KIM, { scope: "openid email" })).shown.location).toBeDefined();
  });

  test("of the super tenant signs in to an application of another tenant", async () => {
    const theirs = await acme.newApplication({ advancedConfigurations: { saas: true } });
    const { tokens } = await tokensOf(theirs, { ...OWN, username: "kim@carbon.super" });
    expect(claimsIn(tokens.id_token ?? "")).toMatchObject({
      iss: `${api.url}/t/${ACME}/oauth2/token`,
      sub: `${ownId}@carbon.super`,
    });
    const info = await api.ask("GET", `/t/${ACME}/oauth2/userinfo`, { as: `Bearer ${tokens.access_token}` });
    expect(info.body).toEqual({ sub: `${ownId}@carbon.super` });
    // Of the own tenant, the name alone.
    const { tokens: own } = await tokensOf(theirs, { username: "kim" });
    expect(claimsIn(own.id_token ?? "").sub).toBe(kimId);
  });

  test("wins over a user of the tenant whose name is that text, who adds the tenant", async () => {
    const bikes = await newTenant("bikes.example");
    const id = await bikes.newUser(KIM.username, OWN.password);
    const theirs = await bikes.newApplication({ advancedConfigurations: { saas: true, skipLoginConsent: true } });
    const page = browser();
    await page.open(requestOf(theirs));
    expect((await enter(page, { ...KIM, password: OWN.password })).alert).toMatch(/wrong/);
    const guest = answerOf(await agree(page, await enter(page, { ...PERSON, ...KIM })));
    expect((await idTokenOf(theirs, guest.code)).sub).toBe(`${kimId}@${ACME}`);
    const own = await arrive(theirs, { username: `${KIM.username}@bikes.example`, password: OWN.password });
    expect((await idTokenOf(theirs, own.code)).sub).toBe(id);
    // Where there is no such tenant, the name is one of the own tenant.
    const elsewhere = await bikes.newUser("kim@nowhere.example", OWN.password);
    const same = await arrive(theirs, { username: "kim@nowhere.example", password: OWN.password });
    expect((await idTokenOf(theirs, same.code)).sub).toBe(elsewhere);
  });
});

describe("a session of the own tenant", () => {
  test("signs a guest on without a password, and a sign-in as a guest signs on to applications of the own tenant", async () => {
    const home = await acme.newApplication();
    const first = browser();
    await first.open(requestOf(home));
    await enter(first, { ...PERSON, username: "kim" });
    expect(saas.sessionsIn(first)).toHaveLength(1);
    const fresh = await newSaas();
    expect(await silently(first, fresh)).toMatchObject({ error: "consent_required" });
    const shown = await first.open(requestOf(fresh));
    expect(shown.title).toMatch(/asks for access/);
    const { code } = answerOf(await first.submit({ answer: "allow" }));
    expect((await idTokenOf(fresh, code)).sub).toBe(`${kimId}@${ACME}`);
    expect((await silently(first, fresh)).code).toMatch(/^ac_/);

    const { page } = await arrive(client, KIM);
    expect((await silently(page, home)).code).toMatch(/^ac_/);
    expect(saas.sessionsIn(page)).toHaveLength(1);
  });

  test("comes after one of the application's tenant, which a sign-in as a guest ends", async () => {
    await arrive(client, KIM);
    const page = browser();
    await page.open(requestOf(client));
    await enter(page, OWN);
    const home = await acme.newApplication();
    await page.open(requestOf(home));
    await enter(page, { ...PERSON, username: "kim" });
    expect((await idTokenOf(client, (await silently(page, client)).code)).sub).toBe(ownId);
    const cookie = page.cookies.get("__Host-session") ?? "";
    await page.open(requestOf(client, { prompt: "login" }));
    const { code } = answerOf(await enter(page, { ...PERSON, ...KIM }));
    expect((await idTokenOf(client, code)).sub).toBe(`${kimId}@${ACME}`);
    expect((await idTokenOf(client, (await silently(page, client)).code)).sub).toBe(`${kimId}@${ACME}`);
    // The former session does not count any more, whoever kept its cookie.
    page.cookies.set("__Host-session", cookie);
    const plain = await saas.newApplication();
    expect(await silently(page, plain)).toMatchObject({ error: "login_required" });
  });

  test("is chosen by id_token_hint, by the latest password, and by max_age", async () => {
    const lee = await newTenant("lee.example");
    const leeId = await lee.newUser("lee");
    const { page, tokens } = await tokensOf(client, KIM);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5_000 });
    await page.open(requestOf(client, { prompt: "login" }));
    await agree(page, await enter(page, { ...PERSON, username: "lee@lee.example" }));
    expect(saas.sessionsIn(page)).toHaveLength(2);
    expect((await idTokenOf(client, (await silently(page, client)).code)).sub).toBe(`${leeId}@lee.example`);
    const hinted = await silently(page, client, { id_token_hint: tokens.id_token });
    expect((await idTokenOf(client, hinted.code)).sub).toBe(`${kimId}@${ACME}`);
    const claims = JSON.stringify({ id_token: { sub: { value: `${kimId}@${ACME}` } } });
    expect((await silently(page, client, { claims })).code).toMatch(/^ac_/);
    const old = { id_token_hint: tokens.id_token, max_age: "2" };
    expect(await silently(page, client, old)).toMatchObject({ error: "login_required" });
    expect((await silently(page, client, { max_age: "60" })).code).toMatch(/^ac_/);
    // Another guest than the hinted one.
    await page.open(requestOf(client, { ...old, login_hint: KIM.username }));
    expect(page.fields().username).toBe(KIM.username);
    expect(answerOf(await enter(page, { ...PERSON, username: "lee@lee.example" }))).toMatchObject({
      error: "login_required",
    });
  });
});

describe("sessions and consents by API", () => {
  test("show the user, and administrators of the user's tenant, the application; others see and end nothing", async () => {
    const id = await acme.newUser("sam");
    const as = { username: `sam@${ACME}`, password: PERSON.password };
    const named = await newSaas();
    const { tokens, page } = await tokensOf(named, as, { scope: "openid email" });
    const { sid } = claimsIn(tokens.id_token ?? "");
    const mine = await acme.ask("GET", "/api/users/v1/me/sessions", { as });
    const shown = { id: named.applicationId, appId: named.applicationId, subject: `${id}@${ACME}` };
    expect(mine.body.sessions).toMatchObject([{ id: sid, applications: [shown] }]);
    expect((await acme.ask("GET", `/api/users/v1/${id}/sessions`)).body.sessions).toMatchObject([
      { id: sid, applications: [shown] },
    ]);
    const apps = [{ id: named.applicationId, clientId: named.clientId, approvedScopes: ["openid", "email"] }];
    expect((await acme.ask("GET", "/api/users/v1/me/authorized-apps", { as })).body).toMatchObject(apps);
    expect((await acme.ask("GET", `/api/users/v1/${id}/authorized-apps`)).body).toMatchObject(apps);
    for (const path of ["sessions", `sessions/${sid}`, "authorized-apps", `authorized-apps/${named.applicationId}`]) {
      expect((await api.ask("DELETE", `/api/users/v1/${id}/${path}`)).status).toBe(404);
    }
    expect((await api.ask("GET", `/api/users/v1/${id}/sessions`)).status).toBe(404);
    expect((await silently(page, named, { scope: "openid email" })).code).toMatch(/^ac_/);

    const taken = await acme.ask("DELETE", `/api/users/v1/me/authorized-apps/${named.applicationId}`, { as });
    expect(taken.status).toBe(204);
    expect((await infoOf(tokens.access_token)).status).toBe(401);
    expect(await introspected(tokens.access_token, named)).toEqual({ active: false });
    expect(await introspected(tokens.refresh_token, named)).toEqual({ active: false });
    expect((await saas.refresh(named, tokens.refresh_token)).status).toBe(400);
    expect(await silently(page, named)).toMatchObject({ error: "consent_required" });
  });

  test("end the tokens that end with the session", async () => {
    const ending = await newSaas({ accessToken: { type: "Default", revokeTokensWhenIDPSessionTerminated: true } });
    await acme.newUser("max");
    const as = { username: `max@${ACME}`, password: PERSON.password };
    const { tokens, page } = await tokensOf(ending, as);
    expect((await infoOf(tokens.access_token)).status).toBe(200);
    expect((await acme.ask("DELETE", "/api/users/v1/me/sessions", { as })).status).toBe(204);
    expect((await infoOf(tokens.access_token)).status).toBe(401);
    expect(await introspected(tokens.access_token, ending)).toEqual({ active: false });
    expect((await saas.refresh(ending, tokens.refresh_token)).status).toBe(400);
    expect(await silently(page, ending)).toMatchObject({ error: "login_required" });
  });
});

describe("what the account of a guest needs", () => {
  test("one-time codes are set up in the own tenant, and asked for by a session without one", async () => {
    const id = await acme.newUser("pat");
    const person = { ...PERSON, username: `pat@${ACME}` };
    const strict = await newSaas({}, TWO_STEPS);
    const page = browser();
    await page.open(requestOf(strict));
    const shown = await enter(page, person);
    expect(shown.title).toBe("Set up one-time codes");
    expect(saas.sessionsIn(page)).toEqual([]);
    expect(shown.html).toContain(`issuer=${ACME}`);
    const { secret, done } = await setUp(page, shown);
    const { code } = answerOf(await agree(page, done));
    expect(await idTokenOf(strict, code)).toMatchObject({ sub: `${id}@${ACME}`, acr: "mfa" });
    expect((await acme.ask("GET", `/scim2/Users/${id}`)).body["urn:scim:wso2:schema"].totpEnabled).toBe("true");
    // A session with a password alone steps up.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + STEP_MS });
    const other = await arrive(client, person);
    expect(await silently(other.page, strict)).toMatchObject({ error: "interaction_required" });
    await other.page.open(requestOf(strict));
    const after = answerOf(await other.page.submit({ code: codeAt(secret) }));
    expect((await idTokenOf(strict, after.code)).amr).toEqual(["pwd", "otp", "mfa"]);
    // The same codes for applications of the own tenant.
    const home = await acme.newApplication(TWO_STEPS);
    expect((await silently(other.page, home)).code).toMatch(/^ac_/);
  });

  test("a password that must be changed is changed in the own tenant", async () => {
    const id = await acme.newUser("ann", PERSON.password, { "urn:scim:wso2:schema": { forcePasswordReset: true } });
    const page = browser();
    await page.open(requestOf(client));
    const shown = await enter(page, { ...PERSON, username: `ann@${ACME}` });
    expect(shown.title).toMatch(/password/i);
    const changed = "quite-another-Password-9";
    const { code } = answerOf(await agree(page, await page.submit({ password: changed, repeated: changed })));
    expect((await idTokenOf(client, code)).sub).toBe(`${id}@${ACME}`);
    const as = { username: `ann@${ACME}`, password: changed };
    expect((await acme.ask("GET", "/scim2/Me", { as })).status).toBe(200);
  });
});

describe("what applications can ask for", () => {
  const { push, opening } = requestsOf(api);

  test("hybrid and implicit answers", async () => {
    const grantTypes = ["authorization_code", "refresh_token", "implicit"];
    const responseType = "code id_token,code id_token token";
    const wide = await newSaas({ grantTypes, hybridFlow: { enable: true, responseType } });
    for (const response_type of ["id_token token", "code id_token token"]) {
      const page = browser();
      await page.open(requestOf(wide, { response_type, nonce: "n", scope: "openid email internal_login" }));
      const answer = fragmentOf(await agree(page, await enter(page, { ...PERSON, ...KIM })));
      expect(claimsIn(answer.id_token ?? "").sub).toBe(`${kimId}@${ACME}`);
      expect([answer.scope, (await infoOf(answer.access_token)).body.sub]).toEqual([
        "openid email",
        `${kimId}@${ACME}`,
      ]);
    }
  });

  test("a pushed request", async () => {
    const { body } = await push(client, { scope: "openid" });
    const page = browser();
    await page.open(opening(client, body.request_uri));
    const { code } = answerOf(await agree(page, await enter(page, { ...PERSON, ...KIM })));
    expect((await idTokenOf(client, code)).sub).toBe(`${kimId}@${ACME}`);
  });

  test("pairwise subjects, which are those of no user of the tenant", async () => {
    const pairwise = await newSaas({ subject: { subjectType: "pairwise" } });
    const guest = await tokensOf(pairwise, KIM);
    const own = await tokensOf(pairwise, OWN);
    const sub = claimsIn(guest.tokens.id_token ?? "").sub;
    expect(sub).toMatch(/^[\w-]{43}$/);
    expect(claimsIn(own.tokens.id_token ?? "").sub).not.toBe(sub);
    expect((await infoOf(guest.tokens.access_token)).body.sub).toBe(sub);
    const shown = await introspected(guest.tokens.access_token, pairwise);
    expect([shown.sub, shown.username]).toEqual([sub, undefined]);
    expect(await introspected(guest.tokens.refresh_token, pairwise)).not.toHaveProperty("username");
  });

  test("a role of the application for a role of another tenant, by its whole name", async () => {
    const role = {
      mappings: [
        { localRole: `manager@${ACME}`, applicationRole: "Leiter" },
        { localRole: "manager", applicationRole: "Boss" },
      ],
    };
    const mapped = await newSaas({}, { claimConfiguration: { role } });
    const { tokens } = await tokensOf(mapped, KIM, { scope: "openid roles" });
    expect(claimsIn(tokens.id_token ?? "").roles).toEqual(expect.arrayContaining(["Leiter"]));
    expect(claimsIn(tokens.id_token ?? "").roles).not.toContain("Boss");
  });

  test("openid-client signs a guest in, refreshes and revokes, as it is", async () => {
    const config = await openid.discovery(
      new URL(`${api.url}/oauth2/token`),
      client.clientId,
      { client_secret: client.clientSecret },
      undefined,
      { execute: [openid.allowInsecureRequests] },
    );
    const verifier = openid.randomPKCECodeVerifier();
    const [state, nonce] = [openid.randomState(), openid.randomNonce()];
    const address = openid.buildAuthorizationUrl(config, {
      ...{ redirect_uri: CALLBACK, scope: "openid email", state, nonce },
      ...{ code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" },
    });
    const page = browser();
    await page.open(address.href);
    const { location } = await agree(page, await enter(page, { ...PERSON, ...KIM }));
    if (!location) throw new Error("no answer");
    const tokens = await openid.authorizationCodeGrant(config, location, {
      ...{ pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce },
      idTokenExpected: true,
    });
    const sub = `${kimId}@${ACME}`;
    expect(tokens.claims()).toMatchObject({ sub, email: "kim@mail.example" });
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? "");
    expect((await openid.fetchUserInfo(config, refreshed.access_token, sub)).email).toBe("kim@mail.example");
    await openid.tokenRevocation(config, refreshed.refresh_token ?? "");
    await expect(openid.refreshTokenGrant(config, refreshed.refresh_token ?? "")).rejects.toThrow();
  });
});

describe("a sign-out at the application", () => {
  test("ends the session of the guest by its ID token, and asks by its name without", async () => {
    const page1 = "https://bikes.example.com/out";
    const framed = await newSaas({ logout: { frontChannelLogoutUrl: page1 } });
    const { page, tokens } = await tokensOf(framed, KIM);
    const asked = await page.open(`/oidc/logout?client_id=${framed.clientId}`);
    expect([asked.title, asked.html.includes(KIM.username)]).toEqual(["Sign out?", true]);
    const frames = [...(await page.submit({})).html.matchAll(/<iframe src="([^"]*)"/g)].map(
      ([, address = ""]) => new URL(address.replaceAll("&amp;", "&")),
    );
    expect(frames.map(({ searchParams }) => Object.fromEntries(searchParams))).toEqual([
      { iss: `${api.url}/oauth2/token`, sid: claimsIn(tokens.id_token ?? "").sid },
    ]);
    expect(saas.sessionsIn(page)).toEqual([]);
    const again = await tokensOf(framed, KIM);
    const home = await acme.newApplication();
    expect((await silently(again.page, home)).code).toMatch(/^ac_/);
    const back = `/oidc/logout?id_token_hint=${again.tokens.id_token}`;
    expect((await again.page.open(back)).status).toBe(200);
    expect(await silently(again.page, framed)).toMatchObject({ error: "login_required" });
    expect(await silently(again.page, home)).toMatchObject({ error: "login_required" });
  });
});

describe.runIf(hasSlapd)("a guest of a directory", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const other = world({ deployment: directoryStore(slapd.url) });
  const theirs = saasOf(other);
  afterAll(() => slapd.close());

  test("signs in with the store before the name", async () => {
    const { status, body, text } = await other.ask("POST", "/scim2/Users", {
      body: { userName: "CORP/kim", password: PERSON.password, name: { givenName: "Kim", familyName: "Far" } },
    });
    if (status !== 201) throw new Error(text);
    const bikes = await theirs.newTenant("bikes.example");
    const of = await bikes.newApplication({ advancedConfigurations: { saas: true } });
    const { tokens } = await theirs.tokensOf(of, { username: "CORP/kim@carbon.super" }, { scope: "openid profile" });
    expect(claimsIn(tokens.id_token ?? "")).toMatchObject({ sub: `${body.id}@carbon.super`, family_name: "Far" });
  });
});

test("the API shows the setting, and saving the application keeps it", async () => {
  const path = `${APPLICATIONS}/${client.applicationId}`;
  expect((await api.ask("GET", path)).body.advancedConfigurations.saas).toBe(true);
  await api.ask("PATCH", path, { body: { description: "Cars" } });
  expect((await arrive(client, KIM)).code).toMatch(/^ac_/);
});
