/** Sign-in by a browser: requests, pages, sessions, consent, codes, ID tokens and claims. */
import { createHash } from "node:crypto";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestClient } from "#tests/support/oauth.ts";
import { CALLBACK, claimsIn, newVerifier, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser, tokensOf } = signInOf(api);
let client: TestClient;
let userId = "";

beforeAll(async () => {
  const created = await api.ask("POST", "/scim2/Users", {
    body: {
      userName: PERSON.username,
      password: PERSON.password,
      name: { givenName: "Kim", familyName: "Park" },
      emails: [{ value: "kim@work.example", type: "work", primary: true }],
      phoneNumbers: [{ value: "+49 30 1", type: "mobile" }],
      addresses: [{ type: "work", locality: "Berlin", country: "DE" }],
    },
  });
  if (created.status !== 201) throw new Error(created.text);
  userId = created.body.id;
  client = await newApplication();
});

describe("authorize", () => {
  test("shows a page of sign-in, and sends the browser back with a code for the right password", async () => {
    const page = browser();
    const shown = await page.open(requestOf(client, { state: "s 1&2", login_hint: "kim" }));
    expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.fields()).toMatchObject({ username: "kim", password: "" });
    const done = await enter(page);
    expect(done.status).toBe(303);
    expect(`${done.location?.origin}${done.location?.pathname}`).toBe(CALLBACK);
    expect(answerOf(done)).toEqual({
      code: expect.stringMatching(/^ac_[\w-]{43}$/),
      state: "s 1&2",
      iss: `${api.url}/oauth2/token`,
    });
  });

  test("a second application gets a code without a password; prompt, max_age and another browser ask again", async () => {
    const page = browser();
    const other = await newApplication();
    await page.open(requestOf(client));
    await enter(page);
    expect(answerOf(await page.open(requestOf(other))).code).toMatch(/^ac_/);
    expect(answerOf(await page.open(requestOf(other, { prompt: "none" }))).code).toMatch(/^ac_/);
    expect(answerOf(await page.open(requestOf(other, { max_age: "60" }))).code).toMatch(/^ac_/);
    for (const fields of [{ prompt: "login" }, { prompt: "select_account" }]) {
      expect((await page.open(requestOf(other, fields))).title).toContain("Sign in to");
    }
    expect((await browser().open(requestOf(other))).title).toContain("Sign in to");
    await new Promise((done) => setTimeout(done, 1_100));
    expect((await page.open(requestOf(other, { max_age: "0" }))).title).toContain("Sign in to");
    expect(answerOf(await page.open(requestOf(other, { max_age: "0", prompt: "none" }))).error).toBe("login_required");
  });

  test("prompt=none never shows a page", async () => {
    const { error, state, iss, code } = answerOf(
      await browser().open(requestOf(client, { prompt: "none", state: "x" })),
    );
    expect([error, state, iss, code]).toEqual(["login_required", "x", `${api.url}/oauth2/token`, undefined]);
    const asking = await newApplication({}, { advancedConfigurations: { skipLoginConsent: false } });
    const page = browser();
    await page.open(requestOf(client));
    await enter(page);
    expect(answerOf(await page.open(requestOf(asking, { prompt: "none" }))).error).toBe("consent_required");
  });

  test("answers in the fragment and by a form where the request asks for it", async () => {
    const page = browser();
    await page.open(requestOf(client));
    await enter(page);
    const inFragment = await page.open(requestOf(client, { response_mode: "fragment", state: "f" }));
    expect(inFragment.location?.search).toBe("");
    expect(new URLSearchParams(inFragment.location?.hash.slice(1)).get("state")).toBe("f");
    const byForm = await page.open(requestOf(client, { response_mode: "form_post", state: '"><b>' }));
    expect(byForm.html).toContain(`action="${CALLBACK}"`);
    expect(page.fields()).toMatchObject({ code: expect.stringMatching(/^ac_/), state: '"><b>' });
    expect(byForm.html).not.toContain("<b>");
  });

  const wrong: readonly (readonly [string, Readonly<Record<string, string | undefined>>, string])[] = [
    ["no response type", { response_type: undefined }, "invalid_request"],
    ["an unknown response type", { response_type: "magic" }, "invalid_request"],
    ["an unknown response mode", { response_mode: "pigeon" }, "invalid_request"],
    ["an unknown prompt", { prompt: "maybe" }, "invalid_request"],
    ["none with another prompt", { prompt: "none login" }, "invalid_request"],
    ["an age that is no number", { max_age: "-1" }, "invalid_request"],
    ["a text that is no request object", { request: "a.b.c" }, "invalid_request_object"],
    ["a request address", { request_uri: "https://x.example" }, "request_uri_not_supported"],
    ["a registration", { registration: "{}" }, "registration_not_supported"],
    ["a scope with a control character", { scope: "openid \u0007" }, "invalid_scope"],
    ["a resource that is no address", { resource: "not a uri" }, "invalid_target"],
    ["a resource with a fragment", { resource: "https://api.example.com/#x" }, "invalid_target"],
    ["a long nonce", { nonce: "n".repeat(2_049) }, "invalid_request"],
    ["a plain challenge", { code_challenge: "a".repeat(43), code_challenge_method: "plain" }, "invalid_request"],
    ["a challenge without a method", { code_challenge: "a".repeat(43) }, "invalid_request"],
    ["a short challenge", { code_challenge: "abc", code_challenge_method: "S256" }, "invalid_request"],
    ["a method without a challenge", { code_challenge_method: "S256" }, "invalid_request"],
  ];
  test.each(wrong)("%s is an error for the client", async (_, fields, error) => {
    const shown = await browser().open(requestOf(client, { state: "keep", ...fields }));
    expect(answerOf(shown)).toMatchObject({ error, state: "keep", iss: expect.any(String) });
    expect(answerOf(shown).error_description).toMatch(/\.$/);
  });

  test("a state that no address can carry is refused on a page", async () => {
    expect(answerOf(await browser().open(requestOf(client, { state: "s".repeat(4_096), prompt: "none" }))).state).toBe(
      "s".repeat(4_096),
    );
    const shown = await browser().open(requestOf(client, { state: "\u{1F600}".repeat(400), prompt: "none" }));
    expect([shown.status, shown.location]).toEqual([400, undefined]);
  });
  const errorFor = async (oidc: object, application: object = {}) =>
    answerOf(await browser().open(requestOf(await newApplication(oidc, application)))).error;
  test("an application without the grant, and a disabled one, get no code", async () => {
    expect(await errorFor({ grantTypes: ["refresh_token"] })).toBe("unauthorized_client");
    expect(await errorFor({}, { applicationEnabled: false })).toBe("unauthorized_client");
  });
  test("PKCE is required where the application says so, and of public clients", async () => {
    expect(await errorFor({ pkce: { mandatory: true } })).toBe("invalid_request");
    expect(await errorFor({ publicClient: true })).toBe("invalid_request");
  });
  test("where requests must be pushed, others are refused", async () => {
    expect(await errorFor({ pushAuthorizationRequest: { requirePushAuthorizationRequest: true } })).toBe(
      "invalid_request",
    );
  });
});

describe("authorizeByForm", () => {
  test("takes the same parameters in a body", async () => {
    const answer = await api.ask("POST", "/oauth2/authorize", {
      as: null,
      raw: requestOf(client).split("?")[1] ?? "",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect([answer.status, answer.text.includes('name="password"')]).toEqual([200, true]);
  });
});

describe("signIn", () => {
  test("a wrong password, an unknown user and no password: the page again, with the name and without the password", async () => {
    const texts = new Set<string>();
    for (const username of [PERSON.username, "nobody-here"]) {
      const page = browser();
      await page.open(requestOf(client));
      const shown = await page.submit({ username, password: "wrong-password" });
      expect([shown.status, page.fields().username, page.fields().password]).toEqual([400, username, ""]);
      texts.add(shown.alert ?? "");
    }
    expect([...texts]).toEqual(["The user name or the password is wrong, or the user may not sign in."]);
    const page = browser();
    await page.open(requestOf(client));
    expect((await page.submit({ username: "kim", password: "" })).alert).toBe("Enter a user name and a password.");
  });

  test("a form of another browser, an old one, a changed one and one of another site are refused", async () => {
    const [page, other] = [browser(), browser()];
    await page.open(requestOf(client));
    const { request = "" } = page.fields();
    await other.open(requestOf(client));
    expect((await other.submit({ ...PERSON, request })).status).toBe(400);
    await other.open(requestOf(client));
    expect((await other.submit({ ...PERSON, request: `${request}x` })).status).toBe(400);
    await page.open(requestOf(client));
    const foreign = await page.submit(PERSON, { "sec-fetch-site": "cross-site" });
    expect([foreign.status, foreign.location]).toEqual([400, undefined]);
    await page.open(requestOf(client));
    page.cookies.clear();
    expect((await enter(page)).alert).toContain("opened in another browser");
  });

  test("locks a name after ten wrong passwords, also with the right one", async () => {
    await api.ask("POST", "/scim2/Users", { body: { userName: "guessed", password: PERSON.password } });
    const page = browser();
    for (let count = 0; count < 10; count += 1) {
      await page.open(requestOf(client));
      await page.submit({ username: "guessed", password: `wrong-${count}` });
    }
    await page.open(requestOf(client));
    const shown = await page.submit({ username: "guessed", password: PERSON.password });
    expect([shown.status, shown.alert]).toEqual([400, expect.stringContaining("Too many wrong passwords")]);
  });

  test("begins a session with another secret each time, and ends the one before", async () => {
    const page = browser();
    await page.open(requestOf(client));
    await enter(page);
    const first = page.cookies.get("__Host-session") ?? "";
    await page.open(requestOf(client, { prompt: "login" }));
    await enter(page);
    const second = page.cookies.get("__Host-session") ?? "";
    expect(new Set([first, second]).size).toBe(2);
    const thief = browser();
    thief.cookies.set("__Host-session", first);
    expect((await thief.open(requestOf(client))).title).toContain("Sign in to");
  });

  test("sets cookies that scripts, other hosts and plain connections do not get", async () => {
    const page = browser();
    const sets = (await page.open(requestOf(client))).headers.getSetCookie();
    sets.push(...(await enter(page)).headers.getSetCookie());
    expect(sets.length).toBe(3);
    for (const set of sets) expect(set).toMatch(/^__Host-[\w-]+=[^;]+; Path=\/; Secure; HttpOnly; SameSite=Lax/);
  });
});

describe("a session ends at once", () => {
  const system = (value: object) => ({ "urn:scim:wso2:schema": value });
  const password = "another-Password-2";
  const inBulk = (path: string, method: string, id: string, data?: object) =>
    api.ask("POST", path, { body: { Operations: [{ method, path: `/Users/${id}`, data }] } });
  const ends: readonly (readonly [string, (id: string, userName: string) => Promise<unknown>])[] = [
    ["with another password", (id) => patch(id, { password })],
    [
      "with another password by PUT",
      (id, userName) => api.ask("PUT", `/scim2/Users/${id}`, { body: { userName, password } }),
    ],
    ["with another password in bulk", (id) => inBulk("/scim2/Bulk", "PATCH", id, change({ password }))],
    ["with another password by SCIM 1.1", (id) => api.ask("PATCH", `/svc/scim/Users/${id}`, { body: { password } })],
    ["with another password in bulk by SCIM 1.1", (id) => inBulk("/svc/scim/Bulk", "PATCH", id, { password })],
    ["when the user is locked", (id) => patch(id, system({ accountLocked: true }))],
    ["when the user is disabled", (id) => patch(id, system({ accountDisabled: true }))],
    ["when the user is switched off", (id) => patch(id, { active: false })],
    ["when the user is deleted", (id) => api.ask("DELETE", `/scim2/Users/${id}`)],
    ["when the user is deleted in bulk", (id) => inBulk("/scim2/Bulk", "DELETE", id)],
    ["when the user is deleted by SCIM 1.1", (id) => api.ask("DELETE", `/svc/scim/Users/${id}`)],
    ["when the user is deleted in bulk by SCIM 1.1", (id) => inBulk("/svc/scim/Bulk", "DELETE", id)],
    [
      "when the user was deleted and restored",
      async (id) => {
        await api.ask("DELETE", `/scim2/Users/${id}`);
        return api.ask("POST", `/api/server/v1/deleted-resources/${id}/restore`, { body: {} });
      },
    ],
  ];
  const change = (value: object) => ({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
    Operations: [{ op: "replace", value }],
  });
  const patch = (id: string, value: object) => api.ask("PATCH", `/scim2/Users/${id}`, { body: change(value) });
  test.each(ends)("%s", async (how, end) => {
    const person = { username: `ends ${how}`.replaceAll(" ", "-"), password: PERSON.password };
    const { body } = await api.ask("POST", "/scim2/Users", { body: { userName: person.username, ...person } });
    const page = browser();
    await page.open(requestOf(client));
    const { code } = answerOf(await enter(page, person));
    expect((await end(body.id, person.username)) as object).toMatchObject({
      status: expect.toSatisfy((status: number) => status < 300),
    });
    expect((await page.open(requestOf(client))).title).toContain("Sign in to");
    expect((await redeem(client, code)).body.error).toBe("invalid_grant");
  });
});

describe("giveConsent", () => {
  test("is asked once for each application and scope, and remembered", async () => {
    const asking = await newApplication({}, { advancedConfigurations: { skipLoginConsent: false } });
    const page = browser();
    await page.open(requestOf(asking, { scope: "openid email" }));
    const shown = await enter(page);
    expect([shown.status, shown.html]).toEqual([200, expect.stringContaining("<li>Your e-mail address</li>")]);
    expect(shown.html).toContain("You are signed in as kim.");
    expect(answerOf(await page.submit({ answer: "allow" })).code).toMatch(/^ac_/);
    expect(answerOf(await page.open(requestOf(asking, { scope: "openid" }))).code).toMatch(/^ac_/);
    expect((await page.open(requestOf(asking, { scope: "openid phone" }))).title).toContain("asks for access");
    expect((await page.open(requestOf(asking, { prompt: "consent" }))).title).toContain("asks for access");
  });
  test("a refusal is access_denied, and nothing is remembered", async () => {
    const asking = await newApplication({}, { advancedConfigurations: { skipLoginConsent: false } });
    const page = browser();
    await page.open(requestOf(asking));
    await enter(page);
    expect(answerOf(await page.submit({ answer: "deny" })).error).toBe("access_denied");
    expect((await page.open(requestOf(asking))).title).toContain("asks for access");
  });
  test("counts for the session that was asked, in the browser that was asked", async () => {
    const asking = await newApplication({}, { advancedConfigurations: { skipLoginConsent: false } });
    const [page, other] = [browser(), browser()];
    await page.open(requestOf(asking));
    await enter(page);
    const { request = "" } = page.fields();
    await other.open(requestOf(asking));
    await enter(other);
    expect((await other.submit({ request, answer: "allow" })).status).toBe(400);
    page.cookies.delete("__Host-session");
    expect((await page.submit({ answer: "allow" })).title).toContain("Sign in to");
  });
});

describe("tokens", () => {
  test("an ID token says who signed in, when and how", async () => {
    const before = Math.floor(Date.now() / 1_000);
    const { tokens } = await tokensOf(client, { nonce: "n-1", scope: "openid profile email" });
    const keys = createRemoteJWKSet(new URL(`${api.url}/oauth2/jwks`));
    const { payload, protectedHeader } = await jwtVerify(tokens.id_token ?? "", keys, {
      issuer: `${api.url}/oauth2/token`,
      audience: client.clientId,
    });
    expect(protectedHeader).toMatchObject({ alg: "RS256", typ: "JWT" });
    const hash = createHash("sha256")
      .update(tokens.access_token ?? "")
      .digest()
      .subarray(0, 16)
      .toString("base64url");
    expect(payload).toMatchObject({
      ...{ sub: userId, nonce: "n-1", acr: "pwd", amr: ["pwd"], at_hash: hash, sid: expect.any(String) },
      ...{ given_name: "Kim", family_name: "Park", name: "Kim Park", preferred_username: "kim" },
      email: "kim@work.example",
    });
    expect(payload.auth_time).toBeGreaterThanOrEqual(before);
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3_600);
  });
  test("without the scope openid there is none, and without the grant no refresh token", async () => {
    const plain = await newApplication({ grantTypes: ["authorization_code"] });
    const { tokens } = await tokensOf(plain, { scope: "internal_login" });
    expect(tokens).toMatchObject({ token_type: "Bearer", scope: "internal_login" });
    expect([tokens.id_token, tokens.refresh_token]).toEqual([undefined, undefined]);
  });
  test("access to the user's own account is asked for, also where consent is skipped", async () => {
    const skipping = await newApplication();
    const scope = "openid internal_login";
    const page = browser();
    await page.open(requestOf(skipping, { scope }));
    const asked = await enter(page);
    expect(asked.title).toContain("asks for access to");
    expect(asked.html).toContain("Your account: it can see and change your data, your password");
    const silently = { scope, prompt: "none" };
    expect(answerOf(await page.open(requestOf(skipping, silently))).error).toBe("consent_required");
    await page.open(requestOf(skipping, { scope }));
    expect(answerOf(await page.submit({ answer: "allow" })).code).toBeDefined();
    expect(answerOf(await page.open(requestOf(skipping, silently))).code).toBeDefined();
    // Without it, the administrators decide.
    expect(answerOf(await page.open(requestOf(await newApplication()))).code).toBeDefined();
  });
  test("ES256, audiences and lifetime are those of the application", async () => {
    const own = await newApplication({
      idToken: { idTokenSignedResponseAlg: "ES256", expiryInSeconds: 120, audience: ["https://api.example.com"] },
    });
    const { tokens } = await tokensOf(own);
    const claims = claimsIn(tokens.id_token ?? "");
    expect(claims.aud).toEqual([own.clientId, "https://api.example.com"]);
    expect([claims.azp, claims.exp - claims.iat]).toEqual([own.clientId, 120]);
    const { protectedHeader } = await jwtVerify(
      tokens.id_token ?? "",
      createRemoteJWKSet(new URL(`${api.url}/oauth2/jwks`)),
    );
    expect(protectedHeader.alg).toBe("ES256");
  });
  test("the access token permits what was granted and nothing else; an ID token permits nothing", async () => {
    const { tokens } = await tokensOf(client);
    expect((await api.ask("GET", "/scim2/Me", { as: `Bearer ${tokens.access_token}` })).status).toBe(403);
    for (const path of ["/scim2/Me", "/oauth2/userinfo"]) {
      expect((await api.ask("GET", path, { as: `Bearer ${tokens.id_token}` })).status).toBe(401);
    }
    const jwt = await newApplication({ accessToken: { type: "JWT" } });
    const { tokens: signed } = await tokensOf(jwt, { scope: "openid" });
    expect((await api.ask("GET", "/scim2/Me", { as: `Bearer ${signed.access_token}` })).status).toBe(403);
    const { tokens: asked } = await tokensOf(jwt, { scope: "openid internal_login" });
    expect((await api.ask("GET", "/scim2/Me", { as: `Bearer ${asked.access_token}` })).status).toBe(200);
  });
  test("a refreshed token keeps the scopes of the sign-in, and permits no more", async () => {
    const { tokens } = await tokensOf(client, { scope: "openid email" });
    const answer = await api.ask("POST", "/oauth2/token", {
      as: { username: client.clientId, password: client.clientSecret },
      raw: `grant_type=refresh_token&refresh_token=${tokens.refresh_token}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(answer.body.scope).toBe("openid email");
    const as = `Bearer ${answer.body.access_token}`;
    expect((await api.ask("GET", "/oauth2/userinfo", { as })).body.email).toBe("kim@work.example");
    expect((await api.ask("GET", "/scim2/Me", { as })).status).toBe(403);
  });
});

describe("a code", () => {
  const codeOf = async (of: TestClient, fields: Readonly<Record<string, string>> = {}) => {
    const page = browser();
    await page.open(requestOf(of, fields));
    return answerOf(await enter(page)).code;
  };
  test("is used once: the second use ends the tokens of the first", async () => {
    const code = await codeOf(client);
    const first = await redeem(client, code);
    expect(first.status).toBe(200);
    const as = `Bearer ${first.body.access_token}`;
    expect((await api.ask("GET", "/oauth2/userinfo", { as })).status).toBe(200);
    expect((await redeem(client, code)).body.error).toBe("invalid_grant");
    expect((await api.ask("GET", "/oauth2/userinfo", { as })).status).toBe(401);
  });
  test("of two uses at once one succeeds, and its tokens end", async () => {
    const code = await codeOf(client);
    const answers = await Promise.all(Array.from({ length: 5 }, () => redeem(client, code)));
    const [first, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    expect((await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${first?.body.access_token}` })).status).toBe(401);
  });
  test("belongs to its client, its address and its verifier", async () => {
    const { verifier, challenge } = newVerifier();
    const proven = { code_challenge: challenge, code_challenge_method: "S256" };
    const other = await newApplication();
    expect((await redeem(other, await codeOf(client))).body.error).toBe("invalid_grant");
    const code = await codeOf(client, proven);
    for (const more of [
      {},
      { code_verifier: newVerifier().verifier },
      { code_verifier: challenge },
      { code_verifier: verifier, redirect_uri: `${CALLBACK}/x` },
      { code_verifier: verifier, redirect_uri: undefined },
    ]) {
      expect((await redeem(client, code, more)).body.error).toBe("invalid_grant");
    }
    expect((await redeem(client, code, { code_verifier: verifier })).status).toBe(200);
    // A verifier for a request without a challenge: somebody took the challenge away.
    expect((await redeem(client, await codeOf(client), { code_verifier: verifier })).body.error).toBe("invalid_grant");
  });
  test("of a public client needs its proof and no secret", async () => {
    const open = await newApplication({ publicClient: true });
    const { verifier, challenge } = newVerifier();
    const code = await codeOf(open, { code_challenge: challenge, code_challenge_method: "S256" });
    const answer = await api.ask("POST", "/oauth2/token", {
      as: null,
      raw: new URLSearchParams({
        ...{ grant_type: "authorization_code", code: code ?? "", redirect_uri: CALLBACK },
        ...{ code_verifier: verifier, client_id: open.clientId },
      }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect([answer.status, answer.body.refresh_token]).toEqual([200, expect.stringMatching(/^rt_/)]);
  });
  test("plain where the application allows it", async () => {
    const plain = await newApplication({ pkce: { mandatory: true, supportPlainTransformAlgorithm: true } });
    const { verifier } = newVerifier();
    const code = await codeOf(plain, { code_challenge: verifier });
    expect((await redeem(plain, code, { code_verifier: verifier })).status).toBe(200);
  });
});

describe("getUserInfo", () => {
  test("has the claims of the scopes, and the subject of the ID token", async () => {
    const { tokens } = await tokensOf(client, { scope: "openid profile email phone address roles groups" });
    const { status, body } = await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${tokens.access_token}` });
    expect([status, body]).toEqual([
      200,
      {
        ...{ sub: userId, name: "Kim Park", given_name: "Kim", family_name: "Park", preferred_username: "kim" },
        ...{ email: "kim@work.example", phone_number: "+49 30 1", updated_at: expect.any(Number) },
        ...{ address: { locality: "Berlin", country: "DE" }, roles: ["everyone"] },
      },
    ]);
    expect(claimsIn(tokens.id_token ?? "").sub).toBe(body.sub);
  });
  test("an application that requests claims gets these, and the subject that it chose", async () => {
    const uri = (name: string) => ({ uri: `http://wso2.org/claims/${name}` });
    const own = await newApplication(
      {},
      {
        claimConfiguration: {
          dialect: "LOCAL",
          requestedClaims: [{ claim: uri("emailaddress"), mandatory: false }],
          subject: { claim: uri("username"), includeTenantDomain: true },
        },
      },
    );
    const { tokens } = await tokensOf(own, { scope: "openid profile email" });
    const { body } = await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${tokens.access_token}` });
    expect(body).toEqual({ sub: "kim@carbon.super", email: "kim@work.example" });
  });
  test("roles have the names that the application gives them", async () => {
    const mappings = [{ localRole: "everyone", applicationRole: "Guest" }];
    const own = await newApplication({}, { claimConfiguration: { role: { mappings } } });
    const { tokens } = await tokensOf(own, { scope: "openid roles" });
    expect(claimsIn(tokens.id_token ?? "").roles).toEqual(["Guest"]);
  });
  test("needs a token with the scope openid, of this tenant", async () => {
    const none = await api.ask("GET", "/oauth2/userinfo", { as: null });
    expect([none.status, none.body.error, none.headers.get("www-authenticate")]).toEqual([
      401,
      "invalid_token",
      "Bearer",
    ]);
    const plain = await tokensOf(client, { scope: "internal_login" });
    const lacking = await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${plain.tokens.access_token}` });
    expect([lacking.status, lacking.body.error]).toEqual([403, "insufficient_scope"]);
    expect(lacking.headers.get("www-authenticate")).toContain("openid");
    const unknown = await api.ask("GET", "/oauth2/userinfo", { as: "Bearer at_x" });
    expect([unknown.status, unknown.body.error]).toEqual([401, "invalid_token"]);
  });
});

describe("getUserInfoByPost", () => {
  test("is the same", async () => {
    const { tokens } = await tokensOf(client);
    const { status, body } = await api.ask("POST", "/oauth2/userinfo", { as: `Bearer ${tokens.access_token}` });
    expect([status, body]).toEqual([200, { sub: userId }]);
  });
});

test("people see the page in their language", async () => {
  const page = browser();
  expect((await page.open(requestOf(client), { "accept-language": "fr, de;q=0.8, en;q=0.5" })).title).toMatch(
    /anmelden$/,
  );
  expect((await page.open(requestOf(client, { ui_locales: "de-CH en" }))).html).toContain('<html lang="de">');
});

test("an application is unknown in another tenant", async () => {
  await api.ask("POST", "/api/server/v1/tenants", {
    body: {
      domain: "other.example",
      owners: [
        {
          ...{ username: "owner", password: "a-good-Password-3", email: "o@other.example" },
          ...{ firstname: "O", lastname: "W", provisioningMethod: "inline-password" },
        },
      ],
    },
  });
  const shown = await browser().open(`/t/other.example${requestOf(client)}`);
  expect([shown.status, shown.location]).toEqual([400, undefined]);
  expect((await api.ask("GET", `${APPLICATIONS}/${client.applicationId}`)).status).toBe(200);
});
