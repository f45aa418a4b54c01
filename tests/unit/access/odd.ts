/** Certificates that the openssl command refuses to write. */
import "reflect-metadata";
import { createPrivateKey, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** A certificate with any common name, signed by an authority (PEM texts). */
export const issueOdd = async (commonName: string, authority: string, key: string): Promise<string> => {
  const pkcs8 = createPrivateKey(key).export({ format: "der", type: "pkcs8" });
  const signingKey = await webcrypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]);
  const keys = await webcrypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: "0a",
    subject: [{ CN: [commonName] }],
    issuer: new x509.X509Certificate(authority).subject,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 60_000),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
  });
  return certificate.toString("pem");
};
