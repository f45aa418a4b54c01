/** Verifies the XML signature of a message. The libraries for that are loaded for signed forms alone. */
import { createHash, type KeyLike, KeyObject, verify } from "node:crypto";
import {
  digests,
  isKnown,
  knownIn,
  type SignatureAlgorithm as RequestSignature,
  requestSignatures,
} from "../../applications/protocols/saml-algorithms.ts";
import { UNSIGNED, WEAK } from "./signature-problems.ts";
import { childOf, countOf, namespaces, readTree, refuse } from "./tree.ts";
import { DOMParser, SignedXml } from "./xml-signatures.js";

const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";

/**
 * What a signature by a key covers, in canonical form; `undefined` where another key made it. Throws `request.invalid`
 * for a signature of another form: one more than one, elsewhere than in the root, of another element, or weak.
 */
export function signedPart(xml: string, key: KeyObject): string | undefined {
  const root = readTree(xml);
  const id = root.attributes.get("ID");
  const signatures = countOf(root, "signature", "Signature");
  if (signatures === 0) throw refuse(UNSIGNED);
  if (signatures > 1 || !childOf(root, "signature", "Signature") || !id) {
    throw refuse("It must have one signature, in its root, which has an ID.");
  }
  // `readTree` has refused what a parser could take for another document: document types and entities.
  const element = new DOMParser().parseFromString(xml, "text/xml").documentElement;
  const signature = element.getElementsByTagNameNS(namespaces.signature, "Signature").item(0);
  if (!signature) throw refuse(UNSIGNED);
  const signed = new SignedXml({ publicCert: key, getCertFromKeyInfo: () => null });
  signed.idAttributes = ["ID"];
  signed.loadSignature(signature);
  const { signatureAlgorithm = "" } = signed;
  const algorithm = knownIn(requestSignatures, signatureAlgorithm);
  if (!algorithm) throw refuse(WEAK);
  signed.SignatureAlgorithms = { [signatureAlgorithm]: verifierOf(signatureAlgorithm, algorithm) };
  signed.HashAlgorithms = hashes;
  checkForm(signed, id);
  if (!isRight(signed, xml)) return undefined;
  // Verifying reads the references again, from what is signed.
  checkForm(signed, id);
  const [covered, ...more] = signed.getSignedReferences();
  if (covered === undefined || more.length > 0) throw refuse(ONE);
  return covered;
}

function checkForm(signed: SignedXml, id: string): void {
  const [reference, ...others] = signed.getReferences();
  if (!reference || others.length > 0 || reference.uri !== `#${id}`) throw refuse(ONE);
  const { transforms, digestAlgorithm } = reference;
  if (!isKnown(digests, digestAlgorithm)) throw refuse(WEAK);
  const isPlain =
    signed.canonicalizationAlgorithm === EXCLUSIVE &&
    transforms.includes(ENVELOPED) &&
    transforms.every((transform) => transform === ENVELOPED || transform === EXCLUSIVE);
  if (!isPlain) throw refuse("Its signature must be enveloped, and in exclusive canonical form without comments.");
}

const ONE = "Its signature must refer to the ID of its root, and to nothing else.";

/** Whether the signature is right. The library throws for some forms that are none. */
function isRight(signed: SignedXml, xml: string): boolean {
  try {
    return signed.checkSignature(xml);
  } catch {
    // It is a signature of another form, or of other octets.
    return false;
  }
}

/** Those of the library lack SHA-384, and ECDSA. */
const hashes = Object.fromEntries(
  Object.entries(digests).map(([name, digest]) => [
    name,
    class {
      getAlgorithmName = () => name;
      getHash = (text: string) => createHash(digest).update(text, "utf8").digest("base64");
    },
  ]),
);

function verifierOf(name: string, { key: kind, digest }: RequestSignature) {
  return class {
    getAlgorithmName = () => name;
    verifySignature = (text: string, key: KeyLike, signature: string): boolean => {
      if (!(key instanceof KeyObject) || key.asymmetricKeyType !== kind) return false;
      const bytes = Buffer.from(signature, "base64");
      return verify(digest, Buffer.from(text, "utf8"), { key, dsaEncoding: "ieee-p1363" }, bytes);
    };
  };
}
