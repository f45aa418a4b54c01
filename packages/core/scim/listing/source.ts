/** The sources of a list, and its query. */

import type { NameReads } from "../../database/table/name-index/reads.ts";
import { compareKeys, type Item, type ManyReadOptions } from "../../database/table/table.ts";
import type { ValueIndexes } from "../../database/table/value-index/value-index.ts";
import type { BoundFilter, Compare, Operand } from "../protocol/filter/bound.ts";
import type { Resource } from "../protocol/schema/attribute.ts";
import type { NamePlan, Vocabulary } from "./plan.ts";

/** A resource as a name index or a member list identifies it. */
export interface NamedId {
  readonly id: string;
  /** The name in the form of the name index. */
  readonly key: string;
}

/** The members of a group, stored in the order of their ids. */
export interface MemberList {
  readonly count: number;
  /**
   * Members after an id, or the first ones (with `backwards` the last ones), and whether more follow. One round trip.
   */
  read(part: {
    readonly limit: number;
    readonly after?: string | undefined;
    readonly backwards?: boolean;
  }): Promise<{ readonly entries: readonly NamedId[]; readonly more: boolean }>;
  /** All members, in no order; a few round trips. `consistent: false` costs half and may miss the latest writes. */
  readAll(options: { readonly consistent: boolean }): Promise<readonly NamedId[]>;
}

/** Resources in an external directory, which decides their order and reports no total. */
export interface ExternalList<T> {
  /** Yields a superset of the matches, in pages of at most `limit`, in an order that is stable between changes. */
  walk(filter: BoundFilter | undefined, limit: number): AsyncIterable<readonly T[]>;
  /** True: totals count all matches, which reads all of them. False: totals count the page. */
  readonly countsAll: boolean;
}

/** Counts the work of one list, over all of its sources. Each method throws `scim.too_many` for too much of it. */
export interface Work {
  /** An item that was read, counted once: of several user stores, each may read the same ones. */
  read(item: Item): void;
  /** Comparisons of a value with a term, before they are made. */
  compare(count: number): void;
}

/** The resources of one type in one user store. */
export interface Source<T> extends Vocabulary {
  /** Set for a directory, whose name index is not read. */
  readonly external?: ExternalList<T> | undefined;
  readonly index: NameReads;
  /** Of attributes as `pathName` writes them. Without it, names, lookups and member lists serve every list. */
  readonly indexes?: ValueIndexes | undefined;
  /** Items by id, in the order of `ids`; `undefined` for one that is deleted or belongs to another store. */
  readMany(ids: readonly string[], options?: ManyReadOptions): Promise<readonly (T | undefined)[]>;
  /** The item's key in the name index. */
  keyOf(item: T): string;
  /**
   * The resources that filters and orders evaluate, named without their user store. Attributes that need further reads
   * may be missing unless `attributes` (as `pathName` writes them) includes them.
   */
  resourcesOf(items: readonly T[], attributes: ReadonlySet<string>): Promise<readonly Resource[]>;
  /**
   * A superset of the ids of the items that were changed or created since a time; `undefined` where that cannot be
   * told. Needed where `changedSince` is.
   */
  changedIds?(sinceMs: number): Promise<readonly string[] | undefined>;
  /** The ids that satisfy an equality for which `canLookUp` is true; more than `most` where there are more. */
  lookUp(equality: Compare, most: number): Promise<readonly string[]>;
  /** The list of an equality for which `hasMemberList` is true; `undefined` where this source has no such group. */
  memberList?(equality: Compare): Promise<MemberList | undefined>;
}

/** An order by an attribute; the name breaks ties. */
export interface Ordering {
  /** As `pathName` writes it. */
  readonly attribute: string;
  readonly descending: boolean;
  valueOf(resource: Resource): Operand | undefined;
  compare(a: Operand | undefined, b: Operand | undefined): number;
}

/** Which resources, in which order. */
export interface Query {
  /** One for each source, bound for it. */
  readonly filters: readonly (BoundFilter | undefined)[];
  /** `undefined`: by name. */
  readonly order: Ordering | undefined;
  /** By name, descending. */
  readonly backwards: boolean;
  /** True where the request has no order: a large member list may then come in the order of its ids. */
  readonly anyOrder?: boolean;
  /** What the list may still do. A list that has none yet starts a count of its own. */
  readonly work?: Work | undefined;
  /** Names that no SCIM filter can express (wildcards); replaces `filters`. */
  readonly names?: Pick<NamePlan, "prefix" | "test"> | undefined;
}

/** A part of a list. */
export interface Window {
  readonly offset: number;
  readonly limit: number;
}

/**
 * Where the next page of a cursor starts: after this resource of this source. Cursors store it, so its members keep
 * their names.
 */
export interface Position {
  readonly source: number;
  readonly key: string;
  /** Set where the pages follow the ids of a member list or of a set of ids, or the order of an index. */
  readonly id?: string | undefined;
  /** The sort value, where the order is not by name, or the value in the order of an index. */
  readonly value?: Operand | undefined;
  /** Set where the pages follow the order of an index. */
  readonly facet?: string | undefined;
}

/** Compares two positions in the order of a query. */
export function comparePositions(a: Position, b: Position, { order, backwards }: Query): number {
  const byName = a.source - b.source || compareKeys(a.key, b.key);
  return (order?.compare(a.value, b.value) ?? 0) || (backwards ? -byName : byName);
}

/** The elements that are not `undefined`. */
export function defined<T>(list: readonly (T | undefined)[]): T[] {
  return list.flatMap((one) => (one === undefined ? [] : [one]));
}
