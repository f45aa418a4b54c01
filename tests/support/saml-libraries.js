// Libraries of others for SAML. Plain JavaScript, because their types bring those of browsers to all files.
export { SAML } from "@node-saml/node-saml";
export { SignedXml } from "xml-crypto";
export { decrypt } from "xml-encryption";
