/** Assertions of SAML 1.1 (SAML Core 1.1 section 2), which relying parties of WS-Federation get by default. */
import { type Canonical, element, text, together } from "../../kernel/canonical-xml.ts";
import { nameIdFormats } from "../flow/saml/claims.ts";
import { type Signer, signatureOf } from "../saml/sign.ts";
import type { AttributeValues } from "../sso/claimed.ts";
import type { Token } from "./token.ts";

const SAML = "urn:oasis:names:tc:SAML:1.0:assertion";
const BEARER = "urn:oasis:names:tc:SAML:1.0:cm:bearer";
/** How much earlier a slow clock may see it. */
const EARLY_MS = 60_000;

const iso = (ms: number) => new Date(ms).toISOString();

/** A signed assertion. Its signature comes last (SAML Core 1.1 section 2.3.2). */
export function assertionOf11(token: Token, lifeMs: number, signer: Signer): Canonical {
  const { issuer, realm, method, authnMs, attributes: given, nowMs, newId } = token;
  const attributes = {
    "xmlns:saml": SAML,
    AssertionID: newId(),
    IssueInstant: iso(nowMs),
    Issuer: issuer,
    MajorVersion: "1",
    MinorVersion: "1",
  };
  const content = together(
    element(
      "saml:Conditions",
      { NotBefore: iso(nowMs - EARLY_MS), NotOnOrAfter: iso(nowMs + lifeMs) },
      element("saml:AudienceRestrictionCondition", {}, element("saml:Audience", {}, text(realm))),
    ),
    element(
      "saml:AuthenticationStatement",
      { AuthenticationInstant: iso(authnMs), AuthenticationMethod: method },
      subjectOf(token),
    ),
    given.length === 0
      ? undefined
      : element("saml:AttributeStatement", {}, subjectOf(token), ...given.map((each) => attributeOf(each))),
  );
  const unsigned = element("saml:Assertion", attributes, content);
  return element("saml:Assertion", attributes, content, signatureOf(unsigned, attributes.AssertionID, signer));
}

function subjectOf({ name }: Token): Canonical {
  return element(
    "saml:Subject",
    {},
    element("saml:NameIdentifier", { Format: nameIdFormats.unspecified }, text(name)),
    element("saml:SubjectConfirmation", {}, element("saml:ConfirmationMethod", {}, text(BEARER))),
  );
}

/** A claim: its URI is the namespace, a slash and the name. As in WSO2 Identity Server one without a slash is both. */
function attributeOf({ name, values }: AttributeValues): Canonical {
  const slash = name.lastIndexOf("/");
  const isParted = slash > 0 && slash < name.length - 1;
  return element(
    "saml:Attribute",
    {
      AttributeName: isParted ? name.slice(slash + 1) : name,
      AttributeNamespace: isParted ? name.slice(0, slash) : name,
    },
    ...values.map((value) => element("saml:AttributeValue", {}, text(value))),
  );
}
