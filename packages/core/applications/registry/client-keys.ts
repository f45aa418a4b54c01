/**
 * The certificate of an application as the public keys of its client: PEM, a JWK set, or the address of one. Pure.
 */
import { createPublicKey, type X509Certificate } from "node:crypto";
import { readPem, thumbprintOf } from "../../kernel/certificate.ts";
import { readKeySet } from "../../tokens/key-set.ts";

/** As the settings of an application hold it. */
interface Certificate {
  readonly type?: "JWKS" | "PEM" | undefined;
  readonly value: string;
}

/** Where the public keys of a client are. */
export interface RegisteredKeys {
  /** The address of a JWK set. */
  readonly address?: string | undefined;
  /** A JWK set as JSON. */
  readonly jwks?: string | undefined;
  /** `x5t#S256` of the certificates. */
  readonly thumbprints: readonly string[];
  /** When a PEM certificate begins and ends, in seconds since 1970. */
  readonly fromSeconds?: number | undefined;
  readonly untilSeconds?: number | undefined;
}

/** Keys in a set that is part of the settings: the token endpoint reads them with the client. */
const INLINE_KEYS_MAX = 5;

/** The keys of a certificate; none where it has none that can be used. */
export function registeredKeys(certificate: Certificate | undefined): RegisteredKeys {
  if (!certificate) return { thumbprints: [] };
  if (certificate.type === "JWKS") {
    if (!isInline(certificate.value)) return { address: certificate.value, thumbprints: [] };
    const { keys = [], thumbprints = [] } = readKeySet(certificate.value) ?? {};
    return { jwks: JSON.stringify({ keys }), thumbprints };
  }
  const found = pemCertificate(certificate.value);
  if (!found) return { thumbprints: [] };
  const seconds = (date: Date) => Math.floor(date.getTime() / 1_000);
  return {
    jwks: keySetOf(found),
    thumbprints: [thumbprintOf(found)],
    fromSeconds: seconds(found.validFromDate),
    untilSeconds: seconds(found.validToDate),
  };
}

/** The keys that encrypt for the client: at an address, or a JWK set as JSON. */
export function encryptionKeys(certificate: Certificate | undefined): Pick<RegisteredKeys, "address" | "jwks"> {
  if (!certificate) return {};
  if (certificate.type === "JWKS") {
    return isInline(certificate.value) ? { jwks: certificate.value } : { address: certificate.value };
  }
  const found = pemCertificate(certificate.value);
  return found ? { jwks: keySetOf(found) } : {};
}

/** Whether the value of a certificate of type JWKS is the set itself, not its address. */
export function isInline(value: string): boolean {
  return value.trimStart().startsWith("{");
}

/** What is wrong with a JWK set that is part of the settings; `undefined` if nothing is. */
export function problemOfInline(value: string): string | undefined {
  const set = readKeySet(value);
  if (!set) return 'it is not a JSON object with a list "keys"';
  // A key may verify signatures, or encrypt ID tokens.
  const encrypting = readKeySet(value, "enc");
  const [problem] = set.problems;
  if (problem !== undefined && (encrypting?.keys.length ?? 0) + set.keys.length < countOf(value)) return problem;
  const keys = [...set.keys, ...(encrypting?.keys ?? [])];
  if (keys.length === 0 || countOf(value) > INLINE_KEYS_MAX) {
    return `it must have 1 to ${INLINE_KEYS_MAX} keys. Use the address of a set for more`;
  }
  const wrong = keys.findIndex((key) => !isKey(key));
  return wrong < 0 ? undefined : `keys[${wrong}] is not a valid key`;
}

/** How many keys a JWK set has. */
function countOf(value: string): number {
  const { keys }: { readonly keys: readonly unknown[] } = JSON.parse(value);
  return keys.length;
}

/** All certificates of a PEM text, or of the Base64 of one: an owner that changes its key has two for a while. */
export function pemCertificates(value: string): readonly X509Certificate[] {
  const text = value.includes(BEGIN) ? value : Buffer.from(value, "base64").toString("latin1");
  const parts = text.split(BEGIN).slice(1, CERTIFICATES_MAX + 1);
  return parts.flatMap((part) => readPem(`${BEGIN}${part}`) ?? []);
}

const BEGIN = "-----BEGIN CERTIFICATE-----";
const CERTIFICATES_MAX = 5;

/** The certificate of a PEM text, or of the Base64 of one. */
export function pemCertificate(value: string): X509Certificate | undefined {
  const texts = [value, Buffer.from(value, "base64").toString("latin1")];
  return texts.flatMap((text) => (text.includes(BEGIN) ? (readPem(text) ?? []) : []))[0];
}

/** A set of the key of a certificate; an empty one for a kind of key that is not supported. */
function keySetOf({ publicKey }: X509Certificate): string {
  try {
    const jwk = publicKey.export({ format: "jwk" });
    return JSON.stringify({ keys: readKeySet(JSON.stringify({ keys: [jwk] }))?.keys ?? [] });
  } catch {
    // A kind of key that has no JWK, such as DSA.
    return JSON.stringify({ keys: [] });
  }
}

function isKey(key: Readonly<Record<string, string>>): boolean {
  try {
    return createPublicKey({ key: { ...key }, format: "jwk" }).type === "public";
  } catch {
    // Numbers that are no key, such as a point that is not on its curve.
    return false;
  }
}
