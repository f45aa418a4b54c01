/** Service providers of SAML that ask without a browser: envelopes, signed messages, and what answers say. */
import { childOf, readTree, type XmlNode } from "#core/sign-in/saml/tree.ts";
import {
  base64,
  newProviderKey,
  PROTOCOL,
  type Provider,
  type ProviderKey,
  type ReadAnswer,
  readAnswer,
  requestXml,
  type samlOf,
  signedXml,
} from "./saml.ts";
import { SignedXml } from "./saml-libraries.js";
import type { World } from "./world.ts";

export const ARTIFACTS = "/samlartresolve";
export const QUERIES = "/services/SAMLQueryService";

/** The names of the messages. */
export type Asking = "ArtifactResolve" | "AttributeQuery" | "AssertionIDRequest";

/** A service provider with a key. */
export interface KeyedProvider extends Provider {
  readonly key: ProviderKey;
}

export const envelope = (message: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${message}</s:Body></s:Envelope>`;

/**
 * Envelopes in which a signed message stands where it is not what is asked: `evil`, which has no signature of its own,
 * is. `before`: an element of both, in front of which parts are put.
 */
export const wrappings = (own: string, evil: string, before: string): readonly string[] => {
  const [signature = ""] = /<ds:Signature[\s\S]*<\/ds:Signature>/.exec(own) ?? [];
  const inside = (text: string) => evil.replace(before, `${text}${before}`);
  return [
    envelope(inside(own)),
    envelope(inside(`<samlp:Extensions>${own}</samlp:Extensions>`)),
    envelope(inside(signature.replace("</ds:Signature>", `<ds:Object>${own}</ds:Object></ds:Signature>`))),
    envelope(inside(signature)),
    envelope(evil).replace("<s:Body>", `<s:Header>${own}</s:Header><s:Body>`),
    envelope(`${own}${evil}`),
    envelope(`${evil}${own}`),
    envelope(evil).replace("<s:Body>", `<s:Body>${own}</s:Body><s:Body>`),
    envelope(envelope(own)).replace("</s:Body></s:Envelope></s:Body>", `</s:Body></s:Envelope>${evil}</s:Body>`),
  ];
};

/** The text of a message. Members replace its attributes, or take them away; `inside` is after the issuer. */
export const askingXml = (
  name: Asking,
  { issuer, destination = "" }: Pick<Provider, "issuer" | "destination">,
  inside: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
): string => {
  const path = name === "ArtifactResolve" ? ARTIFACTS : QUERIES;
  const to = destination.replace(/\/samlsso$/, path);
  return requestXml({ issuer, destination: to }, attributes, inside).replaceAll("AuthnRequest", name);
};

export const artifactXml = (
  of: Pick<Provider, "issuer" | "destination">,
  artifact: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
) => askingXml("ArtifactResolve", of, `<samlp:Artifact>${artifact}</samlp:Artifact>`, attributes);

/** What an answer in an envelope says. */
export interface SoapAnswer {
  readonly status: number;
  readonly text: string;
  /** The message in the envelope. */
  readonly root: XmlNode | undefined;
  /** The last parts of its codes. */
  readonly codes: readonly string[];
  /** The text of the response in an ArtifactResponse; `undefined` for none. */
  readonly response: string | undefined;
  /** What that says. */
  readonly answer: ReadAnswer | undefined;
}

const readSoap = (status: number, text: string): SoapAnswer => {
  const root = status === 200 ? readTree(text).children[0]?.children[0] : undefined;
  const said = root && childOf(root, "protocol", "Status");
  const first = said && childOf(said, "protocol", "StatusCode");
  const second = first && childOf(first, "protocol", "StatusCode");
  const inner = /<samlp:Response[\s\S]*<\/samlp:Response>/.exec(text)?.[0];
  const response = inner?.includes(`xmlns:samlp="${PROTOCOL}"`)
    ? inner
    : inner?.replace("<samlp:Response", `<samlp:Response xmlns:samlp="${PROTOCOL}"`);
  return {
    status,
    text,
    root,
    codes: [first, second].flatMap((each) => each?.attributes.get("Value")?.split(":").at(-1) ?? []),
    response,
    get answer() {
      return response === undefined ? undefined : readAnswer(base64(response));
    },
  };
};

/** Whether the signature of an element in an envelope is one of a certificate, by xml-crypto. `name`: with prefix. */
export const isSignedBy = (text: string, certificate: string, name: string): boolean => {
  const message = new RegExp(`<${name}[\\s\\S]*</${name}>`).exec(text)?.[0] ?? "";
  const signature = /<ds:Signature [\s\S]*?<\/ds:Signature>/.exec(message)?.[0] ?? "";
  const id = /^<[^>]* ID="([^"]*)"/.exec(message)?.[1];
  const signed = new SignedXml({
    publicCert: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----`,
    getCertFromKeyInfo: () => null,
  });
  signed.loadSignature(signature);
  return signature.includes(`URI="#${id}"`) && signed.checkSignature(message);
};

export const soapOf = (api: World, { newProvider }: Pick<ReturnType<typeof samlOf>, "newProvider">) => {
  const sendSoap = async (path: string, text: string, contentType = "text/xml; charset=utf-8") => {
    const headers = { "content-type": contentType, soapaction: '"http://www.oasis-open.org/committees/security"' };
    const response = await fetch(`${api.url}${path}`, { method: "POST", body: text, headers });
    return readSoap(response.status, await response.text());
  };

  /** Registers a service provider with a key. */
  const newKeyed = async (saml: object, application: object = {}, prefix = ""): Promise<KeyedProvider> => {
    const key = await newProviderKey();
    const certificate = { type: "PEM", value: Buffer.from(key.certificate).toString("base64") };
    const { advancedConfigurations = {}, ...more } = application as { advancedConfigurations?: object };
    const advanced = { skipLoginConsent: true, ...advancedConfigurations, certificate };
    return { ...(await newProvider(saml, { ...more, advancedConfigurations: advanced }, prefix)), key };
  };

  /** Sends a message of a provider, signed with its key. */
  const ask = (name: Asking, of: KeyedProvider, xml: string, prefix = "") =>
    sendSoap(
      `${prefix}${name === "ArtifactResolve" ? ARTIFACTS : QUERIES}`,
      envelope(signedXml(xml, of.key, { root: name })),
    );

  const resolve = (of: KeyedProvider, artifact: string, prefix = "") =>
    ask("ArtifactResolve", of, artifactXml(of, artifact), prefix);

  return { sendSoap, newKeyed, ask, resolve };
};
