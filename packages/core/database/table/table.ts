/**
 * The one table, as the stores see it: items by key, one form of range query, and transactions in which every step has
 * a condition, and an error for the case that the condition fails.
 */
import { compareText } from "../../kernel/text-order.ts";

/** A value that DynamoDB can store. */
export type Value =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | ReadonlySet<string>
  | readonly Value[]
  | { readonly [name: string]: Value | undefined };

/** The key of an item. PK: 1 to 2,048 bytes; SK: 1 to 1,024 bytes; both well-formed Unicode. */
export interface Key {
  readonly PK: string;
  readonly SK: string;
}

/** An item: its key and its attributes. Attributes that are `undefined` are not stored. */
export type Item = Key & { readonly [name: string]: Value | undefined };

/** The condition of a write. Every write has one. */
export type When =
  | "absent"
  | "present"
  /** No condition: for values that the last writer may always replace. */
  | "any"
  /**
   * The item exists, every attribute of `equal` has that value, every attribute of `above` is greater (strings by UTF-8
   * bytes), those of `lacking` do not exist, and those of `unlike` do not have that value.
   */
  | {
      readonly equal?: Readonly<Record<string, Value>>;
      readonly above?: Readonly<Record<string, string>>;
      readonly lacking?: readonly string[];
      readonly unlike?: Readonly<Record<string, string>>;
    };

/**
 * Called when the condition of a step fails, with the current item. Returns the error to throw, or `"applied"` when the
 * item shows that this write was applied before (its response was lost).
 */
export type Otherwise = (found: Item | undefined) => Error | "applied";

/**
 * When a transaction takes effect where the change of a request is held back until its response is known (decision
 * 0086). `early`: at once, because it has no effect without the change. An object: work that another request does if
 * this one cannot, once the change has happened; transactions with the same object may happen in any order. No step of
 * a transaction has a timing where it is the change itself.
 */
export type Timing = "early" | { readonly isLeftToOthers: true };

/** What the record of a change compares, where the row holds only a part of its resource. */
export interface Noted {
  readonly before?: Item | undefined;
  readonly after?: Item | undefined;
  /** True where a password was set elsewhere. */
  readonly hasNewPassword?: boolean;
}

/** One write of a transaction. */
export type Step = {
  readonly when: When;
  readonly otherwise: Otherwise;
  /** Not stored. */
  readonly noted?: Noted;
  /** Absent for the change itself. Not stored. */
  readonly timing?: Timing;
  /**
   * Called when DynamoDB cancels the transaction because another one is writing the item. Returns the error to throw,
   * or `undefined` to try again, which is what happens without it. Not called where a write is kept back. Not stored.
   */
  readonly contended?: () => Error | undefined;
} & (
  | { readonly put: Item }
  | {
      readonly change: Key;
      readonly set?: Readonly<Record<string, Value>>;
      /** Numbers are added; string sets are united. */
      readonly add?: Readonly<Record<string, number | ReadonlySet<string>>>;
      /** Members removed from string sets. */
      readonly take?: Readonly<Record<string, ReadonlySet<string>>>;
      /** Attributes that are removed. */
      readonly clear?: readonly string[];
      /** The first attribute gets the value, and each other what the one before it had; "" where that had none. */
      readonly push?: { readonly value: string; readonly through: readonly string[] };
    }
  | { readonly remove: Key }
  | { readonly check: Key }
);

/** A range of one partition, in sort-key order (UTF-8 bytes), both ends included. */
export interface RangeQuery {
  readonly PK: string;
  readonly from?: string;
  readonly to?: string;
  /** The most items of one round trip, 1 to 10,000. */
  readonly limit: number;
  /** From the end of the range to its start. */
  readonly backwards?: boolean;
  /** False reads at half the price and may miss the latest writes. Default true. */
  readonly consistent?: boolean;
  /** Reads the keys of the items alone: for functions that may know no more of them. */
  readonly keysOnly?: boolean;
  /** Continue after this key, which must be in the range. */
  readonly after?: Key;
}

/** From which sort key of a partition to which the last item is searched, both included. */
export interface NearestQuery {
  readonly PK: string;
  readonly from: string;
  readonly to: string;
}

/** One page of a range. `next` is set when there may be more. */
export interface Page {
  readonly items: readonly Item[];
  readonly next?: Key;
}

/** How an item is read. */
export interface ReadOptions {
  /** Default true. */
  readonly consistent?: boolean;
}

/** How many items are read. */
export interface ManyReadOptions extends ReadOptions {
  /** Called with each item. What it throws ends the read. A table that records changes does not keep such items. */
  readonly spend?: ((item: Item) => void) | undefined;
}

/** How one item is read. */
export interface ItemReadOptions extends ReadOptions {
  /** Reads the key alone, for what is only checked: the function needs no right to read the item. Default false. */
  readonly keyOnly?: boolean;
}

/**
 * The table. Every method retries transient failures with jitter, and throws `service.unavailable` when DynamoDB is
 * still unreachable or busy at the deadline.
 */
export interface Table {
  /**
   * Set where writes are kept back: to be written later, or never. What is read may then never become true: nothing of
   * it outlives the request.
   */
  readonly keeps?: "until later" | "for good";
  /** One item. */
  get(key: Key, options?: ItemReadOptions): Promise<Item | undefined>;
  /** Many items, in the order of the keys. One round trip for each 1,600 (16 concurrent calls of 100). */
  getMany(keys: readonly Key[], options?: ManyReadOptions): Promise<(Item | undefined)[]>;
  /** Up to 100 items at one instant (a serializable read), in the order of the keys. */
  snapshot(keys: readonly Key[]): Promise<(Item | undefined)[]>;
  /** One page of a range. */
  query(range: RangeQuery): Promise<Page>;
  /**
   * The last item from one sort key to another, in a partition of ranges without gaps. `covers`: whether an item is the
   * one. A read that is not consistent, the default, may return what was the last item a moment ago. Those of the same
   * moment are one round trip together; there is one more where an item is not the one that the container remembers.
   */
  nearest(query: NearestQuery, covers: (item: Item) => boolean, options?: ReadOptions): Promise<Item | undefined>;
  /** A whole range, page after page, or its first items up to `most`. */
  queryAll(range: RangeQuery, most?: number): Promise<Item[]>;
  /**
   * One transaction of 1 to 100 steps. The first step whose condition fails decides what is thrown. Conflicts with
   * other transactions are retried; after a lost response the write is repeated with the same token, so that it is
   * applied once.
   */
  write(...steps: readonly Step[]): Promise<void>;
  /**
   * Puts an item without a transaction, which costs half, unless there is one whose `attribute` is a greater number.
   * Returns whether the item is there as it was given. Where writes are kept back, it is put at once: for what has no
   * effect until a transaction refers to it. Of one number there must be one item.
   */
  putNewer(item: Item, attribute: string): Promise<boolean>;
  /**
   * Adds to counters of one item, which it creates if necessary, and returns the new item. May count twice when a
   * response is lost.
   */
  count(key: Key, add: Readonly<Record<string, number>>, set?: Readonly<Record<string, Value>>): Promise<Item>;
  /** Removes one item if it exists. */
  forget(key: Key): Promise<void>;
}

/** The least sort key. */
export const FIRST = "\u0000";

/** The greatest string that a sort key can start with: `[p, p + LAST]` contains every key with the prefix p. */
export const LAST = "\u{10FFFF}";

/** Order of sort keys in DynamoDB: by UTF-8 bytes. */
export const compareKeys = compareText;

/** The key of the row that a step is about. */
export function keyOf(step: Step): Key {
  const { PK, SK } =
    "put" in step ? step.put : "change" in step ? step.change : "remove" in step ? step.remove : step.check;
  return { PK, SK };
}

/** A text that stands for a key, and for no other. */
export function identityOf({ PK, SK }: Key): string {
  return `${PK}\u0000${SK}`;
}
