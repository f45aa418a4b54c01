/** Hybrid and implicit answers: tokens that go through the browser, where the application lists them (decision 0120). */
import { createHash } from "node:crypto";
import { createRemoteJWKSet, jwtVerify } from "jose";
import * as openid from "openid-client";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestClient } from "#tests/support/oauth.ts";
import { fragmentOf, requestsOf } from "#tests/support/requests.ts";
import { CALLBACK, claimsIn, newVerifier, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const { push, opening } = requestsOf(api);
const HYBRID = "code token, code id_token,code id_token token";
const all = {
  grantTypes: ["authorization_code", "refresh_token", "implicit"],
  hybridFlow: { enable: true, responseType: HYBRID },
};
let client: TestClient;

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", {
    body: { userName: PERSON.username, password: PERSON.password, emails: [{ value: "kim@cars.example" }] },
  });
  client = await newApplication(all);
});

type Fields = Readonly<Record<string, string | undefined>>;
const half = (text: string | undefined) =>
  createHash("sha256")
    .update(text ?? "")
    .digest()
    .subarray(0, 16)
    .toString("base64url");
const infoOf = (token: string | undefined) => api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${token}` });
/** A sign-in to the answer in the fragment. */
const answered = async (of: TestClient, fields: Fields) => {
  const page = browser();
  await page.open(requestOf(of, { nonce: "n", state: "s", ...fields }));
  const shown = await enter(page);
  return { page, shown, answer: fragmentOf(shown) };
};
/** Signs in, and stops before the browser follows to the answer. */
const ticketOf = async (of: TestClient, fields: Fields) => {
  const page = browser();
  await page.open(requestOf(of));
  await enter(page);
  const cookie = [...page.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const ask = (path: string, sent = cookie) => api.ask("GET", path, { as: null, headers: { cookie: sent } });
  const { headers } = await ask(requestOf(of, { nonce: "n", state: "s", ...fields }));
  return { path: headers.get("location") ?? "", ask, cookie };
};

describe("sendAnswer", () => {
  test.each([
    ["code id_token", ["code", "id_token"]],
    ["id_token code", ["code", "id_token"]],
    ["code token", ["code", "access_token"]],
    ["code id_token token", ["code", "access_token", "id_token"]],
    ["id_token", ["id_token"]],
    ["token", ["access_token"]],
    ["id_token token", ["access_token", "id_token"]],
  ])("response_type %s has %j in the fragment, each bound to the others", async (response_type, members) => {
    const { shown, answer } = await answered(client, { response_type, scope: "openid email" });
    const withToken = members.includes("access_token") ? ["expires_in", "scope", "token_type"] : [];
    expect(Object.keys(answer).sort()).toEqual([...members, ...withToken, "iss", "state"].sort());
    expect([shown.location?.search, answer.state, answer.iss]).toEqual(["", "s", `${api.url}/oauth2/token`]);
    expect(shown.headers.get("cache-control")).toContain("no-store");
    if (answer.id_token) {
      const keys = createRemoteJWKSet(new URL(`${api.url}/oauth2/jwks`));
      const { payload } = await jwtVerify(answer.id_token, keys, { issuer: answer.iss, audience: client.clientId });
      expect(payload).toMatchObject({ nonce: "n", s_hash: half("s"), email: "kim@cars.example", acr: "pwd" });
      expect(payload.c_hash).toBe(answer.code && half(answer.code));
      expect(payload.at_hash).toBe(answer.access_token && half(answer.access_token));
    }
    if (answer.access_token) {
      expect([answer.token_type, Number(answer.expires_in)]).toEqual(["Bearer", 3_600]);
      expect((await infoOf(answer.access_token)).body.email).toBe("kim@cars.example");
    }
    if (answer.code) {
      const { status, body } = await redeem(client, answer.code);
      expect([status, claimsIn(body.id_token).nonce, typeof body.refresh_token]).toEqual([200, "n", "string"]);
      if (answer.id_token) expect(claimsIn(body.id_token).sub).toBe(claimsIn(answer.id_token).sub);
    }
  });

  test("with a session, after the consent, in a form, and for a pushed request", async () => {
    const { page } = await answered(client, { response_type: "id_token" });
    expect(
      fragmentOf(await page.open(requestOf(client, { response_type: "token", prompt: "none" }))).access_token,
    ).toMatch(/^at_/);
    await page.open(
      requestOf(client, { response_type: "code id_token", nonce: "n", response_mode: "form_post", state: '"><b>' }),
    );
    expect(page.fields()).toMatchObject({
      code: expect.stringMatching(/^ac_/),
      id_token: expect.any(String),
      state: '"><b>',
    });
    const asking = await newApplication(all, { advancedConfigurations: { skipLoginConsent: false } });
    await page.open(requestOf(asking, { response_type: "id_token", nonce: "n" }));
    expect(claimsIn(fragmentOf(await page.submit({ answer: "allow" })).id_token ?? "").nonce).toBe("n");
    const { body } = await push(client, { response_type: "code id_token", nonce: "n" });
    expect(fragmentOf(await page.open(opening(client, body.request_uri))).code).toMatch(/^ac_/);
    expect((await page.open(opening(client, body.request_uri))).status).toBe(400);
  });

  test("a JWT as the access token, ES256 for ID tokens, and a tenant's own path", async () => {
    const own = await newApplication({
      ...all,
      accessToken: { type: "JWT" },
      idToken: { idTokenSignedResponseAlg: "ES256" },
    });
    const { page } = await answered(own, { response_type: "id_token" });
    const path = `/t/carbon.super${requestOf(own, { response_type: "id_token token", nonce: "n" })}`;
    const { access_token = "", id_token = "" } = fragmentOf(await page.open(path));
    expect([claimsIn(access_token).client_id, half(access_token)]).toEqual([own.clientId, claimsIn(id_token).at_hash]);
    expect(JSON.parse(Buffer.from(id_token.split(".")[0] ?? "", "base64url").toString()).alg).toBe("ES256");
  });
});

describe("a request", () => {
  const errorOf = async (of: TestClient, fields: Fields) => {
    const { error, state, access_token, id_token, code } = fragmentOf(
      await browser().open(requestOf(of, { state: "s", ...fields })),
    );
    expect([state, access_token, id_token, code]).toEqual(["s", undefined, undefined, undefined]);
    return error;
  };
  test("for a response that the application does not list is unsupported_response_type, in the fragment", async () => {
    const plain = await newApplication();
    for (const response_type of [
      "id_token",
      "token",
      "id_token token",
      "code id_token",
      "code token",
      "code id_token token",
    ]) {
      expect([response_type, await errorOf(plain, { response_type, nonce: "n" })]).toEqual([
        response_type,
        "unsupported_response_type",
      ]);
    }
    const one = await newApplication({ hybridFlow: { enable: true, responseType: "code id_token" } });
    expect(await errorOf(one, { response_type: "code token" })).toBe("unsupported_response_type");
    expect(await errorOf(one, { response_type: "id_token", nonce: "n" })).toBe("unsupported_response_type");
    const off = await newApplication({ hybridFlow: { enable: false, responseType: "code id_token" } });
    expect(await errorOf(off, { response_type: "code id_token", nonce: "n" })).toBe("unsupported_response_type");
    const implicit = await newApplication({ grantTypes: ["implicit"] });
    expect(answerOf(await browser().open(requestOf(implicit))).error).toBe("unsupported_response_type");
    expect(await errorOf(implicit, { response_type: "code id_token", nonce: "n" })).toBe("unsupported_response_type");
    expect((await answered(implicit, { response_type: "id_token" })).answer.id_token).toBeTruthy();
  });
  test("for an ID token needs a nonce and the scope openid, and no token is sent in a query", async () => {
    expect(await errorOf(client, { response_type: "code id_token" })).toBe("invalid_request");
    expect(await errorOf(client, { response_type: "id_token", nonce: "n", scope: "email" })).toBe("invalid_scope");
    for (const response_type of ["token", "code id_token"]) {
      expect(await errorOf(client, { response_type, nonce: "n", response_mode: "query" })).toBe("invalid_request");
    }
    expect(await errorOf(client, { response_type: "token token" })).toBe("invalid_request");
    expect(await errorOf(client, { response_type: "token none" })).toBe("invalid_request");
  });
  test("for an access token of an application whose tokens are bound to a key is refused", async () => {
    for (const bindingType of ["DPoP", "certificate"]) {
      const bound = await newApplication({ ...all, accessToken: { bindingType } });
      expect(await errorOf(bound, { response_type: "token" })).toBe("unauthorized_client");
      expect(await errorOf(bound, { response_type: "code id_token token", nonce: "n" })).toBe("unauthorized_client");
      expect((await answered(bound, { response_type: "code id_token" })).answer.code).toMatch(/^ac_/);
    }
  });
  test("for a code among others needs PKCE where the application says so; without a code it does not", async () => {
    const strict = await newApplication({ ...all, pkce: { mandatory: true } });
    expect(await errorOf(strict, { response_type: "code id_token", nonce: "n" })).toBe("invalid_request");
    expect((await answered(strict, { response_type: "id_token" })).answer.id_token).toBeTruthy();
    const { verifier, challenge } = newVerifier();
    const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
    const { answer } = await answered(strict, { response_type: "code token", ...pkce });
    expect((await redeem(strict, answer.code)).body.error).toBe("invalid_grant");
    expect((await redeem(strict, answer.code, { code_verifier: verifier })).status).toBe(200);
  });
  test("that fails tells the client in the fragment", async () => {
    expect(await errorOf(client, { response_type: "id_token", nonce: "n", prompt: "none" })).toBe("login_required");
  });
});

describe("a ticket", () => {
  test("counts once, in the browser that signed in, on the path of its tenant", async () => {
    const { path, ask, cookie } = await ticketOf(client, { response_type: "code id_token" });
    expect(path).toMatch(/^\/oauth2\/answer\?ticket=fa_[\w-]{43}$/);
    const stranger = cookie.replace(/__Host-sign-in=[^;]+/, `__Host-sign-in=${"a".repeat(43)}`);
    for (const [at, sent] of [
      [path, stranger],
      [path, ""],
      [`/t/acme.example${path}`, cookie],
      [`${path}x`, cookie],
      ["/oauth2/answer", cookie],
      ["/oauth2/answer?ticket=", cookie],
      [`/oauth2/answer?ticket=ac_${"a".repeat(43)}`, cookie],
      [`${path}&ticket=x`, cookie],
    ] as const) {
      const { status, headers, text } = await ask(at, sent);
      expect([at, status, headers.get("location")]).toEqual([at, 400, null]);
      expect([headers.get("content-type"), text.includes("<script")]).toEqual(["text/html; charset=utf-8", false]);
    }
    const answers = await Promise.all([ask(path), ask(path), ask(path)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([302, 400, 400]);
    expect((await ask(path)).status).toBe(400);
  });
  test("is no code: the token endpoint knows nothing of it", async () => {
    const { path, ask } = await ticketOf(client, { response_type: "code token" });
    const ticket = path.split("=")[1] ?? "";
    for (const code of [ticket, ticket.replace("fa_", "ac_")])
      expect((await redeem(client, code)).body.error).toBe("invalid_grant");
    expect((await ask(path)).status).toBe(302);
  });
  test("gives nothing any more when the user, the application or its client has changed", async () => {
    const inFragment = (location: string | null) => Object.fromEntries(new URLSearchParams(location?.split("#")[1]));
    const off = await newApplication(all);
    const first = await ticketOf(off, { response_type: "id_token token" });
    await api.ask("PATCH", `${APPLICATIONS}/${off.applicationId}`, { body: { applicationEnabled: false } });
    expect(inFragment((await first.ask(first.path)).headers.get("location"))).toMatchObject({
      error: "unauthorized_client",
      state: "s",
    });
    const bound = await newApplication(all);
    const second = await ticketOf(bound, { response_type: "token" });
    await api.ask("PUT", `${APPLICATIONS}/${bound.applicationId}/inbound-protocols/oidc`, {
      body: { ...all, callbackURLs: [CALLBACK], accessToken: { bindingType: "DPoP" } },
    });
    expect(inFragment((await second.ask(second.path)).headers.get("location")).error).toBe("unauthorized_client");
    const third = await ticketOf(client, { response_type: "id_token" });
    const { body } = await api.ask("GET", `/scim2/Users?filter=${encodeURIComponent('userName eq "kim"')}`);
    const change = (active: boolean) =>
      api.ask("PATCH", `/scim2/Users/${body.Resources[0].id}`, {
        body: {
          schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
          Operations: [
            {
              op: "replace",
              value: { "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { accountDisabled: !active } },
            },
          ],
        },
      });
    const { status } = await change(false);
    expect(status).toBe(200);
    expect(inFragment((await third.ask(third.path)).headers.get("location"))).toMatchObject({
      error: "access_denied",
      state: "s",
    });
    expect((await third.ask(third.path)).status).toBe(400);
    await change(true);
  });
});

test("a second use of the code ends the token of the answer too", async () => {
  const { answer } = await answered(client, { response_type: "code token" });
  expect((await redeem(client, answer.code)).status).toBe(200);
  const isActive = async () => {
    const as = `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString("base64")}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return (await api.ask("POST", "/oauth2/introspect", { as, raw: `token=${answer.access_token}`, headers })).body
      .active;
  };
  expect(await isActive()).toBe(true);
  expect((await redeem(client, answer.code)).body.error).toBe("invalid_grant");
  expect(await isActive()).toBe(false);
});

test("an application ends the token of an implicit answer at the endpoint for that", async () => {
  const { answer } = await answered(client, { response_type: "token" });
  const { status } = await api.ask("POST", "/oauth2/revoke", {
    as: `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString("base64")}`,
    raw: `token=${answer.access_token}`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  expect([status, (await infoOf(answer.access_token)).status]).toEqual([200, 401]);
});

describe("openid-client, as it is", () => {
  const discover = (execute: typeof openid.useCodeIdTokenResponseType) =>
    openid.discovery(
      new URL(`${api.url}/oauth2/token`),
      client.clientId,
      { client_secret: client.clientSecret },
      undefined,
      {
        execute: [openid.allowInsecureRequests, execute],
      },
    );
  const start = async (config: openid.Configuration, more: Record<string, string> = {}) => {
    const [state, nonce] = [openid.randomState(), openid.randomNonce()];
    const parameters = { redirect_uri: CALLBACK, scope: "openid email", state, nonce, ...more };
    const page = browser();
    await page.open(openid.buildAuthorizationUrl(config, parameters).href);
    const { location } = await enter(page);
    if (!location) throw new Error("no answer");
    return { location, state, nonce };
  };
  test("code id_token", async () => {
    const config = await discover(openid.useCodeIdTokenResponseType);
    const verifier = openid.randomPKCECodeVerifier();
    const { location, state, nonce } = await start(config, {
      ...{ code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" },
    });
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
    const tokens = await openid.authorizationCodeGrant(config, location, checks);
    expect(tokens.claims()).toMatchObject({ nonce, email: "kim@cars.example" });
  });
  test("id_token", async () => {
    const config = await discover(openid.useIdTokenResponseType);
    const { location, state, nonce } = await start(config);
    const claims = await openid.implicitAuthentication(config, location, nonce, { expectedState: state });
    expect(claims).toMatchObject({ nonce, email: "kim@cars.example" });
  });
});
