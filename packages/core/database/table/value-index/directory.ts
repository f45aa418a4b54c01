/**
 * The directory of a value index: all ranges with their counts. A Query may return one half of a split, because
 * DynamoDB reads each item separately. Ranges have no gaps, so that this is visible, and one of the two is read again.
 */
import { withoutGaps } from "../gaps.ts";
import type { ColumnIndexKeys } from "../keys.ts";
import { Moved, settle } from "../settle.ts";
import { compareKeys, type Item, LAST, type ReadOptions } from "../table.ts";
import { lanesIn, withLanes } from "./lanes.ts";
import { rangeKey, rangeOf, type ValueContext, type ValueRange } from "./range-rows.ts";

/** Ranges that one round trip requests; DynamoDB's megabyte ends a page at about 10,000. */
export const RANGES_PER_PAGE = 10_000;
const DEADLINE_MS = 10_000;

/** All ranges of an index in order. None for an index without pairs. One round trip. */
export async function readRanges(context: ValueContext, options?: ReadOptions): Promise<readonly ValueRange[]> {
  const { table, keys } = context;
  const items = await table.queryAll({ PK: keys.ranges, from: ".", limit: RANGES_PER_PAGE, ...options });
  return rangesIn(context, items);
}

/** The ranges of items that a Query returned, without gaps. */
export function rangesIn(context: ValueContext, items: readonly Item[]): Promise<readonly ValueRange[]> {
  return completed(context, items.map(rangeOf), "", LAST);
}

/**
 * The same for the whole partition of an index of columns: the last range has what its lanes have. Throws `Moved` where
 * it was folded meanwhile.
 */
export async function recordRangesIn(
  context: ValueContext & { readonly keys: ColumnIndexKeys },
  items: readonly Item[],
): Promise<readonly ValueRange[]> {
  const ranges = await rangesIn(
    context,
    items.filter(({ SK }) => SK.startsWith(".")),
  );
  return ranges.map((range) => withLanes(range, lanesIn(context.keys, items)));
}

/**
 * The range that covers a text of an index of columns, with the changes of the last range. `undefined` in an empty
 * index. One round trip.
 */
export function locateRecord(
  context: ValueContext & { readonly keys: ColumnIndexKeys },
  text: string,
  consistent: boolean,
): Promise<ValueRange | undefined> {
  const { table, keys } = context;
  let isFirst = true;
  return settle(DEADLINE_MS, async () => {
    const isStrong = consistent || !isFirst;
    isFirst = false;
    const [range, { items }] = await Promise.all([
      locate(context, text, isStrong),
      table.query({ PK: keys.ranges, from: keys.state.SK, to: ".", limit: RANGES_PER_PAGE, consistent: isStrong }),
    ]);
    return range && withLanes(range, lanesIn(keys, items));
  });
}

/** The ranges from the low of one to the high of another, as they are now. */
export async function readSpan(context: ValueContext, low: string, high: string): Promise<readonly ValueRange[]> {
  const { table, keys } = context;
  const items = await table.queryAll({ PK: keys.ranges, from: `.${low}`, to: `.${high}`, limit: RANGES_PER_PAGE });
  const ranges = items.map(rangeOf).filter((range) => compareKeys(range.low, high) < 0);
  return completed(context, ranges, low, high);
}

/**
 * The range that covers a text; `undefined` in an empty index. It may be out of date, unless it is read consistently.
 */
export async function locate(context: ValueContext, text: string, consistent = false): Promise<ValueRange | undefined> {
  const { table, keys } = context;
  const { PK, SK: to } = rangeKey(keys, text);
  const covers = ({ high }: ValueRange): boolean => compareKeys(text, high) < 0;
  const near = async (consistent: boolean): Promise<ValueRange | undefined> => {
    const item = await table.nearest({ PK, from: ".", to }, (one) => covers(rangeOf(one)), { consistent });
    return item && rangeOf(item);
  };
  const range = await near(consistent);
  if (!range || covers(range)) return range;
  // The read returned the left part of a split, which is complete by now.
  return settle(DEADLINE_MS, async () => {
    const right = await near(true);
    if (!right || !covers(right)) throw new Moved("a split was read half done");
    return right;
  });
}

/** The ranges of a span without gaps. */
function completed(
  { table, keys }: ValueContext,
  ranges: readonly ValueRange[],
  low: string,
  high: string,
): Promise<readonly ValueRange[]> {
  const readOne = async (at: string): Promise<ValueRange | undefined> => {
    const item = await table.get(rangeKey(keys, at));
    return item && rangeOf(item);
  };
  return withoutGaps(ranges, { low, high }, readOne, DEADLINE_MS);
}
