/**
 * The items of a name index, and the layout of a whole one.
 *
 * Each name has an entry, which is its uniqueness guard. The names are partitioned into ranges, `[low, high)` by UTF-8
 * bytes, without gaps from "" to U+10FFFF. A range item counts its names. There are two kinds of ranges:
 *
 * - Of a narrow range, a leaf item contains the names. A leaf repeats the `high` of its range, so that a reader of a
 *   leaf that is newer than its range finds the rest of the names.
 * - A wide range has some ten times as many names, in a pack and in deltas, as ranges of a value index have
 *   (decision 0128). Indexes with many names have wide ranges.
 */
import type { NameListKeys } from "../keys.ts";
import { as, type Field, misfit, number, rowCodec, text } from "../row.ts";
import { compareKeys, type Item, LAST, type Table, type Value } from "../table.ts";
import {
  isWideItem,
  rangeKey,
  type ValueContext,
  type ValueRange,
  WIDE,
  rangeOf as wideRangeOf,
} from "../value-index/range-rows.ts";
import { bytesOf } from "./name-key.ts";

export { rangeKey };

/** Bytes of names at which a narrow range is split before a name is added: a leaf stays within four write units. */
export const SPLIT_BYTES = 4_000;

/** The share of SPLIT_BYTES to which `layout` fills a range: the average of ranges after splits. */
const FILL = 0.75;

/** What the parts of one index share. */
export interface IndexContext {
  readonly table: Table;
  readonly keys: NameListKeys;
  /** Bytes of names at which a narrow range is split. */
  readonly splitBytes: number;
  /** A full narrow range becomes a wide one when this number of splits led to it. */
  readonly widenAt: number;
  /** The same table and keys, for what wide ranges contain. */
  readonly wide: ValueContext;
  /** Milliseconds after which a call that other writers keep interrupting throws `service.unavailable`. */
  readonly deadlineMs: number;
}

/**
 * The attributes of an entry: the id of the owner of the name, and values for lists. `PK`, `SK` and `key` are reserved.
 */
export interface EntryAttributes {
  readonly id: string;
  readonly [attribute: string]: Value | undefined;
}

/** A name as the index returns it. */
export type Entry = EntryAttributes & { readonly key: string };

/** A range of names and its counts, as one item stores them. */
export type Range = NarrowRange | WideRange;

/** A range whose names are in packs, as in a value index: its texts are the names. */
export type WideRange = ValueRange;

/** A range whose names are in a leaf. */
export interface NarrowRange {
  /** The least name that it can contain. */
  readonly low: string;
  /** The least name after the range. */
  readonly high: string;
  readonly count: number;
  /** The total UTF-8 bytes of its names. */
  readonly bytes: number;
  /** Grows with every write. */
  readonly version: number;
  /** How many splits led to the range. */
  readonly depth: number;
}

/** From this depth on, ranges are split by their bytes alone, and not where writers meet. */
export const DEEP = 8;

/** The names of one range, as one item stores them. */
export interface Leaf {
  /** The `high` of its range. */
  readonly high: string;
  /** In no order. */
  readonly names: ReadonlySet<string>;
}

/**
 * The set as DynamoDB returns it. DynamoDB ensures that all elements of a set have one type: only the first is checked.
 */
const names: Field<ReadonlySet<string>> = {
  expects: "a set of texts or absent",
  parse(stored = new Set()) {
    if (!(stored instanceof Set)) return misfit;
    const [first = ""] = stored;
    return typeof first === "string" ? stored : misfit;
  },
  write: (value) => (value.size > 0 ? value : undefined),
};

const rangeRow = rowCodec<Omit<NarrowRange, "low">>("name range", {
  high: as("hi", text),
  count: as("n", number),
  bytes: as("b", number),
  version: as("v", number),
  depth: as("d", number),
});
const leafRow = rowCodec<Leaf>("name leaf", { high: as("hi", text), names: as("k", names) });
const entryRow = rowCodec<{ readonly id: string }>("name", { id: text });

/** Reads a range item. */
export function rangeOf(item: Item): Range {
  return isWideItem(item) ? wideRangeOf(item) : { low: item.SK.slice(1), ...rangeRow.read(item) };
}

/** Whether a range is a wide one. */
export function isWide(range: Range): range is WideRange {
  return "fold" in range;
}

/** The attributes that a narrow range lacks, for conditions: a range item may be of either kind. */
export const LACKING_IN_NARROW = [WIDE] as const;

/** Writes a range item. */
export function rangeItem(keys: NameListKeys, range: NarrowRange): Item {
  return { ...rangeKey(keys, range.low), ...rangeRow.write(range) };
}

/** Reads a leaf item. An empty leaf has no set: DynamoDB stores no empty sets. */
export const leafOf: (item: Item) => Leaf = leafRow.read;

/** Writes a leaf item. */
export function leafItem(keys: NameListKeys, low: string, high: string, names: Iterable<string>): Item {
  return { ...keys.leaf(low), ...leafRow.write({ high, names: new Set(names) }) };
}

/** Reads an entry. */
export function entryOf(item: Item): Entry {
  const { PK: _, SK: key, ...attributes } = item;
  return { ...attributes, ...entryRow.read(item), key };
}

/** Writes an entry. */
export function entryItem(keys: NameListKeys, key: string, entry: EntryAttributes): Item {
  return {
    ...entry,
    ...keys.entry(key),
  };
}

/** Whether a key is in a range. */
export function covers(range: Range, key: string): boolean {
  return compareKeys(range.low, key) <= 0 && compareKeys(key, range.high) < 0;
}

/** The total bytes of some names. */
export function bytesOfAll(names: Iterable<string>): number {
  let sum = 0;
  for (const name of names) sum += bytesOf(name);
  return sum;
}

/** The narrow range of these names, which must be all of `[low, high)`. */
export function rangeOver(
  low: string,
  high: string,
  names: readonly string[],
  depth: number,
  version = 0,
): NarrowRange {
  return { low, high, count: names.length, bytes: bytesOfAll(names), version, depth };
}

/**
 * The items of a whole index of narrow ranges, to load many names into an empty index that has no other writer. None
 * for no entries: an empty index has no items. The entries must be in the order of their keys, each key (of `nameKey`)
 * once; throws `RangeError` otherwise.
 */
export function* layout(keys: NameListKeys, entries: Iterable<Entry>, splitBytes = SPLIT_BYTES): Generator<Item, void> {
  let low = "";
  let names: string[] = [];
  let bytes = 0;
  const close = (high: string): Item[] => [
    rangeItem(keys, rangeOver(low, high, names, DEEP)),
    leafItem(keys, low, high, names),
  ];
  let last = "";
  for (const { key, ...attributes } of entries) {
    if (compareKeys(last, key) >= 0) throw new RangeError(`"${key}" does not come after "${last}"`);
    if (bytes >= splitBytes * FILL) {
      yield* close(key);
      low = key;
      names = [];
      bytes = 0;
    }
    // The type of the rest lacks the attributes that the index signature names.
    yield entryItem(keys, key, attributes as EntryAttributes);
    names.push(key);
    bytes += bytesOf(key);
    last = key;
  }
  if (names.length > 0) yield* close(LAST);
}
