/**
 * A client certificate as a credential. The gateway has verified that the caller has the private key and that the chain
 * ends in the truststore. The issuer and the user name are read here from the certificate itself, never from the names
 * that the gateway adds to the request.
 */
import type { X509Certificate } from "node:crypto";
import { readPem } from "../../../kernel/certificate.ts";
import { hiddenIn } from "../../../kernel/domain/characters.ts";
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
  const { subject } = certificate.toLegacyObject();
  const { permitted, signer } = issuersOf(certificate, issuers);
  if (!signer)
    return refused(permitted.length > 0 ? "not signed with the key of the configured issuer" : "unknown issuer");
  const username = usernameIn(commonNameIn(subject));
  if (username === undefined) return refused("no usable common name");
  return { kind: "names", username, tenants: signer.tenants };
}

/**
 * Whether the issuer of a certificate may name clients of a tenant: one that is configured for other tenants, or with
 * another key, may not. Every other authority of the truststore may.
 */
export function mayCertify(
  certificate: X509Certificate,
  tenant: string,
  { issuers }: Pick<CertificateSettings, "issuers">,
): boolean {
  const { permitted, signer } = issuersOf(certificate, issuers);
  return permitted.length === 0 || (signer !== undefined && (signer.tenants?.has(tenant) ?? true));
}

/** The configured issuers with the name of a certificate's issuer, and the one whose key signed it. */
function issuersOf(certificate: X509Certificate, issuers: readonly CertificateIssuer[]) {
  const issuedBy = commonNameIn(certificate.toLegacyObject().issuer);
  const permitted = issuers.filter(({ commonName }) => commonName === issuedBy);
  return { permitted, signer: permitted.find((one) => isSignedBy(certificate, one)) };
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

/** A user name in Unicode form NFC; `undefined` for a text that could pass for another name. */
function usernameIn(commonName: string | undefined): string | undefined {
  if (commonName === undefined || commonName === "" || commonName.length > COMMON_NAME_LENGTH_MAX) return undefined;
  if (hiddenIn(commonName) !== undefined || commonName !== commonName.trim() || !commonName.isWellFormed())
    return undefined;
  return commonName.normalize("NFC");
}
