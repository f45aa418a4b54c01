/**
 * The one table, as the stores see it: items by key, one form of range query, and all-or-nothing writes in which every
 * step says what it expects to find and which fault it means when that does not hold.
 */
import { compareText } from "../platform/text-order.ts";

/** A value that DynamoDB can hold, as the document client maps it. */
export type Value =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | ReadonlySet<string>
  | readonly Value[]
  | { readonly [name: string]: Value | undefined };

/** Where an item lies. PK: 1 to 2,048 bytes; SK: 1 to 1,024 bytes; both well-formed. */
export interface Key {
  readonly PK: string;
  readonly SK: string;
}

/** An item: its key and its attributes. Attributes that are `undefined` are not stored. */
export type Item = Key & { readonly [name: string]: Value | undefined };

/** What a write depends on. There is no write without one. */
export type When =
  | "absent"
  | "present"
  /** Whatever is there. For what only ever moves one way, so that whoever writes last is right. */
  | "any"
  /** The item exists, every attribute of `equal` has that value and every attribute of `above` is greater (strings by UTF-8 bytes). */
  | { readonly equal?: Readonly<Record<string, Value>>; readonly above?: Readonly<Record<string, string>> };

/**
 * Called when the condition of a step does not hold, with the item that is there instead.
 * It answers the error to throw, or `"applied"` when what is there shows that this very write has happened already
 * (its first answer was lost).
 */
export type Otherwise = (found: Item | undefined) => Error | "applied";

/** One write of a transaction. */
export type Step = { readonly when: When; readonly otherwise: Otherwise } & (
  | { readonly put: Item }
  | {
      readonly change: Key;
      readonly set?: Readonly<Record<string, Value>>;
      /** Numbers are added, string sets united. */
      readonly add?: Readonly<Record<string, number | ReadonlySet<string>>>;
      /** Members taken out of string sets. */
      readonly take?: Readonly<Record<string, ReadonlySet<string>>>;
      /** Attributes removed. */
      readonly clear?: readonly string[];
    }
  | { readonly remove: Key }
  | { readonly check: Key }
);

/** A range of one partition, in sort-key order (UTF-8 bytes), both ends included. */
export interface RangeQuery {
  readonly PK: string;
  readonly from?: string;
  readonly to?: string;
  /** The most items to evaluate in one round trip, 1 to 10,000. */
  readonly limit: number;
  /** From the end of the range to its start. */
  readonly backwards?: boolean;
  /** False reads at half the price and may miss what was written an instant ago. Default true. */
  readonly consistent?: boolean;
  /** Continue behind this key, which must lie in the range. */
  readonly after?: Key;
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

/**
 * The table. Every method throws `service.unavailable` when DynamoDB stays out of reach or busy to the deadline, having
 * retried with jitter.
 */
export interface Table {
  /** One item. */
  get(key: Key, options?: ReadOptions): Promise<Item | undefined>;
  /** Many items, in the order of the keys, in as few round trips as DynamoDB allows (100 a call, 16 calls side by side). */
  getMany(keys: readonly Key[], options?: ReadOptions): Promise<(Item | undefined)[]>;
  /** Up to 100 items as they were at one instant (a serializable read), in the order of the keys. */
  snapshot(keys: readonly Key[]): Promise<(Item | undefined)[]>;
  /** One page of a range. */
  query(range: RangeQuery): Promise<Page>;
  /** A whole range, page after page, or its first items up to `most`. */
  queryAll(range: RangeQuery, most?: number): Promise<Item[]>;
  /**
   * All steps (1 to 100) or none. The first step whose condition fails decides what is thrown. A conflict with another
   * transaction is retried with jitter to a deadline; a lost answer is asked for again with the same token, so that
   * nothing is applied twice.
   */
  write(...steps: readonly Step[]): Promise<void>;
  /** Adds to counters of one item, making it if need be, and answers the item after it. Not all-or-nothing with anything else; may count twice when an answer is lost. */
  count(key: Key, add: Readonly<Record<string, number>>, set?: Readonly<Record<string, Value>>): Promise<Item>;
  /** Removes one item, whether it is there or not. */
  forget(key: Key): Promise<void>;
}

/** The least sort key. */
export const FIRST = "\u0000";

/** The greatest string that a sort key can start with: `[p, p + LAST]` holds every key with the prefix p. */
export const LAST = "\u{10FFFF}";

/** Order of sort keys in DynamoDB: by UTF-8 bytes. */
export const compareKeys = compareText;
