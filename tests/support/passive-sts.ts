/** Relying parties of WS-Federation for tests: their requests, and what two independent readers find in tokens. */
import { randomBytes } from "node:crypto";
import { readTree, type XmlNode } from "#core/sign-in/saml/tree.ts";
import type { Browser, Shown } from "./browsing.ts";
import { readByDom } from "./passive-sts-dom.js";
import { signInOf } from "./sign-in.ts";
import { APPLICATIONS, type World } from "./world.ts";

export const SAML_20 = "http://docs.oasis-open.org/wss/oasis-wss-saml-token-profile-1.1#SAMLV2.0";
export const SAML_11 = "http://docs.oasis-open.org/wss/oasis-wss-saml-token-profile-1.1#SAMLV1.1";
const TRUST = "http://docs.oasis-open.org/ws-sx/ws-trust/200512";

/** A registered relying party. */
export interface RelyingParty {
  readonly id: string;
  readonly realm: string;
  readonly replyTo: string;
}

/** What a token and the answer around it say. Attributes are by the types that claims have in .NET. */
export interface ReadToken {
  readonly version: string;
  readonly issuer: string;
  readonly audience: string;
  readonly notBefore: string;
  readonly notOnOrAfter: string;
  readonly authenticated: string;
  readonly method: string;
  readonly name: string;
  readonly format: string;
  readonly confirmation: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  readonly tokenType: string;
  readonly keyType: string;
  readonly requestType: string;
  readonly appliesTo: string;
  readonly created: string;
  readonly expires: string;
  readonly context: string;
}

type Fields = Readonly<Record<string, string | undefined>>;

/** The path of a request. A member that is `undefined` is left out. */
export const requestPath = (fields: Fields, prefix = ""): string => {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return `${prefix}/passivests?${new URLSearchParams(Object.fromEntries(given))}`;
};
/** The path of a request to sign in. */
export const signInPath = ({ realm }: Pick<RelyingParty, "realm">, fields: Fields = {}, prefix = ""): string =>
  requestPath({ wa: "wsignin1.0", wtrealm: realm, ...fields }, prefix);

/** A RequestSecurityToken. */
export const wreq = (inside: string, attributes = "", trust = TRUST): string =>
  `<trust:RequestSecurityToken xmlns:trust="${trust}"${attributes}>${inside}</trust:RequestSecurityToken>`;
export const typed = (type: string): string => wreq(`<trust:TokenType>${type}</trust:TokenType>`);

/** The second reader: the parser of the service, without verifying. It walks by local names alone. */
const readByTree = (wresult: string): ReadToken => {
  const at = (node: XmlNode | undefined, name: string): XmlNode => {
    const found = node && inside(node).find((each) => each.name === name);
    if (!found) throw new Error(`no ${name}`);
    return found;
  };
  const inside = (node: XmlNode): readonly XmlNode[] => node.children.flatMap((each) => [each, ...inside(each)]);
  const root = readTree(wresult);
  const assertion = at(root, "Assertion");
  const isOld = assertion.attributes.has("MajorVersion");
  const statement = at(assertion, isOld ? "AuthenticationStatement" : "AuthnStatement");
  const name = at(assertion, isOld ? "NameIdentifier" : "NameID");
  const get = (node: XmlNode, attribute: string) => node.attributes.get(attribute) ?? "";
  const attributes = inside(assertion).filter((each) => each.name === "Attribute");
  return {
    version: isOld ? "1.1" : get(assertion, "Version"),
    issuer: isOld ? get(assertion, "Issuer") : at(assertion, "Issuer").text,
    audience: at(assertion, "Audience").text,
    notBefore: get(at(assertion, "Conditions"), "NotBefore"),
    notOnOrAfter: get(at(assertion, "Conditions"), "NotOnOrAfter"),
    authenticated: get(statement, isOld ? "AuthenticationInstant" : "AuthnInstant"),
    method: isOld ? get(statement, "AuthenticationMethod") : at(statement, "AuthnContextClassRef").text,
    name: name.text,
    format: get(name, "Format"),
    confirmation: isOld
      ? at(statement, "ConfirmationMethod").text
      : get(at(assertion, "SubjectConfirmation"), "Method"),
    attributes: Object.fromEntries(
      attributes.map((each) => [
        isOld ? `${get(each, "AttributeNamespace")}/${get(each, "AttributeName")}` : get(each, "Name"),
        each.children.map(({ text }) => text),
      ]),
    ),
    tokenType: at(root, "TokenType").text,
    keyType: at(root, "KeyType").text,
    requestType: at(root, "RequestType").text,
    appliesTo: at(root, "Address").text,
    created: at(root, "Created").text,
    expires: at(root, "Expires").text,
    context: get(at(root, "RequestSecurityTokenResponse"), "Context"),
  };
};

export const passiveStsOf = (api: World) => {
  const signIn = signInOf(api);

  /** Registers a relying party: `sts` changes its settings, `application` those of the application. */
  const newParty = async (
    sts: object = {},
    application: object = {},
    ask: Pick<World, "ask">["ask"] = api.ask,
  ): Promise<RelyingParty> => {
    const host = `rp-${randomBytes(4).toString("hex")}.example`;
    const settings = { realm: `urn:${host}`, replyTo: `https://${host}/signin-wsfed`, ...sts };
    const { status, headers, text } = await ask("POST", APPLICATIONS, {
      body: {
        name: `Party ${host}`,
        advancedConfigurations: { skipLoginConsent: true },
        ...application,
        inboundProtocolConfiguration: { passiveSts: settings },
      },
    });
    if (status !== 201) throw new Error(text);
    return { id: headers.get("location")?.split("/").at(-1) ?? "", ...settings };
  };

  /** The certificate of the token service, from its metadata, as PEM. */
  const certificateOf = async (prefix = ""): Promise<string> => {
    const response = await fetch(`${api.url}${prefix}/FederationMetadata/2007-06/FederationMetadata.xml`);
    const text = await response.text();
    const found = /X509Certificate>([^<]+)</.exec(text)?.[1];
    if (!found) throw new Error(text);
    return `-----BEGIN CERTIFICATE-----\n${found}\n-----END CERTIFICATE-----\n`;
  };

  /** What the form that a browser shows would send: a browser writes line breaks as CRLF. Throws for any other page. */
  const sentBy = (browser: Browser, shown: Shown) => {
    const fields = Object.entries(browser.fields()).map(([name, value]) => [name, value.replace(/\r\n?|\n/g, "\r\n")]);
    const sent: Readonly<Record<string, string>> = Object.fromEntries(fields);
    if (sent.wresult === undefined) throw new Error(`no token but ${shown.status}: ${shown.html.slice(-900)}`);
    return { sent, wresult: sent.wresult, action: /<form[^>]*action="([^"]*)"/.exec(shown.html)?.[1] };
  };

  /** What the token in the form says, as both readers find it. Throws where they differ, or the signature is not right. */
  const tokenIn = async (browser: Browser, shown: Shown, prefix = "") => {
    const { sent, wresult, action } = sentBy(browser, shown);
    const token = readByDom(wresult, await certificateOf(prefix));
    const again = readByTree(wresult);
    if (JSON.stringify(sorted(token)) !== JSON.stringify(sorted(again))) {
      throw new Error(`the readers differ: ${JSON.stringify(token)} ${JSON.stringify(again)}`);
    }
    return { ...token, sent, wresult, action };
  };

  return { ...signIn, newParty, certificateOf, sentBy, tokenIn };
};

const sorted = (token: ReadToken) => Object.entries(token).sort(([one], [other]) => (one < other ? -1 : 1));
