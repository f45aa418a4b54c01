/**
 * An index of columns on the table (decision 0136): records in the order of their ids, which for resources is that of
 * their creation. A list counts what matches by the columns that it compares, and reads the ids of its page alone.
 *
 * A range has the changes since its last fold in its row, so that the Query of all ranges, strongly consistent, is the
 * whole truth next to packs. A pack never changes under its number: it is read at half the price.
 */
import { systemClock } from "../../../kernel/clock.ts";
import type { ColumnIndexKeys } from "../keys.ts";
import { LAST, type Step, type Table } from "../table.ts";
import { covers, rangeSteps, textSteps, turnsOf } from "./changes.ts";
import { type ColumnPage, type ColumnQuery, readPage } from "./column-reading.ts";
import { recordText } from "./columns.ts";
import { locateRecord } from "./directory.ts";
import { rangeWithRoom } from "./fold.ts";
import { withChange } from "./lanes.ts";
import type { CountedRange } from "./model.ts";
import { limitsOf, type ValueContext, type ValueIndexLimits, type ValueRange } from "./range-rows.ts";

/** The parts of a record; the first is its id. */
export type RecordParts = readonly [id: string, ...others: string[]];

/** The states of a record around a change; one is missing where the record is new, or removed. */
export interface RecordChange {
  readonly before?: RecordParts | undefined;
  readonly after?: RecordParts | undefined;
}

/** Where a record belongs. */
export interface Place {
  readonly range: ValueRange | undefined;
  /** When the range was read. */
  readonly readMs: number;
}

/** The index on the table of one request. */
export interface ColumnIndex {
  /**
   * The place of the record with an id, with room for a change. The first attempt of a write reads nothing where this
   * container knows the range with the newest records; otherwise one round trip, and about four more where the range is
   * full.
   */
  place(id: string, attempt: number): Promise<Place>;
  /**
   * The step of a change; none where both states are the same. `moved` is the error where the range is not as it was
   * read: the caller repeats the attempt.
   */
  steps(change: RecordChange, moved: () => Error, place: Place): Promise<readonly Step[]>;
  /**
   * One page, newest records first, with the exact total; `undefined` where the state says that the index is not
   * complete. Two round trips, and one more for a query with a test.
   */
  page(query: ColumnQuery): Promise<ColumnPage | undefined>;
}

/** A change is 2 write units in a range row of 1 KB. */
const FOLD_BYTES = 780;
const SPLIT_AT = 850;
/** New records come after all others: a full last range keeps most of them. */
const KEPT_OF_LAST = 0.94;

/** For so long a container trusts what it knows of the range with the newest records. */
const TRUSTED_MS = 60_000;
const KNOWN_MOST = 10_000;

/** The ranges with the newest records of indexes, with the changes of this container since. */
const newest = new Map<string, Place>();

/** The limits of an index of columns, with those that are not given. */
export function columnLimitsOf(given: Partial<ValueIndexLimits> = {}): ValueIndexLimits {
  return limitsOf({ foldBytes: FOLD_BYTES, splitAt: () => SPLIT_AT, kept: keptOf, ...given });
}

/** Opens the index with these keys. */
export function columnIndex(table: Table, keys: ColumnIndexKeys, limits: Partial<ValueIndexLimits> = {}): ColumnIndex {
  const context = { table, keys, limits: columnLimitsOf(limits) };
  return {
    async place(id, attempt) {
      const text = recordText([id, ""]);
      const known = attempt === 0 ? knownPlace(context, text) : undefined;
      if (known) return known;
      const range = await rangeWithRoom(context, (consistent) =>
        locateRecord(context, text, consistent || attempt > 0),
      );
      return { range, readMs: systemClock.now() };
    },

    steps({ before, after }, moved, place) {
      const [removed, added] = [before && recordText(before), after && recordText(after)];
      if (removed === added) return Promise.resolve([]);
      const change = { added: added === undefined ? [] : [added], removed: removed === undefined ? [] : [removed] };
      return recordSteps(context, change, moved, place);
    },

    page: (query) => readPage(context, query),
  };
}

/** The texts of one record that come and go. */
export interface RecordTexts {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The steps of a change of one record. */
export async function recordSteps(
  context: ValueContext,
  change: RecordTexts,
  moved: () => Error,
  { range: near, readMs }: Place,
): Promise<readonly Step[]> {
  if (near) {
    if (near.high === LAST) note(context, near, change, readMs);
    return textSteps(context, { ...change, several: 0 }, moved, { near });
  }
  const founding = rangeSteps(context, { range: undefined, turns: turnsOf(change) }, 0, moved);
  // Where others found the index, it is looked for again.
  return founding.map((step) => ({ ...step, contended: moved }));
}

/** What this container knows of the place of a text, if that is enough to write. */
function knownPlace({ keys, limits }: ValueContext, text: string): Place | undefined {
  const known = newest.get(keys.ranges);
  if (!known?.range || !covers(known.range, text) || systemClock.now() - known.readMs > TRUSTED_MS) return undefined;
  const { pending, count, depth } = known.range;
  return pending < limits.foldBytes && count < limits.splitAt(depth) ? known : undefined;
}

function note({ table, keys }: ValueContext, range: ValueRange, change: RecordTexts, readMs: number): void {
  // What a rehearsal writes is never stored.
  if (table.keeps !== undefined) return;
  if (newest.size > KNOWN_MOST) newest.clear();
  newest.set(keys.ranges, { range: withChange(range, change), readMs });
}

function keptOf({ high }: CountedRange, count: number): number {
  return high === LAST ? Math.min(count - 1, Math.ceil(count * KEPT_OF_LAST)) : count >>> 1;
}
