// Plain JavaScript, because the types of the library bring those of browsers to all files.
export { SAML } from "@node-saml/node-saml";
