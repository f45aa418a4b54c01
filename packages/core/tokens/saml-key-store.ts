/** Where the keys that sign SAML assertions are: a ring for each tenant, with a certificate for each key. */
import { keys } from "../database/table/keys.ts";
import { number, record, text } from "../database/table/row.ts";
import { later } from "../kernel/later.ts";
import { type KeyKind, type RsaKey, rsa2048 } from "./key-kinds.ts";
import type { RingPlace } from "./key-store.ts";

// A tenant needs a certificate once in years.
const { selfSigned } = later(() => import("./certificate.ts"), "selfSigned");

/** An RSA key with its certificate, as Base64 of the DER. */
export interface CertifiedKey extends RsaKey {
  readonly certificate: string;
}

/** RSA with a certificate for a tenant. The text of the private half is its JWK. */
function certified(tenant: string): KeyKind<CertifiedKey> {
  const entry = { kid: text, signsFromMs: number, longestLifeSeconds: number };
  return {
    row: record<CertifiedKey>({ ...entry, n: text, e: text, certificate: text }),
    async generate(use) {
      const { key, secret } = await rsa2048.generate(use);
      return { key: { ...key, certificate: await selfSigned(JSON.parse(secret), tenant, use.signsFromMs) }, secret };
    },
  };
}

/** Where the keys of a tenant are. */
export function samlKeysOf(tenant: string): RingPlace<CertifiedKey> {
  return {
    kind: certified(tenant),
    ring: keys.samlKeyRing(tenant),
    secrets: keys.samlSigningKeys(tenant),
    owner: `saml-signing-keys of ${tenant}`,
  };
}
