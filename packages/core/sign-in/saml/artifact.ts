/** Artifacts of type 4 (SAML Bindings 2.0 section 3.6.4): what the browser carries in place of a response. Pure. */
import { createHash, randomBytes } from "node:crypto";

/** The type, and the index of the service that resolves it: there is one, which the metadata names. */
const HEAD = Buffer.from([0, 4, 0, 0]);
const HANDLE_BYTES = 20;

/** How long a response waits for its service provider, as in WSO2 Identity Server. */
export const ARTIFACT_LIFE_MS = 4 * 60_000;

/** A new artifact of an identity provider, and the name that its response is kept by: 160 random bits. */
export function newArtifact(issuer: string): { readonly artifact: string; readonly handle: string } {
  const handle = randomBytes(HANDLE_BYTES);
  const artifact = Buffer.concat([HEAD, sourceOf(issuer), handle]).toString("base64");
  return { artifact, handle: handle.toString("base64url") };
}

/** The handle in an artifact of an identity provider; `undefined` for one of another provider or form. */
export function handleIn(artifact: string, issuer: string): string | undefined {
  const bytes = Buffer.from(artifact, "base64");
  const before = Buffer.concat([HEAD, sourceOf(issuer)]);
  const isOwn = bytes.length === before.length + HANDLE_BYTES && bytes.subarray(0, before.length).equals(before);
  if (!isOwn || bytes.toString("base64") !== artifact) return undefined;
  return bytes.subarray(before.length).toString("base64url");
}

/** The standard names an identity provider by a digest with SHA-1. It protects nothing. */
function sourceOf(issuer: string): Buffer {
  return createHash("sha1").update(issuer, "utf8").digest();
}
