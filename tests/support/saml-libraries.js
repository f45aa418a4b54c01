// Libraries of others for SAML. Plain JavaScript, because their types bring those of browsers to all files.

export { SignedXml } from "xml-crypto";
export { decrypt } from "xml-encryption";
export { SAML } from "#local/demo/node-saml.js";
