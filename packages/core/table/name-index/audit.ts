/** The consistency check of a name index: whether ranges, leaves and entries agree. */
import { pause } from "../../platform/clock.ts";
import { sideBySide } from "../settle.ts";
import { compareKeys, LAST } from "../table.ts";
import { readDirectory } from "./directory.ts";
import { bytesOfAll, covers, type IndexContext, type Leaf, leafOf, type Range, rangeKey, rangeOf } from "./items.ts";

const RANGES_AT_ONCE = 8;
const ENTRIES_PER_QUERY = 8_000;
/** Reads of a range that others write to, before a discrepancy is reported. */
const READS_MAX = 5;
const BETWEEN_READS_MS = 100;

/** An inconsistency, which only a wrong write can cause. */
export interface Discrepancy {
  /** The low of the range. */
  readonly low: string;
  /** A sentence for an operator. It contains no user name. */
  readonly problem: string;
}

/**
 * Checks an index, also one in use: each range and its leaf, as one snapshot, against the entries. A range with a
 * discrepancy is read up to five times, so that unfinished writes are not reported.
 * Costs about the size of the index in read units: 43,000 for 1,000,000 names.
 */
export async function audit(context: IndexContext): Promise<readonly Discrepancy[]> {
  const found: Discrepancy[] = [];
  const { ranges } = await readDirectory(context);
  await sideBySide(ranges, RANGES_AT_ONCE, async (range) => {
    // Ranges that were split off since the directory was read are checked with their original range.
    for (let low = range.low; compareKeys(low, range.high) < 0; ) {
      let checked = await checkRange(context, low);
      for (let reads = 1; reads < READS_MAX && checked.problems.length > 0; reads += 1) {
        await pause(BETWEEN_READS_MS);
        checked = await checkRange(context, low);
      }
      for (const problem of checked.problems) found.push({ low, problem });
      if (compareKeys(checked.high, low) <= 0) break;
      low = checked.high;
    }
  });
  return found.sort((a, b) => compareKeys(a.low, b.low));
}

/** The discrepancies of one range, and where it ends. */
async function checkRange({ table, keys }: IndexContext, low: string): Promise<{ problems: string[]; high: string }> {
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
  // A range does not contain its own high, but BETWEEN does.
  const claimed = entries.map((entry) => entry.SK).filter((key) => covers(range, key));
  const after = await table.get(rangeKey(keys, low));
  const problems = discrepanciesBetween(range, leaf);
  if (!after || rangeOf(after).version !== range.version) {
    problems.push("the range changed during every read, so that its entries were not compared");
  } else {
    const count = differing([...leaf.names], claimed);
    if (count > 0) problems.push(`${count} names are only in the leaf or only among the entries`);
  }
  return { problems, high: range.high };
}

/** The discrepancies between a range and its leaf, which were read at one instant. */
function discrepanciesBetween(range: Range, leaf: Leaf): string[] {
  const names = [...leaf.names];
  const bytes = bytesOfAll(names);
  return [
    ...(compareKeys(range.low, range.high) < 0 ? [] : ["the range ends before it begins"]),
    ...(leaf.high === range.high ? [] : ["leaf and range end at different names"]),
    ...(range.count === names.length
      ? []
      : [`the range counts ${range.count} names, its leaf contains ${names.length}`]),
    ...(range.bytes === bytes ? [] : [`the range counts ${range.bytes} bytes, its leaf contains ${bytes}`]),
    ...(names.every((name) => covers(range, name)) ? [] : ["the leaf contains names of another range"]),
  ];
}

/** The number of texts that are in only one of two lists. */
function differing(a: readonly string[], b: readonly string[]): number {
  const [inA, inB] = [new Set(a), new Set(b)];
  return a.filter((name) => !inB.has(name)).length + b.filter((name) => !inA.has(name)).length;
}
