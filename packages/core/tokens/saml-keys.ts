/**
 * Keys that sign SAML assertions: a ring for each tenant, with a certificate for each key. Service providers are given
 * the certificate by hand, so a key signs for years, until an operator adds the next one (decision 0196).
 */
import { KeyObject } from "node:crypto";
import type { Table } from "../database/table/table.ts";
import type { Seal } from "../kernel/seal.ts";
import { type HeldRing, newHeldKeys } from "./key-cache.ts";
import { rsaPrivateKey } from "./key-kinds.ts";
import { acceptedAt } from "./key-ring.ts";
import { ringStore } from "./key-store.ts";
import { type CertifiedKey, samlKeysOf } from "./saml-key-store.ts";

/** Tenants whose rings a container remembers. */
const HELD_MAX = 500;

/** The keys of SAML of one container. */
export type SamlKeys = ReturnType<typeof newSamlKeys>;

/** Opens them for one container. */
export function newSamlKeys(seal: Seal) {
  const held = new Map<string, HeldRing<CertifiedKey>>();
  const ringOf = (tenant: string): HeldRing<CertifiedKey> => {
    const known = held.get(tenant);
    if (known) return known;
    const storeOf = (table: Table) => ringStore(table, seal, { place: samlKeysOf(tenant) });
    const ring = newHeldKeys(storeOf, rsaPrivateKey);
    if (held.size >= HELD_MAX) held.clear();
    held.set(tenant, ring);
    return ring;
  };
  return {
    /**
     * The certificates of a tenant: of the key that signs, and of those before and after it that count now. No round
     * trip while the ring is fresh; creates a missing ring.
     */
    async certificates(table: Table, tenant: string, nowMs: number): Promise<readonly string[]> {
      const { ring } = await ringOf(tenant).open(table, nowMs);
      return acceptedAt(ring, nowMs).map(({ certificate }) => certificate);
    },
    /** The key that signs, and its certificate. */
    async signer(table: Table, tenant: string, nowMs: number) {
      const { key, secret } = await ringOf(tenant).signer(table, nowMs);
      // Node ties a key of Web Crypto to one algorithm; as an object of its own, the key has none.
      return { key: KeyObject.from(secret), certificate: key.certificate };
    },
  };
}
