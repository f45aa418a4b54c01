// What verifies XML signatures. Plain JavaScript, because the types of the packages bring those of browsers to all
// files; xml-signatures.d.ts says what is used.
export { DOMParser } from "@xmldom/xmldom";
export { ExclusiveCanonicalization, SignedXml } from "xml-crypto";
