/** Hostile client assertions (RFC 7523): each is refused with 400 or 401, and no token is issued. */
import { createHmac, randomUUID } from "node:crypto";
import { CompactEncrypt, SignJWT } from "jose";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { issueAuthority } from "#local/issue.ts";
import {
  assertionOf,
  type ClientKey,
  inline,
  JWT_ASSERTION,
  jwkOf,
  keyFor,
  type Odd,
  registering,
} from "#tests/support/client-keys.ts";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { allItems } from "#tests/support/protocols.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const oauth = oauthOf(api);
const { clientBy, setCertificate } = registering(api, oauth);
const CC = { grant_type: "client_credentials" };
const SIGNED = { tokenEndpointAuthMethod: "private_key_jwt" };

const own = keyFor("ES256", "own");
const rsa = keyFor("RS256", "rsa");
const strange = keyFor("ES256", "strange");
let client: TestClient;
let other: TestClient;
beforeAll(async () => {
  other = await clientBy(SIGNED, inline(strange));
});
// Each case has its own client: guesses at one would lock it.
beforeEach(async () => {
  client = await clientBy(SIGNED, inline(own, rsa));
});

const audience = () => `${api.url}${TOKEN}`;
const signed = (odd: Odd = {}, key: ClientKey = own, of: TestClient = client) => assertionOf(of, key, audience(), odd);
const send = (assertion: string, more: Readonly<Record<string, string | undefined>> = {}, as: string | null = null) =>
  oauth.post(TOKEN, { ...CC, client_assertion_type: JWT_ASSERTION, client_assertion: assertion, ...more }, as);
const now = () => Math.floor(Date.now() / 1_000);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const claims = (more: Readonly<Record<string, unknown>> = {}) => ({
  iss: client.clientId,
  sub: client.clientId,
  aud: audience(),
  exp: now() + 60,
  jti: randomUUID(),
  ...more,
});
const tokens = async () => (await allItems(api.service)).filter(({ PK }) => /^G#(AT|RT)#/.test(PK)).length;

test("a right assertion is accepted, so that the refusals below mean something", async () => {
  expect((await send(await signed())).status).toBe(200);
  expect((await send(await signed({}, rsa))).status).toBe(200);
});

test("one of ten minutes, as MSAL makes it, is accepted once; a longer one is told the limit and the reason", async () => {
  const at = now();
  const lasting = await signed({ claims: { nbf: at, iat: undefined, exp: at + 600 } });
  expect((await send(lasting)).status).toBe(200);
  const again = await send(lasting);
  expect([again.status, again.body.error_description]).toEqual([401, expect.stringContaining("was used before")]);
  const [row] = (await allItems(api.service)).filter(({ expiresAtSeconds }) => expiresAtSeconds === at + 610);
  expect(row).toBeDefined();
  const ofNone = { ...client, clientId: "nobody" };
  for (const long of [
    await signed({ claims: { exp: at + 3_600 } }),
    await signed({ claims: { exp: at + 3_600 } }, strange),
    await signed({ claims: { exp: at + 3_600 } }, own, ofNone),
  ]) {
    const answer = await send(long);
    expect([answer.status, answer.body.error]).toEqual([401, "invalid_client"]);
    expect(answer.body.error_description).toMatch(/more than 10 minutes ahead.*a stolen one counts until then/);
  }
});

/** An HMAC with a text as the key. */
const hmac = (alg: "HS256" | "HS512", secret: string | Buffer) => {
  const text = `${encode({ alg, typ: "JWT", kid: own.kid })}.${encode(claims())}`;
  return `${text}.${createHmac(alg === "HS256" ? "sha256" : "sha512", secret)
    .update(text)
    .digest("base64url")}`;
};
const spki = (key: ClientKey) => key.publicKey.export({ format: "pem", type: "spki" });

const cases: readonly (readonly [name: string, make: () => string | Promise<string>])[] = [
  ["a wrong key", () => signed({ header: { kid: own.kid } }, strange)],
  ["a wrong key under its own id", () => signed({}, strange)],
  ["a wrong key without an id", () => signed({ header: { kid: undefined } }, strange)],
  ["alg none", () => `${encode({ alg: "none" })}.${encode(claims())}.`],
  ["alg nOnE", () => `${encode({ alg: "nOnE", kid: own.kid })}.${encode(claims())}.`],
  [
    "alg none with a signature",
    async () => `${encode({ alg: "none" })}.${encode(claims())}.${(await signed()).split(".")[2]}`,
  ],
  ["HS256 with the public key as PEM", () => hmac("HS256", spki(own))],
  ["HS256 with the RSA public key as PEM", () => hmac("HS256", spki(rsa))],
  ["HS256 with the public key as JWK", () => hmac("HS256", JSON.stringify(jwkOf(own)))],
  ["HS512 with the client secret", () => hmac("HS512", client.clientSecret)],
  ["HS256 with an empty key", () => hmac("HS256", "")],
  ["no signature", async () => `${(await signed()).split(".").slice(0, 2).join(".")}.`],
  [
    "a changed payload",
    async () => {
      const [header, , signature] = (await signed()).split(".");
      return `${header}.${encode(claims({ scope: "admin" }))}.${signature}`;
    },
  ],
  [
    "the signature of another algorithm",
    () =>
      signed({ header: { alg: "ES384" } }).catch(
        () => `${encode({ alg: "ES384", kid: own.kid })}.${encode(claims())}.AAAA`,
      ),
  ],
  ["a wrong audience", () => signed({ claims: { aud: "https://other.example/oauth2/token" } })],
  ["our audience among others", () => signed({ claims: { aud: [audience(), "https://other.example/oauth2/token"] } })],
  ["an audience that only begins like ours", () => signed({ claims: { aud: `${audience()}.evil.example` } })],
  ["another endpoint as the only audience", () => signed({ claims: { aud: `${api.url}/oauth2/introspect` } })],
  ["the issuer of another tenant", () => signed({ claims: { aud: `${api.url}/t/acme.com${TOKEN}` } })],
  ["no audience", () => signed({ claims: { aud: undefined } })],
  ["an empty list of audiences", () => signed({ claims: { aud: [] } })],
  ["another issuer", () => signed({ claims: { iss: other.clientId } })],
  ["another subject", () => signed({ claims: { sub: other.clientId } })],
  ["the subject of another client, with this client's key", () => signed({}, own, other)],
  ["no issuer", () => signed({ claims: { iss: undefined } })],
  ["no subject", () => signed({ claims: { sub: undefined } })],
  ["a list as the subject", () => signed({ claims: { sub: [client.clientId] } })],
  ["an expired one", () => signed({ claims: { exp: now() - 60 } })],
  ["no expiry", () => signed({ claims: { exp: undefined } })],
  ["an expiry far ahead", () => signed({ claims: { exp: now() + 3_600 } })],
  ["an expiry that never comes", () => signed({ claims: { exp: Number.MAX_SAFE_INTEGER } })],
  ["an expiry that is a text", () => signed({ claims: { exp: String(now() + 60) } })],
  ["issued in the future", () => signed({ claims: { iat: now() + 120 } })],
  ["issued long ago", () => signed({ claims: { iat: now() - 3_600 } })],
  ["not valid yet", () => signed({ claims: { nbf: now() + 120 } })],
  ["no jti", () => signed({ claims: { jti: undefined } })],
  ["an empty jti", () => signed({ claims: { jti: "" } })],
  ["a number as the jti", () => signed({ claims: { jti: 7 } })],
  ["a jti of 300 characters", () => signed({ claims: { jti: "j".repeat(300) } })],
  [
    "a critical extension",
    () =>
      signed({ header: { crit: ["exp"], exp: 1 } }).catch(async () => {
        const [, payload, signature] = (await signed()).split(".");
        return `${encode({ alg: "ES256", kid: own.kid, crit: ["urn:x"], "urn:x": true })}.${payload}.${signature}`;
      }),
  ],
  ["a key of its own in the header", () => signed({ header: { jwk: jwkOf(strange), kid: undefined } }, strange)],
  [
    "a key of its own in the header, under a registered id",
    () => signed({ header: { jwk: jwkOf(strange), kid: own.kid } }, strange),
  ],
  [
    "a certificate in the header",
    async () => {
      const { certificate } = await issueAuthority("stranger");
      const der = certificate.replace(/-----[A-Z ]+-----|\s/g, "");
      return signed({ header: { x5c: [der], kid: undefined } }, strange);
    },
  ],
  [
    "an address of keys in the header",
    () => signed({ header: { jku: "https://stranger.example/jwks", kid: undefined } }, strange),
  ],
  [
    "an address of a certificate in the header",
    () => signed({ header: { x5u: "https://stranger.example/x" } }, strange),
  ],
  ["an access token's type", () => signed({ header: { typ: "at+jwt" } })],
  ["a DPoP proof's type", () => signed({ header: { typ: "dpop+jwt" } })],
  ["a type that is a number", () => signed({ header: { typ: 1 } })],
  ["an oversized one", () => signed({ claims: { padding: "x".repeat(9_000) } })],
  ["an unsigned list", () => `${encode([])}.${encode([])}.AAAA`],
  ["a payload that is no object", () => `${encode({ alg: "ES256" })}.${encode("text")}.AAAA`],
  ["text without dots", () => "assertion"],
  ["five parts", async () => `${await signed()}.a.b`],
  [
    "an encrypted one",
    () =>
      new CompactEncrypt(Buffer.from(JSON.stringify(claims())))
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .encrypt(new Uint8Array(32)),
  ],
  [
    "an access token of the client itself",
    async () => {
      const issuing = await oauth.newClient([], { accessToken: { type: "JWT" } });
      return oauth.ownToken(issuing);
    },
  ],
  [
    "a client that does not exist",
    () =>
      new SignJWT({ jti: "1" })
        .setProtectedHeader({ alg: "ES256" })
        .setIssuer("unknown")
        .setSubject("unknown")
        .setAudience(audience())
        .setExpirationTime("1m")
        .sign(own.privateKey),
  ],
  [
    "a prototype's name as the client",
    () =>
      new SignJWT({ jti: "1" })
        .setProtectedHeader({ alg: "ES256" })
        .setIssuer("__proto__")
        .setSubject("__proto__")
        .setAudience(audience())
        .setExpirationTime("1m")
        .sign(own.privateKey),
  ],
];

describe("refused, with nothing issued", () => {
  test.each(cases)("%s", async (_, make) => {
    const assertion = await make();
    const before = await tokens();
    const answer = await send(assertion);
    expect([answer.status, answer.body.error]).toEqual([401, "invalid_client"]);
    expect(answer.text).not.toMatch(/access_token|jti|kid|signature|expired/);
    expect(await tokens()).toBe(before);
  });
});

describe("two methods at once, and parts of one", () => {
  test.each<[string, (assertion: string) => ReturnType<typeof send>]>([
    ["with a Basic header", (assertion) => send(assertion, {}, `Basic ${Buffer.from("a:b").toString("base64")}`)],
    ["with a secret", (assertion) => send(assertion, { client_secret: client.clientSecret })],
    ["with the id of another client", (assertion) => send(assertion, { client_id: other.clientId })],
    ["without a type", (assertion) => send(assertion, { client_assertion_type: undefined })],
    [
      "with another type",
      (a) => send(a, { client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:saml2-bearer" }),
    ],
    ["with a type and no assertion", () => send("", {})],
    ["twice", (a) => oauth.post(TOKEN, `grant_type=client_credentials&client_assertion=${a}&client_assertion=${a}`)],
    ["in the URL", (a) => oauth.post(`${TOKEN}?client_assertion=${a}`, CC)],
    ["with its type in the URL", () => oauth.post(`${TOKEN}?client_assertion_type=x`, CC)],
  ])("%s: 400", async (_, how) => {
    const before = await tokens();
    const answer = await how(await signed());
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
    expect(await tokens()).toBe(before);
  });
  test("its own client id may come with it", async () => {
    expect((await send(await signed(), { client_id: client.clientId })).status).toBe(200);
  });
});

describe("used once", () => {
  const refused = (answer: Awaited<ReturnType<typeof send>>) =>
    expect([answer.status, answer.body.error]).toEqual([401, "invalid_client"]);

  test("a second use is refused, at every endpoint", async () => {
    const assertion = await signed();
    const fields = { client_assertion_type: JWT_ASSERTION, client_assertion: assertion };
    expect((await send(assertion)).status).toBe(200);
    refused(await send(assertion));
    refused(await oauth.post("/oauth2/introspect", { token: "x", ...fields }));
    refused(await oauth.post("/oauth2/revoke", { token: "x", ...fields }));
    refused(await oauth.post(`/t/carbon.super${TOKEN}`, { ...CC, ...fields }));
  });
  test.each(["/oauth2/introspect", "/oauth2/revoke"])("%s uses it up", async (path) => {
    const fields = { client_assertion_type: JWT_ASSERTION, client_assertion: await signed() };
    expect((await oauth.post(path, { token: "x", ...fields })).status).toBe(200);
    refused(await send(fields.client_assertion));
  });
  test("a request that is refused uses it up too", async () => {
    for (const more of [
      { grant_type: "password", username: "admin", password: "wrong" },
      { grant_type: "unknown" },
      { grant_type: "authorization_code" },
      { grant_type: "refresh_token", refresh_token: "rt_x" },
      { scope: '"' },
    ]) {
      const assertion = await signed();
      const answer = await send(assertion, more);
      expect([more, answer.status]).toEqual([more, 400]);
      refused(await send(assertion));
    }
  });
  test("a client that may not be used uses it up too, so that it does not count later", async () => {
    const stopped = await clientBy(SIGNED, inline(own));
    const enabled = (applicationEnabled: boolean) =>
      api.ask("PATCH", `${APPLICATIONS}/${stopped.applicationId}`, { body: { applicationEnabled } });
    const assertion = await signed({}, own, stopped);
    expect((await enabled(false)).status).toBe(200);
    const answer = await send(assertion);
    expect([answer.status, answer.body.error_description]).toEqual([401, "The application is disabled."]);
    expect((await enabled(true)).status).toBe(200);
    refused(await send(assertion));
    expect((await send(await signed({}, own, stopped))).status).toBe(200);
  });
  test("of twenty at once, one is accepted", async () => {
    const assertion = await signed();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(assertion)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
  });
  test("the same jti of another client is another one", async () => {
    const jti = randomUUID();
    expect((await send(await signed({ claims: { jti } }))).status).toBe(200);
    expect((await send(await signed({ claims: { jti } }, strange, other))).status).toBe(200);
  });
  test("a new signature of a used jti is refused", async () => {
    const jti = randomUUID();
    expect((await send(await signed({ claims: { jti } }))).status).toBe(200);
    refused(await send(await signed({ claims: { jti } })));
    refused(await send(await signed({ claims: { jti } }, rsa)));
  });
  test("tokenEndpointAllowReusePvtKeyJwt allows it until it expires", async () => {
    const again = await clientBy({ ...SIGNED, tokenEndpointAllowReusePvtKeyJwt: true }, inline(own));
    const assertion = await signed({}, own, again);
    for (let use = 0; use < 3; use += 1) expect((await send(assertion)).status).toBe(200);
    refused(await send(await signed({ claims: { exp: now() - 60 } }, own, again)));
  });
});

describe("keys", () => {
  test("a replaced key is refused at once, and the new one is accepted", async () => {
    const next = keyFor("ES256", "next");
    expect((await send(await signed())).status).toBe(200);
    await setCertificate(client, inline(next));
    expect((await send(await signed())).status).toBe(401);
    expect((await send(await signed({}, next))).status).toBe(200);
  });
  test("without a certificate no assertion is right", async () => {
    const bare = await clientBy(SIGNED);
    expect((await send(await signed({}, own, bare))).status).toBe(401);
  });
  test("a key of several that have no id in the header is refused", async () => {
    const two = await clientBy(SIGNED, inline(own, strange));
    expect((await send(await signed({ header: { kid: undefined } }, own, two))).status).toBe(401);
    expect((await send(await signed({}, own, two))).status).toBe(200);
  });
});
