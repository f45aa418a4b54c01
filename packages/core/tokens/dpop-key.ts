/** The public keys of DPoP proofs: which algorithms and keys are accepted. Pure. */
import type { JWK } from "jose";

/** Members of private and symmetric keys (RFC 7518 section 6). */
const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Bytes of an RSA modulus: 2,048 to 4,096 bits. A larger key, or another exponent, costs more to verify. */
const MODULUS_BYTES = { least: 256, most: 512 };
const EXPONENT = "AQAB";

const BASE64URL = /^[A-Za-z0-9_-]+$/;

type Members = Readonly<Record<string, unknown>>;

const elliptic = (crv: string) => (jwk: Members) =>
  jwk.kty === "EC" && jwk.crv === crv && isBytes(jwk.x) && isBytes(jwk.y)
    ? { kty: "EC", crv, x: jwk.x, y: jwk.y }
    : undefined;

const edwards = (jwk: Members) =>
  jwk.kty === "OKP" && jwk.crv === "Ed25519" && isBytes(jwk.x) ? { kty: "OKP", crv: jwk.crv, x: jwk.x } : undefined;

const rsa = (jwk: Members) => {
  if (jwk.kty !== "RSA" || !isBytes(jwk.n) || jwk.e !== EXPONENT) return undefined;
  const bytes = Buffer.from(jwk.n, "base64url").length;
  return bytes >= MODULUS_BYTES.least && bytes <= MODULUS_BYTES.most ? { kty: "RSA", n: jwk.n, e: jwk.e } : undefined;
};

/** The accepted algorithms, all of them asymmetric, and the keys of each. */
const readers: Readonly<Record<string, (jwk: Members) => JWK | undefined>> = {
  ES256: elliptic("P-256"),
  ES384: elliptic("P-384"),
  EdDSA: edwards,
  Ed25519: edwards,
  PS256: rsa,
  RS256: rsa,
};

/** The algorithms of DPoP proofs, as the metadata of the server lists them. */
export const PROOF_ALGORITHMS: readonly string[] = Object.keys(readers);

/**
 * The public key in the header of a proof, with the members that identify it only. `undefined` for a key of another
 * algorithm, one that is expensive to use, and one with private members.
 */
export function publicKeyIn(alg: string, jwk: unknown): JWK | undefined {
  if (typeof jwk !== "object" || jwk === null || PRIVATE.some((name) => Object.hasOwn(jwk, name))) return undefined;
  return Object.hasOwn(readers, alg) ? readers[alg]?.(jwk as Members) : undefined;
}

function isBytes(value: unknown): value is string {
  return typeof value === "string" && BASE64URL.test(value);
}
