/** Pushed authorization requests (RFC 9126): the endpoint, and the authorization request that names one. */
import { beforeAll, describe, expect, test } from "vitest";
import { assertionOf, inline, JWT_ASSERTION, keyFor, registering } from "#tests/support/client-keys.ts";
import { dpopOf, newProofKey, thumbprintOf } from "#tests/support/dpop.ts";
import { mtlsOf } from "#tests/support/mtls.ts";
import { form, oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { PAR, requestsOf } from "#tests/support/requests.ts";
import { CALLBACK, newVerifier, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const api = world({ hasMtls: true });
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const { post, push, pushed, opening, basicOf, fieldsOf } = requestsOf(api);
const { setCertificate, clientBy } = registering(api, oauthOf(api));
const dpop = dpopOf(api);
let client: TestClient;
let other: TestClient;
const URN = /^urn:ietf:params:oauth:request_uri:pr_[\w-]{43}$/;
const forCode = { grantTypes: ["authorization_code"], callbackURLs: [CALLBACK] };

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password } });
  client = await newApplication();
  other = await newApplication();
});

describe("pushAuthorizationRequest", () => {
  test("gives a request a name, by which a person signs in and the client gets a code", async () => {
    const { status, body, headers } = await push(client, { state: "s", nonce: "n" });
    expect([status, body]).toEqual([201, { request_uri: expect.stringMatching(URN), expires_in: 60 }]);
    expect(headers.get("cache-control")).toContain("no-store");
    const page = browser();
    await page.open(opening(client, body.request_uri));
    const answer = answerOf(await enter(page));
    expect(answer).toMatchObject({ state: "s", code: expect.stringMatching(/^ac_/) });
    expect((await redeem(client, answer.code)).status).toBe(200);
  });

  test("by every method that the client registers: post, private_key_jwt, a certificate, and its id alone", async () => {
    const key = keyFor("ES256");
    const bySecret = { client_id: client.clientId, client_secret: client.clientSecret };
    expect((await post({ ...fieldsOf({}), ...bySecret }, null)).status).toBe(201);
    const signing = await clientBy({ tokenEndpointAuthMethod: "private_key_jwt" }, inline(key), [], forCode);
    for (const audience of ["/oauth2/token", PAR, "/t/carbon.super/oauth2/par"]) {
      const client_assertion = await assertionOf(signing, key, `${api.url}${audience}`);
      const fields = { ...fieldsOf({}), client_assertion, client_assertion_type: JWT_ASSERTION };
      expect([audience, (await post(fields, null)).status]).toEqual([audience, 201]);
      expect((await post(fields, null)).body.error).toBe("invalid_client");
    }
    const open = await newApplication({ publicClient: true, ...forCode });
    const { challenge } = newVerifier();
    const proven = { code_challenge: challenge, code_challenge_method: "S256" };
    expect((await post({ ...fieldsOf(proven), client_id: open.clientId }, null)).status).toBe(201);
    const mtls = mtlsOf(api);
    const holder = await mtls.holderOf("cars");
    const certified = await clientBy(
      { tokenEndpointAuthMethod: "self_signed_tls_client_auth" },
      { type: "PEM", value: holder.certificate },
      [],
      forCode,
    );
    const sent = {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: form({ ...fieldsOf({}), client_id: certified.clientId }),
    };
    expect((await mtls.ask(holder, PAR, sent)).status).toBe(201);
    expect((await mtls.ask(await mtls.holderOf("boats"), PAR, sent)).status).toBe(401);
  });

  test("an assertion for this endpoint alone does not count at the token endpoint", async () => {
    const key = keyFor("ES256");
    const signing = await clientBy({ tokenEndpointAuthMethod: "private_key_jwt" }, inline(key), [], {
      grantTypes: ["client_credentials"],
    });
    const ask = async (audience: string) =>
      post(
        {
          ...{ grant_type: "client_credentials", client_assertion_type: JWT_ASSERTION },
          client_assertion: await assertionOf(signing, key, `${api.url}${audience}`),
        },
        null,
        {},
        "/oauth2/token",
      );
    expect([(await ask(PAR)).status, (await ask("/oauth2/token")).status]).toEqual([401, 200]);
  });

  test("a wrong secret, no client and parameters in the address are refused, and nothing is stored", async () => {
    expect(
      (await post(fieldsOf({}), `Basic ${Buffer.from(`${client.clientId}:wrong`).toString("base64")}`)).body,
    ).toEqual({
      ...{ error: "invalid_client", error_description: expect.any(String) },
    });
    expect((await post(fieldsOf({}), null)).status).toBe(401);
    expect((await post({ ...fieldsOf({}), client_id: client.clientId }, null)).status).toBe(401);
    const inUrl = await post(fieldsOf({}), basicOf(client), {}, `${PAR}?scope=openid`);
    expect([inUrl.status, inUrl.body.error]).toEqual([400, "invalid_request"]);
    expect((await api.ask("GET", PAR, { as: basicOf(client) })).status).toBe(405);
  });

  test.each([
    ["a callback of another", { redirect_uri: "https://evil.example/back" }, "invalid_request"],
    ["another request", { request_uri: "urn:ietf:params:oauth:request_uri:x" }, "invalid_request"],
    ["no response type", { response_type: undefined }, "invalid_request"],
    ["an unlisted response type", { response_type: "id_token" }, "unsupported_response_type"],
    ["a wrong mode", { response_mode: "pigeon" }, "invalid_request"],
    ["a wrong scope", { scope: "openid \u0007" }, "invalid_scope"],
    ["a wrong resource", { resource: "x" }, "invalid_target"],
    ["a short challenge", { code_challenge: "x", code_challenge_method: "S256" }, "invalid_request"],
    ["wrong claims", { claims: "[" }, "invalid_request"],
    ["a wrong key", { dpop_jkt: "x" }, "invalid_request"],
    ["an object that nobody signed", { request: "a.b.c" }, "invalid_request_object"],
    ["another client", { client_id: "somebody" }, "invalid_request"],
    [
      "a class that is not there",
      { claims: '{"id_token":{"acr":{"essential":true,"values":["gold"]}}}' },
      "unmet_authentication_requirements",
    ],
  ])("checks the request as the authorization endpoint does: %s", async (_, fields, error) => {
    const { status, body } = await push(client, fields);
    expect([status, body.error, body.request_uri]).toEqual([400, error, undefined]);
  });

  test("takes at most 16 kB", async () => {
    const { status } = await push(client, { login_hint: "x".repeat(17_000) });
    expect(status).toBe(413);
    expect((await push(client, { login_hint: "x".repeat(2_000) })).status).toBe(201);
  });

  test("is in the metadata, and where a tenant has its path, only its clients count there", async () => {
    for (const path of ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]) {
      const { body } = await api.ask("GET", path, { as: null });
      expect(body).toMatchObject({
        pushed_authorization_request_endpoint: `${api.url}${PAR}`,
        require_pushed_authorization_requests: false,
        mtls_endpoint_aliases: { pushed_authorization_request_endpoint: `${api.service.mtlsUrl}${PAR}` },
        ...{ request_parameter_supported: true, request_uri_parameter_supported: false },
        request_object_signing_alg_values_supported: ["PS256", "ES256", "RS256"],
      });
    }
    await api.ask("POST", "/api/server/v1/tenants", {
      body: {
        domain: "acme.com",
        owners: [
          {
            username: "boss",
            password: "a-good-Password-9",
            provisioningMethod: "inline-password",
            email: "a@acme.com",
            firstname: "A",
            lastname: "B",
          },
        ],
      },
    });
    expect((await post(fieldsOf({}), basicOf(client), {}, "/t/acme.com/oauth2/par")).status).toBe(401);
  });
});

describe("a pushed request", () => {
  test("is of the client that pushed it, and of no other", async () => {
    const requestUri = await pushed(client);
    expect(await browser().open(opening(other, requestUri))).toMatchObject({ status: 400, location: undefined });
    expect((await browser().open(`/oauth2/authorize?${new URLSearchParams({ request_uri: requestUri })}`)).status).toBe(
      400,
    );
    expect((await browser().open(opening(client, requestUri))).title).toContain("Sign in to");
  });
  test("whose name is unknown or malformed leads nowhere", async () => {
    const known = await pushed(client);
    for (const name of [
      `${known}x`,
      known.slice(0, -1),
      known.toUpperCase(),
      "urn:ietf:params:oauth:request_uri:",
      `urn:ietf:params:oauth:request_uri:pr_${"a".repeat(43)}`,
      `urn:ietf:params:oauth:request_uri:ac_${"a".repeat(43)}`,
    ]) {
      const shown = await browser().open(
        opening(client, name, { redirect_uri: CALLBACK, response_type: "code", prompt: "none" }),
      );
      const isOther = !name.startsWith("urn:ietf:params:oauth:request_uri:");
      expect([name, shown.status]).toEqual([name, isOther ? 302 : 400]);
      expect(shown.location?.searchParams.get("code") ?? null).toBeNull();
    }
  });
  test("counts alone: nothing next to its name changes it", async () => {
    const requestUri = await pushed(client, { state: "inside", nonce: "n", scope: "openid" });
    const page = browser();
    await page.open(
      opening(client, requestUri, {
        ...{ state: "outside", redirect_uri: "https://evil.example", scope: "openid email", response_mode: "fragment" },
        ...{ response_type: "token", prompt: "none", nonce: "other", request: "a.b.c", code_challenge: "x" },
      }),
    );
    const { location } = await enter(page);
    expect([`${location?.origin}${location?.pathname}`, location?.hash]).toEqual([CALLBACK, ""]);
    expect(location?.searchParams.get("state")).toBe("inside");
    const { body } = await redeem(client, location?.searchParams.get("code") ?? "");
    expect(body.scope).toBe("openid");
  });
  test("is answered once: in a second browser, after a reload, and by two forms at once", async () => {
    const requestUri = await pushed(client);
    const [first, second, third] = [browser(), browser(), browser()];
    for (const page of [first, second, third]) {
      expect((await page.open(opening(client, requestUri))).title).toContain("Sign in to");
      await page.open(opening(client, requestUri));
    }
    const answers = await Promise.all([enter(first), enter(second)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400]);
    expect(await enter(third)).toMatchObject({ status: 400, location: undefined });
    expect(await browser().open(opening(client, requestUri))).toMatchObject({ status: 400, location: undefined });
    expect(await first.open(opening(client, requestUri))).toMatchObject({ status: 400, location: undefined });
  });
  test("is answered once with a session and by a refusal, too", async () => {
    const page = browser();
    await page.open(requestOf(client));
    await enter(page);
    const quick = await pushed(client);
    expect(answerOf(await page.open(opening(client, quick))).code).toMatch(/^ac_/);
    expect((await page.open(opening(client, quick))).status).toBe(400);
    const asking = await newApplication({}, { advancedConfigurations: { skipLoginConsent: false } });
    const requestUri = await pushed(asking);
    await page.open(opening(asking, requestUri));
    expect(answerOf(await page.submit({ answer: "deny" })).error).toBe("access_denied");
    expect((await page.open(opening(asking, requestUri))).status).toBe(400);
  });
  test("of an application whose callback was removed meanwhile leads nowhere", async () => {
    const own = await newApplication();
    const requestUri = await pushed(own);
    await api.ask("PUT", `/api/server/v1/applications/${own.applicationId}/inbound-protocols/oidc`, {
      body: { grantTypes: ["authorization_code"], callbackURLs: ["https://new.example/back"] },
    });
    expect(await browser().open(opening(own, requestUri))).toMatchObject({ status: 400, location: undefined });
  });
  test("where the application requires it, is the only way to sign in", async () => {
    const own = await newApplication({ pushAuthorizationRequest: { requirePushAuthorizationRequest: true } });
    expect(answerOf(await browser().open(requestOf(own, { state: "s" })))).toMatchObject({
      ...{ error: "invalid_request", state: "s" },
    });
    const key = keyFor("ES256");
    await setCertificate(own, inline(key));
    const request = await requestsOf(api).objectOf(own, key);
    expect(answerOf(await browser().open(requestOf(own, { request }))).error).toBe("invalid_request");
    const page = browser();
    await page.open(opening(own, await pushed(own)));
    expect(answerOf(await enter(page)).code).toMatch(/^ac_/);
  });
  test("that is not of the form of this service is not fetched", async () => {
    for (const request_uri of [
      "https://cars.example.com/request.jwt",
      "http://127.0.0.1:1/x",
      "file:///etc/passwd",
      "urn:x",
    ]) {
      expect(answerOf(await browser().open(requestOf(client, { request_uri, state: "s" })))).toMatchObject({
        ...{ error: "request_uri_not_supported", state: "s" },
      });
    }
  });
});

describe("a code of a request with a DPoP key", () => {
  test.each(["the parameter dpop_jkt", "a proof"])("named by %s is redeemed with that key alone", async (by) => {
    const [key, stolen] = [newProofKey(), newProofKey()];
    const jkt = await thumbprintOf(key);
    const start = async () => {
      const { body, status, text } =
        by === "a proof"
          ? await push(client, {}, { dpop: await dpop.tokenProof(key, {}, {}, PAR) })
          : await push(client, { dpop_jkt: jkt });
      if (status !== 201) throw new Error(text);
      const page = browser();
      await page.open(opening(client, body.request_uri));
      return answerOf(await enter(page)).code;
    };
    const fields = { grant_type: "authorization_code", redirect_uri: CALLBACK, code: await start() };
    expect((await dpop.post(client, fields)).body.error).toBe("invalid_grant");
    expect((await dpop.post(client, fields, await dpop.tokenProof(stolen))).body.error).toBe("invalid_grant");
    const { status, body } = await dpop.post(client, fields, await dpop.tokenProof(key));
    expect([status, body.token_type]).toEqual([200, "DPoP"]);
  });
  test("a proof of another key than the parameter names is refused", async () => {
    const proof = await dpop.tokenProof(newProofKey(), {}, {}, PAR);
    const { status, body } = await push(client, { dpop_jkt: await thumbprintOf(newProofKey()) }, { dpop: proof });
    expect([status, body.error]).toEqual([400, "invalid_request"]);
  });
  test("in the address, without a pushed request", async () => {
    const key = newProofKey();
    const page = browser();
    await page.open(requestOf(client, { dpop_jkt: await thumbprintOf(key) }));
    const fields = { grant_type: "authorization_code", redirect_uri: CALLBACK, code: answerOf(await enter(page)).code };
    expect((await dpop.post(client, fields)).body.error).toBe("invalid_grant");
    expect((await dpop.post(client, fields, await dpop.tokenProof(key))).status).toBe(200);
  });
});
