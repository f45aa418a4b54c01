/** The kinds of signing keys in rings: how they are made, and what is stored of them. */
import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import { type CryptoKey, calculateJwkThumbprint, exportJWK, importJWK } from "jose";
import { type Field, number, record, text } from "../database/table/row.ts";
import type { RingEntry, RingKey } from "./key-ring.ts";

/** The public half of an RS256 key. */
export interface RsaKey extends RingEntry {
  readonly n: string;
  readonly e: string;
}

/** A kind of keys. */
export interface KeyKind<K extends RingEntry> {
  /** How the public half is stored. */
  readonly row: Field<K>;
  /** A new key: its public half, and the text of its private half. */
  generate(use: Omit<RingEntry, "kid">): Promise<{ readonly key: K; readonly secret: string }>;
}

const generate = promisify(generateKeyPair);
const RSA_BITS = 2_048;

const entry = { kid: text, signsFromMs: number, longestLifeSeconds: number };

/** ES256. The text of the private half is the secret number of the curve point. */
export const p256: KeyKind<RingKey> = {
  row: record<RingKey>({ ...entry, x: text, y: text }),
  async generate(use) {
    const { privateKey } = await generate("ec", { namedCurve: "P-256" });
    const { x, y, d } = await exportJWK(privateKey);
    if (!x || !y || !d) throw new Error("a new key has no coordinates");
    return { key: { kid: await calculateJwkThumbprint({ kty: "EC", crv: "P-256", x, y }), x, y, ...use }, secret: d };
  },
};

/** RS256. The text of the private half is its JWK. */
export const rsa2048: KeyKind<RsaKey> = {
  row: record<RsaKey>({ ...entry, n: text, e: text }),
  async generate(use) {
    const { privateKey } = await generate("rsa", { modulusLength: RSA_BITS });
    const jwk = await exportJWK(privateKey);
    const { n, e } = jwk;
    if (!n || !e) throw new Error("a new key has no modulus");
    return {
      key: { kid: await calculateJwkThumbprint({ kty: "RSA", n, e }), n, e, ...use },
      secret: JSON.stringify(jwk),
    };
  },
};

/** The private half of an RS256 key. */
export async function rsaPrivateKey(_: RsaKey, secret: string): Promise<CryptoKey> {
  return (await importJWK(JSON.parse(secret), "RS256", { extractable: true })) as CryptoKey;
}

/** The public half as JWKs (RFC 7517): one for each algorithm, because a JWK names one and clients look for theirs. */
export function rsaJwks(key: RsaKey) {
  const { kid, n, e } = key;
  const common = { kty: "RSA", n, e, use: "sig" } as const;
  return [
    { ...common, kid, alg: "RS256" },
    { ...common, kid: pssKid(key), alg: "PS256" },
  ] as const;
}

/** The id of a key where it signs PS256. */
export function pssKid({ kid }: RsaKey): string {
  return `${kid}-PS256`;
}
