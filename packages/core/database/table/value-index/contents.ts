/**
 * The contents of ranges: packs and the changes since. They are read as separate items, so that a fold may come between
 * them; the number of the fold in each shows it, and they are read again.
 */
import type { ColumnIndexKeys } from "../keys.ts";
import { Moved, settle } from "../settle.ts";
import { compareKeys, type Item, type Key, LAST, type ReadOptions, type Table } from "../table.ts";
import { columnKeys, textsOf } from "./columns.ts";
import { readSpan } from "./directory.ts";
import { laneKeys, laneOf, withLanes } from "./lanes.ts";
import type { CountedRange } from "./model.ts";
import { ID_BYTES, idOfBytes, packedText, unescaped } from "./pair.ts";
import {
  areNames,
  DELTAS,
  type Delta,
  deltaOf,
  hasColumns,
  isWideItem,
  type PackedValue,
  packedIds,
  packedValues,
  packOf,
  type RangeKeys,
  rangeKey,
  rangeOf,
  type ValueContext,
  type ValueRange,
} from "./range-rows.ts";

const DEADLINE_MS = 10_000;

/** What a range contains. */
export interface Contents<Range extends CountedRange = CountedRange> {
  readonly range: Range;
  readonly values: readonly PackedValue[];
  /** Of each pair of the pack, in order. Absent where only values were read. */
  readonly ids?: Uint8Array | undefined;
  /** In place of values and ids, the texts of an index of columns. */
  readonly texts?: readonly string[];
  /**
   * Net changes since the pack, by the texts of pairs: 1 for a pair that came, -1 for one that went, and 0 for one that
   * is as it was. A fold removes those too.
   */
  readonly changes: ReadonlyMap<string, number>;
}

/** What to read of ranges. */
export interface ContentsRead extends ReadOptions {
  readonly withIds: boolean;
}

/**
 * The contents of some ranges in order. One round trip for about 400 ranges, and more for those that were folded or
 * split meanwhile: a range that was split is replaced by its parts.
 */
export async function readContents(
  context: ValueContext,
  ranges: readonly ValueRange[],
  read: ContentsRead,
): Promise<readonly Contents<ValueRange>[]> {
  const first = await attempt(context, ranges, read);
  const result: Contents<ValueRange>[] = [];
  for (const [at, range] of ranges.entries()) {
    const contents = first[at];
    if (contents) result.push(contents);
    else result.push(...(await readAgain(context, range, read.withIds)));
  }
  return result;
}

function readAgain(
  context: ValueContext,
  { low, high }: ValueRange,
  withIds: boolean,
): Promise<readonly Contents<ValueRange>[]> {
  return settle(DEADLINE_MS, async () => {
    const parts = await readSpan(context, low, high);
    const contents = await attempt(context, parts, { withIds, consistent: true });
    if (!contents.every((one) => one !== undefined)) throw new Moved("a range was read while it was folded");
    return contents;
  });
}

/** For each range its contents, or `undefined` where its items do not belong together. */
async function attempt(
  { table, keys }: ValueContext,
  ranges: readonly ValueRange[],
  { withIds, ...options }: ContentsRead,
): Promise<readonly (Contents<ValueRange> | undefined)[]> {
  const ofRange = ranges.map((range) => contentKeys(keys, range, withIds));
  const items = await table.getMany(ofRange.flat(), options);
  let at = 0;
  return ranges.map((range, place) => {
    const own = items.slice(at, at + (ofRange[place]?.length ?? 0));
    at += own.length;
    return hasColumns(keys) ? columnContents(range, own) : contentsOf(range, own, withIds && keys.ids !== undefined);
  });
}

/** A range and what it contained at one instant. */
export interface RangeAtOnce {
  readonly range: ValueRange;
  /** `undefined` where its pack and its deltas are not of one fold. */
  readonly contents: Contents<ValueRange> | undefined;
}

/**
 * The range with that low, with its contents; `undefined` where there is none of the kind of the index. Counts and
 * changes are of one instant, which a batch of reads is not: it may show one half of a transaction. Two round trips.
 */
export async function readAtOnce({ table, keys }: ValueContext, low: string): Promise<RangeAtOnce | undefined> {
  if (hasColumns(keys)) {
    const range = await recordRangeAtOnce(table, keys, low);
    return range && { range, contents: columnContents(range, await table.getMany(packKeys(keys, range, true))) };
  }
  const [item, ...deltas] = await table.snapshot([rangeKey(keys, low), ...DELTAS.map((at) => keys.delta(low, at))]);
  if (!item || (areNames(keys) && !isWideItem(item))) return undefined;
  const range = rangeOf(item);
  const packs = await table.getMany(packKeys(keys, range, true));
  const items = hasChanges(range) ? [...deltas, ...packs] : packs;
  return { range, contents: contentsOf(range, items, keys.ids !== undefined) };
}

/** A range of an index of columns with its changes. One round trip; one more for the last range. */
async function recordRangeAtOnce(table: Table, keys: ColumnIndexKeys, low: string): Promise<ValueRange | undefined> {
  const item = await table.get(rangeKey(keys, low));
  if (!item || rangeOf(item).high !== LAST) return item && rangeOf(item);
  const [own, ...lanes] = await table.snapshot([rangeKey(keys, low), ...laneKeys(keys)]);
  return (
    own &&
    withLanes(
      rangeOf(own),
      lanes.map((lane) => lane && laneOf(lane)),
      { isSnapshot: true },
    )
  );
}

/** The keys of the items with the contents of a range. */
export function contentKeys(keys: RangeKeys, range: ValueRange, withIds: boolean): readonly Key[] {
  return [...(hasColumns(keys) ? [] : deltaKeys(keys, range)), ...packKeys(keys, range, withIds)];
}

function packKeys(keys: RangeKeys, { low, fold, slot }: ValueRange, withIds: boolean): readonly Key[] {
  if (fold <= 0) return [];
  if (hasColumns(keys)) return columnKeys(keys, low, slot);
  return [keys.values(low, slot), ...(withIds && keys.ids ? [keys.ids(low, slot)] : [])];
}

/** Where nothing has changed since the pack was written, the deltas are not read. */
function hasChanges({ pending }: ValueRange): boolean {
  return pending > 0;
}

function deltaKeys(keys: RangeKeys, range: ValueRange): readonly Key[] {
  return hasChanges(range) ? DELTAS.map((at) => keys.delta(range.low, at)) : [];
}

/** The contents of a range from those items; `undefined` where they do not belong together. */
export function contentsOf(
  range: ValueRange,
  items: readonly (Item | undefined)[],
  withIds: boolean,
): Contents<ValueRange> | undefined {
  const { fold } = range;
  const packAt = hasChanges(range) ? DELTAS.length : 0;
  const deltas = items.slice(0, packAt).map(deltaOf);
  if (deltas.some((delta) => delta.fold !== fold)) return undefined;
  const changes = netChanges(deltas);
  if (fold <= 0) return { range, values: [], ...(withIds && { ids: new Uint8Array() }), changes };
  const values = packOf(items[packAt], fold);
  const ids = withIds ? packOf(items[packAt + 1], fold) : undefined;
  if (!values || (withIds && !ids)) return undefined;
  return { range, values: packedValues(values), ids: ids && packedIds(ids), changes };
}

/** The contents of a range of an index of columns, whose changes are in its row. */
function columnContents(range: ValueRange, columns: readonly (Item | undefined)[]): Contents<ValueRange> | undefined {
  const texts = range.fold > 0 ? textsOf(columns, range.fold) : [];
  return texts && { range, values: [], texts, changes: range.own ?? new Map() };
}

function netChanges(deltas: readonly Delta[]): ReadonlyMap<string, number> {
  return new Map(deltas.flatMap(({ changes }) => [...changes]));
}

/** The texts of all pairs of a range, in order; without ids, the values are texts. */
export function pairTexts({ values, ids, texts: records, changes }: Contents): string[] {
  if (records) return withChanges(records, changes);
  if (!ids)
    return withChanges(
      values.map(({ value }) => unescaped(value)),
      changes,
    );
  const texts: string[] = [];
  let place = 0;
  for (const { value, facet, count } of values) {
    for (let end = place + count; place < end; place += 1) texts.push(packedText(value, facet, ids, place));
  }
  return withChanges(texts, changes);
}

/** The id at a place of the ids of a pack. */
export function idAt(ids: Uint8Array, place: number): string {
  return idOfBytes(ids.subarray(place * ID_BYTES, (place + 1) * ID_BYTES));
}

/** Applies net changes to the texts of a pack. */
export function withChanges(texts: readonly string[], changes: ReadonlyMap<string, number>): string[] {
  if (changes.size === 0) return [...texts];
  const kept = texts.filter((text) => (changes.get(text) ?? 0) >= 0);
  const came = [...changes].flatMap(([text, net]) => (net > 0 ? [text] : []));
  return [...kept, ...came].sort(compareKeys);
}

/** Contents whose values may be missing where all pairs match. */
export interface WithIds<Range extends CountedRange = CountedRange> {
  readonly contents: Contents<Range>;
  readonly isWhole: boolean;
}

/**
 * Adds the ids to contents that were read without them, and reads those of ranges whose pairs all match, without their
 * values. One round trip, and more where a range was folded or split since.
 */
export async function readIds(
  context: ValueContext,
  ranges: readonly { readonly range: ValueRange; readonly contents?: Contents<ValueRange> }[],
  options: ReadOptions,
): Promise<readonly WithIds<ValueRange>[]> {
  const { table, keys } = context;
  const keysOf = ({ range, contents }: (typeof ranges)[number]): readonly Key[] => [
    ...(range.fold > 0 && keys.ids ? [keys.ids(range.low, range.slot)] : []),
    ...(contents ? [] : deltaKeys(keys, range)),
  ];
  const items = await table.getMany(ranges.flatMap(keysOf), options);
  const result: WithIds<ValueRange>[] = [];
  let at = 0;
  for (const one of ranges) {
    const own = items.slice(at, at + keysOf(one).length);
    at += own.length;
    const contents = completedBy(one, own);
    if (contents) result.push({ contents, isWhole: !one.contents });
    else {
      const parts = await readAgain(context, one.range, true);
      result.push(...parts.map((part) => ({ contents: part, isWhole: !one.contents })));
    }
  }
  return result;
}

function completedBy(
  { range, contents }: { readonly range: ValueRange; readonly contents?: Contents<ValueRange> },
  items: readonly (Item | undefined)[],
): Contents<ValueRange> | undefined {
  const packed = range.fold > 0 ? packOf(items[0], range.fold) : undefined;
  if (range.fold > 0 && !packed) return undefined;
  const ids = packed ? packedIds(packed) : new Uint8Array();
  if (contents) return { ...contents, ids };
  const deltas = (hasChanges(range) ? items.slice(-DELTAS.length) : []).map(deltaOf);
  if (deltas.some(({ fold }) => fold !== range.fold)) return undefined;
  return { range, values: [], ids, changes: netChanges(deltas) };
}
