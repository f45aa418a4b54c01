/**
 * The directory: all ranges of an index with their counts, which give any position and the exact total without reading
 * names.
 *
 * A Query may return one half of a split, because DynamoDB reads each item separately. Ranges have no gaps, so that
 * this is visible: where a range does not end at the low of the next, one of the two is read again by its key. The
 * result contains every name once, each range as it was at some instant of the read.
 */

import { withoutGaps } from "../gaps.ts";
import { Moved, settle } from "../settle.ts";
import { compareKeys, LAST, type ReadOptions } from "../table.ts";
import { covers, type IndexContext, type Leaf, leafOf, type Range, rangeKey, rangeOf } from "./items.ts";

/** Ranges that one round trip requests; DynamoDB's megabyte ends a page at about 12,000. */
const RANGES_PER_PAGE = 10_000;

/** Leaves that one round trip reads: 16 concurrent batches of 100. */
const LEAVES_PER_WAVE = 1_600;

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
 * The names of some ranges, in no order within a range. One round trip for each 1,600 ranges, and one more for a range
 * that was split since the directory was read. Yields every name of `[low, high)`, and no other.
 */
export async function* readNames(
  context: IndexContext,
  ranges: readonly Range[],
  options?: ReadOptions,
): AsyncGenerator<{ readonly range: Range; readonly names: readonly string[] }, void> {
  for (let wave = 0; wave < ranges.length; wave += LEAVES_PER_WAVE) {
    const inWave = ranges.slice(wave, wave + LEAVES_PER_WAVE);
    const items = await context.table.getMany(
      inWave.map((range) => context.keys.leaf(range.low)),
      options,
    );
    for (const [at, range] of inWave.entries()) {
      const item = items[at];
      yield { range, names: await namesIn(context, range, item && leafOf(item)) };
    }
  }
}

/** The names of one range, from the leaf at its low, and from leaves that were split off since. */
async function namesIn(context: IndexContext, range: Range, found: Leaf | undefined): Promise<string[]> {
  const { table, keys, deadlineMs } = context;
  const names: string[] = [];
  let low = range.low;
  for (let leaf = found; ; leaf = undefined) {
    leaf ??= await settle(deadlineMs, async () => {
      const item = await table.get(keys.leaf(low));
      if (!item) throw new Moved(`no leaf at "${low}"`);
      return leafOf(item);
    });
    for (const name of leaf.names) if (leaf.high === range.high || covers(range, name)) names.push(name);
    if (compareKeys(leaf.high, range.high) >= 0) return names;
    low = leaf.high;
  }
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
