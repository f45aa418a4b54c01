/**
 * Where the changes of the last range of an index of columns are: in several rows next to the ranges, its lanes
 * (decision 0136). New records all belong to the last range, and DynamoDB cancels a transaction on an item that another
 * one is writing. So the id of a record chooses the lane, and nothing is written to the row of the range.
 *
 * A lane carries the low of the range, and the number of its last fold, by which a reader sees that they belong
 * together.
 */
import { createHash } from "node:crypto";
import type { ColumnIndexKeys } from "../keys.ts";
import { as, number, rowCodec, text } from "../row.ts";
import { Moved } from "../settle.ts";
import { stale } from "../stale.ts";
import { type Item, type Key, LAST, type Step } from "../table.ts";
import { idOfText } from "./columns.ts";
import { changeBytes, changeName, deltaOf, type Lane, type RangeKeys, type ValueRange } from "./range-rows.ts";

const LANES = 8;
const lanes: readonly number[] = Array.from({ length: LANES }, (_, at) => at);

const laneRow = rowCodec<Omit<Lane, "own">>("lane of an index", {
  low: as("lo", text),
  fold: as("f", number),
  count: as("n", number),
  pending: as("p", number),
  changes: as("c", number),
});

type Keys = Pick<RangeKeys, "ranges"> & Pick<ColumnIndexKeys, "state">;

/** The key of a lane: all are between the state of the index and its ranges. */
function laneKey({ ranges, state }: Keys, at: number): Key {
  return { PK: ranges, SK: `${state.SK}${at}` };
}

/** The keys of all lanes. */
export function laneKeys(keys: Keys): readonly Key[] {
  return lanes.map((at) => laneKey(keys, at));
}

/** The items of a Query that are lanes, in their places. */
export function lanesIn(keys: Keys, items: readonly Item[]): readonly (Lane | undefined)[] {
  return laneKeys(keys).map(({ SK }) => {
    const item = items.find((one) => one.SK === SK);
    return item && laneOf(item);
  });
}

export function laneOf(item: Item): Lane {
  return { ...laneRow.read(item), own: deltaOf(item).changes };
}

/** The lane of a record by its text. */
export function laneAt(record: string): number {
  return createHash("sha256").update(idOfText(record)).digest().readUInt8() % LANES;
}

/**
 * The last range with what its lanes have. Throws `Moved` where they were not read at one instant and do not belong
 * together; of a `snapshot`, a lane that does not is damaged, and has nothing.
 */
export function withLanes(
  range: ValueRange,
  read: readonly (Lane | undefined)[],
  { isSnapshot = false }: { readonly isSnapshot?: boolean } = {},
): ValueRange {
  if (range.high !== LAST) return range;
  const fits = (lane: Lane | undefined) => lane?.low === range.low && (isSnapshot || lane.fold === range.fold);
  if (!isSnapshot && !read.every(fits)) throw new Moved("a range and its lanes were read while they were folded");
  const own = read.map((lane) => (lane && fits(lane) ? lane : undefined));
  return {
    ...range,
    count: own.reduce((sum, lane) => sum + (lane?.count ?? 0), range.count),
    pending: Math.max(range.pending, ...own.map((lane) => lane?.pending ?? 0)),
    own: new Map([...(range.own ?? []), ...own.flatMap((lane) => [...(lane?.own ?? [])])]),
    lanes: read,
  };
}

/** The same range after a change that this container writes. */
export function withChange(
  range: ValueRange,
  texts: { readonly added: readonly string[]; readonly removed: readonly string[] },
) {
  const { added, removed } = texts;
  const [first] = [...added, ...removed];
  const at = first === undefined ? -1 : laneAt(first);
  const bytes = [...added, ...removed].reduce((sum, one) => sum + changeBytes(one), 0);
  const own = range.lanes?.map((lane, place) =>
    lane && place === at ? { ...lane, pending: lane.pending + bytes } : lane,
  );
  const pending = Math.max(range.pending, own?.[at]?.pending ?? 0);
  return { ...range, lanes: own, pending, count: range.count + added.length - removed.length };
}

/** The step of the changes of one record in the last range. */
export function laneStep(keys: Keys, low: string, nets: Nets, moved: () => Error): Step {
  const [[text] = [""]] = nets;
  return {
    change: laneKey(keys, laneAt(text)),
    add: {
      n: sumOf(nets),
      p: bytesOf(nets),
      c: nets.length,
      ...Object.fromEntries(nets.map(([one, net]) => [changeName(one), net])),
    },
    when: { equal: { lo: low } },
    otherwise: moved,
  };
}

/** How often texts come less how often they go. */
export type Nets = readonly (readonly [text: string, net: number])[];

/** The lanes of a new index, of which one has the changes of its first record. */
export function foundingLanes(keys: Keys, nets: Nets, moved: () => Error): readonly Step[] {
  const first = laneAt(nets[0]?.[0] ?? "");
  return lanes.map((at): Step => {
    const own = at === first ? nets : [];
    const counts = { low: "", fold: 0, count: sumOf(own), pending: bytesOf(own), changes: own.length };
    const changes = Object.fromEntries(own.map(([one, net]) => [changeName(one), net]));
    return { put: { ...laneKey(keys, at), ...laneRow.write(counts), ...changes }, when: "absent", otherwise: moved };
  });
}

/**
 * The steps that empty the lanes, for the last range as it is then. It has the lanes that were read: nothing may have
 * changed in them since.
 */
export function emptyingLanes(keys: Keys, { low, fold, lanes: before = [] }: ValueRange): readonly Step[] {
  const empty = laneRow.write({ low, fold, count: 0, pending: 0, changes: 0 });
  return lanes.map((at): Step => {
    const was = before[at];
    const when = was ? { equal: { lo: was.low, c: was.changes } } : "absent";
    return { put: { ...laneKey(keys, at), ...empty }, when, otherwise: stale };
  });
}

/** The steps that take changes from the lanes of a range. What changed again meanwhile stays. */
export function takingFromLanes(keys: Keys, range: ValueRange, taken: ReadonlySet<string>): readonly Step[] {
  return lanes.map((at): Step => {
    const was = range.lanes?.[at];
    const nets = [...(was?.own ?? [])].filter(([text]) => taken.has(text));
    const left = [...(was?.own ?? [])].filter(([text]) => !taken.has(text));
    return {
      change: laneKey(keys, at),
      set: { f: range.ticket },
      add: { n: -sumOf(nets), p: bytesOf(left) - (was?.pending ?? 0) },
      clear: nets.map(([text]) => changeName(text)),
      when: { equal: { lo: range.low, ...Object.fromEntries(nets.map(([text, net]) => [changeName(text), net])) } },
      otherwise: stale,
    };
  });
}

function sumOf(nets: Nets): number {
  return nets.reduce((sum, [, net]) => sum + net, 0);
}

function bytesOf(nets: Nets): number {
  return nets.reduce((sum, [text]) => sum + changeBytes(text), 0);
}
