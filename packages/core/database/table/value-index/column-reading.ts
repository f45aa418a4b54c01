/** Reading an index of columns: what matches, counted by range, and the records of one page. */
import type { ColumnIndexKeys } from "../keys.ts";
import { Moved, settle } from "../settle.ts";
import type { Item, Key } from "../table.ts";
import { columnOf, idOfText, partsOf } from "./columns.ts";
import { RANGES_PER_PAGE, recordRangesIn } from "./directory.ts";
import { unescaped } from "./pair.ts";
import type { ValueContext, ValueRange } from "./range-rows.ts";

/** Which records a list has, and which of them it shows. */
export interface ColumnQuery {
  /** Whether the index is complete, by the row of its state. */
  readonly isComplete: (state: Item | undefined) => boolean;
  /** The columns that the test reads. */
  readonly columns: readonly number[];
  /** Of a record by its parts, of which those of other columns may be missing. Absent: all records. */
  readonly test?: ((parts: readonly (string | undefined)[]) => boolean) | undefined;
  /** Counted from the newest record. */
  readonly offset: number;
  readonly limit: number;
}

/** A record of a page. */
export interface FoundRecord {
  readonly id: string;
  /** Those of the compared columns at least. */
  readonly parts: readonly (string | undefined)[];
}

/** One page of a list. */
export interface ColumnPage {
  /** All matches, and all records. */
  readonly total: number;
  readonly all: number;
  readonly records: readonly FoundRecord[];
}

type Context = ValueContext & { readonly keys: ColumnIndexKeys };

/** The parts of the records of a pack, by column; a column that was not read is missing. */
type Columns = readonly (readonly string[] | undefined)[];

/** A range and its matches. */
interface Matched {
  readonly range: ValueRange;
  readonly count: number;
  /** Of the pack; absent where all records match. */
  readonly compared?: { readonly columns: Columns; readonly places: readonly number[] };
}

const ID = 0;
const DEADLINE_MS = 10_000;
const NO_CHANGES: ReadonlyMap<string, number> = new Map();

/** See `ColumnIndex.page`. Starts again where a range was folded twice meanwhile. */
export function readPage(context: Context, query: ColumnQuery): Promise<ColumnPage | undefined> {
  const { table, keys } = context;
  return settle(DEADLINE_MS, async () => {
    const items = await table.queryAll({ PK: keys.ranges, from: keys.state.SK, limit: RANGES_PER_PAGE });
    const hasState = items[0]?.SK === keys.state.SK;
    if (!query.isComplete(hasState ? items[0] : undefined)) return undefined;
    const ranges = await recordRangesIn(context, items);
    const matched = await matchedRanges(context, ranges, query);
    const total = matched.reduce((sum, { count }) => sum + count, 0);
    const all = ranges.reduce((sum, { count }) => sum + count, 0);
    return { total, all, records: await recordsOf(context, matched, query) };
  });
}

/** The ranges with matches, from the newest. */
async function matchedRanges(
  context: Context,
  ranges: readonly ValueRange[],
  { columns: wanted, test }: ColumnQuery,
): Promise<readonly Matched[]> {
  const newestFirst = ranges.toReversed();
  if (!test) return newestFirst.map((range) => ({ range, count: range.count }));
  const columns = await readColumns(context, newestFirst, wanted);
  return newestFirst.map((range, at) => {
    const own = columns[at] ?? [];
    const places = placesOf(own, test);
    const changed = [...changesOf(range)].reduce((sum, [text, net]) => sum + (test(partsOf(text)) ? net : 0), 0);
    return { range, count: places.length + changed, compared: { columns: own, places } };
  });
}

/** Where the records of a pack stand that pass a test. */
function placesOf(columns: Columns, test: NonNullable<ColumnQuery["test"]>): readonly number[] {
  const places: number[] = [];
  const length = columns.reduce((most, column) => Math.max(most, column?.length ?? 0), 0);
  for (let place = 0; place < length; place += 1) if (test(partsAt(columns, place))) places.push(place);
  return places;
}

function partsAt(columns: Columns, place: number): readonly (string | undefined)[] {
  return columns.map((column) => {
    const part = column?.[place];
    return part === undefined ? undefined : unescaped(part);
  });
}

/** The records of the page. Reads the ids of the ranges that it meets. */
async function recordsOf(
  context: Context,
  matched: readonly Matched[],
  query: ColumnQuery,
): Promise<readonly FoundRecord[]> {
  const { offset, limit } = query;
  const met: Matched[] = [];
  let before = 0;
  let start = 0;
  for (const one of matched) {
    const end = before + one.count;
    if (one.count > 0 && end > offset && before < offset + limit) {
      if (met.length === 0) start = before;
      met.push(one);
    }
    before = end;
  }
  const ids = await readColumns(
    context,
    met.map(({ range }) => range),
    [ID],
  );
  const records = met.flatMap((one, at) => recordsIn(one, ids[at]?.[ID] ?? [], query.test));
  return records.slice(offset - start, offset - start + limit);
}

/** The matches of a range, from the newest. */
function recordsIn(
  { range, compared }: Matched,
  ids: readonly string[],
  test: ColumnQuery["test"],
): readonly FoundRecord[] {
  const changes = [...changesOf(range)];
  const gone = new Set(changes.flatMap(([text, net]) => (net < 0 ? [idOfText(text)] : [])));
  const places = compared?.places ?? ids.map((_, place) => place);
  const ofPack = places.flatMap((place): FoundRecord[] => {
    const id = ids[place] ?? "";
    return gone.has(id) ? [] : [{ id, parts: compared ? partsAt(compared.columns, place) : [] }];
  });
  const came = changes.flatMap(([text, net]): FoundRecord[] => {
    const parts = net > 0 ? partsOf(text) : [];
    return net > 0 && (test?.(parts) ?? true) ? [{ id: idOfText(text), parts }] : [];
  });
  return [...ofPack, ...came].sort((a, b) => (a.id < b.id ? 1 : -1));
}

function changesOf({ own = NO_CHANGES }: ValueRange): ReadonlyMap<string, number> {
  return own;
}

/**
 * Some columns of the packs of ranges, each in its place. One round trip, at half the price: what is not there yet is
 * read again, strongly consistent. Throws `Moved` where a range was folded since it was read.
 */
async function readColumns(
  { table, keys }: Context,
  ranges: readonly ValueRange[],
  wanted: readonly number[],
): Promise<readonly Columns[]> {
  const asked = ranges.flatMap((range, place) =>
    range.fold > 0
      ? wanted.map((at) => ({ place, at, fold: range.fold, key: keys.column(range.low, range.slot, at) }))
      : [],
  );
  const found = ranges.map((): (readonly string[] | undefined)[] => []);
  const take = async (some: typeof asked, consistent: boolean): Promise<typeof asked> => {
    const items = await read(
      some.map(({ key }) => key),
      consistent,
    );
    return some.filter(({ place, at, fold }, number) => {
      const column = columnOf(items[number], fold);
      const own = found[place];
      if (column && own) own[at] = column;
      return !column;
    });
  };
  const read = (some: readonly Key[], consistent: boolean) =>
    some.length > 0 ? table.getMany(some, { consistent }) : Promise.resolve([]);
  const missing = await take(asked, false);
  if ((await take(missing, true)).length > 0) throw new Moved("a range was folded while it was read");
  return found;
}
