/**
 * Public keys that stand in for those of unknown clients, so that an assertion costs the same work for them. They are
 * made once per container and never leave it; their private parts are not kept.
 */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { type CryptoKey, importJWK, type JWK } from "jose";

const MODULUS_BYTES = 256;
const curves = { ES256: "P-256", ES384: "P-384", ES512: "P-521" } as const;

const made = new Map<string, Promise<CryptoKey>>();

/** A key for an algorithm of client assertions. */
export function standInKey(algorithm: string): Promise<CryptoKey> {
  const key = made.get(algorithm) ?? (importJWK(jwkFor(algorithm), algorithm) as Promise<CryptoKey>);
  made.set(algorithm, key);
  return key;
}

function jwkFor(algorithm: string): JWK {
  const namedCurve = algorithm in curves ? curves[algorithm as keyof typeof curves] : undefined;
  if (namedCurve) return generateKeyPairSync("ec", { namedCurve }).publicKey.export({ format: "jwk" }) as JWK;
  if (algorithm.startsWith("Ed")) return generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }) as JWK;
  // A verification with RSA costs the same with any odd modulus; a real one would take long to find.
  const modulus = randomBytes(MODULUS_BYTES);
  modulus[0] = (modulus[0] ?? 0) | 0x80;
  modulus[MODULUS_BYTES - 1] = (modulus[MODULUS_BYTES - 1] ?? 0) | 1;
  return { kty: "RSA", n: modulus.toString("base64url"), e: "AQAB" };
}
