/**
 * Spreads the names of a small range over several ranges, where writers meet in it. The names of a young tenant are one
 * range, and DynamoDB cancels all but one of the transactions that write an item at the same time. An index whose
 * writers do not meet keeps few ranges, which cost its readers least.
 */
import { Crowded, Moved } from "../settle.ts";
import { compareKeys, type Step } from "../table.ts";
import {
  DEEP,
  type IndexContext,
  isWide,
  LACKING_IN_NARROW,
  leafItem,
  leafOf,
  type NarrowRange,
  type Range,
  rangeItem,
  rangeKey,
  rangeOf,
  rangeOver,
} from "./items.ts";
import { moved } from "./ranges.ts";

/** Ranges that one transaction makes of one. */
const PARTS_MOST = 16;

/**
 * The error for a transaction that met another one in a range: makes room before the next attempt. `undefined` where
 * the range is deep enough, so that names that come in their order do not make ranges without end.
 */
export function crowded(context: IndexContext, range: Range): Crowded | undefined {
  if (isWide(range) || !isYoung(context, range) || range.count < 2) return undefined;
  return new Crowded(`${context.keys.ranges} ${range.low}`, () => spread(context, range));
}

/**
 * One attempt, which gives up where another writer has spread the range, comes between, or is writing: those who meet
 * in a range all try, and must not keep it busy.
 */
async function spread(context: IndexContext, { low, high }: NarrowRange): Promise<void> {
  const { table, keys } = context;
  const [item, leaf] = await table.snapshot([rangeKey(keys, low), keys.leaf(low)]);
  const range = item && rangeOf(item);
  const names = leaf ? [...leafOf(leaf).names].sort(compareKeys) : [];
  if (!range || isWide(range) || range.high !== high || !isYoung(context, range) || names.length < 2) return;
  const parts = partsOf(range, names);
  const steps = parts.flatMap((part, at): Step[] => {
    const own = names.filter((name) => compareKeys(name, part.low) >= 0 && compareKeys(name, part.high) < 0);
    return [
      at === 0
        ? {
            put: rangeItem(keys, part),
            when: { equal: { v: range.version }, lacking: LACKING_IN_NARROW },
            otherwise: moved,
          }
        : { put: rangeItem(keys, part), when: "absent", otherwise: moved },
      { put: leafItem(keys, part.low, part.high, own), when: at === 0 ? "present" : "absent", otherwise: moved },
    ];
  });
  try {
    await table.write(...steps.map((step) => ({ ...step, contended: moved })));
  } catch (error) {
    if (!(error instanceof Moved)) throw error;
  }
}

/**
 * Whether a range may be spread: few splits led to it. One that becomes wide when it is full is not spread: each would
 * undo what the other does.
 */
function isYoung({ widenAt }: IndexContext, { depth }: NarrowRange): boolean {
  return depth < Math.min(DEEP, widenAt);
}

/** Ranges with about equally many names, at least one. */
function partsOf({ low, high, version, depth }: NarrowRange, names: readonly string[]): readonly NarrowRange[] {
  const count = Math.min(PARTS_MOST, names.length);
  const below = Math.min(DEEP, depth + Math.ceil(Math.log2(count)));
  const firsts = Array.from({ length: count }, (_, at) => Math.floor((at * names.length) / count));
  return firsts.map((first, at) => {
    const end = firsts[at + 1] ?? names.length;
    return rangeOver(
      at === 0 ? low : (names[first] ?? low),
      names[firsts[at + 1] ?? names.length] ?? high,
      names.slice(first, end),
      below,
      at === 0 ? version + 1 : 0,
    );
  });
}
