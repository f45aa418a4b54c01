/** The items of a whole name index with wide ranges, for tools that load one at once. */
import type { NameListKeys } from "../keys.ts";
import { compareKeys, type Item, LAST } from "../table.ts";
import {
  DELTAS,
  packedValuesOf,
  separator,
  type ValueRange,
  valuesItem,
  rangeItem as wideItem,
} from "../value-index/range-rows.ts";
import { type Entry, type EntryAttributes, entryItem } from "./items.ts";
import { WIDE_SPLIT_AT } from "./name-index.ts";

/** The share of a full range to which ranges are filled: the average after splits. */
const FILL = 0.73;
const LOADED: Pick<ValueRange, "several" | "pending" | "changes" | "ticket" | "fold" | "slot" | "depth"> = {
  several: 0,
  pending: 0,
  changes: 0,
  ticket: 1,
  fold: 1,
  slot: 0,
  depth: 0,
};

/**
 * The items of a whole index, to load many names into an empty index that has no other writer. The entries must be in
 * the order of their keys, each key (of `nameKey`) once; throws `RangeError` otherwise.
 */
export function* wideLayout(keys: NameListKeys, entries: readonly Entry[]): Generator<Item, void> {
  const perRange = Math.floor(WIDE_SPLIT_AT * FILL);
  let low = "";
  for (let at = 0; at < entries.length; at += perRange) {
    const own = entries.slice(at, at + perRange);
    const names = own.map(({ key }) => key);
    for (const [place, name] of names.entries()) {
      const before = names[place - 1] ?? entries[at - 1]?.key ?? "";
      if (compareKeys(before, name) >= 0) throw new RangeError(`"${name}" does not come after "${before}"`);
    }
    // The type of the rest lacks the attributes that the index signature names.
    for (const { key, ...attributes } of own) yield entryItem(keys, key, attributes as EntryAttributes);
    const next = entries[at + perRange]?.key;
    const high = next === undefined ? LAST : separator(names.at(-1) ?? "", next);
    yield wideItem(keys, { ...LOADED, low, high, count: names.length });
    yield valuesItem(keys.values(low, LOADED.slot), LOADED.fold, packedValuesOf(keys, names));
    for (const delta of DELTAS) yield { ...keys.delta(low, delta), f: LOADED.fold };
    low = high;
  }
}
