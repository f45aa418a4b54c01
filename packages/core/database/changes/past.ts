/**
 * A resource on the way back through its changes, the latest first. Groups and roles have members who leave without a
 * record of theirs: users, and groups of roles, that are deleted, and all members of one that is deleted with many.
 * When these are restored, the members who come back have records. So what such a record adds was there before as well.
 * Pure.
 */
import { type Document, type DocumentObject, isObject } from "./diff.ts";
import type { ChangeRecord } from "./model.ts";
import { documentBefore, pointerOf, replaced } from "./reverse.ts";

/** A resource between two of its changes. */
export interface Past {
  readonly document: Document;
  /** The places of members that came back because they were restored, up to the record by which they joined. */
  readonly returned: ReadonlySet<string>;
  /** The members that the group or role had when it was restored. */
  readonly restored: DocumentObject;
}

/** The operation that restores what was deleted. */
const RESTORE = "restoreDeletedResource";
const MEMBER = {};
const SETS = ["members", "users", "groups"] as const;

/** A resource as it is now. */
export function pastOf(document: Document): Past {
  return { document, returned: new Set(), restored: {} };
}

/** The resource before a change of it. */
export function pastBefore(after: Past, record: ChangeRecord): Past {
  const { resource, changes } = record;
  const document = documentBefore(after.document, record);
  if (resource.type !== "group" && resource.type !== "role") return { ...after, document };
  const paths = changes.map(({ path }) => path);
  const whole = changes.find(({ path }) => path === "");
  if (record.operation === RESTORE && !whole) {
    return { ...after, returned: after.returned.union(new Set(paths)) };
  }
  const returned = after.returned.difference(new Set(paths));
  if (whole?.op === "add") return { document, returned, restored: setsOf(after.document) };
  if (whole?.op !== "remove") return { ...after, document, returned };
  // Of many members the record of the deletion names none: they are removed after it.
  const all = changes.length === 1 && isObject(document) ? { ...document, ...after.restored } : document;
  return { document: withMembers(all, returned), returned, restored: {} };
}

function setsOf(document: Document): DocumentObject {
  if (!isObject(document)) return {};
  return Object.fromEntries(SETS.flatMap((name) => (document[name] === undefined ? [] : [[name, document[name]]])));
}

function withMembers(document: Document, paths: ReadonlySet<string>): Document {
  const own = new WeakSet<DocumentObject>();
  return [...paths].reduce((all, path) => replaced(all, pointerOf(path), MEMBER, own), document);
}
