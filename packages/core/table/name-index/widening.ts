/**
 * Making wide ranges of narrow ones (decision 0128). The pack of the wide range is complete before one transaction
 * puts the range, on condition that no narrow range has changed since: what ends halfway leaves a row that nothing
 * refers to.
 */
import { randomInt } from "node:crypto";
import { Moved } from "../settle.ts";
import { compareKeys, type Step } from "../table.ts";
import { early } from "../timing.ts";
import { emptied, putPack } from "../value-index/fold.ts";
import { rangeItem as wideItem } from "../value-index/range-rows.ts";
import {
  type IndexContext,
  isWide,
  LACKING_IN_NARROW,
  type Leaf,
  leafOf,
  type NarrowRange,
  rangeKey,
  rangeOf,
  type WideRange,
} from "./items.ts";

/** The slots of first packs. Each attempt takes one of its own; those of folds are 0 and 1. */
const SLOTS: readonly [from: number, to: number] = [2, 2 ** 47];
const FIRST_FOLD = 1;

/**
 * Makes one wide range of neighbouring narrow ranges, at most 20. Three round trips. Returns the range; nothing where
 * others wrote them meanwhile.
 */
export async function widen(given: IndexContext, ranges: readonly NarrowRange[]): Promise<WideRange | undefined> {
  // Neither the pack nor the other kind of range changes what the index contains.
  const context = { ...given, table: early(given.table) };
  const { table, keys, wide } = context;
  const current = await currently(context, ranges);
  const [first] = current?.ranges ?? [];
  const last = current?.ranges.at(-1);
  if (!current || !first || !last) return undefined;
  const { names } = current;
  const range: WideRange = {
    low: first.low,
    high: last.high,
    count: names.length,
    several: 0,
    pending: 0,
    changes: 0,
    ticket: FIRST_FOLD,
    fold: FIRST_FOLD,
    slot: randomInt(...SLOTS),
    depth: 0,
  };
  await putPack({ ...wide, table }, range.low, range.slot, FIRST_FOLD, names);
  const unchanged = ({ version }: NarrowRange) => ({ equal: { v: version }, lacking: LACKING_IN_NARROW });
  const joined = current.ranges.slice(1).map(
    (one): Step => ({
      remove: rangeKey(keys, one.low),
      when: unchanged(one),
      otherwise: moved,
    }),
  );
  const leaves = current.ranges.map(({ low }): Step => ({ remove: keys.leaf(low), when: "present", otherwise: moved }));
  try {
    await table.write(
      { put: wideItem(keys, range), when: unchanged(first), otherwise: moved },
      ...joined,
      ...leaves,
      ...emptied(wide, range),
    );
    return range;
  } catch (error) {
    if (error instanceof Moved) return undefined;
    throw error;
  }
}

/** Narrow ranges and their names in order, at one instant; `undefined` where they are not neighbours any more. */
async function currently(
  { table, keys }: IndexContext,
  ranges: readonly NarrowRange[],
): Promise<{ readonly ranges: readonly NarrowRange[]; readonly names: readonly string[] } | undefined> {
  const items = await table.snapshot(ranges.flatMap(({ low }) => [rangeKey(keys, low), keys.leaf(low)]));
  const found: NarrowRange[] = [];
  const leaves: Leaf[] = [];
  for (let at = 0; at < items.length; at += 2) {
    const [item, leaf] = [items[at], items[at + 1]];
    const range = item && rangeOf(item);
    if (!range || isWide(range) || !leaf) return undefined;
    const before = found.at(-1);
    if (before && before.high !== range.low) return undefined;
    found.push(range);
    leaves.push(leafOf(leaf));
  }
  const names = leaves.flatMap((leaf) => [...leaf.names]).sort(compareKeys);
  return { ranges: found, names };
}

function moved(): Error {
  return new Moved("the ranges are not as they were read");
}
