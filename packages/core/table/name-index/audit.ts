/** Comparing a name index with itself: whether every range counts, packs and covers exactly the entries that are there. */

import { pause } from "../../platform/clock.ts";
import { compareKeys, LAST } from "../table.ts";
import { readDirectory } from "./directory.ts";
import { bytesOfAll, covers, type IndexContext, type Leaf, leafOf, type Range, rangeKey, rangeOf } from "./items.ts";
import { sideBySide } from "./settle.ts";

const RANGES_AT_ONCE = 8;
const ENTRIES_PER_QUERY = 8_000;
/** Looks at a range that others write to, before what does not fit is called wrong. */
const LOOKS = 5;
const BETWEEN_LOOKS_MS = 100;

/** Something that a write must have got wrong. */
export interface Discrepancy {
  /** The range, by its low. */
  readonly low: string;
  /** What does not fit, in a sentence for an operator. It names no user. */
  readonly problem: string;
}

/**
 * Audits an index, also one in use: range by range, range and leaf as one snapshot, against the entries. A range that does
 * not fit is looked at up to five times, so that writes under way are not reported.
 * Costs about the size of the index in read units: 43,000 at 1,000,000 names.
 */
export async function audit(context: IndexContext): Promise<readonly Discrepancy[]> {
  const found: Discrepancy[] = [];
  const { ranges } = await readDirectory(context);
  await sideBySide(ranges, RANGES_AT_ONCE, async (range) => {
    // Ranges that were split off since the directory was read are audited with the one they came from.
    for (let low = range.low; compareKeys(low, range.high) < 0; ) {
      let seen = await look(context, low);
      for (let looks = 1; looks < LOOKS && seen.problems.length > 0; looks += 1) {
        await pause(BETWEEN_LOOKS_MS);
        seen = await look(context, low);
      }
      for (const problem of seen.problems) found.push({ low, problem });
      if (compareKeys(seen.high, low) <= 0) break;
      low = seen.high;
    }
  });
  return found.sort((a, b) => compareKeys(a.low, b.low));
}

/** One look at one range: what does not fit, and where the range ends. */
async function look({ table, keys }: IndexContext, low: string): Promise<{ problems: string[]; high: string }> {
  const [item, leafFound] = await table.snapshot([rangeKey(keys, low), keys.leaf(low)]);
  if (!item) return { problems: ["the range item is missing"], high: LAST };
  const range = rangeOf(item);
  if (!leafFound) return { problems: ["the leaf is missing"], high: range.high };
  const leaf = leafOf(leafFound);
  const entries = await table.queryAll({
    PK: keys.entries,
    ...(low !== "" && { from: low }),
    to: range.high,
    limit: ENTRIES_PER_QUERY,
  });
  // A range does not hold its own high, but BETWEEN does.
  const claimed = entries.map((entry) => entry.SK).filter((key) => covers(range, key));
  const after = await table.get(rangeKey(keys, low));
  const problems = misfits(range, leaf);
  if (!after || rangeOf(after).version !== range.version) {
    problems.push("others wrote to the range whenever it was looked at, so its entries were not compared");
  } else {
    const count = differing([...leaf.names], claimed);
    if (count > 0) problems.push(`${count} names are only in the leaf or only among the entries`);
  }
  return { problems, high: range.high };
}

/** What does not fit between a range and its leaf, which were read at one instant. */
function misfits(range: Range, leaf: Leaf): string[] {
  const names = [...leaf.names];
  const bytes = bytesOfAll(names);
  return [
    ...(compareKeys(range.low, range.high) < 0 ? [] : ["the range ends before it begins"]),
    ...(leaf.high === range.high ? [] : ["leaf and range end at different names"]),
    ...(range.count === names.length ? [] : [`the range counts ${range.count} names, its leaf holds ${names.length}`]),
    ...(range.bytes === bytes ? [] : [`the range counts ${range.bytes} bytes, its leaf holds ${bytes}`]),
    ...(names.every((name) => covers(range, name)) ? [] : ["the leaf holds names of another range"]),
  ];
}

/** How many are only in one of two lists. */
function differing(a: readonly string[], b: readonly string[]): number {
  const [inA, inB] = [new Set(a), new Set(b)];
  return a.filter((name) => !inB.has(name)).length + b.filter((name) => !inA.has(name)).length;
}
