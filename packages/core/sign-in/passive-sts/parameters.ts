/** The parameters of a request (WS-Federation 1.2 section 13.2), and what they ask for. Pure. */
import { Fault } from "../../kernel/faults.ts";
import { readTree, type XmlNode } from "../saml/tree.ts";
import { methodsOfRequests } from "./methods.ts";

/** The parameters that count. All others are ignored: `whr`, `wp`, `wres`, and those of products. */
export interface PassiveStsParameters {
  readonly wa?: string | undefined;
  readonly wtrealm?: string | undefined;
  readonly wreply?: string | undefined;
  readonly wctx?: string | undefined;
  readonly wct?: string | undefined;
  readonly wfresh?: string | undefined;
  readonly wauth?: string | undefined;
  readonly wreq?: string | undefined;
  readonly wreqptr?: string | undefined;
}

/** The types of tokens, by the names that they have in WS-Trust. Answers have the first of each version. */
export const tokenTypes = {
  "1.1": [
    "http://docs.oasis-open.org/wss/oasis-wss-saml-token-profile-1.1#SAMLV1.1",
    "urn:oasis:names:tc:SAML:1.0:assertion",
  ],
  "2.0": [
    "http://docs.oasis-open.org/wss/oasis-wss-saml-token-profile-1.1#SAMLV2.0",
    "urn:oasis:names:tc:SAML:2.0:assertion",
  ],
} as const;

/** WS-Trust 1.3, and the version before it that libraries still write. */
export const TRUST = "http://docs.oasis-open.org/ws-sx/ws-trust/200512";
const TRUST_2005 = "http://schemas.xmlsoap.org/ws/2005/02/trust";
/** Keys of tokens that have none. */
const BEARER = [`${TRUST}/Bearer`, "http://schemas.xmlsoap.org/ws/2005/05/identity/NoProofKey"];

const SKEW_MS = 5 * 60_000;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
const MINUTES = /^\d{1,7}$/;
/** A browser changes line breaks in a form, and what is no UTF-8 has been replaced already. */
const UNSENDABLE = /[\p{Cc}\uFFFD]/u;
const CONTEXT_MAX = 500;

/** What is thrown for a request that gets no token. */
export function refuse(why: string): Fault {
  return new Fault("request.invalid", why);
}

/** What a request wishes for besides its application. Throws `request.invalid`. */
export function readWishes(parameters: PassiveStsParameters, nowMs: number) {
  const { wctx, wct, wauth, wreq, wreqptr } = parameters;
  if (wctx !== undefined && UNSENDABLE.test(wctx)) {
    throw refuse(
      "wctx must be UTF-8 without line breaks and control characters: a browser would change them in a form.",
    );
  }
  if (wct !== undefined && !isNow(wct, nowMs)) {
    throw refuse("wct must be the time in UTC, such as 2026-01-31T12:00:00Z, at most five minutes from now.");
  }
  if (wauth !== undefined && !methodsOfRequests.has(wauth)) {
    throw refuse(
      `No sign-in here is of the method that wauth names. It can be: ${[...methodsOfRequests.keys()].join(", ")}.`,
    );
  }
  if (wreqptr !== undefined) throw refuse("The service fetches no requests: send wreq instead of wreqptr.");
  return { freshMinutes: minutesOf(parameters), method: wauth, ...(wreq === undefined ? WITHOUT : readRequest(wreq)) };
}

/** As WSO2 Identity Server: a request without a RequestSecurityToken is one for SAML 1.1. */
const WITHOUT = { version: "1.1" } as const;

function isNow(wct: string, nowMs: number): boolean {
  return TIME.test(wct) && Math.abs(Date.parse(wct) - nowMs) <= SKEW_MS;
}

function minutesOf({ wfresh }: PassiveStsParameters): number | undefined {
  if (wfresh === undefined) return undefined;
  if (!MINUTES.test(wfresh)) throw refuse("wfresh is a number of minutes.");
  return Number(wfresh);
}

/** A RequestSecurityToken (WS-Trust 1.3 section 4.1): the type of the token, and what the answer must repeat. */
function readRequest(wreq: string): {
  readonly version: keyof typeof tokenTypes;
  readonly context?: string | undefined;
} {
  const root = rootOf(wreq);
  if (root.name !== "RequestSecurityToken" || (root.namespace !== TRUST && root.namespace !== TRUST_2005)) {
    throw refuse("wreq must be a RequestSecurityToken of WS-Trust 1.3.");
  }
  const keyType = textIn(root, "KeyType");
  if (keyType !== undefined && !BEARER.includes(keyType)) throw refuse(`wreq: the KeyType must be ${BEARER[0]}.`);
  const context = root.attributes.get("Context");
  if (context !== undefined && context.length > CONTEXT_MAX) {
    throw refuse(`wreq: the Context is longer than ${CONTEXT_MAX} characters.`);
  }
  return { version: versionOf(textIn(root, "TokenType")), context };
}

function versionOf(type: string | undefined): keyof typeof tokenTypes {
  if (type === undefined) return "1.1";
  const versions = Object.keys(tokenTypes) as (keyof typeof tokenTypes)[];
  const found = versions.find((version) => tokenTypes[version].some((each) => each === type));
  if (found) return found;
  throw refuse(`wreq: the TokenType must be ${tokenTypes["1.1"][0]} or ${tokenTypes["2.0"][0]}.`);
}

function rootOf(wreq: string): XmlNode {
  try {
    return readTree(wreq);
  } catch (error) {
    // It speaks of a message of SAML.
    if (error instanceof Fault)
      throw refuse("wreq must be XML without a document type, of at most some dozen elements.");
    throw error;
  }
}

function textIn(root: XmlNode, name: string): string | undefined {
  const [found, ...others] = root.children.filter((each) => each.name === name && each.namespace === root.namespace);
  if (others.length > 0) throw refuse(`wreq has more than one ${name}.`);
  if (found && found.children.length > 0) throw refuse(`wreq: ${name} must contain text alone.`);
  return found?.text.trim();
}
