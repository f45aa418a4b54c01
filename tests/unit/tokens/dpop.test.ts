/** DPoP proofs and their nonces, by a clock that the test sets. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { SentRequest } from "#core/kernel/operation/context.ts";
import { newProofReader } from "#core/tokens/dpop.ts";
import { PROOF_ALGORITHMS, publicKeyIn } from "#core/tokens/dpop-key.ts";
import { newNonces } from "#core/tokens/dpop-nonce.ts";
import { athOf, claimsFor, newProofKey, proofOf, thumbprintOf } from "#tests/support/dpop.ts";

const NONCE_KEY = randomBytes(32);
const nonces = newNonces(NONCE_KEY);
const reader = newProofReader(NONCE_KEY);
/** The start of a window of nonces. */
const NOW = 1_760_000_000_000;
const sent: SentRequest = {
  method: "GET",
  origins: ["https://id.example", "https://mtls.id.example"],
  path: "/scim2/Users/a b@c",
};
const HTU = "https://id.example/scim2/Users/a%20b@c";
const key = newProofKey();

const at = (nowMs: number, more: Record<string, unknown> = {}) =>
  claimsFor("GET", HTU, { iat: nowMs / 1_000, nonce: nonces.at(nowMs), ...more });
const read = async (claims: Record<string, unknown>, nowMs = NOW, more: { accessToken?: string } = {}) =>
  reader.read(await proofOf(key, claims), { sent, nowMs, ...more });

describe("a nonce", () => {
  test("is the same in every container, changes every 20 seconds, and differs under another key", () => {
    expect(newNonces(NONCE_KEY).at(NOW)).toBe(nonces.at(NOW + 19_999));
    expect(nonces.at(NOW + 20_000)).not.toBe(nonces.at(NOW));
    expect(newNonces(randomBytes(32)).at(NOW)).not.toBe(nonces.at(NOW));
    expect(nonces.at(NOW)).toMatch(/^[A-Za-z0-9_-]{24}$/);
  });
  test.each([
    [0, "current"],
    [19_999, "current"],
    [20_000, "replaced"],
    [59_999, "replaced"],
    [60_000, "refused"],
    [3_600_000, "refused"],
    // A container whose clock is ahead issued it.
    [-1, "current"],
    [-5_000, "current"],
    [-5_001, "refused"],
  ] as const)("that was issued %i ms ago is %s", (ageMs, verdict) => {
    expect(nonces.judge(nonces.at(NOW), NOW + ageMs)).toBe(verdict);
  });
  test.each(["", "x", "A".repeat(24), "\u00e9".repeat(24)])("that is %j is refused", (nonce) => {
    expect(nonces.judge(nonce, NOW)).toBe("refused");
  });
});

describe("a proof", () => {
  test.each(["ES256", "ES384", "EdDSA", "Ed25519", "PS256", "RS256"] as const)("of %s is valid", async (alg) => {
    const own = newProofKey(alg);
    const claims = at(NOW);
    expect(PROOF_ALGORITHMS).toContain(alg);
    expect(await reader.read(await proofOf(own, claims), { sent, nowMs: NOW })).toEqual({
      kind: "valid",
      proof: { thumbprint: await thumbprintOf(own), id: claims.jti, expiresAtSeconds: NOW / 1_000 + 60 },
    });
  });
  test("without a nonce, or with an old one, gets the nonce to use", async () => {
    const asked = { kind: "nonce", nonce: nonces.at(NOW) };
    for (const nonce of [undefined, "", "x", 7, null, [nonces.at(NOW)], nonces.at(NOW - 60_000)]) {
      expect(await read(at(NOW, { nonce })), String(nonce)).toEqual(asked);
    }
  });
  test("with a nonce that is replaced is valid and gets the next one", async () => {
    const verdict = await read(at(NOW, { nonce: nonces.at(NOW - 20_000) }));
    expect(verdict).toMatchObject({ kind: "valid", proof: { nextNonce: nonces.at(NOW) } });
  });
  test.each([
    [-60, "valid"],
    [-60.5, "refused"],
    [-3_600, "refused"],
    [10, "valid"],
    [11, "refused"],
    [3_600, "refused"],
  ])("whose iat is %f seconds from now is %s", async (seconds, kind) => {
    expect((await read(at(NOW, { iat: NOW / 1_000 + seconds }))).kind).toBe(kind);
  });
  test("of before its iat and nonce are 60 seconds old is valid, and never after", async () => {
    const claims = at(NOW, { iat: NOW / 1_000 + 10 });
    expect((await read(claims, NOW + 59_999)).kind).toBe("valid");
    expect((await read(claims, NOW + 60_000)).kind).toBe("nonce");
  });
  test("of an access token needs its digest", async () => {
    const accessToken = "at_token";
    expect((await read(at(NOW, { ath: athOf(accessToken) }), NOW, { accessToken })).kind).toBe("valid");
    for (const ath of [undefined, "", athOf("at_other"), `${athOf(accessToken)}=`, [athOf(accessToken)]]) {
      expect((await read(at(NOW, { ath }), NOW, { accessToken })).kind, String(ath)).toBe("refused");
    }
  });
});

describe("htu", () => {
  test.each([
    HTU,
    "HTTPS://ID.EXAMPLE/scim2/Users/a%20b@c",
    "https://id.example:443/scim2/Users/a%20b@c",
    "https://mtls.id.example/scim2/Users/a%20b@c",
    "https://id.example/scim2/Users/a%20b%40c",
    "https://id.example/%73cim2/Users/%61%20b@c",
    "https://id.example/scim2/./Users/x/../a%20b@c",
  ])("%s is the URL of the request", async (htu) => {
    expect((await read(at(NOW, { htu }))).kind).toBe("valid");
  });
  test.each([
    "http://id.example/scim2/Users/a%20b@c",
    "https://id.example:8443/scim2/Users/a%20b@c",
    "https://other.example/scim2/Users/a%20b@c",
    "https://id.example.evil.example/scim2/Users/a%20b@c",
    "https://id.example@evil.example/scim2/Users/a%20b@c",
    "https://user@id.example/scim2/Users/a%20b@c",
    "https://@id.example/scim2/Users/a%20b@c",
    "https://id.example./scim2/Users/a%20b@c",
    "https://id.example\\@evil.example/scim2/Users/a%20b@c",
    `${HTU}?`,
    `${HTU}?a=b`,
    `${HTU}#`,
    `${HTU}#part`,
    `${HTU}/`,
    `${HTU} `,
    ` ${HTU}`,
    `${HTU}\n`,
    "https://id.example/SCIM2/Users/a%20b@c",
    "https://id.example/scim2/Users/a%2520b@c",
    "https://id.example/scim2%2FUsers/a%20b@c",
    "https://id.example/scim2%2fUsers/a%20b@c",
    "https://id.example\\scim2\\Users\\a%20b@c",
    "https://id.example//scim2/Users/a%20b@c",
    "https://id.example/scim2/Users/a b@c",
    "https://id.example/scim2/Users/a%20b%",
    "https://id.example/scim2/Users/%ff",
    "https://id.example/t/acme.com/scim2/Users/a%20b@c",
    "https:/id.example/scim2/Users/a%20b@c",
    "//id.example/scim2/Users/a%20b@c",
    "/scim2/Users/a%20b@c",
    "javascript:alert(1)",
    "",
    undefined,
    null,
    [HTU],
    { href: HTU },
  ])("%s is refused", async (htu) => {
    expect((await read(at(NOW, { htu }))).kind).toBe("refused");
  });
  test("is that of the whole path where the path names a tenant", async () => {
    const ofTenant: SentRequest = { ...sent, path: "/t/acme.com/oauth2/token" };
    const kindOf = async (htu: string) =>
      (await reader.read(await proofOf(key, at(NOW, { htu })), { sent: ofTenant, nowMs: NOW })).kind;
    expect(await kindOf("https://id.example/t/acme.com/oauth2/token")).toBe("valid");
    expect(await kindOf("https://id.example/oauth2/token")).toBe("refused");
    expect(await kindOf("https://id.example/t/other.com/oauth2/token")).toBe("refused");
  });
});

describe("the key of a proof", () => {
  const rsaOf = (modulusLength: number, publicExponent = 65_537) =>
    generateKeyPairSync("rsa", { modulusLength, publicExponent }).publicKey.export({ format: "jwk" });
  const n = rsaOf(2_048).n ?? "";

  test("has only the members that identify it", () => {
    const jwk = { ...key.jwk, kid: "k", use: "enc", alg: "none", key_ops: ["sign"], x5u: "https://evil.example" };
    expect(publicKeyIn("ES256", jwk)).toEqual(key.jwk);
  });
  test.each<[string, string, unknown]>([
    ["no object", "ES256", "text"],
    ["null", "ES256", null],
    ["a list", "ES256", [key.jwk]],
    ["another curve", "ES256", newProofKey("ES384").jwk],
    ["another kind", "RS256", key.jwk],
    ["an algorithm named as a property of Object", "constructor", key.jwk],
    ["a symmetric algorithm", "HS256", { kty: "oct", k: "c2VjcmV0" }],
    ["a symmetric key", "ES256", { ...key.jwk, k: "c2VjcmV0" }],
    ["a private key", "ES256", key.privateKey.export({ format: "jwk" })],
    ["a private member that is empty", "ES256", { ...key.jwk, d: "" }],
    ["no y", "ES256", { ...key.jwk, y: undefined }],
    ["an RSA key of 1,024 bits", "RS256", rsaOf(1_024)],
    ["an RSA key of 8,192 bits", "RS256", { kty: "RSA", e: "AQAB", n: randomBytes(1_024).toString("base64url") }],
    ["an RSA key with the exponent 3", "RS256", rsaOf(2_048, 3)],
    ["an RSA key with a long exponent", "PS256", { kty: "RSA", n, e: n }],
    ["an RSA key with a private exponent", "PS256", { kty: "RSA", n, e: "AQAB", dp: "AQAB" }],
  ])("is refused: %s", (_, alg, jwk) => {
    expect(publicKeyIn(alg, jwk)).toBeUndefined();
  });
  test("that is not a point of its curve verifies nothing", async () => {
    const jwk = { ...key.jwk, x: Buffer.alloc(32, 1).toString("base64url") };
    const text = await proofOf(key, at(NOW), { jwk });
    expect((await reader.read(text, { sent, nowMs: NOW })).kind).toBe("refused");
  });
});
