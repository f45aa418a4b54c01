/** The differences between two documents, as operations of JSON Patch with the values before them. */
import { isDeepStrictEqual } from "node:util";
import { type Change, type Json, SECRET } from "./model.ts";

/** A secret in a document: compared by its stored text, and never shown. */
export class Secret {
  readonly #stored: string;
  constructor(stored: string) {
    this.#stored = stored;
  }

  equals(other: unknown): boolean {
    return other instanceof Secret && other.#stored === this.#stored;
  }
}

/** A document whose differences are recorded: JSON, with secrets. Members that are `undefined` do not exist. */
export type Document = string | number | boolean | null | undefined | Secret | readonly Document[] | DocumentObject;

export interface DocumentObject {
  readonly [name: string]: Document;
}

/**
 * The differences between two states of a document; `undefined` for a state in which it does not exist. Objects are
 * compared member by member. Lists are compared as a whole, because their elements have no names.
 */
export function differences(before: Document, after: Document, path = ""): Change[] {
  if (before === undefined && after === undefined) return [];
  if (before === undefined)
    return [{ op: "add", path, ...(after instanceof Secret ? HIDDEN : { value: shown(after) }) }];
  if (after === undefined) {
    return [{ op: "remove", path, ...(before instanceof Secret ? HIDDEN : { from: shown(before) }) }];
  }
  if (before instanceof Secret || after instanceof Secret) {
    return before instanceof Secret && before.equals(after) ? [] : [{ op: "replace", path, ...HIDDEN }];
  }
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => differences(before[name], after[name], `${path}/${escaped(name)}`));
  }
  if (isSame(before, after)) return [];
  return [{ op: "replace", path, value: shown(after), from: shown(before) }];
}

const HIDDEN = { secret: true } as const;

/** The JSON of a document, with `SECRET` for each secret. */
export function shown(document: Document): Json {
  if (document === undefined) return null;
  if (document instanceof Secret) return SECRET;
  if (Array.isArray(document)) return document.map(shown);
  if (!isObject(document)) return document as Json;
  const members = Object.entries(document).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members.map(([name, value]) => [name, shown(value)]));
}

/** Whether a document has members. */
export function isObject(document: Document): document is DocumentObject {
  return typeof document === "object" && document !== null && !Array.isArray(document) && !(document instanceof Secret);
}

/** The members of a document; none where it is no object. */
export function objectOf(document: Document): DocumentObject {
  return isObject(document) ? document : {};
}

function isSame(a: Document, b: Document): boolean {
  if (a instanceof Secret) return a.equals(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((element, at) => isSame(element, b[at]));
  }
  if (!isObject(a) || !isObject(b)) return isDeepStrictEqual(a, b);
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.every((name) => isSame(a[name], b[name]));
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
