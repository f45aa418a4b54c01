/** Service providers of SAML 2.0 for tests: their keys, requests and signatures, and what answers say. */
import { createPrivateKey, createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { childOf, childrenOf, readTree, textOf, type XmlNode } from "#core/sign-in/saml/tree.ts";
import { selfSigned } from "#core/tokens/certificate.ts";
import type { Browser, Shown } from "./browsing.ts";
import { SAML, SignedXml } from "./saml-libraries.js";
import { signInOf } from "./sign-in.ts";
import { APPLICATIONS, type World } from "./world.ts";

export const PROTOCOL = "urn:oasis:names:tc:SAML:2.0:protocol";
export const ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion";
export const RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
const SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256";

/** The key of a service provider, with its certificate as PEM. */
export interface ProviderKey {
  readonly key: string;
  readonly certificate: string;
}

export const newProviderKey = async (): Promise<ProviderKey> => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const base64 = await selfSigned(privateKey.export({ format: "jwk" }), "sp.example", Date.now());
  const certificate = `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g)?.join("\n")}\n-----END CERTIFICATE-----\n`;
  return { key: privateKey.export({ format: "pem", type: "pkcs8" }).toString(), certificate };
};

/** A registered service provider. */
export interface Provider {
  readonly id: string;
  readonly issuer: string;
  readonly acs: string;
  /** Where its requests go. */
  readonly destination?: string;
}

export const newId = () => `_${randomBytes(16).toString("hex")}`;

/** The text of a request. Members replace its attributes, or take them away; `inside` is after the issuer. */
export const requestXml = (
  { issuer, destination }: Pick<Provider, "issuer" | "destination">,
  attributes: Readonly<Record<string, string | undefined>> = {},
  inside = "",
): string => {
  const all = {
    ID: newId(),
    Version: "2.0",
    IssueInstant: new Date().toISOString(),
    Destination: destination,
    ...attributes,
  };
  const written = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${value}"`]));
  return (
    `<samlp:AuthnRequest xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ${written.join(" ")}>` +
    `<saml:Issuer>${issuer}</saml:Issuer>${inside}</samlp:AuthnRequest>`
  );
};

/** The text of a logout request. Members replace its attributes, or take them away. */
export const logoutXml = (
  { issuer, destination }: Pick<Provider, "issuer" | "destination">,
  name: { readonly format: string; readonly value: string },
  indexes: readonly string[] = [],
  attributes: Readonly<Record<string, string | undefined>> = {},
): string =>
  requestXml(
    { issuer, ...(destination !== undefined && { destination }) },
    attributes,
    `<saml:NameID Format="${name.format}">${name.value}</saml:NameID>` +
      indexes.map((index) => `<samlp:SessionIndex>${index}</samlp:SessionIndex>`).join(""),
  ).replaceAll("AuthnRequest", "LogoutRequest");

export const deflated = (xml: string) => deflateRawSync(Buffer.from(xml, "utf8")).toString("base64");
export const base64 = (xml: string) => Buffer.from(xml, "utf8").toString("base64");

/** The path of a request by redirect, signed where there is a key. */
export const redirectPath = (
  xml: string,
  {
    relayState,
    key,
    algorithm = RSA_SHA256,
    parameter = "SAMLRequest",
  }: { relayState?: string; key?: string; algorithm?: string; parameter?: "SAMLRequest" | "SAMLResponse" } = {},
): string => {
  const parts = [
    `${parameter}=${encodeURIComponent(deflated(xml))}`,
    ...(relayState === undefined ? [] : [`RelayState=${encodeURIComponent(relayState)}`]),
    ...(key === undefined ? [] : [`SigAlg=${encodeURIComponent(algorithm)}`]),
  ];
  if (key === undefined) return `/samlsso?${parts.join("&")}`;
  const digest = algorithm.endsWith("sha1") ? "RSA-SHA1" : "RSA-SHA256";
  const signature = createSign(digest).update(parts.join("&")).sign(createPrivateKey(key), "base64");
  return `/samlsso?${parts.join("&")}&Signature=${encodeURIComponent(signature)}`;
};

/** A message with a signature in its root. */
export const signedXml = (
  xml: string,
  { key, certificate }: ProviderKey,
  {
    algorithm = RSA_SHA256,
    digest = SHA256,
    transforms = [ENVELOPED, EXCLUSIVE],
    root = "AuthnRequest",
  }: { algorithm?: string; digest?: string; transforms?: readonly string[]; root?: string } = {},
): string => {
  const signing = new SignedXml({
    privateKey: key,
    publicCert: certificate,
    signatureAlgorithm: algorithm,
    canonicalizationAlgorithm: EXCLUSIVE,
  });
  signing.addReference({ xpath: `//*[local-name(.)='${root}']`, transforms, digestAlgorithm: digest });
  signing.computeSignature(xml, {
    prefix: "ds",
    location: { reference: `//*[local-name(.)='${root}']/*[local-name(.)='Issuer']`, action: "after" },
  });
  return signing.getSignedXml();
};

/** What an answer says. */
export interface ReadAnswer {
  readonly xml: string;
  readonly root: XmlNode;
  /** The last parts of the codes of its status, the first level first. */
  readonly status: readonly string[];
  readonly assertion: XmlNode | undefined;
  readonly nameId: string | undefined;
  readonly format: string | undefined;
  readonly context: string | undefined;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

const downFrom = (node: XmlNode | undefined, ...names: readonly string[]): XmlNode | undefined =>
  names.reduce<XmlNode | undefined>((at, name) => at && childOf(at, "assertion", name), node);

export const readAnswer = (encoded: string): ReadAnswer => {
  const xml = Buffer.from(encoded, "base64").toString("utf8");
  const root = readTree(xml);
  const said = childOf(root, "protocol", "Status");
  const first = said && childOf(said, "protocol", "StatusCode");
  const second = first && childOf(first, "protocol", "StatusCode");
  const assertion = childOf(root, "assertion", "Assertion");
  const name = downFrom(assertion, "Subject", "NameID");
  const context = downFrom(assertion, "AuthnStatement", "AuthnContext", "AuthnContextClassRef");
  const statement = downFrom(assertion, "AttributeStatement");
  const attributes = statement ? childrenOf(statement, "assertion", "Attribute") : [];
  return {
    xml,
    root,
    status: [first, second].flatMap((each) => each?.attributes.get("Value")?.split(":").at(-1) ?? []),
    assertion,
    nameId: name && textOf(name),
    format: name?.attributes.get("Format"),
    context: context && textOf(context),
    attributes: Object.fromEntries(
      attributes.map((each) => [
        each.attributes.get("Name"),
        childrenOf(each, "assertion", "AttributeValue").map(textOf),
      ]),
    ),
  };
};

export const samlOf = (api: World) => {
  const signIn = signInOf(api);
  let made = 0;

  /** Registers a service provider: `saml` changes its settings, `application` those of the application. */
  const newProvider = async (saml: object = {}, application: object = {}, prefix = ""): Promise<Provider> => {
    made += 1;
    const host = `sp${made}-${randomBytes(4).toString("hex")}.example`;
    const issuer = `https://${host}/metadata`;
    const acs = `https://${host}/acs`;
    const { status, headers, text } = await api.ask("POST", `${prefix}${APPLICATIONS}`, {
      body: {
        name: `Provider ${host}`,
        advancedConfigurations: { skipLoginConsent: true },
        ...application,
        inboundProtocolConfiguration: {
          saml: { manualConfiguration: { issuer, assertionConsumerUrls: [acs], responseSigning: {}, ...saml } },
        },
      },
    });
    if (status !== 201) throw new Error(text);
    return {
      id: headers.get("location")?.split("/").at(-1) ?? "",
      issuer,
      acs,
      destination: `${api.url}${prefix}/samlsso`,
    };
  };

  /** The certificate of the identity provider, from its metadata. */
  const certificateOf = async (prefix = ""): Promise<string> => {
    const response = await fetch(`${api.url}${prefix}/identity/metadata/saml2`);
    const text = await response.text();
    const found = /X509Certificate>([^<]+)</.exec(text)?.[1];
    if (!found) throw new Error(text);
    return found;
  };

  /** Unchanged software of others as the service provider. */
  const nodeSaml = async (provider: Provider, options: object = {}, prefix = ""): Promise<SAML> =>
    new SAML({
      entryPoint: `${api.url}${prefix}/samlsso`,
      issuer: provider.issuer,
      callbackUrl: provider.acs,
      idpCert: await certificateOf(prefix),
      idpIssuer: `${api.url}${prefix}`,
      audience: provider.issuer,
      validateInResponseTo: "always",
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: true,
      identifierFormat: null,
      ...options,
    });

  /** The answer in the form that a browser shows. Throws for any other page. */
  const answerIn = (browser: Browser, shown: Shown) => {
    const { SAMLResponse, RelayState } = browser.fields();
    if (SAMLResponse === undefined) throw new Error(`no answer but ${shown.status}: ${shown.html.slice(-900)}`);
    const action = /<form[^>]*action="([^"]*)"/.exec(shown.html)?.[1];
    return {
      ...readAnswer(SAMLResponse),
      action,
      fields: { SAMLResponse, ...(RelayState !== undefined && { RelayState }) },
    };
  };

  return { ...signIn, newProvider, certificateOf, nodeSaml, answerIn };
};
