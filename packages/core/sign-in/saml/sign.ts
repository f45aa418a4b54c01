/** Signs what is composed (XML Signature Syntax and Processing 1.1): an enveloped signature over one element. */
import { createHash, type KeyObject, sign } from "node:crypto";
import { digests, knownIn, signatures } from "../../applications/protocols/saml-algorithms.ts";
import { type Canonical, element, text } from "../../kernel/canonical-xml.ts";
import { namespaces } from "./tree.ts";

const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
const ENVELOPED = `${namespaces.signature}enveloped-signature`;

/** What signs, and by which algorithms. */
export interface Signer {
  readonly key: KeyObject;
  /** The certificate of the key, as Base64 of its DER. */
  readonly certificate: string;
  /** The names of the algorithms in SAML. */
  readonly algorithm: string;
  readonly digest: string;
}

/** The signature of an element that has an ID. It stands in the element, behind its issuer. */
export function signatureOf(
  content: Canonical,
  id: string,
  { key, certificate, algorithm, digest }: Signer,
): Canonical {
  const [how, hash] = [knownIn(signatures, algorithm), knownIn(digests, digest)];
  if (!how || !hash) throw new Error("a provider with other algorithms was not refused");
  const named = (name: string, of: string, ...inside: Canonical[]) =>
    element(`ds:${name}`, { Algorithm: of }, ...inside);
  const parts = [
    named("CanonicalizationMethod", EXCLUSIVE),
    named("SignatureMethod", algorithm),
    element(
      "ds:Reference",
      { URI: `#${id}` },
      element("ds:Transforms", {}, named("Transform", ENVELOPED), named("Transform", EXCLUSIVE)),
      named("DigestMethod", digest),
      element("ds:DigestValue", {}, text(createHash(hash).update(content, "utf8").digest("base64"))),
    ),
  ];
  const declared = { "xmlns:ds": namespaces.signature };
  // As the apex of what is signed it declares its namespace; inside the signature that is done already.
  const signed = element("ds:SignedInfo", declared, ...parts);
  const value = sign(how.digest, Buffer.from(signed, "utf8"), key).toString("base64");
  return element(
    "ds:Signature",
    declared,
    element("ds:SignedInfo", {}, ...parts),
    element("ds:SignatureValue", {}, text(value)),
    element("ds:KeyInfo", {}, element("ds:X509Data", {}, element("ds:X509Certificate", {}, text(certificate)))),
  );
}
