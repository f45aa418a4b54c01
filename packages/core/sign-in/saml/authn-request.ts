/** The authentication request (SAML Core 2.0 section 3.4.1): what a service provider asks for. Pure. */
import type { SamlServiceProvider } from "../../applications/protocols/model.ts";
import { ARTIFACT, consumerAt, POST } from "../../applications/protocols/saml-imported.ts";
import type { AskedContexts, SamlAsked } from "../flow/saml/asked.ts";
import { isConsumer } from "../flow/saml/provider.ts";
import { comparisons } from "./contexts.ts";
import { SamlRefusal, status } from "./status.ts";
import { childOf, childrenOf, namespaces, refuse, textOf, type XmlNode } from "./tree.ts";

const ID = /^[A-Za-z_][A-Za-z0-9._-]{0,254}$/;
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
const INDEX = /^\d{1,5}$/;
const TEXT_MAX = 2_048;
const CLASSES_MAX = 20;
/** How far the clocks of two sides may be apart, and how long a request may take. */
export const AGE_MS = 5 * 60_000;
const BINDINGS = "urn:oasis:names:tc:SAML:2.0:bindings:";

/** The messages that service providers send. */
export type MessageName =
  | "AuthnRequest"
  | "LogoutRequest"
  | "LogoutResponse"
  | "ArtifactResolve"
  | "AttributeQuery"
  | "AssertionIDRequest";

/** Who sends a message of one of some names: before it is verified, nothing else of it counts. */
export function issuerOf(root: XmlNode, ...names: readonly MessageName[]): string {
  if (root.namespace !== namespaces.protocol) throw refuse("It is not a message of SAML 2.0.");
  if (!names.some((name) => name === root.name)) throw refuse(`It is not an ${names.join(" or a ")}.`);
  const issuer = childOf(root, "assertion", "Issuer");
  const text = issuer && textOf(issuer);
  if (!text || text.length > TEXT_MAX) throw refuse("It names no Issuer.");
  return text;
}

/** What identifies a request. */
export interface RequestHead {
  readonly id: string;
  /** Where the answer goes: registered, character by character. */
  readonly address: string;
  readonly isByArtifact: boolean;
}

/** What all messages must agree with. */
export interface Common {
  /** The address of this identity provider. */
  readonly destination: string;
  readonly isSigned: boolean;
  readonly nowMs: number;
}

/**
 * The ID of a verified request, and where its answer goes. Throws `request.invalid`, which is shown to the person:
 * there is no address yet.
 */
export function readHead(root: XmlNode, provider: SamlServiceProvider, common: Common): RequestHead {
  const { attributes } = root;
  const id = readCommon(root, common);
  const address = addressOf(attributes, provider);
  const asked = { binding: attributes.get("ProtocolBinding"), index: attributes.get("AssertionConsumerServiceIndex") };
  return { id, address, isByArtifact: goesByArtifact(address, provider, asked) };
}

/**
 * Whether an answer to an address goes by artifact: the metadata has no other binding for the address, or the request
 * asks for it. Where neither says something, the settings have no HTTP_POST.
 */
export function goesByArtifact(
  address: string,
  { singleSignOnProfile: { bindings }, imported }: SamlServiceProvider,
  { binding, index }: { readonly binding?: string | undefined; readonly index?: string | undefined } = {},
): boolean {
  if (!bindings.includes("ARTIFACT")) return false;
  const services = (imported?.assertionConsumerServices ?? []).filter((service) => service.location === address);
  const named = services.filter((service) => index !== undefined && service.index === Number(index));
  const possible = (named.length > 0 ? named : services).map((service) => service.binding);
  if (possible.includes(ARTIFACT) && !possible.includes(POST)) return true;
  if (binding !== undefined) return binding === `${BINDINGS}${ARTIFACT}`;
  return possible.length === 0 && !bindings.includes("HTTP_POST");
}

/** The ID of a verified message. Throws `request.invalid` where it is for another address or another time. */
export function readCommon({ attributes }: XmlNode, { destination, isSigned, nowMs }: Common): string {
  const id = attributes.get("ID") ?? "";
  if (!ID.test(id)) throw refuse("Its ID must be a name of letters, digits, '_', '-' and '.', up to 255.");
  if (attributes.get("Version") !== "2.0") throw refuse("Its Version must be 2.0.");
  const issued = attributes.get("IssueInstant") ?? "";
  const issuedMs = TIME.test(issued) ? Date.parse(issued) : Number.NaN;
  if (!(Math.abs(nowMs - issuedMs) <= AGE_MS)) {
    throw refuse("Its IssueInstant must be a time in UTC that is at most 5 minutes away. Compare the clocks.");
  }
  const sentTo = attributes.get("Destination");
  // Else a signed request to another identity provider would count here (SAML Bindings 2.0 sections 3.4.5.2, 3.5.5.2).
  if ((isSigned || sentTo !== undefined) && sentTo !== destination)
    throw refuse(`Its Destination must be ${destination}.`);
  return id;
}

/** The address that a request names by itself or by an index, or the default one. */
function addressOf(attributes: XmlNode["attributes"], provider: SamlServiceProvider): string {
  const url = attributes.get("AssertionConsumerServiceURL");
  const index = attributes.get("AssertionConsumerServiceIndex");
  if (url !== undefined && index !== undefined) {
    throw refuse("It has AssertionConsumerServiceURL and AssertionConsumerServiceIndex: send one of them.");
  }
  if (index !== undefined && !INDEX.test(index)) throw refuse(UNREGISTERED);
  const named = index === undefined ? url : (consumerAt(Number(index), provider) ?? "");
  const address = named ?? provider.defaultAssertionConsumerUrl;
  if (!isConsumer(address, provider)) throw refuse(UNREGISTERED);
  return address;
}

const UNREGISTERED =
  "Its AssertionConsumerServiceURL must be one of the assertionConsumerUrls of the application, character by " +
  "character, https, and no address of another binding than HTTP-POST; or send AssertionConsumerServiceIndex: that of " +
  "its metadata, or without metadata its place among them, from 0.";

/** What a verified request asks for. Throws `SamlRefusal`, which the service provider is told. */
export function readAsked(
  root: XmlNode,
  provider: SamlServiceProvider,
): Readonly<AskedOfPerson & Omit<SamlAsked, "id" | "begun" | "takenMs">> {
  const { attributes } = root;
  const binding = attributes.get("ProtocolBinding") ?? `${BINDINGS}${POST}`;
  const takesArtifacts = provider.singleSignOnProfile.bindings.includes("ARTIFACT");
  if (binding !== `${BINDINGS}${POST}` && !(takesArtifacts && binding === `${BINDINGS}${ARTIFACT}`)) {
    throw new SamlRefusal(status.responder, status.binding, SENT_BY);
  }
  const nameIdFormat = formatOf(root, provider);
  const subject = subjectOf(root);
  const contexts = contextsOf(root);
  const attributeIndex = attributes.get("AttributeConsumingServiceIndex");
  if (attributeIndex !== undefined && !INDEX.test(attributeIndex)) {
    throw refusal("AttributeConsumingServiceIndex is a number.");
  }
  return {
    forces: flagOf(attributes, "ForceAuthn"),
    isPassive: flagOf(attributes, "IsPassive"),
    ...(nameIdFormat !== undefined && { nameIdFormat }),
    ...(subject !== undefined && { subject }),
    ...(contexts && { contexts }),
    ...(attributeIndex !== undefined && { attributeIndex }),
  };
}

const SENT_BY = "Responses are sent by HTTP-POST, and by HTTP-Artifact where the bindings include ARTIFACT.";

/** What a request asks of the person. */
export interface AskedOfPerson {
  readonly forces: boolean;
  readonly isPassive: boolean;
}

function flagOf(attributes: XmlNode["attributes"], name: string): boolean {
  const value = attributes.get(name)?.trim() ?? "false";
  if (value === "true" || value === "1") return true;
  if (value === "false" || value === "0") return false;
  throw refusal(`${name} is true or false.`);
}

function formatOf(root: XmlNode, { issuer, singleSignOnProfile }: SamlServiceProvider): string | undefined {
  const policy = childOf(root, "protocol", "NameIDPolicy");
  if (!policy) return undefined;
  const qualifier = policy.attributes.get("SPNameQualifier");
  if (qualifier !== undefined && qualifier !== issuer) {
    throw new SamlRefusal(status.requester, status.nameIdPolicy, "SPNameQualifier names another service provider.");
  }
  const format = policy.attributes.get("Format")?.trim();
  if (format === undefined || format === "" || UNSPECIFIED.has(format)) return undefined;
  const stored = singleSignOnProfile.assertion.nameIdFormat;
  if (format === stored || REQUESTED_FORMATS.some((each) => each === format)) return format;
  throw new SamlRefusal(status.requester, status.nameIdPolicy, "The Format of NameIDPolicy is not supported.");
}

/** The settings decide. Many name the first one as if it were of SAML 2.0. */
const UNSPECIFIED: ReadonlySet<string> = new Set([
  "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:unspecified",
]);

/** Those that anybody may ask for: no user chooses the name. An address can be one that the user has entered. */
const REQUESTED_FORMATS = [
  "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
] as const;

/** The name of the subject. Its confirmations are those of another profile. */
function subjectOf(root: XmlNode): string | undefined {
  const subject = childOf(root, "assertion", "Subject");
  if (!subject) return undefined;
  const name = childOf(subject, "assertion", "NameID");
  const text = name && textOf(name);
  if (!text || text.length > TEXT_MAX) throw refusal("The Subject of a request has a NameID.");
  return text;
}

function contextsOf(root: XmlNode): AskedContexts | undefined {
  const requested = childOf(root, "protocol", "RequestedAuthnContext");
  if (!requested) return undefined;
  const comparison = comparisons.find((each) => each === (requested.attributes.get("Comparison") ?? "exact"));
  const classes = childrenOf(requested, "assertion", "AuthnContextClassRef").map(textOf);
  if (!comparison || classes.length > CLASSES_MAX) throw refusal("RequestedAuthnContext is not valid.");
  // References to declarations are no classes.
  if (classes.length === 0) throw new SamlRefusal(status.responder, status.authnContext, "Only classes are known.");
  return { comparison, classes };
}

function refusal(why: string): SamlRefusal {
  return new SamlRefusal(status.requester, status.unsupported, why);
}
