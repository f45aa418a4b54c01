/** What is used of `@xmldom/xmldom` and `xml-crypto`. Their own types bring those of browsers to all files. */
import type { KeyLike, KeyObject } from "node:crypto";

/** A node of a document, for `SignedXml` and `ExclusiveCanonicalization`. */
export interface XmlDomElement {
  getElementsByTagNameNS(namespace: string, name: string): { item(at: number): XmlDomElement | null };
}

export declare class DOMParser {
  parseFromString(text: string, type: "text/xml"): { readonly documentElement: XmlDomElement };
}

export declare class ExclusiveCanonicalization {
  process(element: XmlDomElement, options: object): string;
}

interface Reference {
  readonly uri: string;
  readonly transforms: readonly string[];
  readonly digestAlgorithm: string;
}

export declare class SignedXml {
  constructor(options: { readonly publicCert: KeyObject; readonly getCertFromKeyInfo: () => null });
  /** The attributes that are IDs. */
  idAttributes: string[];
  readonly signatureAlgorithm?: string;
  readonly canonicalizationAlgorithm?: string;
  SignatureAlgorithms: Readonly<
    Record<
      string,
      new () => {
        getAlgorithmName(): string;
        verifySignature(text: string, key: KeyLike, signature: string): boolean;
      }
    >
  >;
  HashAlgorithms: Readonly<Record<string, new () => { getAlgorithmName(): string; getHash(text: string): string }>>;
  loadSignature(signature: XmlDomElement): void;
  /** The references as they were loaded; after `checkSignature`, as they are in what is signed. */
  getReferences(): readonly Reference[];
  /** What the verified references cover, in canonical form. */
  getSignedReferences(): readonly string[];
  checkSignature(xml: string): boolean;
}
