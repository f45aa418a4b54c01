/**
 * The modules of the OpenID Foundation's certification plans "basic" and "config" for providers, by their names. Each
 * is what its module asks for, restated against this service; the Foundation's own suite was not run.
 */
import { createRemoteJWKSet, jwtVerify } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestClient } from "#tests/support/oauth.ts";
import { CALLBACK, claimsIn, newVerifier, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser, tokensOf } = signInOf(api);
let client: TestClient;
let other: TestClient;

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", {
    body: {
      ...{ userName: PERSON.username, password: PERSON.password, name: { givenName: "Kim", familyName: "Park" } },
      emails: [{ value: "kim@work.example", primary: true }],
      phoneNumbers: [{ value: "+49 30 1", type: "work" }],
      addresses: [{ type: "home", locality: "Berlin", country: "DE" }],
    },
  });
  client = await newApplication();
  other = await newApplication();
});

type Fields = Readonly<Record<string, string | undefined>>;

const issuer = () => `${api.url}/oauth2/token`;
const userInfo = async (token: string | undefined, method: "GET" | "POST" = "GET") =>
  api.ask(method, "/oauth2/userinfo", { as: `Bearer ${token}` });

/** A whole sign-in that must succeed: its ID token, verified as a client does it, and the claims of UserInfo. */
const complete = async (fields: Fields = {}, of = client) => {
  const { browser: page, tokens } = await tokensOf(of, fields);
  const { payload } = await jwtVerify(tokens.id_token ?? "", createRemoteJWKSet(new URL(`${api.url}/oauth2/jwks`)), {
    issuer: issuer(),
    audience: of.clientId,
    requiredClaims: ["sub", "iat", "exp"],
  });
  const { status, body } = await userInfo(tokens.access_token);
  expect([status, body.sub]).toEqual([200, payload.sub]);
  return { page, tokens, payload, info: body as Readonly<Record<string, unknown>> };
};

/** The ID token of a further request in a browser with a session. */
const further = async (page: ReturnType<typeof browser>, fields: Fields) => {
  const { code } = answerOf(await page.open(requestOf(client, fields)));
  return claimsIn((await redeem(client, code)).body.id_token);
};

describe("basic", () => {
  test("oidcc-server", async () => {
    const { page, payload } = await complete({ state: "s-1", nonce: "n-1" });
    expect(payload.nonce).toBe("n-1");
    expect(answerOf(await page.open(requestOf(client, { state: "s-2" })))).toMatchObject({
      state: "s-2",
      iss: issuer(),
    });
  });
  test("oidcc-response-type-missing", async () => {
    const { error, state, code } = answerOf(
      await browser().open(requestOf(client, { response_type: undefined, state: "s" })),
    );
    expect([error, state, code]).toEqual(["invalid_request", "s", undefined]);
  });
  test("oidcc-idtoken-signature", async () => {
    const { tokens } = await tokensOf(client);
    const [header = "", , signature = ""] = (tokens.id_token ?? "").split(".");
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toMatchObject({
      alg: "RS256",
      kid: expect.any(String),
    });
    expect(signature).not.toBe("");
  });
  test("oidcc-idtoken-unsigned: ID tokens without a signature are not offered, and no application has them", async () => {
    const { body } = await api.ask("GET", "/oauth2/token/.well-known/openid-configuration", { as: null });
    expect(body.id_token_signing_alg_values_supported).toEqual(["RS256", "ES256", "PS256"]);
    await expect(newApplication({ idToken: { idTokenSignedResponseAlg: "none" } })).rejects.toThrow("is not allowed");
  });
  test("oidcc-userinfo-get", async () => {
    const { tokens } = await tokensOf(client);
    expect((await userInfo(tokens.access_token)).body.sub).toBe(claimsIn(tokens.id_token ?? "").sub);
  });
  test("oidcc-userinfo-post-header", async () => {
    const { tokens } = await tokensOf(client);
    expect((await userInfo(tokens.access_token, "POST")).body.sub).toBe(claimsIn(tokens.id_token ?? "").sub);
  });
  test("oidcc-userinfo-post-body: optional, and refused", async () => {
    const { tokens } = await tokensOf(client);
    const { status } = await api.ask("POST", "/oauth2/userinfo", {
      as: null,
      raw: `access_token=${tokens.access_token}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(status).toBe(401);
  });
  test("oidcc-ensure-request-without-nonce-succeeds-for-code-flow", async () => {
    expect((await complete()).payload).not.toHaveProperty("nonce");
  });

  const profile = { name: "Kim Park", given_name: "Kim", family_name: "Park", preferred_username: "kim" };
  const email = { email: "kim@work.example" };
  const address = { address: { locality: "Berlin", country: "DE" } };
  const phone = { phone_number: "+49 30 1" };
  test.each([
    ["oidcc-scope-profile", "openid profile", profile],
    ["oidcc-scope-email", "openid email", email],
    ["oidcc-scope-address", "openid address", address],
    ["oidcc-scope-phone", "openid phone", phone],
    ["oidcc-scope-all", "openid profile email address phone", { ...profile, ...email, ...address, ...phone }],
    ["oidcc-ensure-other-scope-order-succeeds", "email openid", email],
  ])("%s", async (_, scope, claims) => {
    const { info } = await complete({ scope });
    const { sub: _sub, updated_at: _at, ...rest } = info;
    expect(rest).toEqual(claims);
  });

  test.each([
    ["oidcc-display-page", { display: "page" }],
    ["oidcc-display-popup", { display: "popup" }],
    ["oidcc-ensure-request-with-unknown-parameter-succeeds", { extra: "foobar" }],
    ["oidcc-login-hint", { login_hint: "kim" }],
    ["oidcc-ui-locales", { ui_locales: "se" }],
    ["oidcc-claims-locales", { claims_locales: "se" }],
    ["oidcc-ensure-request-with-acr-values-succeeds", { acr_values: "1 2" }],
    ["oidcc-claims-essential", { claims: '{"userinfo":{"name":{"essential":true}}}' }],
  ])("%s", async (_, fields) => {
    expect((await complete(fields)).payload.sub).toBeTruthy();
  });

  test("oidcc-prompt-login", async () => {
    const { page, payload } = await complete();
    await new Promise((done) => setTimeout(done, 1_100));
    expect((await page.open(requestOf(client, { prompt: "login" }))).title).toContain("Sign in to");
    const again = claimsIn((await redeem(client, answerOf(await enter(page)).code)).body.id_token);
    expect(again.sub).toBe(payload.sub);
    expect(again.auth_time).toBeGreaterThan(payload.auth_time as number);
  });
  test("oidcc-prompt-none-not-logged-in", async () => {
    expect(answerOf(await browser().open(requestOf(client, { prompt: "none", state: "s" })))).toMatchObject({
      ...{ error: "login_required", state: "s" },
    });
  });
  test("oidcc-prompt-none-logged-in", async () => {
    const { page, payload } = await complete();
    const { sub, auth_time } = await further(page, { prompt: "none" });
    expect([sub, auth_time]).toEqual([payload.sub, payload.auth_time]);
  });
  test("oidcc-max-age-1", async () => {
    const { page, payload } = await complete();
    await new Promise((done) => setTimeout(done, 2_100));
    expect((await page.open(requestOf(client, { max_age: "1" }))).title).toContain("Sign in to");
    const again = claimsIn((await redeem(client, answerOf(await enter(page)).code)).body.id_token);
    expect(again.auth_time).toBeGreaterThan(payload.auth_time as number);
  });
  test("oidcc-max-age-10000", async () => {
    const { page, payload } = await complete();
    expect((await further(page, { max_age: "10000" })).auth_time).toBe(payload.auth_time);
  });
  test("oidcc-id-token-hint", async () => {
    const { page, tokens, payload } = await complete();
    const { sub } = await further(page, { prompt: "none", id_token_hint: tokens.id_token });
    expect(sub).toBe(payload.sub);
  });
  test("oidcc-codereuse", async () => {
    const page = browser();
    await page.open(requestOf(client));
    const { code } = answerOf(await enter(page));
    const first = await redeem(client, code);
    expect((await redeem(client, code)).body.error).toBe("invalid_grant");
    expect((await userInfo(first.body.access_token)).status).toBe(401);
  });
  test("oidcc-codereuse-30seconds: the tokens of the first use end, however late the second comes", async () => {
    const page = browser();
    await page.open(requestOf(client));
    const { code } = answerOf(await enter(page));
    const first = await redeem(client, code);
    expect((await userInfo(first.body.access_token)).status).toBe(200);
    await new Promise((done) => setTimeout(done, 3_000));
    expect((await redeem(client, code)).body.error).toBe("invalid_grant");
    expect((await userInfo(first.body.access_token)).status).toBe(401);
  });
  test("oidcc-ensure-registered-redirect-uri", async () => {
    const { status, location } = await browser().open(requestOf(client, { redirect_uri: `${CALLBACK}/x` }));
    expect([status, location]).toEqual([400, undefined]);
  });
  test("oidcc-ensure-post-request-succeeds", async () => {
    const { status, text } = await api.ask("POST", "/oauth2/authorize", {
      as: null,
      raw: requestOf(client).split("?")[1] ?? "",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect([status, text]).toEqual([200, expect.stringContaining('name="password"')]);
  });
  test("oidcc-server-client-secret-post", async () => {
    const page = browser();
    await page.open(requestOf(client));
    const { code = "" } = answerOf(await enter(page));
    const { status } = await api.ask("POST", "/oauth2/token", {
      as: null,
      raw: new URLSearchParams({
        ...{ grant_type: "authorization_code", code, redirect_uri: CALLBACK, client_id: client.clientId },
        client_secret: client.clientSecret,
      }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(status).toBe(200);
  });
  test.each([
    "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
    "oidcc-ensure-request-object-with-redirect-uri",
  ])("%s: rejected", async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const request = `${part({ alg: "none" })}.${part({ redirect_uri: CALLBACK, state: "inside" })}.`;
    const answer = answerOf(await browser().open(requestOf(client, { request, state: "outside" })));
    expect([answer.error, answer.state]).toEqual(["request_not_supported", "outside"]);
  });
  test("oidcc-refresh-token", async () => {
    const { tokens, payload } = await complete({ scope: "openid offline_access" });
    const { status, body } = await api.ask("POST", "/oauth2/token", {
      as: `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString("base64")}`,
      raw: new URLSearchParams({ grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect([status, (await userInfo(body.access_token)).body.sub]).toEqual([200, payload.sub]);
  });
  test("oidcc-ensure-request-with-valid-pkce-succeeds", async () => {
    const { verifier, challenge } = newVerifier();
    const page = browser();
    await page.open(requestOf(client, { code_challenge: challenge, code_challenge_method: "S256" }));
    const { code } = answerOf(await enter(page));
    expect((await redeem(client, code, { code_verifier: verifier })).status).toBe(200);
  });
});

describe("config", () => {
  test.each(["/oauth2/token/.well-known/openid-configuration", "/.well-known/openid-configuration"])(
    "oidcc-discovery-endpoint-verification at %s",
    async (path) => {
      const { status, headers, body } = await api.ask("GET", path, { as: null });
      expect([status, headers.get("content-type")]).toEqual([200, expect.stringContaining("application/json")]);
      expect(body).toMatchObject({
        ...{
          issuer: issuer(),
          response_types_supported: expect.arrayContaining(["code"]),
          subject_types_supported: expect.arrayContaining(["public"]),
        },
        id_token_signing_alg_values_supported: expect.arrayContaining(["RS256"]),
        ...{ claims_supported: expect.arrayContaining(["sub"]), scopes_supported: expect.arrayContaining(["openid"]) },
      });
      const endpoints = Object.entries(body).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name));
      expect(endpoints.length).toBeGreaterThanOrEqual(7);
      for (const [, address] of endpoints) expect(new URL(String(address)).origin).toBe(new URL(api.url).origin);
      const { body: set } = await api.ask("GET", new URL(body.jwks_uri).pathname, { as: null });
      const ids = set.keys.map(({ kid }: { kid: string }) => kid);
      expect(new Set(ids).size).toBe(ids.length);
      for (const key of set.keys) expect(Object.keys(key)).not.toContain("d");
    },
  );
});

describe("id_token_hint", () => {
  test("of another user asks for the password, and only the expected user gets a code", async () => {
    const password = "a-good-Password-2";
    await api.ask("POST", "/scim2/Users", { body: { userName: "lee", password } });
    const { page, tokens } = await complete();
    const lee = browser();
    await lee.open(requestOf(client));
    await enter(lee, { username: "lee", password });
    const hinted = { id_token_hint: tokens.id_token };
    expect(answerOf(await lee.open(requestOf(client, { ...hinted, prompt: "none" }))).error).toBe("login_required");
    await lee.open(requestOf(client, { ...hinted, state: "s" }));
    expect(answerOf(await enter(lee, { username: "lee", password }))).toMatchObject({
      ...{ error: "login_required", state: "s" },
    });
    await lee.open(requestOf(client, hinted));
    expect(answerOf(await enter(lee)).code).toMatch(/^ac_/);
    expect(answerOf(await page.open(requestOf(client, hinted))).code).toMatch(/^ac_/);
  });
  test("of another session of the user counts, and so does a subject that the application chose", async () => {
    const subject = { claim: { uri: "http://wso2.org/claims/username" }, includeTenantDomain: true };
    const own = await newApplication({}, { claimConfiguration: { dialect: "LOCAL", subject } });
    const [first, second] = [await tokensOf(own), await tokensOf(own)];
    const hinted = { prompt: "none", id_token_hint: first.tokens.id_token };
    expect(claimsIn(first.tokens.id_token ?? "").sub).toBe("kim@carbon.super");
    expect(answerOf(await second.browser.open(requestOf(own, hinted))).code).toMatch(/^ac_/);
  });
  test("that is no ID token of the client is invalid_request", async () => {
    const { page, tokens } = await complete();
    for (const [of, hint] of [
      [client, "x"],
      [client, `${tokens.id_token}x`],
      [other, tokens.id_token],
    ] as const) {
      const { error, code } = answerOf(await page.open(requestOf(of, { id_token_hint: hint })));
      expect([error, code]).toEqual(["invalid_request", undefined]);
    }
  });
});
