/** The rows of a whole value index, for tools that load one at once. */
import type { ColumnIndexKeys, ValueIndexKeys } from "../keys.ts";
import { type Item, LAST } from "../table.ts";
import { columnLimitsOf } from "./column-index.ts";
import { columnItems } from "./columns.ts";
import { emptyingLanes } from "./lanes.ts";
import type { Pair } from "./model.ts";
import { pairText } from "./pair.ts";
import {
  DELTAS,
  idsItem,
  limitsOf,
  rangeItem,
  separator,
  type ValueRange,
  valuesItem,
  valuesOfPairs,
} from "./range-rows.ts";

/** The share of a full range to which `layout` fills ranges: the average after splits. */
const FILL = 0.73;
const LOADED: Pick<ValueRange, "pending" | "changes" | "ticket" | "fold" | "slot"> = {
  pending: 0,
  changes: 0,
  ticket: 1,
  fold: 1,
  slot: 0,
};
/** As deep as ranges of the full size are. */
const DEPTH = 8;

/**
 * The rows of a whole index, to load many pairs into an empty index that has no other writer. The pairs must be in the
 * order of `comparePairs`, each once. `several`: owners with several pairs.
 */
export function* layout(keys: ValueIndexKeys, pairs: readonly Pair[], several: number): Generator<Item, void> {
  const perRange = Math.floor(limitsOf({}).splitAt(DEPTH) * FILL);
  const texts = pairs.map(pairText);
  let low = "";
  for (let at = 0; at < texts.length; at += perRange) {
    const own = texts.slice(at, at + perRange);
    const next = texts[at + perRange];
    const high = next === undefined ? LAST : separator(own.at(-1) ?? "", next);
    const first = at === 0 ? several : 0;
    yield rangeItem(keys, { ...LOADED, low, high, count: own.length, several: first, depth: DEPTH });
    yield valuesItem(keys.values(low, LOADED.slot), LOADED.fold, valuesOfPairs(own));
    yield idsItem(keys.ids(low, LOADED.slot), LOADED.fold, own);
    for (const delta of DELTAS) yield { ...keys.delta(low, delta), f: LOADED.fold };
    low = high;
  }
}

/**
 * The rows of a whole index of columns, to load many records into an empty index that has no other writer. The texts
 * must be in order, each once.
 */
export function* columnLayout(keys: ColumnIndexKeys, texts: readonly string[]): Generator<Item, void> {
  const { splitAt, kept } = columnLimitsOf();
  const perRange = kept?.({ low: "", high: LAST, count: 0 }, splitAt(0)) ?? splitAt(0);
  let low = "";
  for (let at = 0; at === 0 || at < texts.length; at += perRange) {
    const own = texts.slice(at, at + perRange);
    const next = texts[at + perRange];
    const high = next === undefined ? LAST : separator(own.at(-1) ?? "", next);
    const range: ValueRange = { ...LOADED, low, high, count: own.length, several: 0, depth: 0 };
    yield rangeItem(keys, range);
    yield* columnItems(keys, range, { fold: LOADED.fold, texts: own });
    if (high === LAST) for (const step of emptyingLanes(keys, range)) if ("put" in step) yield step.put;
    low = high;
  }
}
