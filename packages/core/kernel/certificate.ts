/** X.509 certificates as PEM texts: reading one, and its thumbprint. */
import { createHash, X509Certificate } from "node:crypto";

/** The first certificate of a PEM text; `undefined` for any other text. */
export function readPem(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    // Node throws for text that is not a certificate.
    return undefined;
  }
}

/** The SHA-256 of a certificate's DER in base64url: `x5t#S256` (RFC 8705 section 3.1). */
export function thumbprintOf({ raw }: Pick<X509Certificate, "raw">): string {
  return digestOf(raw);
}

/** The same of a certificate in DER. */
export function digestOf(der: Uint8Array): string {
  return createHash("sha256").update(der).digest("base64url");
}

/** Whether a certificate is valid at a time, in milliseconds since 1970. */
export function isCurrent({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean {
  return validFromDate.getTime() <= nowMs && nowMs <= validToDate.getTime();
}
