/** The owners of parts of a filter, and what remains of them where parts are joined. */
import type { IdSet } from "../../../database/table/value-index/model.ts";

/** The owners of a part of a tree: those of the set, or with `isRest` all others. */
export interface Owners {
  readonly set: IdSet;
  readonly isRest: boolean;
  /** False where the part has fewer. */
  readonly isExact: boolean;
}

/** Those of both. */
export function intersection(a: Owners, b: Owners): Owners {
  const isExact = a.isExact && b.isExact;
  if (a.isRest && b.isRest) return { set: a.set.or(b.set), isRest: true, isExact };
  if (a.isRest) return { set: b.set.without(a.set), isRest: false, isExact };
  return { set: b.isRest ? a.set.without(b.set) : a.set.and(b.set), isRest: false, isExact };
}

/** Those of either. */
export function union(a: Owners, b: Owners): Owners {
  const isExact = a.isExact && b.isExact;
  if (a.isRest && b.isRest) return { set: a.set.and(b.set), isRest: true, isExact };
  if (a.isRest) return { set: a.set.without(b.set), isRest: true, isExact };
  return b.isRest
    ? { set: b.set.without(a.set), isRest: true, isExact }
    : { set: a.set.or(b.set), isRest: false, isExact };
}
