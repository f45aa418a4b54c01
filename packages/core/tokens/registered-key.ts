/**
 * The registered key of a client that the header of its JWT names. The header selects a key and nothing else: keys,
 * certificates and addresses in it are ignored (RFC 8725).
 */
import { type CryptoKey, createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey } from "jose";
import type { PublicKey } from "./key-set.ts";
import { standInKey } from "./stand-in-key.ts";

/** The keys of a client; with `isNewer`, read again because one is missing. */
export type KeysOfClient = (isNewer?: true) => Promise<readonly PublicKey[] | undefined>;

/** Finds the key of the client that a header names, or else one with which the verification fails. */
export function keyFrom(keys: KeysOfClient): { readonly getKey: JWTVerifyGetKey; readonly isOwn: () => boolean } {
  let isOwn = true;
  return {
    async getKey(header, token) {
      const key = (await keyIn(await keys(), header, token)) ?? (await keyIn(await keys(true), header, token));
      isOwn = key instanceof CryptoKey;
      return key instanceof CryptoKey ? key : standInKey(header.alg);
    },
    isOwn: () => isOwn,
  };
}

/** The key that a header names; `undefined` where there is none, `false` where there is none that can be used. */
async function keyIn(
  keys: readonly PublicKey[] | undefined,
  ...named: Parameters<JWTVerifyGetKey>
): Promise<CryptoKey | undefined | false> {
  if (!keys) return undefined;
  try {
    return await createLocalJWKSet({ keys: keys.map((key) => ({ ...key }) as JWK) })(...named);
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return undefined;
    // Several keys without a `kid` that names one; or numbers that are no key, such as a point off its curve.
    if (error instanceof errors.JWKSMultipleMatchingKeys || error instanceof DOMException) return false;
    throw error;
  }
}
