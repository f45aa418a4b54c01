/**
 * Keys that sign ID tokens. RS256 is what every client understands (OpenID Connect Core 1.0 section 15.1), so there is
 * a ring of RSA keys besides that of access tokens, which signs those that ask for ES256 (decision 0113). An RSA key
 * signs PS256 too, under an id of its own.
 */
import { KeyObject } from "node:crypto";
import { type JWTPayload, SignJWT } from "jose";
import type { Table } from "../database/table/table.ts";
import type { Seal } from "../kernel/seal.ts";
import { newHeldKeys, type SigningKeys, signerFor } from "./key-cache.ts";
import { pssKid, type RsaKey, rsaPrivateKey } from "./key-kinds.ts";
import type { Ring } from "./key-ring.ts";
import { idTokenKeys, ringStore } from "./key-store.ts";

/** The algorithms of ID tokens. */
export const idTokenAlgorithms = ["RS256", "ES256", "PS256"] as const;
export type IdTokenAlgorithm = (typeof idTokenAlgorithms)[number];

/** The type of logout tokens (OpenID Connect Back-Channel Logout 1.0 section 2.4), which are no ID tokens. */
export const LOGOUT_TYPE = "logout+jwt";

/** What is signed, by its type in the header. */
export type SignedType = "JWT" | typeof LOGOUT_TYPE;

/** Signs ID tokens, and logout tokens, for one container. */
export type IdTokenKeys = ReturnType<typeof newIdTokenKeys>;

/** Opens the keys of one container. `signing`: those of access tokens, which sign ES256. */
export function newIdTokenKeys(seal: Seal, signing: SigningKeys) {
  const storeOf = (table: Table) => ringStore(table, seal, { place: idTokenKeys });
  const held = newHeldKeys(storeOf, rsaPrivateKey);
  return {
    /** The RSA keys; creates one where there is none. */
    ring: async (table: Table, nowMs: number): Promise<Ring<RsaKey>> => (await held.open(table, nowMs)).ring,
    /** Claims as a JWT that lives so long. No round trip while the ring is fresh; creates a missing ring. */
    async sign(
      table: Table,
      claims: JWTPayload,
      algorithm: IdTokenAlgorithm,
      lifeSeconds: number,
      nowMs: number,
      typ: SignedType = "JWT",
    ): Promise<string> {
      if (algorithm === "ES256") return signing.signClaims(table, claims, lifeSeconds, nowMs, typ);
      const { key, secret } = await signerFor(held, storeOf(table), { table, lifeSeconds, nowMs });
      const kid = algorithm === "PS256" ? pssKid(key) : key.kid;
      // Node ties a key of Web Crypto to one algorithm; as an object of its own, the key has none.
      return new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ, kid }).sign(KeyObject.from(secret));
    },
  };
}
