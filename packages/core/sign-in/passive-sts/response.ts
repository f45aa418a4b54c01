/** What a relying party gets (WS-Trust 1.3 section 4.4.2): a token of SAML 1.1 or 2.0, signed. Pure but for the key. */
import { type Canonical, element, text } from "../../kernel/canonical-xml.ts";
import type { PassiveStsAsked } from "../flow/passive-sts/asked.ts";
import { nameIdFormats } from "../flow/saml/claims.ts";
import { assertionOf } from "../saml/response.ts";
import type { Signer } from "../saml/sign.ts";
import { assertionOf11 } from "./assertion-11.ts";
import { TRUST, tokenTypes } from "./parameters.ts";
import type { Token } from "./token.ts";

/** How long a token can be used, unless the request asks for less. */
const LIFE_MS = 5 * 60_000;
const MINUTE_MS = 60_000;
const POLICY = "http://schemas.xmlsoap.org/ws/2004/09/policy";
const ADDRESSING = "http://www.w3.org/2005/08/addressing";
const UTILITY = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
const ANY_NAME = "urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified";

/** The text of `wresult`. */
export function wresultOf(
  { version, freshMinutes, context }: Pick<PassiveStsAsked, "version" | "freshMinutes" | "context">,
  token: Token,
  signer: Signer,
): string {
  const lifeMs = Math.min(LIFE_MS, (freshMinutes ?? Number.POSITIVE_INFINITY) * MINUTE_MS);
  const assertion = version === "1.1" ? assertionOf11(token, lifeMs, signer) : assertionOf20(token, lifeMs, signer);
  const own = (name: string, ...content: readonly Canonical[]) => element(`wst:${name}`, {}, ...content);
  const time = (name: string, ms: number) =>
    element(`wsu:${name}`, { "xmlns:wsu": UTILITY }, text(new Date(ms).toISOString()));
  const response = element(
    "wst:RequestSecurityTokenResponse",
    { Context: context },
    own("TokenType", text(tokenTypes[version][0])),
    own("RequestType", text(`${TRUST}/Issue`)),
    own("KeyType", text(`${TRUST}/Bearer`)),
    element("wsp:AppliesTo", { "xmlns:wsp": POLICY }, endpointReference(token.realm)),
    own("Lifetime", time("Created", token.nowMs), time("Expires", token.nowMs + lifeMs)),
    own("RequestedSecurityToken", assertion),
  );
  const all = element("wst:RequestSecurityTokenResponseCollection", { "xmlns:wst": TRUST }, response);
  // A browser changes line breaks in a form, and not all parsers change them back: the signature covers them.
  return all.replaceAll("\n", "&#xA;");
}

/** An address, as WS-Addressing 1.0 has it. */
export function endpointReference(address: string): Canonical {
  const inside = element("wsa:Address", {}, text(address));
  return element("wsa:EndpointReference", { "xmlns:wsa": ADDRESSING }, inside);
}

function assertionOf20(token: Token, lifeMs: number, signer: Signer): Canonical {
  const { name, realm, method, ...said } = token;
  return assertionOf(
    {
      ...said,
      nameId: { format: nameIdFormats.unspecified, value: name },
      audiences: [realm],
      recipients: [],
      context: method,
      nameFormat: ANY_NAME,
    },
    { ...said, lifeMs },
    signer,
  );
}
