/**
 * Signatures of requests. That of a redirect is over the parameters as they were sent; that in a form is in the
 * message, and what it covers is all that is read. XML Signature has ways to move what is signed out of sight: here the
 * only signature stands in the root, refers to the root, and is checked with registered keys alone.
 */
import { type KeyObject, verify } from "node:crypto";
import { knownIn, requestSignatures, type SignatureAlgorithm } from "../../applications/protocols/saml-algorithms.ts";
import { later } from "../../kernel/later.ts";
import { UNSIGNED, WEAK, WRONG } from "./signature-problems.ts";
import { refuse } from "./tree.ts";

// Most service providers sign by redirect, or not at all.
const { signedPart } = later(() => import("./xml-signature.ts"), "signedPart");

/** The parameter of a redirect that has the message. */
export type MessageParameter = "SAMLRequest" | "SAMLResponse";

/** Verifies the signature of a redirect (SAML Bindings 2.0 section 3.4.4.1). Throws `request.invalid`. */
export function checkRedirect(rawQuery: string, message: MessageParameter, keys: readonly KeyObject[]): void {
  const signedNames = [message, "RelayState", "SigAlg"];
  const pairs = rawQuery.split("&").map((pair) => [pair.split("=", 1)[0] ?? "", pair] as const);
  const raw = new Map(pairs);
  const partOf = (name: string) => decoded(raw.get(name)?.slice(name.length + 1));
  const [sigAlg, signature] = [partOf("SigAlg"), partOf("Signature")];
  if (sigAlg === undefined || signature === undefined || !raw.has(message)) throw refuse(UNSIGNED);
  const algorithm = knownIn(requestSignatures, sigAlg);
  if (!algorithm) throw refuse(WEAK);
  // What is not under its plain name is not signed, but would be read.
  const named = pairs.map(([name]) => decoded(name)).filter((name) => signedNames.some((each) => each === name));
  if (named.length !== signedNames.filter((name) => raw.has(name)).length) throw refuse(RESPELLED);
  const octets = signedNames.flatMap((name) => raw.get(name) ?? []).join("&");
  if (!isSignedBy(keys, algorithm, octets, Buffer.from(signature, "base64"))) throw refuse(WRONG);
}

/** The part of a message that its signature covers, in canonical form: the whole root. Throws `request.invalid`. */
export async function checkMessage(xml: string, keys: readonly KeyObject[]): Promise<string> {
  return await signedPart(xml, keys);
}

function isSignedBy(
  keys: readonly KeyObject[],
  { key: kind, digest }: SignatureAlgorithm,
  octets: string,
  signature: Buffer,
): boolean {
  return keys.some((key) => {
    if (key.asymmetricKeyType !== kind) return false;
    // XML Signature has the two numbers of ECDSA one after the other (RFC 6931 section 2.3.6).
    return verify(digest, Buffer.from(octets), { key, dsaEncoding: "ieee-p1363" }, signature);
  });
}

const RESPELLED =
  "Each of SAMLRequest or SAMLResponse, RelayState and SigAlg must be there once, with no escapes in its name.";

/** Where an escape is not valid, the parameters were refused before. */
function decoded(part: string | undefined): string | undefined {
  return part === undefined || part === "" ? undefined : decodeURIComponent(part.replaceAll("+", " "));
}
