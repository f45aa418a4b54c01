/**
 * What a value index is for those who use it. It holds the values of one attribute of all users of one user store, in
 * order, so that lists are filtered and sorted by the attribute at any number of users (decision 0095).
 */
/** One value of one owner. A pair is in an index once. */
export interface Pair {
  /**
   * In the form in which filters compare it; `indexedText` makes it. "" where the owner lacks the attribute: such a
   * marker comes before all values.
   */
  readonly value: string;
  /**
   * What else filters require of the element with the value: the type of an e-mail address. Values of several facets
   * are in the order of their facets. "" where the attribute has no facet.
   */
  readonly facet: string;
  /** The owner's: a UUID. */
  readonly id: string;
}

/** Values that come and go with one change of one owner. */
export interface PairChange {
  readonly added: readonly Pair[];
  readonly removed: readonly Pair[];
  /**
   * How many more owners have several pairs after the change: 1, 0 or -1. Totals of an index in which no owner has
   * several are those of its owners.
   */
  readonly several: -1 | 0 | 1;
  /**
   * Grows with each change of the owner, from 0 to 2^44: an index behind a log keeps them in this order. Without it, by
   * the clock of the container.
   */
  readonly order?: number;
}

/** A place between two values: before or after all pairs with the value. */
export interface Bound {
  readonly value: string;
  readonly side: "before" | "after";
}

/** Values from one bound to another. An absent bound is the start or the end of the index. */
export interface Interval {
  readonly from?: Bound | undefined;
  readonly to?: Bound | undefined;
}

/** Decides about a value and its facet. */
export type ValueTest = (value: string, facet: string) => boolean;

/** Where in an index pairs may match, and which of those do. */
export interface ValueMatch {
  /** In order, apart from each other. */
  readonly intervals: readonly Interval[];
  /** Absent: all pairs of the intervals match. */
  readonly test?: ValueTest | undefined;
}

/** A part of an index, `[low, high)` by the UTF-8 bytes of the texts of pairs, and how many pairs it has. */
export interface CountedRange {
  readonly low: string;
  /** The least text after the range. */
  readonly high: string;
  readonly count: number;
}

/** Ids as sets of 128-bit numbers. Immutable. */
export interface IdSet {
  readonly size: number;
  has(id: string): boolean;
  /** How many of the ids whose bytes stand one after the other are in the set. For millions of them. */
  countOf(ids: Uint8Array): number;
  and(other: IdSet): IdSet;
  or(other: IdSet): IdSet;
  without(other: IdSet): IdSet;
  /** In the order of ids, which for users is that of their creation. */
  slice(offset: number, limit: number): readonly string[];
  /** The position of the first id that is greater, counted from 0. */
  positionAfter(id: string): number;
}

/** The matches of an index, counted. Positions count them from 0 in the order of `comparePairs`. */
export interface Matches extends MatchPages {
  /** The owners of all matches. Reads the ids of all ranges with matches. */
  owners(): Promise<IdSet>;
  /**
   * The matches of some owners, counted in the same order. Reads the ids of all ranges with matches, with eventual
   * consistency: one round trip, 2,400 units for 1,000,000 matches.
   */
  keptFor(owners: IdSet): Promise<MatchPages>;
}

/** Matches by their positions. */
export interface MatchPages {
  /** Pairs, not owners. */
  readonly total: number;
  /** One round trip; at most two. */
  window(window: {
    readonly offset: number;
    readonly limit: number;
    readonly backwards?: boolean;
  }): Promise<readonly Pair[]>;
  /** What follows a pair, which need not exist any more, and whether more follow. */
  after(
    pair: Pair | undefined,
    limit: number,
    backwards?: boolean,
  ): Promise<{ readonly pairs: readonly Pair[]; readonly more: boolean }>;
}

/** An index, as one list reads it: the counts of all of its ranges. */
export interface ValueDirectory {
  /** All pairs. */
  readonly total: number;
  /** Owners with several pairs. Where it is 0, totals of pairs are totals of owners. */
  readonly owningSeveral: number;
  /**
   * Counts matches. One round trip, which reads the values at the ends of the intervals, or with a test all values of
   * the intervals. None where the counts of ranges suffice.
   */
  matches(match: ValueMatch): Promise<Matches>;
}
