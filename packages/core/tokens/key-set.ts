/**
 * Public keys of others as a JWK set (RFC 7517), reduced to what verifies a signature or encrypts: members that name
 * other keys, certificates or addresses are left out. Pure.
 */

import { digestOf } from "../kernel/certificate.ts";
import { isObject, parsedJson } from "../kernel/json.ts";

/** A public key, in the members of a JWK. */
export type PublicKey = Readonly<Record<string, string>>;

/** What keys are for: to verify signatures, or to encrypt. */
export type KeyUse = "sig" | "enc";

/** The operations of keys by their use (RFC 7517 section 4.3). */
const operationsOf: Readonly<Record<KeyUse, readonly string[]>> = { sig: ["verify"], enc: ["encrypt", "wrapKey"] };

/** The keys of a set for one use, and the certificates that it names. */
export interface KeySet {
  readonly keys: readonly PublicKey[];
  /** `x5t#S256` of the first certificate of each `x5c` (RFC 8705 section 2.2.2). */
  readonly thumbprints: readonly string[];
  /** Why members of the set were left out, for a person who writes one. */
  readonly problems: readonly string[];
}

const KEYS_MAX = 20;
const MEMBER_LENGTH_MAX = 255;
/** Bytes of an RSA modulus: 2,048 to 4,096 bits. Larger ones make a signature expensive to verify. */
const MODULUS = { least: 256, most: 512 };
const EXPONENT_BYTES_MAX = 4;

/** The bytes of a coordinate by curve. */
const curves: Readonly<Record<string, number>> = { "P-256": 32, "P-384": 48, "P-521": 66 };
const ED25519_BYTES = 32;

const BASE64URL = /^[A-Za-z0-9_-]+$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** The members of private keys. */
const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

type Json = Readonly<Record<string, unknown>>;

/** Reads a JWK set, of which it leaves out keys for another use. `undefined` for a text that is none. */
export function readKeySet(text: string, use: KeyUse = "sig"): KeySet | undefined {
  const set = parsedJson(text);
  const given = isObject(set) ? set.keys : undefined;
  if (!Array.isArray(given)) return undefined;
  const few = given.slice(0, KEYS_MAX);
  const read = few.map((jwk: unknown) => (isObject(jwk) ? keyOf(jwk, use) : "is not an object"));
  const problems = read.flatMap((key, at) => (typeof key === "string" ? [`keys[${at}] ${key}.`] : []));
  return {
    keys: read.flatMap((key) => (typeof key === "string" ? [] : [key])),
    thumbprints: few.flatMap((jwk: unknown) => (isObject(jwk) ? thumbprintsIn(jwk) : [])),
    problems: given.length > KEYS_MAX ? [`keys has more than ${KEYS_MAX} members.`, ...problems] : problems,
  };
}

/** The key in its least form, or why it cannot be used. */
function keyOf(jwk: Json, wanted: KeyUse): PublicKey | string {
  if (PRIVATE.some((name) => Object.hasOwn(jwk, name))) return "is a private or symmetric key: send its public part";
  const { use, key_ops: operations } = jwk;
  if (use !== undefined && use !== wanted) return `has another use than "${wanted}"`;
  const possible = operationsOf[wanted];
  if (operations !== undefined && !(Array.isArray(operations) && possible.some((each) => operations.includes(each)))) {
    return `has key_ops without "${possible.join('" or "')}"`;
  }
  const numbers = numbersOf(jwk);
  if (typeof numbers === "string") return numbers;
  return { ...numbers, ...shortText(jwk, "kid"), ...shortText(jwk, "alg") };
}

function numbersOf({ kty, n, e, crv, x, y }: Json): PublicKey | string {
  if (kty === "RSA" && isNumber(n) && isNumber(e)) {
    const bytes = bytesOf(n);
    if (bytes < MODULUS.least || bytes > MODULUS.most) return "must have 2048 to 4096 bits";
    return bytesOf(e) <= EXPONENT_BYTES_MAX ? { kty, n, e } : "has an exponent of more than 32 bits";
  }
  if (kty === "EC" && typeof crv === "string" && Object.hasOwn(curves, crv) && isNumber(x) && isNumber(y)) {
    const isSized = bytesOf(x) === curves[crv] && bytesOf(y) === curves[crv];
    return isSized ? { kty, crv, x, y } : "has coordinates of another length than its curve";
  }
  if (kty === "OKP" && crv === "Ed25519" && isNumber(x) && bytesOf(x) === ED25519_BYTES) return { kty, crv, x };
  return "is of a kind that is not supported: use RSA, EC with P-256, P-384 or P-521, or Ed25519";
}

function shortText(jwk: Json, name: "kid" | "alg"): PublicKey {
  const value = jwk[name];
  return typeof value === "string" && value !== "" && value.length <= MEMBER_LENGTH_MAX ? { [name]: value } : {};
}

function thumbprintsIn({ x5c }: Json): readonly string[] {
  const [first] = Array.isArray(x5c) ? (x5c as unknown[]) : [];
  return typeof first === "string" && BASE64.test(first) ? [digestOf(Buffer.from(first, "base64"))] : [];
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text, "base64url");
}

function isNumber(value: unknown): value is string {
  return typeof value === "string" && BASE64URL.test(value);
}
