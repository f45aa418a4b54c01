/** Whole value indexes, for tools: the rows of one that is loaded at once, and a check of the rows of one in use. */
import type { ValueIndexKeys } from "../keys.ts";
import { compareKeys, type Item, LAST, type Table } from "../table.ts";
import { pairTexts, readContents } from "./contents.ts";
import { readRanges } from "./directory.ts";
import type { Pair } from "./model.ts";
import { pairOf, pairText } from "./pair.ts";
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

/** What a check of an index found. */
export interface IndexCheck {
  /** In order. */
  readonly pairs: readonly Pair[];
  /** How many owners are counted as having several pairs. */
  readonly several: number;
  /** What is wrong with the rows themselves, one sentence each. */
  readonly problems: readonly string[];
}

/** Reads a whole index, and checks that its rows belong together. For an index without other writers meanwhile. */
export async function checkIndex(table: Table, keys: ValueIndexKeys): Promise<IndexCheck> {
  const context = { table, keys, limits: limitsOf({}) };
  const ranges = await readRanges(context);
  const pairs: Pair[] = [];
  const problems: string[] = [];
  for (const range of ranges) {
    const [contents, ...more] = await readContents(context, [range], { withIds: true });
    if (!contents || more.length > 0) {
      problems.push(`The range at ${JSON.stringify(range.low)} changed while it was read.`);
      continue;
    }
    const texts = pairTexts(contents);
    const place = `The range at ${JSON.stringify(range.low)}`;
    if (texts.length !== range.count) problems.push(`${place} counts ${range.count} pairs and has ${texts.length}.`);
    if (texts.some((text) => compareKeys(text, range.low) < 0 || compareKeys(text, range.high) >= 0)) {
      problems.push(`${place} has a pair of another range.`);
    }
    if (texts.some((text, at) => at > 0 && compareKeys(texts[at - 1] ?? "", text) >= 0)) {
      problems.push(`${place} has pairs out of order.`);
    }
    for (const text of texts) pairs.push(pairOf(text));
  }
  return { pairs, several: ranges.reduce((sum, range) => sum + range.several, 0), problems };
}
