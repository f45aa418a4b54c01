/**
 * The directory: all ranges of an index with their counts, which make any position and the exact total known without
 * reading names.
 *
 * DynamoDB may show a Query one half of a split (ranges are read committed one by one). Ranges are without gaps, so a half
 * shows: where one range does not end at the low of the next, one of the two is read again by its key. What comes out
 * holds every name once, each range as it was at some instant of the reading.
 */
import { compareKeys, LAST, type ReadOptions } from "../table.ts";
import { covers, type IndexContext, type Leaf, leafOf, type Range, rangeKey, rangeOf } from "./items.ts";
import { Moved, settle } from "./settle.ts";

/** Ranges asked for in one round trip; DynamoDB's megabyte ends a page at about 12,000. */
const RANGES_PER_PAGE = 10_000;

/** Leaves read in one round trip: 16 batches of 100 side by side, as the table sends them. */
const LEAVES_PER_WAVE = 1_600;

/** All ranges in order, and how many names lie before each. */
export interface Directory {
  readonly ranges: readonly Range[];
  /** `before[i]`: names in ranges 0 to i-1. One longer than `ranges`; the last element is the total. */
  readonly before: readonly number[];
}

/** Names in all ranges. */
export function totalOf({ before }: Directory): number {
  return before.at(-1) ?? 0;
}

/** The place in the list of the range that holds a key; -1 in an empty index. */
export function rangeAtKey(ranges: readonly Range[], key: string): number {
  return lastWhere(ranges, (range) => compareKeys(range.low, key) <= 0);
}

/** The place in the list of the range that holds a position, counted from 0; -1 in an empty index. */
export function rangeAtPosition({ ranges, before }: Directory, position: number): number {
  return Math.min(
    lastWhere(before, (names) => names <= position),
    ranges.length - 1,
  );
}

/** The ranges as one Query shows them: in order, perhaps with half a split. */
export async function readRanges({ table, keys }: IndexContext, options?: ReadOptions): Promise<Range[]> {
  const items = await table.queryAll({ PK: keys.ranges, from: ".", limit: RANGES_PER_PAGE, ...options });
  return items.map(rangeOf);
}

/** Reads the directory: one round trip up to about 10,000 ranges, and one more for each split that it meets half done. */
export async function readDirectory(context: IndexContext, options?: ReadOptions): Promise<Directory> {
  const { table, keys, deadlineMs } = context;
  const seen = new Map((await readRanges(context, options)).map((range) => [range.low, range]));
  const ranges = await settle(deadlineMs, async () => {
    const list = [...seen.values()].sort((a, b) => compareKeys(a.low, b.low));
    const lows = brokenLows(list);
    if (lows.length === 0) return list;
    // One by one, not as a batch: only single reads are never shown half a transaction.
    const items = await Promise.all(lows.map((low) => table.get(rangeKey(keys, low))));
    for (const item of items) {
      if (!item) continue;
      const range = rangeOf(item);
      seen.set(range.low, range);
    }
    throw new Moved("a split was seen half done");
  });
  const before = [0];
  let names = 0;
  for (const range of ranges) {
    names += range.count;
    before.push(names);
  }
  return { ranges, before };
}

/** The lows of the ranges to read (again), where a list of ranges has gaps or overlaps. None in an empty list. */
function brokenLows(ranges: readonly Range[]): string[] {
  const lows = ranges.length > 0 && ranges[0]?.low !== "" ? [""] : [];
  ranges.forEach((range, at) => {
    const next = ranges[at + 1]?.low ?? LAST;
    const order = compareKeys(range.high, next);
    if (order > 0) lows.push(range.low);
    if (order < 0) lows.push(range.high);
  });
  return lows;
}

/**
 * The names of some ranges, in no order within a range, 1,600 ranges a round trip; one more for a range that was split
 * since the directory was read. Every name of `[low, high)` comes, and no other.
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

/** The names of one range, from the leaf that was found under its low, and from the leaves that were split off it since. */
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

/** The index of the last element that passes, or -1. The test must hold for a first part of the list and not for the rest. */
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
