/**
 * The FAPI 2.0 Security Profile, by the names of the modules of the OpenID Foundation's plan
 * "fapi2-security-profile-final" for authorization servers, and those of its plan for message signing that are about
 * signed requests. Each is what its module asks for, restated against this service; the Foundation's own suite was not
 * run. The variant is private_key_jwt with DPoP; one test has certificates for both.
 */
import { createRemoteJWKSet, jwtVerify } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { assertionOf, inline, JWT_ASSERTION, keyFor, type Odd, registering } from "#tests/support/client-keys.ts";
import { athOf, claimsFor, dpopOf, newProofKey, type ProofKey, proofOf, thumbprintOf } from "#tests/support/dpop.ts";
import { mtlsOf } from "#tests/support/mtls.ts";
import { form, oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { PAR, requestsOf } from "#tests/support/requests.ts";
import { CALLBACK, claimsIn, newVerifier, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world({ hasMtls: true });
const { enter, answerOf, browser, requestOf } = signInOf(api);
const { post, opening, issuer, fieldsOf, objectOf } = requestsOf(api);
const { clientBy } = registering(api, oauthOf(api));
const dpop = dpopOf(api);
const [key, secondKey] = [keyFor("ES256", "fapi-1"), keyFor("ES256", "fapi-2")];
const rsa = keyFor("PS256", "fapi-rsa");
const proofKey = newProofKey();
type Fields = Readonly<Record<string, string | undefined>>;

const FAPI = {
  ...{ isFAPIApplication: true, fapiProfile: "FAPI2_SECURITY", callbackURLs: [CALLBACK] },
  ...{ grantTypes: ["authorization_code", "refresh_token"], accessToken: { bindingType: "DPoP" } },
};
const fapiClient = async (more: object = {}, of = key) => {
  const client = await clientBy({ tokenEndpointAuthMethod: "private_key_jwt" }, inline(of, rsa), [], {
    ...FAPI,
    ...more,
  });
  const body = { advancedConfigurations: { skipLoginConsent: true } };
  await api.ask("PATCH", `${APPLICATIONS}/${client.applicationId}`, { body });
  return client;
};
let client: TestClient;
let second: TestClient;

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password } });
  client = await fapiClient();
  second = await fapiClient({}, secondKey);
});

const keyOf = (of: TestClient) => (of === second ? secondKey : key);
const asserted = async (of: TestClient, odd: Odd = {}, signer = keyOf(of)) => ({
  client_assertion_type: JWT_ASSERTION,
  client_assertion: await assertionOf(of, signer, issuer(), odd),
});
const verifierOf = () => {
  const { verifier, challenge } = newVerifier();
  return { verifier, pkce: { code_challenge: challenge, code_challenge_method: "S256" } };
};
/** Pushes a request with PKCE. */
const push = async (of: TestClient, fields: Fields = {}, headers: Readonly<Record<string, string>> = {}) => {
  const { verifier, pkce } = verifierOf();
  const answer = await post({ ...fieldsOf({ ...pkce, ...fields }), ...(await asserted(of)) }, null, headers);
  return { ...answer, verifier, requestUri: answer.body?.request_uri as string };
};
/** Signs in by a pushed request: the code and its verifier. */
const start = async (of: TestClient, fields: Fields = {}, headers: Readonly<Record<string, string>> = {}) => {
  const { requestUri, verifier, text } = await push(of, fields, headers);
  if (!requestUri) throw new Error(text);
  const page = browser();
  await page.open(opening(of, requestUri));
  return { page, requestUri, verifier, answer: answerOf(await enter(page)) };
};
/** Redeems a code with a proof of a key. */
const redeem = async (
  of: TestClient,
  { code, verifier, ...more }: Fields,
  by: ProofKey | null = proofKey,
  credentials?: Fields,
) => {
  const fields = { grant_type: "authorization_code", redirect_uri: CALLBACK, code, code_verifier: verifier, ...more };
  const proof = by === null ? undefined : await dpop.tokenProof(by);
  return dpop.post(null, { ...fields, ...(credentials ?? (await asserted(of))) }, proof);
};
const complete = async (of: TestClient, fields: Fields = {}, by = proofKey) => {
  const { answer, verifier, page } = await start(of, fields);
  const { status, body, text } = await redeem(of, { code: answer.code, verifier }, by);
  if (status !== 200) throw new Error(text);
  return { answer, page, tokens: body as Readonly<Record<string, string>> };
};
const info = async (token: string, by: ProofKey, scheme = "DPoP") => {
  const claims = claimsFor("GET", `${api.url}/oauth2/userinfo`, { nonce: await dpop.nonce(), ath: athOf(token) });
  return dpop.present(token, await proofOf(by, claims), "/oauth2/userinfo", scheme);
};
/** An error of the endpoint for pushed requests. */
const pushError = async (fields: Fields, headers: Readonly<Record<string, string>> = {}) => {
  const { status, body } = await push(client, fields, headers);
  return [status, body.error];
};

describe("fapi2-security-profile-final", () => {
  test("discovery-end-point-verification", async () => {
    const { body } = await api.ask("GET", "/oauth2/token/.well-known/openid-configuration", { as: null });
    expect(body).toMatchObject({
      ...{ issuer: issuer(), pushed_authorization_request_endpoint: `${api.url}${PAR}` },
      ...{ authorization_response_iss_parameter_supported: true, code_challenge_methods_supported: ["S256"] },
      token_endpoint_auth_methods_supported: expect.arrayContaining(["private_key_jwt", "tls_client_auth"]),
      token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(["PS256", "ES256"]),
      dpop_signing_alg_values_supported: expect.arrayContaining(["ES256"]),
      id_token_signing_alg_values_supported: expect.arrayContaining(["ES256"]),
      tls_client_certificate_bound_access_tokens: true,
    });
  });
  test("happy-flow", async () => {
    for (const of of [client, second]) {
      const { answer, tokens } = await complete(of, { state: "s", nonce: "n" });
      expect([answer.iss, answer.state, tokens.token_type]).toEqual([issuer(), "s", "DPoP"]);
      const { payload, protectedHeader } = await jwtVerify(
        tokens.id_token ?? "",
        createRemoteJWKSet(new URL(`${api.url}/oauth2/jwks`)),
        { issuer: issuer(), audience: of.clientId },
      );
      expect([payload.nonce, protectedHeader.alg]).toEqual(["n", "ES256"]);
      expect((await info(tokens.access_token ?? "", proofKey)).status).toBe(200);
      expect((await info(tokens.access_token ?? "", newProofKey())).status).toBe(401);
    }
  });
  test("user-rejects-authentication", async () => {
    const asking = await fapiClient();
    const body = { advancedConfigurations: { skipLoginConsent: false } };
    await api.ask("PATCH", `${APPLICATIONS}/${asking.applicationId}`, { body });
    const { requestUri } = await push(asking, { state: "s" });
    const page = browser();
    await page.open(opening(asking, requestUri));
    await enter(page);
    expect(answerOf(await page.submit({ answer: "deny" }))).toMatchObject({ error: "access_denied", state: "s" });
  });
  test("ensure-authorization-request-without-state-success", async () => {
    expect((await complete(client)).answer).not.toHaveProperty("state");
  });
  test("ensure-authorization-request-without-nonce-success", async () => {
    expect(claimsIn((await complete(client)).tokens.id_token ?? "")).not.toHaveProperty("nonce");
  });
  test.each([
    ["ensure-authorization-request-with-long-state", { state: "s".repeat(384) }],
    ["ensure-authorization-request-with-64-char-nonce-success", { nonce: "n".repeat(64) }],
    ["ensure-authorization-request-with-long-nonce", { nonce: "n".repeat(384) }],
    ["ensure-other-scope-order-succeeds", { scope: "email openid" }],
    ["test-claims-parameter-identity-claims", { claims: '{"userinfo":{"email":{"essential":true}}}' }],
  ])("%s", async (_, fields: Fields) => {
    const { answer, tokens } = await complete(client, fields);
    expect(answer.state).toBe(fields.state);
    expect(claimsIn(tokens.id_token ?? "").nonce).toBe(fields.nonce);
  });
  test("access-token-type-header-case-sensitivity", async () => {
    const { tokens } = await complete(client);
    for (const scheme of ["dpop", "DPOP"]) {
      expect((await info(tokens.access_token ?? "", proofKey, scheme)).status).toBe(200);
    }
  });
  test("ensure-holder-of-key-required", async () => {
    const { answer, verifier } = await start(client);
    const { status, body } = await redeem(client, { code: answer.code, verifier }, null);
    expect([status, body.error]).toEqual([400, "invalid_dpop_proof"]);
  });
  test("ensure-authorization-code-is-bound-to-client", async () => {
    const { answer, verifier } = await start(client);
    expect((await redeem(second, { code: answer.code, verifier })).body.error).toBe("invalid_grant");
  });
  test("attempt-reuse-authorization-code-after-one-second", async () => {
    const { answer, verifier } = await start(client);
    const { body } = await redeem(client, { code: answer.code, verifier });
    await new Promise((done) => setTimeout(done, 1_000));
    expect((await redeem(client, { code: answer.code, verifier })).body.error).toBe("invalid_grant");
    expect((await info(body.access_token, proofKey)).status).toBe(401);
  });
  test("ensure-client-id-in-token-endpoint, ensure-client-assertion-in-token-endpoint", async () => {
    const { answer, verifier } = await start(client);
    const code = { code: answer.code, verifier };
    const wrong = await redeem(client, code, proofKey, { ...(await asserted(client)), client_id: second.clientId });
    expect([wrong.status, wrong.body.error]).toEqual([400, "invalid_request"]);
    const stolen = await redeem(client, code, proofKey, await asserted(second, {}, key));
    expect([stolen.status, stolen.body.error]).toEqual([401, "invalid_client"]);
    const none = await redeem(client, code, proofKey, { client_id: client.clientId });
    expect([none.status, none.body.error]).toEqual([401, "invalid_client"]);
    expect((await redeem(client, code)).status).toBe(200);
  });
  const now = () => Math.floor(Date.now() / 1_000);
  test.each<[string, () => Odd]>([
    ["ensure-client-assertion-with-exp-is-5-minutes-in-past-fails", () => ({ claims: { exp: now() - 300 } })],
    ["ensure-client-assertion-with-wrong-aud-fails", () => ({ claims: { aud: "https://other.example" } })],
    ["ensure-client-assertion-with-no-sub-fails", () => ({ claims: { sub: undefined } })],
    ["ensure-invalid-client-assertions-fail: aud as a list", () => ({ claims: { aud: [issuer()] } })],
    ["ensure-invalid-client-assertions-fail: aud of the endpoint", () => ({ claims: { aud: `${api.url}${PAR}` } })],
    ["ensure-invalid-client-assertions-fail: no jti", () => ({ claims: { jti: undefined } })],
    ["ensure-invalid-client-assertions-fail: another iss", () => ({ claims: { iss: "other" } })],
    ["ensure-invalid-client-assertions-fail: nbf in a minute and more", () => ({ claims: { nbf: now() + 90 } })],
    ["ensure-invalid-client-assertions-fail: no exp", () => ({ claims: { exp: undefined } })],
  ])("%s", async (_, odd) => {
    const fields = fieldsOf(verifierOf().pkce);
    expect((await post({ ...fields, ...(await asserted(client, odd())) }, null)).body.error).toBe("invalid_client");
    expect((await post({ ...fields, ...(await asserted(client)) }, null)).status).toBe(201);
  });
  test("ensure-signed-client-assertion-with-RS256-fails", async () => {
    const fields = fieldsOf(verifierOf().pkce);
    const by = async (alg: string) =>
      (await post({ ...fields, ...(await asserted(client, {}, { ...rsa, alg })) }, null)).status;
    expect([await by("RS256"), await by("PS256")]).toEqual([401, 201]);
  });
  test("refresh-token: needs the key and the client, and is not replaced", async () => {
    const { tokens } = await complete(client);
    const fields = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
    const refresh = async (of: TestClient, by: ProofKey | null) =>
      dpop.post(null, { ...fields, ...(await asserted(of)) }, by === null ? undefined : await dpop.tokenProof(by));
    expect((await refresh(client, null)).status).toBe(400);
    expect((await refresh(second, proofKey)).body.error).toBe("invalid_grant");
    const { status, body } = await refresh(client, proofKey);
    expect([status, body.refresh_token]).toEqual([200, tokens.refresh_token]);
    expect((await refresh(client, proofKey)).status).toBe(200);
  });
  test("par-ensure-pkce-required, par-plain-pkce-rejected", async () => {
    expect(await pushError({ code_challenge: undefined, code_challenge_method: undefined })).toEqual([
      400,
      "invalid_request",
    ]);
    expect(await pushError({ code_challenge_method: "plain" })).toEqual([400, "invalid_request"]);
    const lax = await fapiClient({ pkce: { supportPlainTransformAlgorithm: true } });
    expect((await push(lax, { code_challenge_method: "plain" })).body.error).toBe("invalid_request");
  });
  test("ensure-pkce-code-verifier-required, incorrect-pkce-code-verifier-rejected", async () => {
    for (const verifier of [undefined, newVerifier().verifier]) {
      const { answer } = await start(client);
      expect((await redeem(client, { code: answer.code, verifier })).body.error).toBe("invalid_grant");
    }
  });
  test("par-without-duplicate-parameters, ensure-different-state- and -nonce-inside-and-outside-request-object", async () => {
    const { requestUri, verifier } = await push(client, { state: "inside", nonce: "inside" });
    const page = browser();
    await page.open(opening(client, requestUri, { state: "outside", nonce: "outside" }));
    const { state, code } = answerOf(await enter(page));
    const { body } = await redeem(client, { code, verifier });
    expect([state, claimsIn(body.id_token).nonce]).toEqual(["inside", "inside"]);
  });
  test("state-only-outside-request-object-not-used", async () => {
    const { requestUri } = await push(client);
    const page = browser();
    await page.open(opening(client, requestUri, { state: "outside" }));
    expect(answerOf(await enter(page))).not.toHaveProperty("state");
  });
  test("ensure-request-object-without-redirect-uri-fails, ensure-redirect-uri-in-authorization-request", async () => {
    expect(await pushError({ redirect_uri: undefined })).toEqual([400, "invalid_request"]);
  });
  test("ensure-registered-redirect-uri", async () => {
    expect(await pushError({ redirect_uri: `${CALLBACK}/x` })).toEqual([400, "invalid_request"]);
    const loose = await fapiClient({ callbackURLs: ["regexp=https://cars.example.com/.*", "http://127.0.0.1/back"] });
    for (const redirect_uri of [CALLBACK, "http://127.0.0.1:8000/back", "http://127.0.0.1/back"]) {
      const { status, body } = await push(loose, { redirect_uri });
      expect([redirect_uri, status, body.error]).toEqual([redirect_uri, 400, "invalid_request"]);
    }
  });
  test("par-ensure-reused-request-uri-prior-to-auth-completion-succeeds", async () => {
    const { requestUri } = await push(client);
    await browser().open(opening(client, requestUri));
    const page = browser();
    await page.open(opening(client, requestUri));
    expect(answerOf(await enter(page)).code).toMatch(/^ac_/);
  });
  test("par-attempt-reuse-request_uri", async () => {
    const { page, requestUri } = await start(client);
    expect(await page.open(opening(client, requestUri))).toMatchObject({ status: 400, location: undefined });
  });
  test("par-attempt-to-use-request_uri-for-different-client", async () => {
    const { requestUri } = await push(client);
    expect(await browser().open(opening(second, requestUri))).toMatchObject({ status: 400, location: undefined });
  });
  test("par-authorization-request-containing-request_uri-form-param", async () => {
    expect(await pushError({ request_uri: "urn:ietf:params:oauth:request_uri:x" })).toEqual([400, "invalid_request"]);
  });
  test("par-attempt-invalid-http-method", async () => {
    expect((await api.ask("PUT", PAR, { as: null, raw: "x" })).status).toBe(405);
  });
  test("ensure-unsigned-authorization-request-without-using-par-fails", async () => {
    const fields = { ...verifierOf().pkce, state: "s" };
    expect(answerOf(await browser().open(requestOf(client, fields)))).toMatchObject({
      error: "invalid_request",
      state: "s",
    });
    const request = await objectOf(client, key, fields);
    expect(answerOf(await browser().open(requestOf(client, { request }))).error).toBe("invalid_request");
  });
  test.each([
    ["ensure-response-type-token-fails", "token"],
    ["ensure-response-type-code-idtoken-fails", "code id_token"],
  ])("%s", async (_, response_type) => {
    expect((await pushError({ response_type }))[1]).toBe("unsupported_response_type");
    const hybrid = {
      grantTypes: ["authorization_code", "implicit"],
      hybridFlow: { enable: true, responseType: "code id_token" },
    };
    const lax = await fapiClient(hybrid);
    expect((await push(lax, { response_type, nonce: "n" })).status).toBe(400);
  });
  test("ensure-mismatched-dpop-jkt-fails", async () => {
    const proof = await dpop.tokenProof(newProofKey(), {}, {}, PAR);
    expect(await pushError({ dpop_jkt: await thumbprintOf(proofKey) }, { dpop: proof })).toEqual([
      400,
      "invalid_request",
    ]);
  });
  test("ensure-token-endpoint-fails-with-mismatched-dpop-jkt and -dpop-proof-jkt", async () => {
    const jkt = await thumbprintOf(newProofKey());
    const named = await start(client, { dpop_jkt: jkt });
    expect((await redeem(client, { code: named.answer.code, verifier: named.verifier })).body.error).toBe(
      "invalid_grant",
    );
    const proven = await start(client, {}, { dpop: await dpop.tokenProof(newProofKey(), {}, {}, PAR) });
    expect((await redeem(client, { code: proven.answer.code, verifier: proven.verifier })).body.error).toBe(
      "invalid_grant",
    );
  });
  test("ensure-dpopproof-at-par-endpoint-binding-success, ensure-dpop-auth-code-binding-success", async () => {
    const dpop_jkt = await thumbprintOf(proofKey);
    for (const fields of [{}, { dpop_jkt }]) {
      const { answer, verifier } = await start(client, fields, { dpop: await dpop.tokenProof(proofKey, {}, {}, PAR) });
      expect((await redeem(client, { code: answer.code, verifier })).status).toBe(200);
    }
  });
  test.each([
    ["before", -10],
    ["after", 10],
  ])("ensure-dpopproof-with-iat-10seconds-%s-succeeds", async (_, seconds) => {
    const iat = Math.floor(Date.now() / 1_000) + seconds;
    const { status } = await push(client, {}, { dpop: await dpop.tokenProof(proofKey, { iat }, {}, PAR) });
    expect(status).toBe(201);
  });
  test("check-dpop-proof-nbf-exp", async () => {
    const at = Math.floor(Date.now() / 1_000);
    const proof = await dpop.tokenProof(proofKey, { nbf: at - 10, exp: at + 60 }, {}, PAR);
    expect((await push(client, {}, { dpop: proof })).status).toBe(201);
  });
  test("happy-flow with certificates for the client and its tokens", async () => {
    const mtls = mtlsOf(api);
    const holder = await mtls.holderOf("fapi cars");
    const certified = await clientBy(
      { tokenEndpointAuthMethod: "tls_client_auth" },
      { type: "PEM", value: holder.certificate },
      [],
      { ...FAPI, accessToken: { bindingType: "certificate" } },
    );
    const body = { advancedConfigurations: { skipLoginConsent: true } };
    await api.ask("PATCH", `${APPLICATIONS}/${certified.applicationId}`, { body });
    const { verifier, pkce } = verifierOf();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const ask = async (path: string, fields: Fields) => {
      const sent = { method: "POST", headers, body: form({ client_id: certified.clientId, ...fields }) };
      const answer = await mtls.ask(holder, path, sent);
      return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, string>> };
    };
    const { body: pushed } = await ask(PAR, fieldsOf(pkce));
    const page = browser();
    await page.open(opening(certified, pushed.request_uri ?? ""));
    const { code } = answerOf(await enter(page));
    const redeemed = { grant_type: "authorization_code", redirect_uri: CALLBACK, code, code_verifier: verifier };
    const { status, body: tokens } = await ask(TOKEN, redeemed);
    expect([status, tokens.token_type]).toEqual([200, "Bearer"]);
    const authorization = `Bearer ${tokens.access_token}`;
    expect((await mtls.ask(holder, "/oauth2/userinfo", { headers: { authorization } })).status).toBe(200);
    expect(
      (await mtls.ask(await mtls.holderOf("thief"), "/oauth2/userinfo", { headers: { authorization } })).status,
    ).toBe(401);
    expect((await api.ask("GET", "/oauth2/userinfo", { as: authorization })).status).toBe(401);
  });
  test("an application does not take passwords, and FAPI 1.0 gets no sign-in", async () => {
    const lax = await fapiClient({ grantTypes: ["authorization_code", "password"] });
    const fields = { grant_type: "password", ...PERSON, ...(await asserted(lax)) };
    const { status, body } = await dpop.post(null, fields, await dpop.tokenProof(proofKey));
    expect([status, body.error]).toEqual([400, "unauthorized_client"]);
    const old = await fapiClient({ fapiProfile: "FAPI1_ADVANCED", accessToken: { bindingType: "certificate" } });
    expect(answerOf(await browser().open(requestOf(old))).error).toBe("unauthorized_client");
  });
});

describe("fapi2-message-signing-final, of signed requests", () => {
  const now = () => Math.floor(Date.now() / 1_000);
  const signed = async (claims: object = {}, header: object = {}, signer = key) =>
    objectOf(client, signer, verifierOf().pkce, { claims: claims as never, header: header as never });
  test.each<[string, () => Promise<string>]>([
    ["ensure-request-object-without-exp-fails", () => signed({ exp: undefined })],
    ["ensure-request-object-without-nbf-fails", () => signed({ nbf: undefined })],
    ["ensure-expired-request-object-fails", () => signed({ exp: now() - 300, nbf: now() - 600 })],
    ["ensure-request-object-with-bad-aud-fails", () => signed({ aud: "https://other.example" })],
    ["ensure-request-object-with-exp-over-60-fails", () => signed({ exp: now() + 70 * 60 })],
    ["ensure-request-object-with-nbf-over-60-fails", () => signed({ nbf: now() - 70 * 60 })],
    ["ensure-signed-request-object-with-RS256-fails", () => signed({}, {}, { ...rsa, alg: "RS256" })],
    ["ensure-request-object-with-invalid-signature-fails", async () => `${(await signed()).slice(0, -8)}AAAAAAAA`],
    ["ensure-matching-key-in-authorization-request", () => signed({}, {}, secondKey)],
    [
      "ensure-request-object-signature-algorithm-is-not-none",
      async () => {
        const [, body] = (await signed()).split(".");
        return `${Buffer.from('{"alg":"none"}').toString("base64url")}.${body}.`;
      },
    ],
  ])("%s", async (_, make) => {
    const { status, body } = await post({ request: await make(), ...(await asserted(client)) }, null);
    expect([status, body.error]).toEqual([400, "invalid_request_object"]);
  });
  test.each<[string, () => Promise<string>]>([
    ["ensure-request-object-with-multiple-aud-succeeds", () => signed({ aud: [issuer(), "https://other.example"] })],
    ["ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted", () => signed({ nbf: now() + 8 })],
  ])("%s", async (_, make) => {
    expect((await post({ request: await make(), ...(await asserted(client)) }, null)).status).toBe(201);
  });
  test("ensure-unsigned-request-at-par-endpoint-fails", async () => {
    const strict = await fapiClient({ validateRequestObjectSignature: true });
    expect((await push(strict)).body.error).toBe("invalid_request");
  });
});
