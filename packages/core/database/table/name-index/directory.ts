/**
 * The directory: all ranges of an index with their counts, which give any position and the exact total without reading
 * names.
 *
 * A Query may return one half of a split or join, because DynamoDB reads each item separately. Ranges have no gaps, so
 * that this is visible: where a range does not end at the low of the next, both are read again by their keys. The
 * result contains every name once, each range as it was at some instant of the read.
 */

import { withoutGaps } from "../gaps.ts";
import { Moved, settle } from "../settle.ts";
import { compareKeys, type Item, type Key, LAST, type ReadOptions } from "../table.ts";
import { contentKeys, contentsOf, pairTexts } from "../value-index/contents.ts";
import { covers, type IndexContext, isWide, leafOf, type Range, rangeKey, rangeOf } from "./items.ts";

/** Ranges that one round trip requests; DynamoDB's megabyte ends a page at about 12,000. */
const RANGES_PER_PAGE = 10_000;

/** Rows that one round trip reads: 16 concurrent batches of 100. */
const ROWS_PER_WAVE = 1_600;

/** All ranges in order, and the number of names before each. */
export interface Directory {
  readonly ranges: readonly Range[];
  /** `before[i]`: names in ranges 0 to i-1. One longer than `ranges`; the last element is the total. */
  readonly before: readonly number[];
}

/** Names in all ranges. */
export function totalOf({ before }: Directory): number {
  return before.at(-1) ?? 0;
}

/** The position in the list of the range that covers a key; -1 in an empty index. */
export function rangeAtKey(ranges: readonly Range[], key: string): number {
  return lastWhere(ranges, (range) => compareKeys(range.low, key) <= 0);
}

/** The position in the list of the range with the name at a position, counted from 0; -1 in an empty index. */
export function rangeAtPosition({ ranges, before }: Directory, position: number): number {
  return Math.min(
    lastWhere(before, (names) => names <= position),
    ranges.length - 1,
  );
}

/** The ranges as one Query returns them: in order, perhaps with half of a split. */
export async function readRanges({ table, keys }: IndexContext, options?: ReadOptions): Promise<Range[]> {
  const items = await table.queryAll({ PK: keys.ranges, from: ".", limit: RANGES_PER_PAGE, ...options });
  return items.map(rangeOf);
}

/**
 * The range that covers a name; `undefined` in an empty index. It may be out of date: every write that depends on it
 * has a condition. Throws `Moved` when a split is read half done.
 */
export async function locate(context: IndexContext, key: string, consistent: boolean): Promise<Range | undefined> {
  const { table, keys } = context;
  const { PK, SK: to } = rangeKey(keys, key);
  const item = await table.nearest({ PK, from: ".", to }, (one) => covers(rangeOf(one), key), { consistent });
  if (!item) return undefined;
  const range = rangeOf(item);
  if (covers(range, key)) return range;
  // The read returned the left part of a split; the right part begins where it ends.
  const right = await table.get(rangeKey(keys, range.high));
  if (right && covers(rangeOf(right), key)) return rangeOf(right);
  throw new Moved("a split was read half done");
}

/**
 * Reads the directory: one round trip up to about 10,000 ranges, and one more for each split that it reads half done.
 */
export async function readDirectory(context: IndexContext, options?: ReadOptions): Promise<Directory> {
  const { table, keys, deadlineMs } = context;
  const readOne = async (low: string): Promise<Range | undefined> => {
    const item = await table.get(rangeKey(keys, low));
    return item && rangeOf(item);
  };
  const ranges = await withoutGaps(await readRanges(context, options), { low: "", high: LAST }, readOne, deadlineMs);
  const before = [0];
  let names = 0;
  for (const range of ranges) {
    names += range.count;
    before.push(names);
  }
  return { ranges, before };
}

/**
 * The names of some ranges, in no order within a range. One round trip for each 1,600 rows: a narrow range has one, a
 * wide one up to three. More where ranges were folded, split or joined since the directory was read. Yields every name
 * of `[low, high)`, and no other.
 */
export async function* readNames(
  context: IndexContext,
  ranges: readonly Range[],
  options?: ReadOptions,
): AsyncGenerator<{ readonly range: Range; readonly names: readonly string[] }, void> {
  for (let wave = 0; wave < ranges.length; ) {
    const inWave: Range[] = [];
    for (let rows = 0; wave < ranges.length; wave += 1) {
      const range = ranges[wave] as Range;
      rows += rowKeys(context, range).length;
      if (rows > ROWS_PER_WAVE) break;
      inWave.push(range);
    }
    const items = await context.table.getMany(
      inWave.flatMap((range) => rowKeys(context, range)),
      options,
    );
    let at = 0;
    for (const range of inWave) {
      const own = items.slice(at, at + rowKeys(context, range).length);
      at += own.length;
      yield { range, names: await namesIn(context, range, own) };
    }
  }
}

/** The keys of the rows with the names of a range. */
function rowKeys({ keys }: IndexContext, range: Range): readonly Key[] {
  return isWide(range) ? contentKeys(keys, range, false) : [keys.leaf(range.low)];
}

/** The names of one range, from its rows, and from what it has become since. */
async function namesIn(
  context: IndexContext,
  range: Range,
  items: readonly (Item | undefined)[],
): Promise<readonly string[]> {
  if (isWide(range)) {
    const contents = contentsOf(range, items, false);
    return contents ? pairTexts(contents) : namesBetween(context, range.low, range.high);
  }
  const names: string[] = [];
  let [item] = items;
  for (let { low } = range; ; item = await context.table.get(context.keys.leaf(low))) {
    // The range was joined with others.
    if (!item) return [...names, ...(await namesBetween(context, low, range.high))];
    const leaf = leafOf(item);
    for (const name of leaf.names) if (leaf.high === range.high || covers(range, name)) names.push(name);
    if (compareKeys(leaf.high, range.high) >= 0) return names;
    // A part was split off since; its leaf is at its low.
    low = leaf.high;
  }
}

/** The names from one text to before another, from the ranges as they are now. */
function namesBetween(context: IndexContext, low: string, high: string): Promise<readonly string[]> {
  const { table, deadlineMs } = context;
  const misread = (): Error => new Moved("a range was read while it was written");
  return settle(deadlineMs, async () => {
    const ranges = await rangesBetween(context, low, high);
    const names: string[] = [];
    for (const range of ranges) {
      const items = await table.getMany(rowKeys(context, range));
      const own = isWide(range) ? contentsOf(range, items, false) : items[0] && leafOf(items[0]);
      if (!own || ("names" in own && own.high !== range.high)) throw misread();
      names.push(...("names" in own ? own.names : pairTexts(own)));
    }
    return names.filter((name) => compareKeys(low, name) <= 0 && compareKeys(name, high) < 0);
  });
}

/** The ranges that cover what is between two texts. Throws `Moved` where a change of ranges is read half done. */
async function rangesBetween(context: IndexContext, low: string, high: string): Promise<readonly Range[]> {
  const { table, keys } = context;
  const items = await table.queryAll({ PK: keys.ranges, from: `.${low}`, to: `.${high}`, limit: RANGES_PER_PAGE });
  const within = items.map(rangeOf).filter((range) => compareKeys(range.low, high) < 0);
  const first = within[0]?.low === low ? undefined : await locate(context, low, true);
  const ranges = first ? [first, ...within] : within;
  const isWhole = ranges.every(({ high: end }, at) => {
    const next = ranges[at + 1]?.low;
    return next === undefined ? compareKeys(end, high) >= 0 : end === next;
  });
  if (!isWhole || ranges.length === 0) throw new Moved("a change of ranges was read half done");
  return ranges;
}

/** The position of the last element that passes, or -1. The elements that pass must precede all others. */
function lastWhere<T>(list: readonly T[], test: (item: T) => boolean): number {
  let from = 0;
  let to = list.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const item = list[middle];
    if (item !== undefined && test(item)) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
