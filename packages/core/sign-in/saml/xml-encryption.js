// What encrypts XML. Plain JavaScript for the reason in xml-signatures.js; xml-encryption.d.ts says what is used.
export { encrypt } from "xml-encryption";
