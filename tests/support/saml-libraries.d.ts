/** What tests use of the libraries of others for SAML. */
export { type Profile, SAML } from "#local/demo/node-saml.js";

export declare class SignedXml {
  constructor(options: object);
  addReference(reference: object): void;
  computeSignature(xml: string, options: object): void;
  getSignedXml(): string;
  loadSignature(signature: string): void;
  checkSignature(xml: string): boolean;
}

export declare function decrypt(
  xml: string,
  options: { readonly key: string; readonly disallowDecryptionWithInsecureAlgorithm?: boolean },
  then: (error: Error | null, text: string) => void,
): void;
