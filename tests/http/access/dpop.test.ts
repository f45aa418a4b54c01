/** Hostile DPoP proofs, at the token endpoint and at the API: each is refused, and none gets a token or an answer. */
import { createHmac, createPublicKey, randomBytes, sign as signBytes } from "node:crypto";
import { request } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { newNonces } from "#core/tokens/dpop-nonce.ts";
import { athOf, claimsFor, dpopOf, newProofKey, proofOf } from "#tests/support/dpop.ts";
import { form, oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { encode, partsOf, sign, signingKey } from "#tests/support/signing.ts";
import { ADMIN, type Answer, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const { newClient, ownToken } = oauthOf(api);
const { post, nonce, tokenProof, apiProof, present, bound } = dpopOf(api);
const VIEW = "internal_application_mgt_view";
const OWN = { grant_type: "client_credentials", scope: VIEW };
const key = newProofKey();
const otherKey = newProofKey();

let client: TestClient;
let opaque = "";
let jwt = "";
let othersToken = "";
let unbound = "";
beforeAll(async () => {
  client = await newClient([VIEW]);
  const jwtClient = await newClient([VIEW], { accessToken: { type: "JWT" } });
  opaque = (await bound(client, key, OWN)).access_token;
  jwt = (await bound(jwtClient, key, OWN)).access_token;
  othersToken = (await bound(jwtClient, otherKey, OWN)).access_token;
  unbound = await ownToken(client, VIEW);
});

/** What a hostile proof is made from: the claims and the header of a valid one. */
interface Valid {
  readonly claims: Record<string, unknown>;
  readonly header: Record<string, unknown>;
  readonly url: string;
}
type Forge = (valid: Valid) => Promise<string> | string;

const changed =
  (claims: Record<string, unknown>, header: Record<string, unknown> = {}): Forge =>
  (valid) =>
    proofOf(key, { ...valid.claims, ...claims }, header);
const at =
  (change: (url: string) => unknown): Forge =>
  (valid) =>
    proofOf(key, { ...valid.claims, htu: change(valid.url) });
const headOf = ({ header }: Valid, more: Record<string, unknown>) => encode({ ...header, ...more });
/** A proof that ends in any signature. */
const ending = (valid: Valid, more: Record<string, unknown>, signature: (text: string) => string): string => {
  const text = `${headOf(valid, more)}.${encode(valid.claims)}`;
  return `${text}.${signature(text)}`;
};
const hmac = (secret: string | Buffer) => (text: string) =>
  createHmac("sha256", secret).update(text).digest("base64url");
const seconds = () => Math.floor(Date.now() / 1_000);
const publicKey = createPublicKey({ key: { ...key.jwk }, format: "jwk" });
const upperPath = (url: string) => `${new URL(url).origin}${new URL(url).pathname.toUpperCase()}`;
const agedNonce = (ms: number) => newNonces(Buffer.from(process.env.NONCE_KEY ?? "", "base64")).at(Date.now() - ms);

const hostile: readonly (readonly [string, Forge])[] = [
  ["is empty", () => ""],
  ["is no JWT", () => "proof"],
  ["has two parts", (valid) => `${headOf(valid, {})}.${encode(valid.claims)}`],
  ["has five parts, like an encrypted JWT", () => "a.b.c.d.e"],
  ["is longer than 4,096 characters", changed({ more: "x".repeat(4_096) })],
  ["is sent twice", (valid) => join(proofOf(key, valid.claims), proofOf(key, valid.claims))],
  ["is sent with another one", async (valid) => join(proofOf(key, valid.claims), proofOf(otherKey, valid.claims))],
  ["has the algorithm none", (valid) => ending(valid, { alg: "none" }, () => "")],
  ["has the algorithm None and a signature", (valid) => ending(valid, { alg: "None" }, () => "AAAA")],
  [
    "is signed with HMAC and the public key as PEM",
    (valid) => ending(valid, { alg: "HS256" }, hmac(publicKey.export({ type: "spki", format: "pem" }).toString())),
  ],
  [
    "is signed with HMAC and the public key as DER",
    (valid) => ending(valid, { alg: "HS256" }, hmac(publicKey.export({ type: "spki", format: "der" }))),
  ],
  [
    "is signed with HMAC and the public key as JWK",
    (valid) => ending(valid, { alg: "HS256" }, hmac(JSON.stringify(key.jwk))),
  ],
  [
    "is signed with HMAC and a symmetric key in its header",
    (valid) => ending(valid, { alg: "HS256", jwk: { kty: "oct", k: "c2VjcmV0" } }, hmac("secret")),
  ],
  ["is signed with another key than that in its header", (valid) => proofOf(otherKey, valid.claims, { jwk: key.jwk })],
  ["has a signature of zeros", (valid) => ending(valid, {}, () => Buffer.alloc(64).toString("base64url"))],
  [
    "has a signature in DER",
    (valid) =>
      ending(valid, {}, (text) =>
        signBytes("sha256", Buffer.from(text), { key: key.privateKey, dsaEncoding: "der" }).toString("base64url"),
      ),
  ],
  ["names another algorithm than its key has", changed({}, { jwk: newProofKey("ES384").jwk })],
  ["has its private key in the header", changed({}, { jwk: key.privateKey.export({ format: "jwk" }) })],
  ["has no key in its header", changed({}, { jwk: undefined })],
  ["names its key by an id", changed({}, { jwk: undefined, kid: "key" })],
  ["names its key by an address", changed({}, { jwk: undefined, jku: "https://evil.example/keys" })],
  ["has a text as its key", changed({}, { jwk: JSON.stringify(key.jwk) })],
  ["has no type", changed({}, { typ: undefined })],
  ["has the type JWT", changed({}, { typ: "JWT" })],
  ["has the type of an access token", changed({}, { typ: "at+jwt" })],
  ["has its type in capitals", changed({}, { typ: "DPOP+JWT" })],
  ["has no jti", changed({ jti: undefined })],
  ["has an empty jti", changed({ jti: "" })],
  ["has a number as jti", changed({ jti: 7 })],
  ["has a jti of 257 characters", changed({ jti: "x".repeat(257) })],
  ["has no htm", changed({ htm: undefined })],
  ["has another method", changed({ htm: "DELETE" })],
  [
    "has its method in small letters",
    (valid) => proofOf(key, { ...valid.claims, htm: String(valid.claims.htm).toLowerCase() }),
  ],
  ["has a list of methods", changed({ htm: ["GET", "POST"] })],
  ["has no htu", changed({ htu: undefined })],
  ["has the URL of another host", at((url) => url.replace("127.0.0.1", "evil.example"))],
  ["has the URL of another port", at((url) => url.replace(/:\d+/, ":1"))],
  ["has the URL of another scheme", at((url) => url.replace("http:", "https:"))],
  ["has the URL of another path", at((url) => `${new URL(url).origin}/scim2/Users`)],
  ["has the URL of a tenant's path", at((url) => url.replace(/(:\d+)/, "$1/t/acme.com"))],
  ["has a URL that ends in a slash", at((url) => `${url}/`)],
  ["has a URL with a query", at((url) => `${url}?limit=1`)],
  ["has a URL with an empty query", at((url) => `${url}?`)],
  ["has a URL with a fragment", at((url) => `${url}#part`)],
  ["has a URL with its path in capitals", at(upperPath)],
  ["has a URL with an encoded slash", at((url) => url.replace(/\/([^/]*)$/, "%2F$1"))],
  [
    "has a URL that is encoded twice",
    at((url) => url.replace(/.$/, (last) => `%25${last.charCodeAt(0).toString(16)}`)),
  ],
  ["has a URL with a user name", at((url) => url.replace("//", "//user@"))],
  ["has its path only", at((url) => new URL(url).pathname)],
  ["has no iat", changed({ iat: undefined })],
  ["has a text as iat", changed({ iat: String(seconds()) })],
  ["has an iat in milliseconds", changed({ iat: Date.now() })],
  ["was made 62 seconds ago", (valid) => proofOf(key, { ...valid.claims, iat: seconds() - 62 })],
  ["was made a day ago", changed({ iat: seconds() - 86_400 })],
  ["is made in an hour", changed({ iat: seconds() + 3_600 })],
  ["has expired", changed({ exp: seconds() - 1 })],
  ["has no nonce", changed({ nonce: undefined })],
  ["has a nonce that nobody issued", changed({ nonce: randomBytes(18).toString("base64url") })],
  ["has a nonce of a minute ago", (valid) => proofOf(key, { ...valid.claims, nonce: agedNonce(60_000) })],
  ["has a nonce of the next minute", (valid) => proofOf(key, { ...valid.claims, nonce: agedNonce(-60_000) })],
  [
    "has a nonce under another key",
    (valid) => proofOf(key, { ...valid.claims, nonce: newNonces(randomBytes(32)).at(Date.now()) }),
  ],
  [
    "has a critical header that nobody knows",
    (valid) =>
      ending(valid, { crit: ["mine"], mine: true }, (text) =>
        signBytes("sha256", Buffer.from(text), { key: key.privateKey, dsaEncoding: "ieee-p1363" }).toString(
          "base64url",
        ),
      ),
  ],
  [
    "has claims that are no object",
    (valid) => {
      const text = `${headOf(valid, {})}.${encode([valid.claims])}`;
      const signature = signBytes("sha256", Buffer.from(text), { key: key.privateKey, dsaEncoding: "ieee-p1363" });
      return `${text}.${signature.toString("base64url")}`;
    },
  ],
];

async function join(one: Promise<string>, two: Promise<string>): Promise<string> {
  return `${await one}, ${await two}`;
}

const header = { alg: key.alg, typ: "dpop+jwt", jwk: key.jwk };

describe("the token endpoint refuses a proof that", () => {
  const url = () => `${api.url}${TOKEN}`;
  const refusal = ({ status, body, text }: Answer) => {
    expect([status, body.error], text).toEqual([400, expect.stringMatching(/^(invalid_dpop_proof|use_dpop_nonce)$/)]);
    expect(text).not.toContain("access_token");
  };
  test("control: the valid one is accepted", async () => {
    expect((await post(client, OWN, await tokenProof(key))).status).toBe(200);
  });
  test.each(hostile)("%s", async (_, forge) => {
    const claims = claimsFor("POST", url(), { nonce: await nonce() });
    refusal(await post(client, OWN, await forge({ claims, header, url: url() })));
  });
  test("was used before, also by another client and for another grant", async () => {
    const proof = await tokenProof(key);
    expect((await post(client, OWN, proof)).status).toBe(200);
    const other = await newClient([VIEW]);
    for (const answer of [
      await post(client, OWN, proof),
      await post(other, OWN, proof),
      await post(client, { grant_type: "password", ...ADMIN }, proof),
    ]) {
      refusal(answer);
    }
  });
  test("is in two headers of the request", async () => {
    const [one, two] = [await tokenProof(key), await tokenProof(key)];
    const credential = basic({ username: client.clientId, password: client.clientSecret });
    const body = form(OWN);
    const status = await new Promise((resolve, reject) => {
      const lines = ["host", new URL(url()).host, "authorization", credential];
      const type = ["content-type", "application/x-www-form-urlencoded", "content-length", String(body.length)];
      request(url(), { method: "POST", headers: [...lines, ...type, "DPoP", one, "dpop", two] }, (answer) => {
        resolve(answer.resume().statusCode);
      })
        .on("error", reject)
        .end(body);
    });
    expect(status).toBe(400);
    // Neither of them counts as used.
    expect((await post(client, OWN, one)).status).toBe(200);
  });
  test("is used at once by many: one of them gets a token", async () => {
    const proof = await tokenProof(key);
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(client, OWN, proof)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) refusal(answer);
  });
  test("is of a client with a wrong secret: nothing counts as used", async () => {
    const proof = await tokenProof(key);
    expect((await post({ ...client, clientSecret: "wrong" }, OWN, proof)).status).toBe(401);
    expect((await post(client, OWN, proof)).status).toBe(200);
  });
});

describe.each([
  ["an opaque token", () => opaque],
  ["a JWT", () => jwt],
])("the API refuses %s with a proof that", (_, tokenOf) => {
  const url = () => `${api.url}${APPLICATIONS}`;
  const refusal = ({ status, headers, body, text }: Answer) => {
    expect([status, headers.get("www-authenticate")], text).toEqual([401, expect.stringMatching(/^DPoP /)]);
    expect(body).toEqual({
      code: "401",
      message: "Unauthorized",
      description: expect.any(String),
      traceId: expect.any(String),
    });
  };
  test("control: the valid one is accepted, in any case of the scheme", async () => {
    for (const scheme of ["DPoP", "dpop", "DPOP "]) {
      const proof = await apiProof(key, tokenOf(), APPLICATIONS);
      expect((await present(tokenOf(), proof, APPLICATIONS, scheme)).status).toBe(200);
    }
  });
  test.each(hostile)("%s", async (__, forge) => {
    const claims = claimsFor("GET", url(), { nonce: await nonce(), ath: athOf(tokenOf()) });
    refusal(await present(tokenOf(), await forge({ claims, header, url: url() }), APPLICATIONS));
  });
  test.each<[string, () => Promise<string> | string | undefined]>([
    ["is missing", () => undefined],
    ["has no ath", () => apiProof(key, tokenOf(), APPLICATIONS, { ath: undefined })],
    ["has the ath of another token", () => apiProof(key, othersToken, APPLICATIONS)],
    ["has the token itself as ath", () => apiProof(key, tokenOf(), APPLICATIONS, { ath: tokenOf() })],
    [
      "has the ath in hexadecimal",
      () => apiProof(key, tokenOf(), APPLICATIONS, { ath: Buffer.from(athOf(tokenOf()), "base64url").toString("hex") }),
    ],
    ["is of another key", () => apiProof(otherKey, tokenOf(), APPLICATIONS)],
    ["is of another key of another algorithm", () => apiProof(newProofKey("EdDSA"), tokenOf(), APPLICATIONS)],
    ["was made for the token endpoint", () => tokenProof(key)],
    ["was made for another path", () => apiProof(key, tokenOf(), "/scim2/Users")],
    ["was made for a path below it", () => apiProof(key, tokenOf(), `${APPLICATIONS}/${client.applicationId}`)],
    ["was made for another method", () => apiProof(key, tokenOf(), APPLICATIONS, { htm: "POST" })],
  ])("%s", async (__, proof) => refusal(await present(tokenOf(), await proof(), APPLICATIONS)));

  test("is right, where the token comes as a Bearer token", async () => {
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      refusal(await present(tokenOf(), await apiProof(key, tokenOf(), APPLICATIONS), APPLICATIONS, scheme));
      const answer = await present(tokenOf(), undefined, APPLICATIONS, scheme);
      refusal(answer);
      expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
    }
  });
  test("is right, where the token is in the query or the form", async () => {
    const proof = await apiProof(key, tokenOf(), APPLICATIONS);
    const query = await api.ask("GET", `${APPLICATIONS}?access_token=${tokenOf()}`, {
      as: null,
      headers: { dpop: proof },
    });
    expect(query.status).toBe(401);
    const posted = await api.ask("POST", APPLICATIONS, {
      raw: form({ access_token: tokenOf() }),
      headers: { "content-type": "application/x-www-form-urlencoded", dpop: proof },
      as: null,
    });
    expect(posted.status).toBe(401);
  });
  test("is right, where the header has two tokens", async () => {
    const proof = await apiProof(key, tokenOf(), APPLICATIONS);
    const as = `DPoP ${tokenOf()}, Bearer ${unbound}`;
    expect((await api.ask("GET", APPLICATIONS, { as, headers: { dpop: proof } })).status).toBe(401);
  });
});

test("an unbound token is not accepted with the scheme DPoP, and a client's key does not open another client's token", async () => {
  const proof = await apiProof(key, unbound, APPLICATIONS);
  expect((await present(unbound, proof, APPLICATIONS)).status).toBe(401);
  expect((await present(unbound, undefined, APPLICATIONS, "Bearer")).status).toBe(200);
  expect((await present(othersToken, await apiProof(key, othersToken, APPLICATIONS), APPLICATIONS)).status).toBe(401);
});

test("a JWT that is bound in another way, or whose key was changed, is no token", async () => {
  const { header: head, payload, body, signature } = partsOf(jwt);
  const signing = await signingKey(api);
  const proof = () => apiProof(key, jwt, APPLICATIONS);
  const statusOf = async (text: string, scheme: string) =>
    (await present(text, await apiProof(key, text, APPLICATIONS), APPLICATIONS, scheme)).status;
  expect(await statusOf(await sign(signing, head, payload), "DPoP")).toBe(200);
  const { jkt } = payload.cnf as { jkt: string };
  for (const cnf of [
    {},
    null,
    "text",
    { jwk: key.jwk },
    { kid: "k" },
    { jkt, "x5t#S256": jkt },
    { jkt: `${jkt}A` },
    [jkt],
  ]) {
    const text = await sign(signing, head, { ...payload, cnf });
    for (const scheme of ["DPoP", "Bearer"]) expect(await statusOf(text, scheme), JSON.stringify(cnf)).toBe(401);
  }
  // Without its confirmation, or with that of another key, the token has no valid signature.
  const { cnf: _, ...unboundPayload } = payload;
  expect(await statusOf(`${encode(head)}.${encode(unboundPayload)}.${signature}`, "Bearer")).toBe(401);
  expect(encode(payload)).toBe(body);
  expect((await present(jwt, await proof(), APPLICATIONS)).status).toBe(200);
});

test("there are more than 40 hostile proofs", () => {
  expect(new Set(hostile.map(([name]) => name)).size).toBeGreaterThan(50);
});
