/** Documents: the settings of one resource as plain data, in a form in which equal settings are equal documents. */

import { isReference } from "./references.ts";

export type Value = string | number | boolean | null | readonly Value[] | Document;
export interface Document {
  readonly [name: string]: Value;
}

/** One leaf that differs between two documents. */
export interface Difference {
  /** `protocols.oidc.grantTypes`. */
  readonly path: string;
  /** Absent: the document has no such leaf. */
  readonly from?: Value;
  readonly to?: Value;
}

export function isDocument(value: unknown): value is Document {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy as plain data: without members that are undefined. */
export function plainData(value: unknown): Document {
  return JSON.parse(JSON.stringify(value)) as Document;
}

/** The document without what the defaults say anyway. Objects are compared by member, everything else as a whole. */
export function withoutDefaults(document: Document, defaults: Document): Document {
  const entries = Object.entries(document).flatMap(([name, value]): [string, Value][] => {
    const usual = defaults[name];
    if (isDocument(value)) {
      const rest = withoutDefaults(value, isDocument(usual) ? usual : {});
      return Object.keys(rest).length > 0 ? [[name, rest]] : [];
    }
    return isSame(value, usual) ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

/** The document without empty texts, lists and objects, and without `false`: where each of them means "not set". */
export function withoutEmpty(document: Document): Document {
  const entries = Object.entries(document).flatMap(([name, value]): [string, Value][] => {
    const rest = isDocument(value) ? withoutEmpty(value) : value;
    return rest === false || isEmpty(rest) ? [] : [[name, rest]];
  });
  return Object.fromEntries(entries);
}

export function isEmpty(value: Value): boolean {
  return value === "" || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/**
 * Whether two values are equal. The order of members does not matter, that of lists does. Two references to secrets
 * are equal: what they refer to cannot be compared without showing it.
 */
export function isSame(one: Value | undefined, other: Value | undefined): boolean {
  if (isReference(one) && isReference(other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, index) => isSame(value, other[index]));
  }
  if (isDocument(one) && isDocument(other)) {
    const names = Object.keys(one);
    return names.length === Object.keys(other).length && names.every((name) => isSame(one[name], other[name]));
  }
  return one === other;
}

/** The leaves that differ, in the order of their paths. Lists are leaves. */
export function differences(from: Document, to: Document, before = ""): readonly Difference[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  return names.flatMap((name) => {
    const [old, next] = [from[name], to[name]];
    const path = before + (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));
    if (isSame(old, next)) return [];
    if ((isDocument(old) || old === undefined) && (isDocument(next) || next === undefined)) {
      return differences(old ?? {}, next ?? {}, `${path}.`);
    }
    return [{ path, ...(old !== undefined && { from: old }), ...(next !== undefined && { to: next }) }];
  });
}
