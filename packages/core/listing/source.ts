/** What a list is made from, and what it is asked for. */
import { Fault } from "../platform/faults.ts";
import type { BoundFilter, Compare, Operand } from "../scim/filter/bound.ts";
import type { Resource } from "../scim/schema/attribute.ts";
import type { NameReads } from "../table/name-index/reads.ts";
import { compareKeys, type ReadOptions } from "../table/table.ts";
import type { NamePlan, Vocabulary } from "./plan.ts";

/** The most resources that one request looks at one by one. */
export const CANDIDATES_MAX = 10_000;

/** A resource as an index or a roster names it. */
export interface Named {
  readonly id: string;
  /** As the index of its source writes it. */
  readonly key: string;
}

/** Resources of one source that have something in common, listed in the order of their ids: the members of a group. */
export interface Roster {
  /** How many there are. */
  readonly count: number;
  /** Some of them, behind an id or from the beginning (with `backwards` from the end), and whether more follow. One round trip. */
  read(part: {
    readonly limit: number;
    readonly after?: string | undefined;
    readonly backwards?: boolean;
  }): Promise<{ readonly entries: readonly Named[]; readonly more: boolean }>;
  /** All of them, in no order; a few round trips. With `consistent` false at half the price and an instant behind. */
  readAll(options: { readonly consistent: boolean }): Promise<readonly Named[]>;
}

/** Resources of one source that are kept elsewhere, in an order and a number that nobody here knows. */
export interface Outside<T> {
  /** At least those that match, in pages of at most so many, in an order that lasts while nothing changes. */
  walk(filter: BoundFilter | undefined, limit: number): AsyncIterable<readonly T[]>;
  /** True where totals count all matches, which reads all of them; otherwise those of the page. */
  readonly countsAll: boolean;
}

/** The resources of one kind in one user store. */
export interface Source<T> extends Vocabulary {
  /** Set where they are kept elsewhere; then there is no index to read. */
  readonly outside?: Outside<T> | undefined;
  readonly index: NameReads;
  /** Reads resources by their ids, in order; those that are gone, or of another store, are `undefined`. */
  readMany(ids: readonly string[], options?: ReadOptions): Promise<readonly (T | undefined)[]>;
  /** The key of a resource in the index. */
  keyOf(thing: T): string;
  /**
   * The resources as filters and orders look at them, with the bare name. `looksAt` holds the names of the attributes that
   * matter (as `pathName` gives them); others that would have to be read for it may be missing.
   */
  resourcesOf(things: readonly T[], looksAt: ReadonlySet<string>): Promise<readonly Resource[]>;
  /** The ids of those that satisfy an equality which `canLookUp`; more than `most` where there are more. */
  lookUp(equality: Compare, most: number): Promise<readonly string[]>;
  /** The roster of an equality which `hasRoster`; `undefined` where nothing of this source satisfies it. */
  roster?(equality: Compare): Promise<Roster | undefined>;
}

/** An order by an attribute; resources that it holds equal are in the order of their names. */
export interface Ordering {
  /** The attribute's name, as `pathName` gives it. */
  readonly attribute: string;
  valueOf(resource: Resource): Operand | undefined;
  compare(a: Operand | undefined, b: Operand | undefined): number;
}

/** Which resources, in which order. */
export interface Query {
  /** One for each source, bound for it. */
  readonly filters: readonly (BoundFilter | undefined)[];
  /** `undefined`: by name. */
  readonly order: Ordering | undefined;
  /** By name, the greatest first. */
  readonly backwards: boolean;
  /** True where no order was asked for: then a very long roster may come in its own. */
  readonly anyOrder?: boolean;
  /** Which names, where no filter can say it (wildcards); then filters do not count. */
  readonly names?: Pick<NamePlan, "prefix" | "test"> | undefined;
}

/** A part of a list. */
export interface Window {
  readonly offset: number;
  readonly limit: number;
}

/** Where a walk by cursor stands: behind the resource with that key, in that source. */
export interface Position {
  readonly source: number;
  readonly key: string;
  /** Set where the walk goes by the ids of a roster: behind this one. */
  readonly id?: string | undefined;
  /** What it was ordered by, where that is not its name. */
  readonly value?: Operand | undefined;
}

/** The order of a query. */
export function comparePositions(a: Position, b: Position, { order, backwards }: Query): number {
  const byName = a.source - b.source || compareKeys(a.key, b.key);
  return (order?.compare(a.value, b.value) ?? 0) || (backwards ? -byName : byName);
}

/** Without what is not there. */
export function present<T>(list: readonly (T | undefined)[]): T[] {
  return list.flatMap((one) => (one === undefined ? [] : [one]));
}

/** The fault of a list that looks at too much. */
export function tooMany(
  reason = `The filter or the order would have to look at more than ${CANDIDATES_MAX} resources.`,
): Fault {
  return new Fault(
    "scim.too_many",
    `${reason} Narrow it with userName (eq, sw), displayName, id, externalId, emails or groups.`,
  );
}
