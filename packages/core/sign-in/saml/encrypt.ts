/** Encrypts assertions (XML Encryption 1.1) for the certificate of an application. Loaded where it is set. */
import { promisify } from "node:util";
import { keyEncryptions, knownIn } from "../../applications/protocols/saml-algorithms.ts";
import type { Canonical } from "../../kernel/canonical-xml.ts";
import { encrypt } from "./xml-encryption.js";
import { DOMParser, ExclusiveCanonicalization } from "./xml-signatures.js";

/** For whom, and by which algorithms. */
export interface EncryptionKey {
  /** The certificate, as PEM. */
  readonly certificate: string;
  readonly algorithm: string;
  readonly keyAlgorithm: string;
}

const encrypted = promisify(encrypt);

/** An encrypted assertion, in canonical form: what the library writes has white space and tags of its own. */
export async function encryptAssertion(
  assertion: Canonical,
  { certificate, algorithm, keyAlgorithm }: EncryptionKey,
): Promise<Canonical> {
  const digest = knownIn(keyEncryptions, keyAlgorithm);
  if (!digest) throw new Error("a provider with other algorithms was not refused");
  const written = await encrypted(assertion, {
    rsa_pub: certificate,
    pem: certificate,
    encryptionAlgorithm: algorithm,
    keyEncryptionAlgorithm: keyAlgorithm,
    keyEncryptionDigest: digest,
    ...(digest === "sha256" && { keyEncryptionMgf: digest }),
    // A setting names each of them.
    disallowEncryptionWithInsecureAlgorithm: false,
    warnInsecureAlgorithm: false,
  });
  const { documentElement } = new DOMParser().parseFromString(written.trim(), "text/xml");
  return new ExclusiveCanonicalization().process(documentElement, {}) as Canonical;
}
