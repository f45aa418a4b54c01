/**
 * Sorted lists over several user stores of which indexes serve some: their orders are merged. Equal values are in the
 * order of the user stores.
 */

import { LAST } from "../../../database/table/table.ts";
import type { Operand } from "../../protocol/filter/bound.ts";
import { indexedAttribute, indexText, operandOfText, textOf } from "../../protocol/indexed.ts";
import type { Match } from "../candidates.ts";
import { CANDIDATES_MAX, tooMany } from "../limits.ts";
import type { Sequence } from "../sequence.ts";
import {
  comparePositions,
  defined,
  type Ordering,
  type Position,
  type Query,
  type Source,
  type Window,
} from "../source.ts";

/** One source of a merged list: a sequence in the order of an index, or matches that were read. */
export interface SortedPart<T> {
  readonly at: number;
  readonly source: Source<T>;
  readonly sequence: Sequence | undefined;
  readonly found: readonly Match<T>[];
}

/** A page of a merged list by offset. */
export interface MergedPage<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** One by cursor. The total is that of the first page. */
export interface MergedCursorPage<T> {
  readonly items: readonly T[];
  readonly total: number | undefined;
  readonly next: Position | undefined;
}

/** A resource in its place; `item` where it was read already. */
interface Entry<T> {
  readonly id: string;
  readonly item: T | undefined;
  readonly position: Position;
  /** The value by which it is sorted. */
  readonly value: Operand | undefined;
}

/** In the order of ties, before and after all pairs with a value. */
const ends = [
  { facet: "", id: "00000000-0000-0000-0000-000000000000" },
  { facet: LAST, id: "ffffffff-ffff-ffff-ffff-ffffffffffff" },
] as const;

/** A page by offset. Throws `scim.too_many` for a page that is far from both ends of a long list. */
export async function mergedPage<T>(
  parts: readonly SortedPart<T>[],
  order: Ordering,
  { offset, limit }: Window,
): Promise<MergedPage<T>> {
  const totals = await Promise.all(parts.map(totalOf));
  const total = totals.reduce((sum, one) => sum + one, 0);
  const end = Math.min(total, offset + limit);
  if (offset >= end) return { items: [], total };
  const isNearEnd = total - offset < end;
  const count = isNearEnd ? total - offset : end;
  if (count > CANDIDATES_MAX) throw tooMany(parts[0]?.source);
  const some = await Promise.all(
    parts.map((part, at) => partOf(part, order, isNearEnd ? Math.max(0, (totals[at] ?? 0) - count) : 0, count)),
  );
  const sorted = some.flat().sort(comparing(order));
  const shown = isNearEnd
    ? sorted.slice(sorted.length - count, sorted.length - count + end - offset)
    : sorted.slice(offset, end);
  return { items: await itemsOf(parts, shown), total };
}

/** What follows a position, or the first page. */
export async function mergedAfter<T>(
  parts: readonly SortedPart<T>[],
  query: Query & { readonly order: Ordering },
  after: Position | undefined,
  limit: number,
): Promise<MergedCursorPage<T>> {
  const { order } = query;
  const [totals, some] = await Promise.all([
    after ? undefined : Promise.all(parts.map(totalOf)),
    Promise.all(
      parts.map((part) => (after ? following(part, query, after, limit + 1) : firstOf(part, order, limit + 1))),
    ),
  ]);
  const sorted = some.flat().sort(comparing(order));
  const shown = sorted.slice(0, limit);
  return {
    items: await itemsOf(parts, shown),
    total:
      totals &&
      Math.max(
        totals.reduce((sum, one) => sum + one, 0),
        shown.length + Number(sorted.length > limit),
      ),
    next: sorted.length > limit ? shown.at(-1)?.position : undefined,
  };
}

async function firstOf<T>(
  { at, sequence, found }: SortedPart<T>,
  order: Ordering,
  limit: number,
): Promise<readonly Entry<T>[]> {
  if (!sequence) return found.slice(0, limit).map(entryOfMatch);
  const { entries } = await sequence.first(limit);
  return entries.map((entry) => entryOf(at, order, entry.id, sequence.placeOf(entry)));
}

/** What follows a position in one source. */
async function following<T>(
  { at, sequence, found }: SortedPart<T>,
  query: Query & { readonly order: Ordering },
  after: Position,
  limit: number,
): Promise<readonly Entry<T>[]> {
  const { order } = query;
  const value = after.facet === undefined ? after.value : operandOf(order, after.value);
  if (!sequence) {
    const isBehind = ({ position }: Match<T>): boolean =>
      at === after.source
        ? comparePositions(position, after, query) > 0
        : (order.compare(position.value, value) || at - after.source) > 0;
    return found.filter(isBehind).slice(0, limit).map(entryOfMatch);
  }
  // Where the value of the position starts or ends, in the direction of the list.
  const end = ends[Number(at < after.source !== order.descending)];
  const place = at === after.source ? after : { key: "", value: textIn(order, value), ...end };
  const { entries } = await sequence.after(place, limit);
  return entries.map((entry) => entryOf(at, order, entry.id, sequence.placeOf(entry)));
}

async function totalOf<T>({ sequence, found }: SortedPart<T>): Promise<number> {
  return sequence ? (await sequence.window({ offset: 0, limit: 0 })).total : found.length;
}

async function partOf<T>(
  { at, sequence, found }: SortedPart<T>,
  order: Ordering,
  offset: number,
  limit: number,
): Promise<readonly Entry<T>[]> {
  if (!sequence) return found.slice(offset, offset + limit).map(entryOfMatch);
  const { entries } = await sequence.window({ offset, limit });
  return entries.map((entry) => entryOf(at, order, entry.id, sequence.placeOf(entry)));
}

function entryOf(at: number, order: Ordering, id: string, place: Omit<Position, "source">): Entry<never> {
  return { id, item: undefined, position: { source: at, ...place }, value: operandOf(order, place.value) };
}

function entryOfMatch<T>({ id, item, position }: Match<T>): Entry<T> {
  return { id, item, position, value: position.value };
}

/** The value of a pair in the form in which resources are sorted; `undefined` for a marker. */
function operandOf({ attribute }: Ordering, value: Operand | undefined): Operand | undefined {
  const indexed = indexedAttribute(attribute);
  return indexed && operandOfText(indexed, textOf(value));
}

/** The text by which an index holds a value by which resources are sorted. */
function textIn({ attribute }: Ordering, value: Operand | undefined): string {
  const indexed = indexedAttribute(attribute);
  return indexed ? indexText(indexed, value) : "";
}

/** The order of entries; those of one source stay as they are. */
function comparing<T>({ compare }: Ordering) {
  return (a: Entry<T>, b: Entry<T>): number => compare(a.value, b.value) || a.position.source - b.position.source;
}

/** The items of a page; without those that were just deleted. */
async function itemsOf<T>(parts: readonly SortedPart<T>[], shown: readonly Entry<T>[]): Promise<readonly T[]> {
  const read = new Map<Entry<T>, T | undefined>();
  await Promise.all(
    parts.map(async ({ at, source }) => {
      const missing = shown.filter(({ item, position }) => item === undefined && position.source === at);
      const items = missing.length > 0 ? await source.readMany(missing.map(({ id }) => id)) : [];
      for (const [index, entry] of missing.entries()) read.set(entry, items[index]);
    }),
  );
  return defined(shown.map((entry) => entry.item ?? read.get(entry)));
}
