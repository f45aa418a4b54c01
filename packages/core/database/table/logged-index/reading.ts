/**
 * Reading an index behind a log: its ranges, and what they lack of the log.
 *
 * Entries move from the log into blocks and from blocks into ranges while the index is read. The log is read before the
 * blocks, so that an entry is met in one of them at least, and counts once where it is met in both. Blocks and ranges
 * are read at once. A range says up to which block it has the entries: one with a block that was not met is read again.
 * A block stays for longer than any request reads after its entries are in all ranges.
 */
import { unavailable } from "../failures.ts";
import { Moved, settle } from "../settle.ts";
import { compareKeys, type Item, type Key, LAST } from "../table.ts";
import { type Contents, pairTexts } from "../value-index/contents.ts";
import { type ContentsReader, directoryOf } from "../value-index/matches.ts";
import type { ValueDirectory } from "../value-index/model.ts";
import { idsItem, packedIds, packedValues, packOf, valuesOfPairs } from "../value-index/range-rows.ts";
import { backTo, joinedNets, type Nets, Pending, splitLog, sumOf } from "./pending.ts";
import {
  type Block,
  blockOf,
  changesOf,
  entryOf,
  type LogEntry,
  type LoggedContext,
  type LoggedRange,
  type LogState,
  lanes,
  loggedRangeOf,
  stateOf,
} from "./rows.ts";

const ROWS_PER_PAGE = 10_000;
const DEADLINE_MS = 10_000;

/** The state of an index, and the entries in its log. */
export interface LogRead {
  readonly state: LogState;
  readonly log: readonly LogEntry[];
}

/** An index as it was at one time. */
export interface Snapshot extends LogRead {
  readonly blocks: readonly Block[];
  /** The number of the last of them, also where it was removed. */
  readonly last: number;
  /** Entries of the log that a block has. */
  readonly blocked: readonly LogEntry[];
  /** Without gaps. Their counts are those of their rows. */
  readonly ranges: readonly LoggedRange[];
  readonly pending: Pending;
}

/** Which columns of packs are read. */
interface Columns {
  readonly values: boolean;
  readonly ids: boolean;
}

const EMPTY_RANGE: Omit<LoggedRange, "low" | "high"> = {
  count: 0,
  applied: 0,
  pack: 0,
  packSlot: 0,
  delta: 0,
  deltaSlot: 0,
};

/** What lists read of an index. */
export function directoryIn(context: LoggedContext, snapshot: Snapshot): ValueDirectory {
  const { ranges, pending } = snapshot;
  return directoryOf(
    ranges.map((range) => ({ ...range, count: range.count + sumOf(pending.netsIn(range)) })),
    readerOf(context, snapshot),
    0,
  );
}

/** How the contents of the ranges of a snapshot are read. */
function readerOf(context: LoggedContext, snapshot: Snapshot): ContentsReader<LoggedRange> {
  return {
    contents: (ranges, ids) => readContents(context, snapshot, ranges, { values: true, ids }),
    async ids(asked) {
      const whole = asked.filter(({ contents }) => !contents).map(({ range }) => range);
      const partial = asked.filter(({ contents }) => contents).map(({ range }) => range);
      const [all, some] = await Promise.all([
        readContents(context, snapshot, whole, { values: false, ids: true }),
        readContents(context, snapshot, partial, { values: true, ids: true }),
      ]);
      return [
        ...all.map((contents) => ({ contents, isWhole: true })),
        ...some.map((contents) => ({ contents, isWhole: false })),
      ];
    },
  };
}

/** The state and the log. One round trip. */
export async function readLog({ table, keys }: LoggedContext): Promise<LogRead> {
  const [state, ...log] = await Promise.all([
    table.get(keys.state),
    ...lanes.map(async (lane) => {
      const items = await table.queryAll({ PK: keys.log(lane), limit: ROWS_PER_PAGE });
      return items.map((item) => entryOf(item, lane));
    }),
  ]);
  return { state: stateOf(state), log: log.flat() };
}

/** The log, the blocks and the ranges. Two round trips; more where entries were moved meanwhile. */
export function readSnapshot(context: LoggedContext): Promise<Snapshot> {
  return settle(DEADLINE_MS, async () => {
    const { state, log } = await readLog(context);
    const [blocks, ranges] = await Promise.all([readBlocks(context), readRanges(context)]);
    const last = Math.max(state.block, blocks.at(-1)?.number ?? 0);
    const numbers = new Set(blocks.map(({ number }) => number));
    // All blocks are there whose entries ranges lacked, or the log had, when the log was read; and all since.
    for (let number = state.clean + 1; number <= last; number += 1) {
      if (!numbers.has(number)) throw new Moved("a block was read while it was written or removed");
    }
    if (ranges.some(({ applied }) => applied > last)) throw new Moved("a range was read after a block that was not");
    const { open, blocked } = splitLog(log, blocks);
    return { state, log: open, blocked, blocks, ranges, last, pending: new Pending(blocks, open) };
  });
}

async function readBlocks({ table, keys }: LoggedContext): Promise<readonly Block[]> {
  const items = await table.queryAll({ PK: keys.blocks, limit: ROWS_PER_PAGE });
  return items.map(blockOf);
}

/** All ranges: an index that has none yet is one empty range. */
async function readRanges({ table, keys }: LoggedContext): Promise<readonly LoggedRange[]> {
  const items = await table.queryAll({ PK: keys.ranges, from: ".", limit: ROWS_PER_PAGE });
  if (items.length === 0) return [{ ...EMPTY_RANGE, low: "", high: LAST }];
  const ranges = items.map(loggedRangeOf);
  // DynamoDB reads each row separately, so that a Query may return a part of a transaction.
  const isWhole = ranges.every(({ high }, at) => high === (ranges[at + 1]?.low ?? LAST)) && ranges[0]?.low === "";
  if (!isWhole) throw new Moved("ranges were read while one was split or joined");
  return ranges;
}

/**
 * The contents of ranges as they are in a snapshot. One round trip for about 500 ranges, and three more for each that
 * has moved since. Throws `service.unavailable` where that is longer ago than blocks are kept.
 */
export async function readContents(
  context: LoggedContext,
  snapshot: Snapshot,
  ranges: readonly LoggedRange[],
  columns: Columns,
): Promise<readonly Contents<LoggedRange>[]> {
  const first = await attemptContents(context, ranges, snapshot.pending, columns);
  const result: Contents<LoggedRange>[] = [];
  for (const [at, range] of ranges.entries()) {
    const contents = first[at];
    if (contents) result.push(contents);
    else result.push(await readAgain(context, snapshot, range));
  }
  return result;
}

/**
 * The contents of a range that has moved since a snapshot, as a pack: what the ranges of now have of it, brought back
 * to the time of the snapshot. With later entries than other ranges, a list had an owner twice, or not at all, whose
 * value has gone from one range to another.
 */
function readAgain(
  context: LoggedContext,
  snapshot: Snapshot,
  { low, high, ...range }: LoggedRange,
): Promise<Contents<LoggedRange>> {
  return settle(DEADLINE_MS, async () => {
    const now = await readSnapshot(context);
    if (now.state.clean > snapshot.last) throw unavailable(new Error("an index was read for too long"));
    const own = now.ranges.filter((one) => compareKeys(one.low, high) < 0 && compareKeys(low, one.high) < 0);
    const contents = await attemptContents(context, own, backTo(snapshot, now), { values: true, ids: true });
    const texts = contents.flatMap((one) => {
      if (!one) throw new Moved("a range was read while it was moved");
      return pairTexts(one);
    });
    const inside = texts.filter((text) => compareKeys(low, text) <= 0 && compareKeys(text, high) < 0);
    const ids = packedIds(idsItem({ PK: "", SK: "" }, 0, inside).z as Uint8Array);
    return { range: { ...range, low, high }, values: valuesOfPairs(inside), ids, changes: new Map() };
  });
}

/** For each range its contents, or `undefined` where its rows are of another number. */
export async function attemptContents(
  { table, keys }: LoggedContext,
  ranges: readonly LoggedRange[],
  pending: Nets,
  columns: Columns,
): Promise<readonly (Contents<LoggedRange> | undefined)[]> {
  const keysOf = ({ low, pack, packSlot, delta, deltaSlot }: LoggedRange): readonly (Key | undefined)[] => [
    delta > 0 ? keys.delta(low, deltaSlot) : undefined,
    pack > 0 && columns.values ? keys.values(low, packSlot) : undefined,
    pack > 0 && columns.ids ? keys.ids(low, packSlot) : undefined,
  ];
  const asked = ranges.map(keysOf);
  const wanted = asked.flatMap((own) => own.flatMap((key) => key ?? []));
  const items = (wanted.length > 0 ? await table.getMany(wanted) : []).values();
  return ranges.map((range, at) => {
    const own = (asked[at] ?? []).map((key) => (key ? items.next().value : undefined));
    return contentsOf(range, own, pending, columns);
  });
}

function contentsOf(
  range: LoggedRange,
  [delta, values, ids]: readonly (Item | undefined)[],
  pending: Nets,
  columns: Columns,
): Contents<LoggedRange> | undefined {
  const since = range.delta > 0 ? changesOf(delta, range.delta) : new Map<string, number>();
  if (!since) return undefined;
  const changes = joinedNets(since, pending.netsIn(range));
  if (range.pack === 0) return { range, values: [], ...(columns.ids && { ids: new Uint8Array() }), changes };
  const packedOf = (item: Item | undefined) => packOf(item, range.pack);
  const [valueColumn, idColumn] = [packedOf(values), packedOf(ids)];
  if ((columns.values && !valueColumn) || (columns.ids && !idColumn)) return undefined;
  return {
    range,
    values: valueColumn ? packedValues(valueColumn) : [],
    ...(idColumn && { ids: packedIds(idColumn) }),
    changes,
  };
}
