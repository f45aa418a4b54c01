/**
 * The three kinds of items of a name index, and the layout of a whole one.
 *
 * Each name has an entry, which is its uniqueness guard. The names are partitioned into ranges, `[low, high)` by UTF-8
 * bytes, without gaps from "" to U+10FFFF. A range item counts its names; a leaf item contains them. A leaf repeats the
 * `high` of its range, so that a reader of a leaf that is newer than its range finds the rest of the names.
 */
import type { NameListKeys } from "../keys.ts";
import { as, type Field, misfit, number, rowCodec, text, withDefault } from "../row.ts";
import { compareKeys, type Item, type Key, LAST, type Table, type Value } from "../table.ts";
import { bytesOf } from "./name-key.ts";

/** Bytes of names at which a range is split before a name is added: a leaf stays within four write units. */
export const SPLIT_BYTES = 4_000;

/** The share of SPLIT_BYTES to which `layout` fills a range: the average of ranges after splits. */
const FILL = 0.75;

/** What the parts of one index share. */
export interface IndexContext {
  readonly table: Table;
  readonly keys: NameListKeys;
  /** Bytes of names at which a range is split. */
  readonly splitBytes: number;
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
export interface Range {
  /** The least name that it can contain. */
  readonly low: string;
  /** The least name after the range. */
  readonly high: string;
  readonly count: number;
  /** The total UTF-8 bytes of its names. */
  readonly bytes: number;
  /** Grows with every write. */
  readonly version: number;
  /** How many splits led to the range, up to `DEEP`. */
  readonly depth: number;
}

/** From this depth on, ranges are split by their bytes alone. Ranges of older releases and of loaders are deep. */
export const DEEP = 8;

/** Not stored for deep ranges: most ranges of a large index. */
const depthField: Field<number> = {
  ...withDefault(number, DEEP),
  write: (depth) => (depth < DEEP ? depth : undefined),
};

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

const rangeRow = rowCodec<Omit<Range, "low">>("name range", {
  high: as("hi", text),
  count: as("n", number),
  bytes: as("b", number),
  version: as("v", number),
  depth: as("d", depthField),
});
const leafRow = rowCodec<Leaf>("name leaf", { high: as("hi", text), names: as("k", names) });
const entryRow = rowCodec<{ readonly id: string }>("name", { id: text });

/** The key of the range item with a low. It begins with a dot, because a sort key cannot be empty. */
export function rangeKey(keys: NameListKeys, low: string): Key {
  return { PK: keys.ranges, SK: `.${low}` };
}

/** Reads a range item. */
export function rangeOf(item: Item): Range {
  return { low: item.SK.slice(1), ...rangeRow.read(item) };
}

/** Writes a range item. */
export function rangeItem(keys: NameListKeys, range: Range): Item {
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

/** The range of these names, which must be all of `[low, high)`. */
export function rangeOver(
  low: string,
  high: string,
  names: readonly string[],
  { version = 0, depth = DEEP }: Partial<Pick<Range, "version" | "depth">> = {},
): Range {
  return { low, high, count: names.length, bytes: bytesOfAll(names), version, depth };
}

/**
 * The items of a whole index, to load many names into an empty index that has no other writer. None for no entries: an
 * empty index has no items. The entries must be in the order of their keys, each key (of `nameKey`) once; throws
 * `RangeError` otherwise.
 */
export function* layout(keys: NameListKeys, entries: Iterable<Entry>, splitBytes = SPLIT_BYTES): Generator<Item, void> {
  let low = "";
  let names: string[] = [];
  let bytes = 0;
  const close = (high: string): Item[] => [
    rangeItem(keys, rangeOver(low, high, names)),
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
