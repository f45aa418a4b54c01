// Reads tokens as a relying party does, with libraries of others: xml-crypto verifies, xmldom parses. Plain JavaScript,
// because their types bring those of browsers to all files.
import { DOMParser } from "@xmldom/xmldom";
import { SignedXml } from "xml-crypto";

const TRUST = "http://docs.oasis-open.org/ws-sx/ws-trust/200512";
const SIGNATURE = "http://www.w3.org/2000/09/xmldsig#";
const SAML11 = "urn:oasis:names:tc:SAML:1.0:assertion";
const SAML20 = "urn:oasis:names:tc:SAML:2.0:assertion";

const parsed = (text) => {
  const errors = [];
  const fail = (what) => errors.push(what);
  const errorHandler = { warning: fail, error: fail, fatalError: fail };
  const document = new DOMParser({ errorHandler }).parseFromString(text, "text/xml");
  if (errors.length > 0) throw new Error(errors.join("\n"));
  return document.documentElement;
};
const all = (node, namespace, name) => [...Array.from(node.getElementsByTagNameNS(namespace, name))];
const only = (node, namespace, name) => {
  const found = all(node, namespace, name);
  if (found.length !== 1) throw new Error(`${found.length} elements ${name}`);
  return found[0];
};
const textOf = (node, namespace, name) => only(node, namespace, name).textContent;
const textIfAny = (node, namespace, name) => all(node, namespace, name)[0]?.textContent;

/** The assertion, as the bytes that the signature covers. */
const signedAssertion = (wresult, certificate) => {
  const root = parsed(wresult);
  const assertion = [...all(root, SAML11, "Assertion"), ...all(root, SAML20, "Assertion")];
  if (assertion.length !== 1) throw new Error(`${assertion.length} assertions`);
  const signature = only(root, SIGNATURE, "Signature");
  if (signature.parentNode !== assertion[0]) throw new Error("the signature is not that of the assertion");
  const verifier = new SignedXml({
    publicCert: certificate,
    idAttribute: "AssertionID",
    getCertFromKeyInfo: () => null,
  });
  verifier.loadSignature(signature);
  if (!verifier.checkSignature(wresult)) throw new Error("the signature is not right");
  const [signed, ...others] = verifier.getSignedReferences();
  if (others.length > 0) throw new Error("the signature covers several elements");
  return { root, assertion: parsed(signed) };
};

const attributesOf = (assertion, namespace, nameOf) =>
  Object.fromEntries(
    all(assertion, namespace, "Attribute").map((each) => [
      nameOf(each),
      all(each, namespace, "AttributeValue").map((value) => value.textContent),
    ]),
  );

const readers = {
  1.1: (assertion) => {
    const conditions = only(assertion, SAML11, "Conditions");
    const statement = only(assertion, SAML11, "AuthenticationStatement");
    const name = only(statement, SAML11, "NameIdentifier");
    const names = all(assertion, SAML11, "NameIdentifier").map((each) => each.textContent);
    if (names.some((each) => each !== name.textContent)) throw new Error("the statements are about several users");
    return {
      issuer: assertion.getAttribute("Issuer"),
      audience: textOf(only(conditions, SAML11, "AudienceRestrictionCondition"), SAML11, "Audience"),
      notBefore: conditions.getAttribute("NotBefore"),
      notOnOrAfter: conditions.getAttribute("NotOnOrAfter"),
      authenticated: statement.getAttribute("AuthenticationInstant"),
      method: statement.getAttribute("AuthenticationMethod"),
      name: name.textContent,
      format: name.getAttribute("Format"),
      confirmation: textOf(statement, SAML11, "ConfirmationMethod"),
      attributes: attributesOf(
        assertion,
        SAML11,
        (each) => `${each.getAttribute("AttributeNamespace")}/${each.getAttribute("AttributeName")}`,
      ),
    };
  },
  "2.0": (assertion) => {
    const conditions = only(assertion, SAML20, "Conditions");
    const statement = only(assertion, SAML20, "AuthnStatement");
    const name = only(assertion, SAML20, "NameID");
    return {
      issuer: textOf(assertion, SAML20, "Issuer"),
      audience: textOf(only(conditions, SAML20, "AudienceRestriction"), SAML20, "Audience"),
      notBefore: conditions.getAttribute("NotBefore"),
      notOnOrAfter: conditions.getAttribute("NotOnOrAfter"),
      authenticated: statement.getAttribute("AuthnInstant"),
      method: textOf(statement, SAML20, "AuthnContextClassRef"),
      name: name.textContent,
      format: name.getAttribute("Format"),
      confirmation: only(assertion, SAML20, "SubjectConfirmation").getAttribute("Method"),
      attributes: attributesOf(assertion, SAML20, (each) => each.getAttribute("Name")),
    };
  },
};

export const readByDom = (wresult, certificate) => {
  const { root, assertion } = signedAssertion(wresult, certificate);
  if (root.namespaceURI !== TRUST || root.localName !== "RequestSecurityTokenResponseCollection") {
    throw new Error(`no answer of WS-Trust but ${root.localName}`);
  }
  const response = only(root, TRUST, "RequestSecurityTokenResponse");
  if (only(response, TRUST, "RequestedSecurityToken").childNodes.length !== 1) throw new Error("no single token");
  const version = assertion.getAttribute("MajorVersion") === "1" ? "1.1" : assertion.getAttribute("Version");
  const addressing = "http://www.w3.org/2005/08/addressing";
  const utility = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
  return {
    version,
    ...readers[version](assertion),
    tokenType: textOf(response, TRUST, "TokenType"),
    keyType: textOf(response, TRUST, "KeyType"),
    requestType: textOf(response, TRUST, "RequestType"),
    appliesTo: textOf(response, addressing, "Address"),
    created: textOf(response, utility, "Created"),
    expires: textIfAny(response, utility, "Expires"),
    context: response.getAttribute("Context"),
  };
};
