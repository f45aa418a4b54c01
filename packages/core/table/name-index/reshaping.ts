/**
 * Work of operators on a whole name index in use: joining its narrow ranges to wide ones, making narrow ranges of them
 * again for a release that knows no others, and mending a range by the entries (decision 0128).
 */
import { pause } from "../../platform/clock.ts";
import type { NameListKeys } from "../keys.ts";
import { Moved, settle } from "../settle.ts";
import { isStale, stale, whileConflicting } from "../stale.ts";
import { compareKeys, LAST, type Step, type Table } from "../table.ts";
import { pairTexts, readAtOnce } from "../value-index/contents.ts";
import { fillRange } from "../value-index/fold.ts";
import { DELTAS, shapeOfRange } from "../value-index/range-rows.ts";
import { claimedIn } from "./audit.ts";
import { readDirectory } from "./directory.ts";
import {
  bytesOfAll,
  type IndexContext,
  isWide,
  LACKING_IN_NARROW,
  leafItem,
  type NarrowRange,
  type Range,
  rangeItem,
  rangeKey,
  rangeOf,
  rangeOver,
  type WideRange,
} from "./items.ts";
import { indexContext, type NameIndexOptions } from "./name-index.ts";
import { bytesOf } from "./name-key.ts";
import { widen } from "./widening.ts";

/** An index with fewer ranges is read as cheaply with narrow ones, and its writers spread better. */
const WIDE_FROM = 256;
/** What is joined to one range: as many names as wide ranges have on average, in one transaction. */
const JOINED_NAMES = 2_000;
const JOINED_BYTES = 100_000;
const JOINED_RANGES = 20;
/** The share of a full narrow range to which narrow ranges are filled. */
const FILL = 0.75;
/** A transaction is seen in part for some milliseconds. */
const WHOLE_AFTER_MS = 100;
/** Rows of a transaction that are not those of narrow ranges. */
const OTHER_ROWS = 4;
const ROWS_MOST = 100;

/** How many ranges an index has. */
export interface RangeCounts {
  readonly narrow: number;
  readonly wide: number;
}

/** One round trip. */
export async function countRanges(table: Table, keys: NameListKeys): Promise<RangeCounts> {
  const { ranges } = await readDirectory(indexContext(table, keys));
  const wide = ranges.filter(isWide).length;
  return { narrow: ranges.length - wide, wide };
}

/**
 * Joins the narrow ranges of an index with many ranges to wide ones. Each step is a transaction that keeps the index
 * exact, so it may end at any time, and be begun again. Yields after each step how many narrow ranges it looked at.
 * About 60 write units for 1,000 names. Ranges next to one that a writer makes wide meanwhile may stay narrow until the
 * next run.
 */
export async function* widenRanges(
  table: Table,
  keys: NameListKeys,
  options: NameIndexOptions & { readonly wideFrom?: number } = {},
): AsyncGenerator<number, void> {
  const context = indexContext(table, keys, options);
  const { ranges } = await readDirectory(context);
  if (ranges.length < (options.wideFrom ?? WIDE_FROM)) return;
  let run: NarrowRange[] = [];
  const sum = (numberOf: (range: NarrowRange) => number) => run.reduce((total, range) => total + numberOf(range), 0);
  for (const range of [...ranges, undefined]) {
    const fits =
      range &&
      !isWide(range) &&
      run.length < JOINED_RANGES &&
      sum(({ count }) => count) + range.count <= JOINED_NAMES &&
      sum(({ bytes }) => bytes) + range.bytes <= JOINED_BYTES;
    if (!fits && run.length > 0) {
      await joined(context, run);
      yield run.length;
      run = [];
    }
    if (range && !isWide(range)) run.push(range);
  }
}

/** Joins ranges, or what has become of them: up to the first that is wide, because only neighbours can be joined. */
async function joined(context: IndexContext, run: readonly NarrowRange[]): Promise<void> {
  const [low, high] = [run[0]?.low ?? "", run.at(-1)?.high ?? LAST];
  let left = run;
  await settle(context.deadlineMs, async (before) => {
    if (before > 0) {
      const { ranges } = await readDirectory(context);
      const inside = ranges.filter((one) => compareKeys(low, one.low) <= 0 && compareKeys(one.high, high) <= 0);
      left = firstNarrow(inside).slice(0, JOINED_RANGES);
    }
    if (left.length > 0 && !(await widen(context, left))) throw new Moved("the ranges were written meanwhile");
  });
}

/** The first narrow ranges that no wide one is between. */
function firstNarrow(ranges: readonly Range[]): readonly NarrowRange[] {
  const found: NarrowRange[] = [];
  for (const range of ranges) {
    if (!isWide(range)) found.push(range);
    else if (found.length > 0) break;
  }
  return found;
}

/**
 * Makes narrow ranges of all wide ones, for a release that knows no others, and which must be the only one then: where
 * another release splits one meanwhile, a half is left for the next run. Yields after each range.
 */
export async function* narrowRanges(
  table: Table,
  keys: NameListKeys,
  options: NameIndexOptions = {},
): AsyncGenerator<void, void> {
  const context = indexContext(table, keys, options);
  const { ranges } = await readDirectory(context);
  for (const range of ranges) {
    if (!isWide(range)) continue;
    await settled(() => narrow(context, range.low));
    yield;
  }
}

async function narrow(context: IndexContext, low: string): Promise<void> {
  const { table, keys, wide } = context;
  const current = await readAtOnce(wide, low);
  if (!current) return;
  const { range, contents } = current;
  if (!contents) throw stale();
  const parts = partsOf(context, range, pairTexts(contents));
  // A split that had its ticket before this read leaves number and ticket as they are, and ends the range earlier.
  const unchanged = { equal: { c: range.changes, t: range.ticket, hi: range.high, ...shapeOfRange(keys) } };
  await table.write(
    ...parts.flatMap(({ names, ...part }, at): Step[] => [
      { put: rangeItem(keys, part), when: at === 0 ? unchanged : "absent", otherwise: stale },
      { put: leafItem(keys, part.low, part.high, names), when: "absent", otherwise: stale },
    ]),
    ...DELTAS.map((at): Step => ({ remove: keys.delta(low, at), when: "any", otherwise: stale })),
  );
  await Promise.all([0, 1, range.slot].map((slot) => table.forget(keys.values(low, slot))));
}

/** Narrow ranges with the names of a wide one, in order. As full as one transaction needs them to be. */
function partsOf(
  { splitBytes }: IndexContext,
  { low, high, ticket, changes }: WideRange,
  names: readonly string[],
): readonly (NarrowRange & { readonly names: readonly string[] })[] {
  const most = (ROWS_MOST - OTHER_ROWS) / 2;
  const perPart = Math.max(splitBytes * FILL, bytesOfAll(names) / (most - 1));
  const groups: string[][] = [[]];
  let bytes = 0;
  for (const name of names) {
    if (bytes >= perPart && groups.length < most) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(name);
    bytes += bytesOf(name);
  }
  return groups.map((group, at) => {
    const [from, to] = [at === 0 ? low : (group[0] ?? low), groups[at + 1]?.[0] ?? high];
    // Not a version that the range had before it was wide.
    return { ...rangeOver(from, to, group, { version: ticket + changes + 1 }), names: group };
  });
}

/** Makes the range at a low contain and count the names that have entries. */
export async function mendNames(table: Table, keys: NameListKeys, low: string): Promise<void> {
  const context = indexContext(table, keys);
  await settled(async () => {
    const item = await table.get(rangeKey(keys, low));
    const range = item && rangeOf(item);
    if (!range) throw new Error(`The name index lacks the range at ${JSON.stringify(low)} of ${keys.ranges}.`);
    if (isWide(range)) return fillRange(context.wide, range, (current) => claimedWhole(context, current.range));
    const names = await claimedWhole(context, range);
    const { high, version, depth } = range;
    await table.write(
      {
        put: rangeItem(keys, rangeOver(low, high, names, { version: version + 1, depth })),
        when: { equal: { v: version }, lacking: LACKING_IN_NARROW },
        otherwise: stale,
      },
      { put: leafItem(keys, low, high, names), when: "any", otherwise: stale },
    );
  });
}

/**
 * The names with an entry, once no read shows a half of a transaction any more that the range has. A write that comes
 * later makes mending fail.
 */
async function claimedWhole(context: IndexContext, range: Range): Promise<readonly string[]> {
  await pause(WHOLE_AFTER_MS);
  return claimedIn(context, range);
}

function settled(attempt: () => Promise<void>): Promise<void> {
  return whileConflicting(attempt, (error) => isStale(error) || error instanceof Moved);
}
