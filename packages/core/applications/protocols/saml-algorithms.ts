/** The algorithms of signatures and encryption in SAML, by their names there. None of SHA-1, MD5, HMAC or DSA. Pure. */

const ENC = "http://www.w3.org/2001/04/xmlenc";
const ENC11 = "http://www.w3.org/2009/xmlenc11";
const DSIG_MORE = "http://www.w3.org/2001/04/xmldsig-more";

/** How a signature is made, by the name of its digest in Node. */
export interface SignatureAlgorithm {
  readonly key: "rsa" | "ec";
  readonly digest: "sha256" | "sha384" | "sha512";
}

/** What assertions and responses are signed with. */
export const signatures = {
  [`${DSIG_MORE}#rsa-sha256`]: { key: "rsa", digest: "sha256" },
  [`${DSIG_MORE}#rsa-sha384`]: { key: "rsa", digest: "sha384" },
  [`${DSIG_MORE}#rsa-sha512`]: { key: "rsa", digest: "sha512" },
} as const satisfies Readonly<Record<string, SignatureAlgorithm>>;

/** What signatures of requests may be made with. */
export const requestSignatures: Readonly<Record<string, SignatureAlgorithm>> = {
  ...signatures,
  [`${DSIG_MORE}#ecdsa-sha256`]: { key: "ec", digest: "sha256" },
  [`${DSIG_MORE}#ecdsa-sha384`]: { key: "ec", digest: "sha384" },
  [`${DSIG_MORE}#ecdsa-sha512`]: { key: "ec", digest: "sha512" },
};

/** Digests, by their names in Node. */
export const digests = {
  [`${ENC}#sha256`]: "sha256",
  [`${DSIG_MORE}#sha384`]: "sha384",
  [`${ENC}#sha512`]: "sha512",
} as const;

/** What settings have that name none, and what a refusal is signed with where they name something weaker. */
export const SAFE = {
  signature: `${DSIG_MORE}#rsa-sha256`,
  digest: `${ENC}#sha256`,
  encryption: `${ENC11}#aes256-gcm`,
  keyEncryption: `${ENC}#rsa-oaep-mgf1p`,
} as const;

/** What assertions are encrypted with. CBC is for service providers that cannot read GCM. */
export const encryptions = {
  [`${ENC11}#aes256-gcm`]: true,
  [`${ENC11}#aes128-gcm`]: true,
  [`${ENC}#aes256-cbc`]: true,
  [`${ENC}#aes128-cbc`]: true,
} as const;

/** What the keys of encrypted assertions are encrypted with; the digest and the mask of each. */
export const keyEncryptions = {
  [`${ENC}#rsa-oaep-mgf1p`]: "sha1",
  [`${ENC11}#rsa-oaep`]: "sha256",
} as const;

/** The entry of an algorithm in a table. A name comes from settings or requests: those of the prototype are none. */
export function knownIn<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Whether a table has an algorithm. */
export function isKnown(table: Readonly<Record<string, unknown>>, name: string): boolean {
  return knownIn(table, name) !== undefined;
}
