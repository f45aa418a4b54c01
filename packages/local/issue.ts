/** Issues development certificates with `@peculiar/x509` and WebCrypto: EC P-256 keys, SHA-256 signatures. */
import { randomBytes, webcrypto } from "node:crypto";
import "reflect-metadata";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

const KEY = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" } as const;
const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3_650;
/** Operating systems refuse server certificates with a longer validity. */
const LEAF_DAYS = 825;
/** For clocks that are slow. */
const SKEW_MS = 300_000;

/** A certificate and its private key (PKCS#8), as PEM texts. */
export interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

/** The use of a certificate. The hosts of a server become its alternative names. */
export type Purpose =
  | { readonly kind: "client" }
  | { readonly kind: "server"; readonly hosts: readonly { readonly type: "dns" | "ip"; readonly value: string }[] };

/** Creates a self-signed authority. */
export async function issueAuthority(commonName: string): Promise<CertificatePair> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: [{ CN: [commonName] }],
    ...validFor(AUTHORITY_DAYS),
    keys,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return pairOf(certificate, keys.privateKey);
}

/**
 * Creates a certificate signed by the authority. Throws if the authority is not PEM of a certificate and a PKCS#8 key.
 */
export async function issueLeaf(
  authority: CertificatePair,
  commonName: string,
  purpose: Purpose,
): Promise<CertificatePair> {
  const issuer = new X509Certificate(authority.certificate);
  const issuerKey = PemConverter.decodeFirst(authority.key);
  const signingKey = await webcrypto.subtle.importKey("pkcs8", issuerKey, KEY, false, ["sign"]);
  const keys = await newKeys();
  const use = purpose.kind === "server" ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth;
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: [{ CN: [commonName] }],
    issuer: issuer.subjectName.toJSON(),
    ...validFor(LEAF_DAYS),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([use]),
      ...(purpose.kind === "server" ? [new SubjectAlternativeNameExtension([...purpose.hosts])] : []),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return pairOf(certificate, keys.privateKey);
}

function newKeys() {
  return webcrypto.subtle.generateKey(KEY, true, ["sign", "verify"]);
}

/** A positive serial number with 126 random bits. */
function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString("hex");
}

function validFor(days: number) {
  const now = Date.now();
  return { notBefore: new Date(now - SKEW_MS), notAfter: new Date(now + days * DAY_MS) };
}

async function pairOf(certificate: X509Certificate, key: webcrypto.CryptoKey): Promise<CertificatePair> {
  return {
    certificate: `${certificate.toString("pem")}\n`,
    key: `${PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`,
  };
}
