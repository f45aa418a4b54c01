/** Verifies the XML signature of a message. The libraries for that are loaded for signed forms alone. */
import { createHash, type KeyObject, verify } from "node:crypto";
import {
  digests,
  isKnown,
  knownIn,
  type SignatureAlgorithm as RequestSignature,
  requestSignatures,
} from "../../applications/protocols/saml-algorithms.ts";
import { Fault } from "../../kernel/faults.ts";
import { UNSIGNED, WEAK, WRONG } from "./signature-problems.ts";
import { childOf, countOf, countOfName, namespaces, readTree, refuse } from "./tree.ts";
import { DOMParser, SignedXml } from "./xml-signatures.js";

const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";

/** What is signed is put in canonical form once for each. Two are needed. */
const TRANSFORMS_MAX = 2;

/**
 * What a signature by one of some keys covers, in canonical form. Throws `request.invalid` for a signature of another
 * key or another form: one more than one, elsewhere than in the root, of another element, or weak.
 */
export function signedPart(xml: string, keys: readonly KeyObject[]): string {
  const root = readTree(xml);
  const id = root.attributes.get("ID");
  const signatures = countOf(root, "signature", "Signature");
  if (signatures === 0) throw refuse(UNSIGNED);
  if (signatures > 1 || !childOf(root, "signature", "Signature") || !id) {
    throw refuse("It must have one signature, in its root, which has an ID.");
  }
  if (countOfName(root, "Transform") > TRANSFORMS_MAX) throw refuse(PLAIN);
  try {
    return coveredPart(xml, id, keys);
  } catch (error) {
    // The library throws for some forms that are none, wherever it meets them.
    throw error instanceof Fault ? error : refuse(WRONG);
  }
}

/** All keys are tried in one pass: most of the work is the same for each. */
function coveredPart(xml: string, id: string, keys: readonly KeyObject[]): string {
  const [first] = keys;
  if (!first) throw refuse(WRONG);
  // `readTree` has refused what a parser could take for another document: document types and entities.
  const element = new DOMParser().parseFromString(xml, "text/xml").documentElement;
  const signature = element.getElementsByTagNameNS(namespaces.signature, "Signature").item(0);
  if (!signature) throw refuse(UNSIGNED);
  const signed = new SignedXml({ publicCert: first, getCertFromKeyInfo: () => null });
  signed.idAttributes = ["ID"];
  signed.loadSignature(signature);
  const { signatureAlgorithm = "" } = signed;
  const algorithm = knownIn(requestSignatures, signatureAlgorithm);
  if (!algorithm) throw refuse(WEAK);
  signed.SignatureAlgorithms = { [signatureAlgorithm]: verifierOf(signatureAlgorithm, algorithm, keys) };
  signed.HashAlgorithms = hashes;
  checkForm(signed, id);
  if (!signed.checkSignature(xml)) throw refuse(WRONG);
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
  if (!isPlain) throw refuse(PLAIN);
}

const ONE = "Its signature must refer to the ID of its root, and to nothing else.";
const PLAIN = "Its signature must be enveloped, and in exclusive canonical form without comments.";

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

function verifierOf(name: string, { key: kind, digest }: RequestSignature, keys: readonly KeyObject[]) {
  return class {
    getAlgorithmName = () => name;
    verifySignature = (text: string, _: unknown, signature: string): boolean => {
      const [octets, bytes] = [Buffer.from(text, "utf8"), Buffer.from(signature, "base64")];
      return keys.some((key) => {
        return key.asymmetricKeyType === kind && verify(digest, octets, { key, dsaEncoding: "ieee-p1363" }, bytes);
      });
    };
  };
}
