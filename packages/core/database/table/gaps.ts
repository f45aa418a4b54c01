/**
 * Lists of ranges without gaps. A Query may return one half of a split, or of ranges that were joined, because DynamoDB
 * reads each item separately. Where a range does not end at the low of the next, one of the two is out of date.
 */
import { Moved, settle } from "./settle.ts";
import { compareKeys } from "./table.ts";

/** From `low` to before `high`, by the bytes of texts. */
interface Bounds {
  readonly low: string;
  readonly high: string;
}

/**
 * The ranges from one text to another in order and without gaps: reads again, by `readOne`, what a split left behind.
 * One round trip for each split that was read half done. An empty list stays empty. Throws `service.unavailable` where
 * the gaps stay for longer than the deadline.
 */
export async function withoutGaps<Range extends Bounds>(
  ranges: readonly Range[],
  { low: from, high: to }: Bounds,
  readOne: (low: string) => Promise<Range | undefined>,
  deadlineMs: number,
): Promise<readonly Range[]> {
  if (ranges.length === 0) return ranges;
  const seen = new Map(ranges.map((range) => [range.low, range]));
  return settle(deadlineMs, async () => {
    const list = [...seen.values()].sort((a, b) => compareKeys(a.low, b.low));
    const lows = lowsToRead(list, from, to);
    if (lows.length === 0) return list;
    // One by one, not as a batch: only a single read never returns half of a transaction.
    const read = await Promise.all(lows.map(readOne));
    for (const [at, low] of lows.entries()) {
      const range = read[at];
      if (range) seen.set(low, range);
      else seen.delete(low);
    }
    throw new Moved("a split was read half done");
  });
}

/** The lows of the ranges to read again, where a list of ranges has gaps or overlaps. */
function lowsToRead(ranges: readonly Bounds[], from: string, to: string): string[] {
  const lows = new Set(ranges[0]?.low === from ? [] : [from]);
  ranges.forEach((range, at) => {
    const order = compareKeys(range.high, ranges[at + 1]?.low ?? to);
    if (order !== 0) lows.add(range.low);
    if (order < 0) lows.add(range.high);
    // The range was split since, or those that it overlaps were joined with it.
    for (let next = at + 1; order > 0 && next < ranges.length; next += 1) {
      const { low = to } = ranges[next] ?? {};
      if (compareKeys(low, range.high) >= 0) break;
      lows.add(low);
    }
  });
  return [...lows];
}
