/** Messages of logout as they come (SAML Core 2.0 section 3.7). Pure. */
import { nameIdFormats } from "../flow/saml/claims.ts";
import { AGE_MS, type Common, readCommon, TIME } from "./authn-request.ts";
import { status } from "./status.ts";
import { childOf, childrenOf, refuse, textOf, type XmlNode } from "./tree.ts";

const TEXT_MAX = 2_048;
const INDEXES_MAX = 50;
const INDEX_MAX = 256;
/** The ID of a request that this side sent: it has the digest of its chain, which opens nothing, and its turn. */
const SENT = /^_([A-Za-z0-9_-]{43})\.(\d{1,4})$/;

/** A logout request that was verified. */
export interface LogoutAsked {
  readonly id: string;
  readonly name: { readonly format: string; readonly value: string };
  /** The sessions that it means; empty for all of the name. */
  readonly indexes: readonly string[];
}

/** What a verified logout request asks for. Throws `request.invalid`. */
export function readLogoutRequest(root: XmlNode, common: Common): LogoutAsked {
  const id = readCommon(root, common);
  const ends = root.attributes.get("NotOnOrAfter");
  const endsMs = ends !== undefined && TIME.test(ends) ? Date.parse(ends) : Number.NaN;
  if (ends !== undefined && !(common.nowMs < endsMs + AGE_MS)) {
    throw refuse("Its NotOnOrAfter must be a time in UTC that is not over.");
  }
  const name = nameOf(root);
  const indexes = childrenOf(root, "protocol", "SessionIndex").map(textOf);
  if (indexes.length > INDEXES_MAX) throw refuse("It has too many SessionIndex elements.");
  if (indexes.some((index) => index === "" || index.length > INDEX_MAX)) {
    throw refuse("A SessionIndex is empty, or longer than any of this service.");
  }
  return { id, name, indexes };
}

/** The name of a user in a request. Throws `request.invalid`. */
export function nameOf(named: XmlNode): LogoutAsked["name"] {
  const name = childOf(named, "assertion", "NameID");
  if (!name) throw refuse("It must name the user by a NameID that is not encrypted.");
  const value = textOf(name);
  if (value === "" || value.length > TEXT_MAX) throw refuse("Its NameID is too long, or empty.");
  return { format: name.attributes.get("Format")?.trim() || nameIdFormats.unspecified, value };
}

/** The chain and the turn that a logout response answers; `undefined` for one to no request of this side. */
export function sentRequestOf({ attributes }: XmlNode): { readonly digest: string; readonly turn: number } | undefined {
  const [, digest, turn] = SENT.exec(attributes.get("InResponseTo")?.trim() ?? "") ?? [];
  return digest === undefined ? undefined : { digest, turn: Number(turn) };
}

/** The ID of the request of a turn of a chain. */
export function idOfTurn(digest: string, turn: number): string {
  return `_${digest}.${turn}`;
}

/** Whether a logout response says that the session of the provider, and of all that it knows, has ended. */
export function isConfirmed(root: XmlNode): boolean {
  const said = childOf(root, "protocol", "Status");
  const first = said && childOf(said, "protocol", "StatusCode");
  if (first?.attributes.get("Value") !== status.success) return false;
  return childOf(first, "protocol", "StatusCode")?.attributes.get("Value") !== status.partial;
}
