/**
 * The three kinds of items of a name index, and the layout of a whole one.
 *
 * An entry per name claims the name. The names are cut into ranges, `[low, high)` by UTF-8 bytes, without gaps from "" to
 * U+10FFFF. A range item counts its names; a leaf item holds the names themselves. A leaf repeats its range's `high`, so
 * that a reader who meets a leaf younger than the range it came by sees where the rest of the names went.
 */
import type { NameListKeys } from "../keys.ts";
import { compareKeys, type Item, type Key, LAST, type Table, type Value } from "../table.ts";
import { bytesOf } from "./name-key.ts";

/** Bytes of names at which a range is split before it takes another: a leaf stays within four write units. */
export const SPLIT_BYTES = 4_000;

/** The share of SPLIT_BYTES to which `layout` fills a range; ranges that grew by themselves hold as much on average. */
const FILL = 0.75;

/** What the parts of one index share. */
export interface IndexContext {
  readonly table: Table;
  readonly keys: NameListKeys;
  /** Bytes of names at which a range is split. */
  readonly splitBytes: number;
  /** Milliseconds after which a call that never meets a settled index gives up with `service.unavailable`. */
  readonly deadlineMs: number;
}

/** What an entry stores: the id of what bears the name, and whatever lists want to show. `PK`, `SK` and `key` are taken. */
export interface EntryAttributes {
  readonly id: string;
  readonly [attribute: string]: Value | undefined;
}

/** A name as the index answers it. */
export type Entry = EntryAttributes & { readonly key: string };

/** A counted range of names, as one item said. */
export interface Range {
  /** The least name that it can hold. */
  readonly low: string;
  /** The least name that it cannot hold any more. */
  readonly high: string;
  readonly count: number;
  /** UTF-8 bytes of its names together. */
  readonly bytes: number;
  /** Grows with every write. */
  readonly version: number;
}

/** The names of one range, as one item said. */
export interface Leaf {
  /** That of its range. */
  readonly high: string;
  /** In no order. */
  readonly names: ReadonlySet<string>;
}

/** Where the item of the range with that low lies. The dot allows for the empty low: a sort key cannot be empty. */
export function rangeKey(keys: NameListKeys, low: string): Key {
  return { PK: keys.ranges, SK: `.${low}` };
}

/** Reads a range item. */
export function rangeOf(item: Item): Range {
  return {
    low: item.SK.slice(1),
    high: text(item, "hi"),
    count: number(item, "n"),
    bytes: number(item, "b"),
    version: number(item, "v"),
  };
}

function number(item: Item, attribute: string): number {
  const value = item[attribute];
  if (typeof value !== "number") throw new Error(`${item.PK} ${item.SK}: ${attribute} is not a number`);
  return value;
}

/** Writes a range item. */
export function rangeItem(keys: NameListKeys, range: Range): Item {
  return {
    ...rangeKey(keys, range.low),
    n: range.count,
    b: range.bytes,
    hi: range.high,
    v: range.version,
  };
}

/** Reads a leaf item. One that was emptied has no set: DynamoDB holds no empty ones. */
export function leafOf(item: Item): Leaf {
  return {
    high: text(item, "hi"),
    names: item.k instanceof Set ? item.k : new Set<string>(),
  };
}

/** Writes a leaf item. */
export function leafItem(keys: NameListKeys, low: string, high: string, names: Iterable<string>): Item {
  const k = new Set(names);
  return { ...keys.leaf(low), hi: high, ...(k.size > 0 && { k }) };
}

/** Reads an entry. */
export function entryOf({ PK: _, SK, ...attributes }: Item): Entry {
  return {
    ...attributes,
    id: String(attributes.id),
    key: SK,
  };
}

/** Writes an entry. */
export function entryItem(keys: NameListKeys, key: string, entry: EntryAttributes): Item {
  return {
    ...entry,
    ...keys.entry(key),
  };
}

/** Whether a range holds that key if anything does. */
export function covers(range: Range, key: string): boolean {
  return compareKeys(range.low, key) <= 0 && compareKeys(key, range.high) < 0;
}

/** Bytes of names together. */
export function bytesOfAll(names: Iterable<string>): number {
  let sum = 0;
  for (const name of names) sum += bytesOf(name);
  return sum;
}

/** The range over these names, which must be all of `[low, high)`. */
export function rangeOver(low: string, high: string, names: readonly string[], version: number): Range {
  return {
    low,
    high,
    count: names.length,
    bytes: bytesOfAll(names),
    version,
  };
}

/**
 * The items of a whole index, for loading many names into one that is still empty and that nobody else writes to.
 * Nothing comes of no entries: an empty index has no items.
 * @param entries in the order of their keys, each key (of `nameKey`) once; @throws RangeError otherwise
 */
export function* layout(keys: NameListKeys, entries: Iterable<Entry>, splitBytes = SPLIT_BYTES): Generator<Item, void> {
  let low = "";
  let names: string[] = [];
  let bytes = 0;
  const close = (high: string): Item[] => [
    rangeItem(keys, rangeOver(low, high, names, 0)),
    leafItem(keys, low, high, names),
  ];
  let last = "";
  for (const { key, ...attributes } of entries) {
    if (compareKeys(last, key) >= 0) throw new RangeError(`"${key}" does not come behind "${last}"`);
    if (bytes >= splitBytes * FILL) {
      yield* close(key);
      low = key;
      names = [];
      bytes = 0;
    }
    // Destructuring a type with an index signature loses the attributes that it names.
    yield entryItem(keys, key, attributes as EntryAttributes);
    names.push(key);
    bytes += bytesOf(key);
    last = key;
  }
  if (names.length > 0) yield* close(LAST);
}

function text(item: Item, attribute: string): string {
  const value = item[attribute];
  if (typeof value !== "string") throw new Error(`${item.PK} ${item.SK}: ${attribute} is not a string`);
  return value;
}
