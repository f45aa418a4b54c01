/** Self-signed certificates of keys of this service. Loaded where one is made. */
import "reflect-metadata";
import { randomBytes, webcrypto } from "node:crypto";
import { X509CertificateGenerator } from "@peculiar/x509";

const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;
const DAY_MS = 86_400_000;
/** Service providers rarely look at the dates; those that do must not stop before an operator changes the key. */
const DAYS = 3_650;
/** Of a common name (RFC 5280 appendix A). */
const NAME_MAX = 64;

/** The certificate of a private RSA key, as Base64 of its DER, for a name, from a day before a moment on. */
export async function selfSigned(key: webcrypto.JsonWebKey, name: string, fromMs: number): Promise<string> {
  const { kty = "RSA", n = "", e = "" } = key;
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: `00${randomBytes(16).toString("hex")}`,
    name: [{ CN: [name.slice(0, NAME_MAX)] }],
    notBefore: new Date(fromMs - DAY_MS),
    notAfter: new Date(fromMs + DAYS * DAY_MS),
    keys: {
      privateKey: await webcrypto.subtle.importKey("jwk", key, RSA, false, ["sign"]),
      publicKey: await webcrypto.subtle.importKey("jwk", { kty, n, e }, RSA, true, ["verify"]),
    },
    signingAlgorithm: RSA,
  });
  return Buffer.from(certificate.rawData).toString("base64");
}
