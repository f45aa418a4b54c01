/** Takes recorded changes back in a document. Pure. */
import { type Document, type DocumentObject, objectOf } from "./diff.ts";
import { type Change, type ChangeRecord, SECRET } from "./model.ts";

const PROTOCOLS = "inboundProtocolConfiguration";
/** The protocols that are members of their own; all others are in `custom`. */
const KNOWN_PROTOCOLS: ReadonlySet<string> = new Set(["oidc", "saml", "passiveSts", "wsTrust"]);

/** The document before a change of its resource, given the one after it; `undefined` where it does not exist. */
export function documentBefore(after: Document, { resource, changes }: ChangeRecord): Document {
  const prefix = resource.type === "inbound-protocol" ? protocolPath(resource.id) : [];
  const own = new WeakSet<DocumentObject>();
  return changes.toReversed().reduce((document, change) => withoutChange(document, prefix, change, own), after);
}

/** The place of a protocol in the document of its application. */
export function protocolPath(name: string): readonly string[] {
  return KNOWN_PROTOCOLS.has(name) ? [PROTOCOLS, name] : [PROTOCOLS, "custom", name];
}

/** The members of a JSON Pointer (RFC 6901). */
export function pointerOf(path: string): readonly string[] {
  const members = path.split("/").slice(1);
  return members.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function withoutChange(document: Document, prefix: readonly string[], change: Change, own: Own): Document {
  const { op, path, from, secret } = change;
  const hidden = SECRET as Document;
  const before = op === "add" ? undefined : secret === true ? hidden : (from as Document);
  return replaced(document, [...prefix, ...pointerOf(path)], before, own);
}

/** Copies that are changed in place: one record has thousands of members, and a copy for each would take minutes. */
type Own = WeakSet<DocumentObject>;

/** A document with another value at a place; without a value where it is `undefined`. */
export function replaced(document: Document, [name, ...rest]: readonly string[], value: Document, own: Own): Document {
  if (name === undefined) return value;
  const object = objectOf(document);
  const copy = own.has(object) ? object : { ...object };
  own.add(copy);
  const old = Object.hasOwn(copy, name) ? copy[name] : undefined;
  const member = replaced(old, rest, value, own);
  if (member === undefined) Reflect.deleteProperty(copy, name);
  else Object.defineProperty(copy, name, { value: member, configurable: true, enumerable: true, writable: true });
  return copy;
}
