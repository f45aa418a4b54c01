/**
 * The rows of a value index. The pairs are partitioned into ranges, `[low, high)` by the UTF-8 bytes of their texts,
 * without gaps from "" to U+10FFFF. Each range has
 *
 * - a range row, which counts its pairs. The range rows of an index are in one partition: its directory;
 * - two delta rows with the changes since the last fold: for each pair how often it came less how often it went. The
 *   id of the pair decides which of the two has it;
 * - a pack of the pairs as they were at the last fold: the values, compressed, in one row, and the ids in another. Two
 *   slots take turns, so that a pack is complete before it counts.
 *
 * Packs, deltas and range carry the number of the fold that wrote them, by which a reader sees that they belong
 * together.
 *
 * The wide ranges of a name index are such ranges too (decision 0128). Their texts are names, which need no ids. So are
 * those of an index of columns (decision 0136): their changes are in the range row, and their packs have a row for each
 * column.
 */
import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { ColumnIndexKeys, PackedRangeKeys, ValueIndexKeys } from "../keys.ts";
import { as, bytes, number, rowCodec, text, withDefault } from "../row.ts";
import { compareKeys, type Item, type Key, type Table } from "../table.ts";
import type { CountedRange } from "./model.ts";
import { escaped, ID_BYTES, TIE_LENGTH, writeId } from "./pair.ts";

/** When ranges are folded and split. */
export interface ValueIndexLimits {
  /** Bytes of changes in the deltas of a range at which it is folded: a delta stays within 1 KB, one write unit. */
  readonly foldBytes: number;
  /**
   * Pairs at which a range is split, by the number of splits that led to it: the first ranges are small, so that a
   * young index spreads its writes.
   */
  readonly splitAt: (depth: number) => number;
  /** How many of the pairs of a full range stay in its first part. Default: half of them. */
  readonly kept?: (range: CountedRange, count: number) => number;
}

const FOLD_BYTES = 1_850;
/** 64 ranges of about 16 pairs, then 256 of about 100, then of 2,000 on average. */
const SPLITS: readonly (readonly [depth: number, pairs: number])[] = [
  [6, 32],
  [8, 150],
];
const SPLIT_AT = 2_850;

/** The attribute of wide ranges of names, which share a directory with narrow ranges. */
export const WIDE = "w";

/** The keys of an index of values, of names, which have no ids, or of columns. */
export type RangeKeys = PackedRangeKeys &
  Partial<Pick<ValueIndexKeys, "ids">> &
  Partial<Pick<ColumnIndexKeys, "columns" | "column" | "state">>;

/** Whether an index has the changes of a range in its row, and its packs in columns. */
export function hasColumns(keys: RangeKeys): keys is RangeKeys & ColumnIndexKeys {
  return keys.columns !== undefined;
}

/** What the parts of one index share. */
export interface ValueContext {
  readonly table: Table;
  readonly keys: RangeKeys;
  readonly limits: ValueIndexLimits;
}

/** The limits, with those that are not given. */
export function limitsOf(given: Partial<ValueIndexLimits>): ValueIndexLimits {
  const splitAt = (depth: number): number => SPLITS.find(([below]) => depth < below)?.[1] ?? SPLIT_AT;
  return { foldBytes: FOLD_BYTES, splitAt, ...given };
}

/** A lane, and what it counts: as a range does, since the last fold. */
export interface Lane {
  readonly low: string;
  readonly fold: number;
  readonly count: number;
  readonly pending: number;
  readonly changes: number;
  /** Net changes by the texts of records. */
  readonly own: ReadonlyMap<string, number>;
}

/** A range and its counts. */
export interface ValueRange extends CountedRange {
  /** Of the owners with several pairs, those that were counted in this range. */
  readonly several: number;
  /** Bytes of the changes since the last fold. */
  readonly pending: number;
  /** Grows with every change of a pair. */
  readonly changes: number;
  /**
   * The number of the last fold that was begun, and of the last that was completed: 0 for none. Below 0, how often a
   * range without packs was spread (spread.ts).
   */
  readonly ticket: number;
  readonly fold: number;
  /** Which slot has the pack of that fold. */
  readonly slot: number;
  /** How many splits led to the range. */
  readonly depth: number;
  /** Of an index of columns: the net changes since the last fold, by the texts of pairs. */
  readonly own?: ReadonlyMap<string, number>;
  /** Of the last range of such an index: the rows that have its changes. */
  readonly lanes?: readonly (Lane | undefined)[] | undefined;
}

const rangeRow = rowCodec<Omit<ValueRange, "low" | "own" | "lanes">>("value range", {
  high: as("hi", text),
  count: as("n", number),
  several: as("m", withDefault(number, 0)),
  pending: as("p", number),
  changes: as("c", number),
  ticket: as("t", number),
  fold: as("f", number),
  slot: as("s", number),
  depth: as("d", number),
});

/** The values of a pack, in order, each with how many pairs it has. Both texts are escaped. */
export interface PackedValue {
  readonly value: string;
  readonly facet: string;
  readonly count: number;
}

interface PackRow {
  readonly fold: number;
  readonly packed: Uint8Array;
}

const packRow = rowCodec<PackRow>("pack of values", { fold: as("f", number), packed: as("z", bytes) });

/** What begins the name of an attribute that has the change of a pair. */
const CHANGE = "+";
const HALF = ID_BYTES / 2;
const COUNT_BYTES = 4;
const FIXED_BYTES_OF_CHANGE = 4;
/** The character that stands for nothing shared. */
const FIRST_LENGTH = 0x21;
export const DELTAS = [0, 1] as const;

/** The key of a range. It begins with a dot, because a sort key cannot be empty. */
export function rangeKey(keys: Pick<RangeKeys, "ranges">, low: string): Key {
  return { PK: keys.ranges, SK: `.${low}` };
}

export function rangeOf(item: Item): ValueRange {
  const { changes: own } = deltaOf(item);
  return { low: item.SK.slice(1), ...rangeRow.read(item), ...(own.size > 0 && { own }) };
}

export function rangeItem(keys: RangeKeys, range: ValueRange): Item {
  return { ...rangeKey(keys, range.low), ...rangeRow.write(range), ...kindOfRange(keys) };
}

/** Whether an item is a wide range of names. */
export function isWideItem(item: Item): boolean {
  return item[WIDE] === true;
}

/** The attributes that a range of an index has because of its kind. */
export function kindOfRange(keys: RangeKeys): Readonly<Record<string, true>> {
  return areNames(keys) ? { [WIDE]: true } : {};
}

/** Whether the texts of an index are names. */
export function areNames(keys: RangeKeys): boolean {
  return !keys.ids && !hasColumns(keys);
}

/** Changes of pairs by their texts. */
export interface Delta {
  readonly fold: number;
  readonly changes: ReadonlyMap<string, number>;
}

/** Reads a delta row; a range without changes has none. */
export function deltaOf(item: Item | undefined): Delta {
  const changes = new Map<string, number>();
  for (const [name, value] of Object.entries(item ?? {})) {
    if (name.startsWith(CHANGE) && typeof value === "number") changes.set(name.slice(CHANGE.length), value);
  }
  return { fold: typeof item?.f === "number" ? item.f : 0, changes };
}

/** The attribute with the changes of a pair. */
export function changeName(pair: string): string {
  return `${CHANGE}${pair}`;
}

/**
 * Which delta has the changes of a text: the same for all pairs of an owner, so that another value is one step; of
 * names the whole name decides.
 */
export function deltaAt({ ids }: RangeKeys, text: string): number {
  const decisive = ids ? text.slice(-TIE_LENGTH) : text;
  return createHash("sha256").update(decisive).digest().readUInt8() % DELTAS.length;
}

/** The bytes that the change of a pair takes in a delta. */
export function changeBytes(pair: string): number {
  return Buffer.byteLength(pair) + FIXED_BYTES_OF_CHANGE;
}

/** Writes the values of a pack. Of each, what it shares with the one before is a number: front coding. */
export function valuesItem(key: Key, fold: number, values: readonly PackedValue[]): Item {
  let before = "";
  const parts = values.flatMap(({ value, facet, count }) => {
    const shared = sharedLength(before, value);
    before = value;
    return [`${String.fromCharCode(FIRST_LENGTH + shared)}${value.slice(shared)}`, facet, count.toString(36)];
  });
  return { ...key, ...packRow.write({ fold, packed: deflateRawSync(parts.join("\u0000")) }) };
}

/** How much two texts share at their beginning, in whole characters. */
function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < b.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  const last = length > 0 ? b.charCodeAt(length - 1) : 0;
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}

/**
 * Writes the ids of a pack, in the order of its pairs: the second halves, which are random, and then the first halves,
 * which are times and compressed.
 */
export function idsItem(key: Key, fold: number, pairs: readonly string[]): Item {
  const [times, rest] = [Buffer.alloc(pairs.length * HALF), Buffer.alloc(pairs.length * HALF)];
  const id = new Uint8Array(ID_BYTES);
  for (const [at, pair] of pairs.entries()) {
    writeId(pair, id);
    times.set(id.subarray(0, HALF), at * HALF);
    rest.set(id.subarray(HALF), at * HALF);
  }
  const count = Buffer.alloc(COUNT_BYTES);
  count.writeUInt32BE(pairs.length);
  return { ...key, ...packRow.write({ fold, packed: Buffer.concat([count, rest, deflateRawSync(times)]) }) };
}

/** Decodes the ids of a pack: 16 bytes for each. */
export function packedIds(packed: Uint8Array): Uint8Array {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const count = bytes.readUInt32BE();
  const restEnd = COUNT_BYTES + count * HALF;
  const times = inflateRawSync(bytes.subarray(restEnd));
  const ids = new Uint8Array(count * ID_BYTES);
  for (let at = 0; at < count; at += 1) {
    for (let byte = 0; byte < HALF; byte += 1) {
      ids[at * ID_BYTES + byte] = times[at * HALF + byte] as number;
      ids[at * ID_BYTES + HALF + byte] = bytes[COUNT_BYTES + at * HALF + byte] as number;
    }
  }
  return ids;
}

/** Reads a pack row; `undefined` where it is of another fold. */
export function packOf(item: Item | undefined, fold: number): Uint8Array | undefined {
  if (!item) return undefined;
  const row = packRow.read(item);
  return row.fold === fold ? row.packed : undefined;
}

/** Decodes the values of a pack. */
export function packedValues(packed: Uint8Array): readonly PackedValue[] {
  const text = inflateRawSync(packed).toString("utf8");
  if (text === "") return [];
  const parts = text.split("\u0000");
  const values: PackedValue[] = [];
  let value = "";
  for (let at = 0; at < parts.length; at += 3) {
    const coded = parts[at] ?? "";
    value = value.slice(0, coded.charCodeAt(0) - FIRST_LENGTH) + coded.slice(1);
    values.push({ value, facet: parts[at + 1] ?? "", count: Number.parseInt(parts[at + 2] ?? "", 36) });
  }
  return values;
}

/** The values of a pack for texts of an index that are in order. */
export function packedValuesOf({ ids }: RangeKeys, texts: readonly string[]): readonly PackedValue[] {
  return ids ? valuesOfPairs(texts) : texts.map((name) => ({ value: escaped(name), facet: "", count: 1 }));
}

/** The values of pairs that are in order. */
export function valuesOfPairs(pairs: readonly string[]): readonly PackedValue[] {
  const values: { value: string; facet: string; count: number }[] = [];
  for (const pair of pairs) {
    const [value = "", facet = ""] = pair.split("\u0000");
    const last = values.at(-1);
    if (last && last.value === value && last.facet === facet) last.count += 1;
    else values.push({ value, facet, count: 1 });
  }
  return values;
}

/** The shortest beginning of a text that comes after another text, so that ranges have short keys. */
export function separator(before: string, after: string): string {
  let kept = "";
  for (const character of after) {
    kept += character;
    if (compareKeys(kept, before) > 0) return kept;
  }
  return after;
}
