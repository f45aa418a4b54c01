/**
 * The key that a token is bound to (`cnf`, RFC 7800): of DPoP proofs (RFC 9449 section 6), or of a client certificate
 * (RFC 8705 section 3). A bound token is valid only together with the proof that its holder has the key.
 */
import { createHash, timingSafeEqual, X509Certificate } from "node:crypto";
import { type Field, misfit } from "../database/table/row.ts";

/** The confirmation of a bound token: the SHA-256 thumbprint of exactly one key. A token without one is unbound. */
export type Confirmation =
  /** The thumbprint of the JWK of DPoP proofs (RFC 7638). */
  | { readonly jkt: string }
  /** The digest of a client certificate in DER. */
  | { readonly "x5t#S256": string };

/** The scheme with which a token is presented, as the token endpoint and introspection name it. */
export type TokenType = "Bearer" | "DPoP";

/** SHA-256 in base64url. */
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;

/** The type of a token. One that is bound to a certificate is presented as a Bearer token (RFC 8705 section 3). */
export function tokenTypeOf({ cnf }: { readonly cnf?: Confirmation | undefined }): TokenType {
  return cnf && "jkt" in cnf ? "DPoP" : "Bearer";
}

/** The confirmation in a claim or a row; `undefined` for any other value, so that a reader refuses the token. */
export function confirmationIn(value: unknown): Confirmation | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const [[name, thumbprint] = [], ...more] = Object.entries(value);
  if (more.length > 0 || typeof thumbprint !== "string" || !THUMBPRINT.test(thumbprint)) return undefined;
  if (name === "jkt") return { jkt: thumbprint };
  return name === "x5t#S256" ? { "x5t#S256": thumbprint } : undefined;
}

/** How rows store a confirmation. */
export const confirmation: Field<Confirmation> = {
  expects: "the thumbprint of one key",
  parse: (stored) => confirmationIn(stored) ?? misfit,
  write: (value) => ({ ...value }),
};

/** The confirmation of a client certificate (PEM); `undefined` for a text that is no certificate. */
export function confirmationOfCertificate(pem: string): Confirmation | undefined {
  try {
    return { "x5t#S256": createHash("sha256").update(new X509Certificate(pem).raw).digest("base64url") };
  } catch {
    return undefined;
  }
}

/** Whether two confirmations name the same key. Constant time. */
export function isSameKey(a: Confirmation | undefined, b: Confirmation | undefined): boolean {
  if (!a || !b) return a === b;
  const [x, y] = [textOf(a), textOf(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}

function textOf(value: Confirmation): Buffer {
  return Buffer.from("jkt" in value ? `jkt ${value.jkt}` : `x5t#S256 ${value["x5t#S256"]}`);
}
