/**
 * A client certificate as a credential (spec access-and-scim.md, "Authentication" 4; reference access.md section 5). The
 * gateway has checked that the caller holds it and that it chains to the truststore; who issued it and whom it names is
 * decided here, on the certificate itself: the names that the gateway prints beside it are never read.
 */
import { X509Certificate } from "node:crypto";
import type { CertificateIssuer, CertificateSettings } from "./model.ts";

/** What a certificate says. */
export type CertificateVerdict =
  | { readonly kind: "names"; readonly username: string; readonly tenants: ReadonlySet<string> | undefined }
  /** It must not be accepted; the reason is for the log. */
  | { readonly kind: "refused"; readonly reason: string };

const COMMON_NAME_LENGTH_MAX = 255;
/** Control characters, what has no shape of its own, and marks that change the direction of writing. */
const DUBIOUS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** Whether a path is one of some contexts or below it, by whole segments. */
export function isBelow(path: string, contexts: readonly string[]): boolean {
  return contexts.some((context) => path === context || path.startsWith(context === "/" ? "/" : `${context}/`));
}

/** Judges the certificate that a caller proved to hold. */
export function readCertificate(pem: string, { issuers }: CertificateSettings, nowMs: number): CertificateVerdict {
  const certificate = readPem(pem);
  if (!certificate) return refused("no certificate");
  if (nowMs < certificate.validFromDate.getTime() || nowMs > certificate.validToDate.getTime()) {
    return refused("not of today");
  }
  const { subject, issuer } = certificate.toLegacyObject();
  const issuedBy = commonNameIn(issuer);
  const permitted = issuers.filter(({ commonName }) => commonName === issuedBy);
  const signer = permitted.find((one) => isSignedBy(certificate, one));
  if (!signer) return refused(permitted.length > 0 ? "not signed by the issuer of that name" : "another issuer");
  const username = usernameIn(commonNameIn(subject));
  if (username === undefined) return refused("not one common name that could be a user's");
  return { kind: "names", username, tenants: signer.tenants };
}

function refused(reason: string): CertificateVerdict {
  return { kind: "refused", reason };
}

/** The one common name of a subject or issuer; `undefined` where there is none, or more than one. */
function commonNameIn(name: unknown): string | undefined {
  const value =
    typeof name === "object" && name !== null ? Object.getOwnPropertyDescriptor(name, "CN")?.value : undefined;
  return typeof value === "string" ? value : undefined;
}

function isSignedBy(certificate: X509Certificate, issuer: CertificateIssuer): boolean {
  if (issuer.certificate === undefined) return true;
  const authority = readPem(issuer.certificate);
  return authority !== undefined && certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

function readPem(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    // What is no certificate is refused like a bad one.
    return undefined;
  }
}

/** A user name as the forms of the spec allow it, in composed Unicode; `undefined` for anything that only looks like one. */
function usernameIn(commonName: string | undefined): string | undefined {
  if (commonName === undefined || commonName === "" || commonName.length > COMMON_NAME_LENGTH_MAX) return undefined;
  if (DUBIOUS.test(commonName) || commonName !== commonName.trim() || !commonName.isWellFormed()) return undefined;
  return commonName.normalize("NFC");
}
