/** The consistency check of a name index: whether ranges, what they contain, and entries agree. */
import { pause } from "../../../kernel/clock.ts";
import { sideBySide } from "../settle.ts";
import { compareKeys, LAST } from "../table.ts";
import { pairTexts, readAtOnce } from "../value-index/contents.ts";
import { readDirectory } from "./directory.ts";
import { bytesOfAll, covers, type IndexContext, isWide, leafOf, type Range, rangeKey, rangeOf } from "./items.ts";

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
 * Checks an index, also one in use: each range and what it contains against the entries. A range with a
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
async function checkRange(context: IndexContext, low: string): Promise<{ problems: string[]; high: string }> {
  const { table, keys } = context;
  const [item, leafFound] = await table.snapshot([rangeKey(keys, low), keys.leaf(low)]);
  if (!item) return { problems: ["the range item is missing"], high: LAST };
  const read = rangeOf(item);
  const atOnce = isWide(read) ? await readAtOnce(context.wide, low) : undefined;
  const range = atOnce?.range ?? read;
  const { high } = range;
  const leaf = leafFound && leafOf(leafFound);
  if (!isWide(range) && !leaf) return { problems: ["the leaf is missing"], high };
  const names = isWide(range) ? atOnce?.contents && pairTexts(atOnce.contents) : [...(leaf?.names ?? [])];
  if (!names) return { problems: ["the pack and the changes since are of different folds"], high };
  const claimed = await claimedIn(context, range);
  const after = await table.get(rangeKey(keys, low));
  const problems = discrepanciesBetween(range, names);
  if (!isWide(range) && leaf?.high !== high) problems.push("leaf and range end at different names");
  if (!after || stateOf(rangeOf(after)) !== stateOf(range)) {
    problems.push("the range changed during every read, so that its entries were not compared");
  } else {
    const count = differing(names, claimed);
    if (count > 0) problems.push(`${count} names are only in the range or only among the entries`);
  }
  return { problems, high };
}

/** The names with an entry in a range, in order. */
export async function claimedIn({ table, keys }: IndexContext, range: Range): Promise<readonly string[]> {
  const { low, high: to } = range;
  const from = low !== "" && { from: low };
  const entries = await table.queryAll({ PK: keys.entries, ...from, to, limit: ENTRIES_PER_QUERY });
  // A range does not contain its own high, but BETWEEN does.
  return entries.map((entry) => entry.SK).filter((key) => covers(range, key));
}

/** Changes with every change of a name. */
function stateOf(range: Range): string {
  return isWide(range) ? `wide ${range.changes} ${range.ticket} ${range.high}` : `narrow ${range.version}`;
}

/** The discrepancies between a range and the names that it contains. */
function discrepanciesBetween(range: Range, names: readonly string[]): string[] {
  const bytes = bytesOfAll(names);
  return [
    ...(compareKeys(range.low, range.high) < 0 ? [] : ["the range ends before it begins"]),
    ...(range.count === names.length ? [] : [`the range counts ${range.count} names, and contains ${names.length}`]),
    ...(isWide(range) || range.bytes === bytes ? [] : [`the range counts ${range.bytes} bytes, and contains ${bytes}`]),
    ...(new Set(names).size === names.length ? [] : ["the range contains a name twice"]),
    ...(names.every((name) => covers(range, name)) ? [] : ["the range contains names of another range"]),
  ];
}

/** The number of texts that are in only one of two lists. */
function differing(a: readonly string[], b: readonly string[]): number {
  const [inA, inB] = [new Set(a), new Set(b)];
  return a.filter((name) => !inB.has(name)).length + b.filter((name) => !inA.has(name)).length;
}
