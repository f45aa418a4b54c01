/**
 * A client certificate as a credential. The gateway has verified that the caller has the private key and that the chain
 * ends in the truststore. The issuer and the user name are read here from the certificate itself, never from the names
 * that the gateway adds to the request.
 */
import { X509Certificate } from "node:crypto";
import { hiddenIn } from "../../domain/characters.ts";
import type { CertificateIssuer, CertificateSettings } from "./model.ts";

export type CertificateVerdict =
  | { readonly kind: "names"; readonly username: string; readonly tenants: ReadonlySet<string> | undefined }
  /** `reason` is for the log. */
  | { readonly kind: "refused"; readonly reason: string };

const COMMON_NAME_LENGTH_MAX = 255;

/** Whether a path is a context or below one. Compares whole segments: `/scim22` is not below `/scim2`. */
export function isBelow(path: string, contexts: readonly string[]): boolean {
  return contexts.some((context) => path === context || path.startsWith(context === "/" ? "/" : `${context}/`));
}

/** Validates the certificate of a caller and reads its user name. */
export function readCertificate(pem: string, { issuers }: CertificateSettings, nowMs: number): CertificateVerdict {
  const certificate = readPem(pem);
  if (!certificate) return refused("not a certificate in PEM");
  if (nowMs < certificate.validFromDate.getTime() || nowMs > certificate.validToDate.getTime()) {
    return refused("expired or not valid yet");
  }
  const { subject, issuer } = certificate.toLegacyObject();
  const issuedBy = commonNameIn(issuer);
  const permitted = issuers.filter(({ commonName }) => commonName === issuedBy);
  const signer = permitted.find((one) => isSignedBy(certificate, one));
  if (!signer)
    return refused(permitted.length > 0 ? "not signed with the key of the configured issuer" : "unknown issuer");
  const username = usernameIn(commonNameIn(subject));
  if (username === undefined) return refused("no usable common name");
  return { kind: "names", username, tenants: signer.tenants };
}

function refused(reason: string): CertificateVerdict {
  return { kind: "refused", reason };
}

/** The common name of a subject or issuer; `undefined` unless there is exactly one. */
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
    return undefined;
  }
}

/** A user name in Unicode form NFC; `undefined` for a text that could pass for another name. */
function usernameIn(commonName: string | undefined): string | undefined {
  if (commonName === undefined || commonName === "" || commonName.length > COMMON_NAME_LENGTH_MAX) return undefined;
  if (hiddenIn(commonName) !== undefined || commonName !== commonName.trim() || !commonName.isWellFormed())
    return undefined;
  return commonName.normalize("NFC");
}
