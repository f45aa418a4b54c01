/** Signed request objects (RFC 9101): which count, and what they replace. */
import { createSecretKey, generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { CompactEncrypt, CompactSign, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inline, jwkOf, keyFor, registering } from "#tests/support/client-keys.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { fragmentOf, requestsOf } from "#tests/support/requests.ts";
import { CALLBACK, claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const hosted = keyFor("ES256", "key-hosted");
const asked: string[] = [];
let keys: Server;
let jwksUrl = "";
// The service reads which hosts are exempt when it starts, so this server starts first.
beforeAll(async () => {
  keys = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end(JSON.stringify({ keys: [jwkOf(hosted)] }));
  }).listen(0, "127.0.0.1");
  await new Promise((done) => keys.once("listening", done));
  const host = `127.0.0.1:${(keys.address() as AddressInfo).port}`;
  process.env.METADATA_HOSTS = host;
  jwksUrl = `http://${host}/jwks`;
});
afterAll(() => void keys.close());

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const { objectOf, push, opening, issuer } = requestsOf(api);
const { setCertificate } = registering(api, oauthOf(api));
const [key, stranger] = [keyFor("ES256"), keyFor("ES256", "key-stranger")];
let client: TestClient;
let other: TestClient;

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password } });
  client = await newApplication();
  await setCertificate(client, inline(key, keyFor("RS256")));
  // Two callbacks: a request must name one.
  other = await newApplication({ callbackURLs: [CALLBACK, "https://cars.example.com/other"] });
});

/** The path of a request by its object alone. */
const by = ({ clientId }: TestClient, request: string, more: Readonly<Record<string, string>> = {}) =>
  `/oauth2/authorize?${new URLSearchParams({ client_id: clientId, request, ...more })}`;

describe("a request object", () => {
  test.each(["ES256", "PS256", "RS256"])("signed with %s has the whole request", async (alg) => {
    const signer = alg === "ES256" ? key : { ...keyFor("RS256"), alg };
    const request = await objectOf(client, signer, { state: "s", nonce: "n" }, { claims: { max_age: 1_000 } });
    const page = browser();
    expect((await page.open(by(client, request))).title).toContain("Sign in to");
    const { state, code } = answerOf(await enter(page));
    expect(state).toBe("s");
    expect(claimsIn((await redeem(client, code)).body.id_token).nonce).toBe("n");
  });
  test("inside of a pushed request is read there, and the browser has the name alone", async () => {
    const request = await objectOf(client, key, { state: "inside" });
    const { status, body } = await push(client, { request, state: "outside", scope: "openid email" });
    expect(status).toBe(201);
    const page = browser();
    await page.open(opening(client, body.request_uri));
    const { state, code } = answerOf(await enter(page));
    expect([state, (await redeem(client, code)).body.scope]).toEqual(["inside", "openid"]);
  });
  test("with claims and several resources as JSON has them", async () => {
    const claims = { claims: { id_token: { sub: { value: "somebody" } } }, prompt: "none" };
    expect(answerOf(await browser().open(by(client, await objectOf(client, key, {}, { claims })))).error).toBe(
      "login_required",
    );
    const acr = { claims: { claims: { id_token: { acr: { essential: true, values: ["gold"] } } } } };
    expect(answerOf(await browser().open(by(client, await objectOf(client, key, {}, acr)))).error).toBe(
      "unmet_authentication_requirements",
    );
    const resource = { claims: { resource: [`${api.url}/scim2`, "not a uri"] } };
    expect(answerOf(await browser().open(by(client, await objectOf(client, key, {}, resource)))).error).toBe(
      "invalid_target",
    );
  });
  test("replaces every parameter outside of it, and takes nothing from there", async () => {
    const request = await objectOf(client, key, { state: undefined, scope: "openid" });
    const page = browser();
    await page.open(
      by(client, request, {
        ...{ state: "outside", nonce: "outside", scope: "openid email", response_mode: "fragment", prompt: "none" },
        ...{ code_challenge: "a".repeat(43), code_challenge_method: "S256", redirect_uri: "https://evil.example/" },
      }),
    );
    const { location } = await enter(page);
    expect([`${location?.origin}${location?.pathname}`, location?.hash, location?.searchParams.get("state")]).toEqual([
      ...[CALLBACK, "", null],
    ]);
    const { body } = await redeem(client, location?.searchParams.get("code") ?? "");
    expect([body.scope, "nonce" in claimsIn(body.id_token)]).toEqual(["openid", false]);
  });
  test("with a callback of another leads nowhere, whatever is outside of it", async () => {
    const request = await objectOf(client, key, { redirect_uri: "https://evil.example/back" });
    const shown = await browser().open(by(client, request, { redirect_uri: CALLBACK, prompt: "none" }));
    expect([shown.status, shown.location]).toEqual([400, undefined]);
  });
  test("with another response_type than the request, in either of them, is an error", async () => {
    const request = await objectOf(client, key, { state: "s" });
    const outside = fragmentOf(
      await browser().open(requestOf(client, { request, response_type: "token", state: "o" })),
    );
    expect([outside.error, outside.state]).toEqual(["invalid_request_object", "o"]);
    const inside = await objectOf(client, key, { response_type: "token" });
    expect(answerOf(await browser().open(requestOf(client, { request: inside }))).error).toBe("invalid_request_object");
  });
  test("is required where the application says so, also in a pushed request", async () => {
    const own = await newApplication({ validateRequestObjectSignature: true });
    await setCertificate(own, inline(key));
    expect(answerOf(await browser().open(requestOf(own))).error).toBe("invalid_request");
    expect((await push(own)).body.error).toBe("invalid_request");
    const { body } = await push(own, { request: await objectOf(own, key) });
    for (const path of [by(own, await objectOf(own, key)), opening(own, body.request_uri)]) {
      const page = browser();
      await page.open(path);
      expect(answerOf(await enter(page)).code).toMatch(/^ac_/);
    }
  });
  test("counts with the algorithm of the application alone", async () => {
    const rsa = keyFor("RS256");
    for (const [requestObjectSigningAlg, good] of [
      ["PS256", "PS256"],
      ["SHA256withRSA", "RS256"],
    ] as const) {
      const own = await newApplication({ requestObject: { requestObjectSigningAlg } });
      await setCertificate(own, inline(key, rsa));
      for (const signer of [{ ...rsa, alg: "PS256" }, { ...rsa, alg: "RS256" }, key]) {
        const shown = await browser().open(by(own, await objectOf(own, signer)));
        expect([signer.alg, shown.title.includes("Sign in to")]).toEqual([signer.alg, signer.alg === good]);
      }
    }
  });
  test("of a key at the address that the application has registered, and of no other place", async () => {
    const own = await newApplication();
    await setCertificate(own, { type: "JWKS", value: jwksUrl });
    const page = browser();
    await page.open(by(own, await objectOf(own, hosted)));
    expect(answerOf(await enter(page)).code).toMatch(/^ac_/);
    expect((await push(own, { request: await objectOf(own, hosted) })).status).toBe(201);
    const strange = { ...keyFor("ES256", "key-elsewhere") };
    const request = await objectOf(own, strange, {}, { header: { jku: `${jwksUrl}?elsewhere` } });
    expect(answerOf(await browser().open(requestOf(own, { request }))).error).toBe("invalid_request_object");
    expect(asked.filter((url) => url.includes("elsewhere"))).toEqual([]);
    for (const value of ["http://127.0.0.1:1/jwks", "https://169.254.169.254/jwks"]) {
      await setCertificate(own, { type: "JWKS", value });
      const shown = await browser().open(requestOf(own, { request: await objectOf(own, hosted) }));
      expect(answerOf(shown).error).toBe("invalid_request_object");
    }
  });
});

describe("is refused, and nobody is asked for a password", () => {
  const now = () => Math.floor(Date.now() / 1_000);
  const raw = (header: object, claims: object, signature = "") =>
    [header, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".")
      .concat(".", signature);
  const claims = (more: object = {}) => ({
    ...{ iss: client.clientId, aud: issuer(), client_id: client.clientId, exp: now() + 60 },
    ...{ response_type: "code", redirect_uri: CALLBACK, scope: "openid", ...more },
  });
  const odd =
    (more: object, header: object = {}) =>
    () =>
      objectOf(client, key, {}, { claims: more as never, header: header as never });
  const hmac = (secret: string) => () =>
    new SignJWT(claims()).setProtectedHeader({ alg: "HS256", typ: "JWT" }).sign(createSecretKey(Buffer.from(secret)));
  const forms: readonly (readonly [name: string, make: () => Promise<string> | string, error?: string])[] = [
    ["of a key that is not registered", () => objectOf(client, stranger)],
    ["of a stranger who names the key", () => objectOf(client, { ...stranger, kid: key.kid })],
    ["that nobody signed", () => raw({ alg: "none" }, claims()), "request_not_supported"],
    ["that nobody signed, in other letters", () => raw({ alg: "None" }, claims())],
    ["without a signature", async () => `${(await objectOf(client, key)).split(".").slice(0, 2).join(".")}.`],
    [
      "with a changed claim",
      async () => {
        const [header, , signature] = (await objectOf(client, key)).split(".");
        return `${header}.${Buffer.from(JSON.stringify(claims({ state: "x" }))).toString("base64url")}.${signature}`;
      },
    ],
    ["by HMAC with the public key", () => hmac(JSON.stringify(jwkOf(key)))()],
    [
      "by HMAC with the PEM of the public key",
      () => hmac(String(key.publicKey.export({ type: "spki", format: "pem" })))(),
    ],
    ["by HMAC with the secret of the client", () => hmac(client.clientSecret)()],
    [
      "with a key of its own in jwk",
      () => objectOf(client, stranger, {}, { header: { jwk: jwkOf(stranger), kid: undefined } }),
    ],
    [
      "with an address of keys in jku",
      () => objectOf(client, stranger, {}, { header: { jku: "https://evil.example/keys" } }),
    ],
    [
      "with an address of certificates in x5u",
      () => objectOf(client, stranger, {}, { header: { x5u: "https://evil.example/x" } }),
    ],
    [
      "with an extension that must be understood",
      () =>
        new CompactSign(Buffer.from(JSON.stringify(claims())))
          .setProtectedHeader({ alg: "ES256", crit: ["x"], x: 1 })
          .sign(key.privateKey, { crit: { x: true } }),
    ],
    ["of an algorithm that no application can choose", () => objectOf(client, { ...keyFor("RS256"), alg: "RS512" })],
    ["for another server", odd({ aud: "https://evil.example" })],
    ["for this server and another", () => odd({ aud: [issuer(), "https://evil.example"] })()],
    ["without an audience", odd({ aud: undefined })],
    ["of another issuer", odd({ iss: "somebody" })],
    ["without an issuer", odd({ iss: undefined })],
    ["of another client", odd({ client_id: "somebody" })],
    ["without a client", odd({ client_id: undefined })],
    ["that has expired", odd({ exp: now() - 60, nbf: now() - 120 })],
    ["without an end", odd({ exp: undefined })],
    ["that lives for a day", odd({ exp: now() + 86_400 })],
    ["from yesterday", odd({ nbf: now() - 86_400 })],
    ["from the future", odd({ nbf: now() + 120 })],
    ["with a text as the time", odd({ exp: "tomorrow" })],
    ["that could be an assertion", async () => objectOf(client, key, {}, { claims: { sub: client.clientId } })],
    ["of another kind of JWT", odd({}, { typ: "client-authentication+jwt" })],
    ["that is a DPoP proof", odd({}, { typ: "dpop+jwt" })],
    ["with a request inside", odd({ request: "a.b.c" })],
    ["with a request_uri inside", odd({ request_uri: "urn:ietf:params:oauth:request_uri:x" })],
    ["with an object as state", odd({ state: { a: 1 } })],
    ["with a list as redirect_uri", odd({ redirect_uri: [CALLBACK, "https://evil.example"] })],
    ["with a number as scope", odd({ scope: 1 })],
    ["with five resources", odd({ resource: ["urn:a", "urn:b", "urn:c", "urn:d", "urn:e"] })],
    [
      "that is encrypted",
      () =>
        new CompactEncrypt(Buffer.from(JSON.stringify(claims())))
          .setProtectedHeader({ alg: "RSA-OAEP-256", enc: "A128GCM" })
          .encrypt(generateKeyPairSync("rsa", { modulusLength: 2_048 }).publicKey),
    ],
    ["in JSON", () => JSON.stringify({ payload: "x", signatures: [] })],
    ["with nothing in it", () => ".."],
  ];
  test.each(forms.map(([name, make, error]) => ({ name, make, error })))("an object $name", async (form) => {
    const { make, error = "invalid_request_object" } = form;
    const request = await make();
    const shown = await browser().open(requestOf(client, { request, state: "s" }));
    expect(answerOf(shown)).toMatchObject({ error, state: "s", iss: issuer() });
    expect(shown.html).not.toContain('name="password"');
    const { status, body } = await push(client, { request });
    expect([status, body.error]).toEqual([400, "invalid_request_object"]);
    // Without an address outside of the object there is no place for an answer but a page.
    const alone = await browser().open(by(other, request));
    expect([alone.status, alone.location]).toEqual([400, undefined]);
  });
  test("an object that is longer than 12,288 characters", async () => {
    const request = await objectOf(client, key, {}, { claims: { padding: "x".repeat(12_288) } });
    expect((await push(client, { request })).status).toBeGreaterThanOrEqual(400);
    const { error } = answerOf(await browser().open(requestOf(client, { request: `${"x".repeat(6_000)}.y.z` })));
    expect(error).toBe("invalid_request_object");
  });
  test("an object of another client, by the client id outside of it", async () => {
    const request = await objectOf(client, key);
    expect(answerOf(await browser().open(requestOf(other, { request }))).error).toBe("invalid_request_object");
    expect((await push(other, { request })).body.error).toBe("invalid_request_object");
  });
  test("an object of an application without a certificate", async () => {
    const own = await newApplication();
    expect(answerOf(await browser().open(requestOf(own, { request: await objectOf(own, key) }))).error).toBe(
      "invalid_request_object",
    );
  });
  test("twice in one request", async () => {
    const request = await objectOf(client, key);
    const shown = await browser().open(`${by(client, request)}&request=${request}`);
    expect([shown.status, shown.location]).toEqual([400, undefined]);
  });
});
