/**
 * Answers (SAML Core 2.0 sections 2.3 and 3.3.3, SAML Profiles 2.0 section 4.1.4.2): the assertion is signed, then
 * encrypted where the settings say so, then the response is signed.
 */
import { type Canonical, element, text, together } from "../../kernel/canonical-xml.ts";
import { type Signer, signatureOf } from "./sign.ts";
import { type SamlRefusal, status } from "./status.ts";
import { namespaces } from "./tree.ts";

/** How long an assertion can be used, and how much earlier a slow clock may see it. */
export const LIFE_MS = 5 * 60_000;
const EARLY_MS = 60_000;
const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";

/** What all answers to a request have. */
export interface Answering {
  /** The entity id of this identity provider. */
  readonly issuer: string;
  /** The ID of the request; absent where this side began. */
  readonly inResponseTo?: string | undefined;
  /** Where the answer goes; absent for one to a request by SOAP. */
  readonly address?: string | undefined;
  readonly nowMs: number;
  /** How long the assertion can be used; absent for five minutes. */
  readonly lifeMs?: number;
  /** An ID that was not used before. */
  readonly newId: () => string;
}

/** The name of a user for a service provider. */
export interface NameId {
  readonly format: string;
  readonly value: string;
  /** Of a pairwise name: who gave it, and for whom. */
  readonly qualifiers?: { readonly by: string; readonly for: string };
}

/** What is asserted of a user. */
export interface Asserted {
  /** The ID of the assertion, where somebody must know it. */
  readonly id?: string;
  readonly nameId: NameId;
  /** The entity id of the service provider and all others that may take the assertion. */
  readonly audiences: readonly string[];
  /** Where the assertion may be taken, besides the address. */
  readonly recipients: readonly string[];
  readonly authnMs: number;
  readonly sessionIndex: string;
  readonly sessionEndsMs: number;
  /** The class of the sign-in. */
  readonly context: string;
  readonly attributes: readonly { readonly name: string; readonly values: readonly string[] }[];
  /** The format of the names of attributes. */
  readonly nameFormat: string;
}

export const iso = (ms: number) => new Date(ms).toISOString();

/** A signed assertion. Without an address it has attributes alone, and signs no one in. */
export function assertionOf(asserted: Asserted, answering: Answering, signer: Signer): Canonical {
  const { issuer, address, nowMs, lifeMs = LIFE_MS, newId } = answering;
  const { id = newId() } = asserted;
  const before = issuerElement(issuer, false);
  const content = together(
    subjectOf(asserted, answering),
    element(
      "saml:Conditions",
      { NotBefore: iso(nowMs - EARLY_MS), NotOnOrAfter: iso(nowMs + lifeMs) },
      element(
        "saml:AudienceRestriction",
        {},
        ...asserted.audiences.map((each) => element("saml:Audience", {}, text(each))),
      ),
    ),
    address === undefined ? undefined : statementOf(asserted),
    attributesOf(asserted),
  );
  const attributes = { "xmlns:saml": namespaces.assertion, ID: id, IssueInstant: iso(nowMs), Version: "2.0" };
  return enveloped("saml:Assertion", attributes, before, content, signer);
}

/** An assertion that was encrypted. */
export function encryptedAssertion(encrypted: Canonical): Canonical {
  return element("saml:EncryptedAssertion", { "xmlns:saml": namespaces.assertion }, encrypted);
}

/** A response with assertions. `signer`: absent where the settings say that responses are not signed. */
export function responseWith(assertions: Canonical, answering: Answering, signer: Signer | undefined): Canonical {
  return response("Response", succeeded(), assertions, answering, signer);
}

/** Whether a response that was composed here has an assertion. In texts and attributes "<" is escaped. */
export function hasAssertion(response: Canonical): boolean {
  return /<saml:(?:Encrypted)?Assertion[ >]/.test(response);
}

/** The answer to an ArtifactResolve: a message, or nothing where the artifact counts for none (section 3.5.3). */
export function artifactResponse(
  message: Canonical | undefined,
  answering: Answering,
  signer: Signer | undefined,
): Canonical {
  // In canonical form a namespace is declared once, where it is first used.
  const inside = message?.replace(` xmlns:samlp="${namespaces.protocol}"`, "") as Canonical | undefined;
  return response("ArtifactResponse", succeeded(), inside, answering, signer);
}

/** A response that says why there is no assertion. */
export function responseWithout(
  { code: first, detail, message }: SamlRefusal,
  answering: Answering,
  signer: Signer | undefined,
): Canonical {
  const said = element("samlp:StatusMessage", {}, text(message));
  const refused = element("samlp:Status", {}, code(first, code(detail)), said);
  return response("Response", refused, undefined, answering, signer);
}

/** The code of a status, with that of the second level. */
export function code(value: string, inside?: Canonical): Canonical {
  return element("samlp:StatusCode", { Value: value }, inside);
}

function succeeded(): Canonical {
  return element("samlp:Status", {}, code(status.success));
}

function response(
  name: "Response" | "ArtifactResponse",
  said: Canonical,
  content: Canonical | undefined,
  { issuer, inResponseTo, address, nowMs, newId }: Answering,
  signer: Signer | undefined,
): Canonical {
  const attributes = {
    "xmlns:samlp": namespaces.protocol,
    Destination: address,
    ID: newId(),
    InResponseTo: inResponseTo,
    IssueInstant: iso(nowMs),
    Version: "2.0",
  };
  return enveloped(`samlp:${name}`, attributes, issuerElement(issuer, true), together(said, content), signer);
}

/** An element with its signature behind its issuer. */
export function enveloped(
  name: string,
  attributes: Readonly<Record<string, string | undefined>> & { readonly ID: string },
  before: Canonical,
  content: Canonical,
  signer: Signer | undefined,
): Canonical {
  const unsigned = element(name, attributes, before, content);
  return signer ? element(name, attributes, before, signatureOf(unsigned, attributes.ID, signer), content) : unsigned;
}

/** The element that says who sends a message, or with `false` who asserts in one. */
export function issuerElement(issuer: string, isFirst: boolean): Canonical {
  return element("saml:Issuer", isFirst ? { "xmlns:saml": namespaces.assertion } : {}, text(issuer));
}

function subjectOf(
  { nameId, recipients }: Asserted,
  { inResponseTo, address, nowMs, lifeMs = LIFE_MS }: Answering,
): Canonical {
  const { format, value, qualifiers } = nameId;
  const named = { Format: format, NameQualifier: qualifiers?.by, SPNameQualifier: qualifiers?.for };
  return element(
    "saml:Subject",
    {},
    element("saml:NameID", named, text(value)),
    ...[...new Set(address === undefined ? [] : [address, ...recipients])].map((recipient) =>
      element(
        "saml:SubjectConfirmation",
        { Method: BEARER },
        element("saml:SubjectConfirmationData", {
          InResponseTo: inResponseTo,
          NotOnOrAfter: iso(nowMs + lifeMs),
          Recipient: recipient,
        }),
      ),
    ),
  );
}

function statementOf({ authnMs, sessionIndex, sessionEndsMs, context }: Asserted): Canonical {
  return element(
    "saml:AuthnStatement",
    { AuthnInstant: iso(authnMs), SessionIndex: sessionIndex, SessionNotOnOrAfter: iso(sessionEndsMs) },
    element("saml:AuthnContext", {}, element("saml:AuthnContextClassRef", {}, text(context))),
  );
}

function attributesOf({ attributes, nameFormat }: Asserted): Canonical | undefined {
  if (attributes.length === 0) return undefined;
  return element(
    "saml:AttributeStatement",
    {},
    ...attributes.map(({ name, values }) =>
      element(
        "saml:Attribute",
        { Name: name, NameFormat: nameFormat },
        ...values.map((value) => element("saml:AttributeValue", {}, text(value))),
      ),
    ),
  );
}
