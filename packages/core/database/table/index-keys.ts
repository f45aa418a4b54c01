/** The keys of indexes, each of which has partitions of its own. `keys.ts` says which indexes there are. */
import type { Key } from "./table.ts";

/** The sort key of the only or the main item of a partition. */
const MAIN = "A";
/** The sort key of the state of an index of columns. That of a range begins with a dot, which comes after it. */
const STATE = "-";
/** Begins the sort keys of columns. */
const COLUMN = "C";

/** The keys of counted ranges whose contents are packs and the changes since. */
export interface PackedRangeKeys {
  /** One item per range; SK is a dot and the low text. */
  readonly ranges: string;
  /** What the range with that low text contains: changes since its last fold, and slots for packs. */
  delta(low: string, part: number): Key;
  values(low: string, slot: number): Key;
}

/** The keys of a name index: entries, ranges, and what ranges contain (decisions 0004 and 0128). */
export interface NameListKeys extends PackedRangeKeys {
  /** One entry per name, which is also its uniqueness guard. */
  entry(name: string): Key;
  readonly entries: string;
  /** The names of the narrow range with that low key. */
  leaf(low: string): Key;
}

/** The keys of an index of the values of one attribute (decision 0095). */
export interface ValueIndexKeys extends PackedRangeKeys {
  ids(low: string, slot: number): Key;
  /** Of an index behind a log: its state, the partition of the blocks of its log, and those of the log itself. */
  readonly state: Key;
  readonly blocks: string;
  log(lane: number): string;
}

/** The keys of an index of columns: its changes are in its ranges (decision 0136). */
export interface ColumnIndexKeys extends PackedRangeKeys {
  /** Begins before all ranges, so that one Query reads it with them. */
  readonly state: Key;
  readonly columns: number;
  /** A column of what the range with that low text contains. */
  column(low: string, slot: number, at: number): Key;
}

/** The keys of a name index in a partition. */
export function nameList(partition: string): NameListKeys {
  return {
    ...packedRanges(partition),
    entries: partition,
    entry: (name) => ({ PK: partition, SK: name }),
    leaf: (low) => main(`${partition}#L#${low}`),
  };
}

/** The keys of an index of values. */
export function valueList(partition: string): ValueIndexKeys {
  return {
    ...packedRanges(partition),
    ids: (low, slot) => partOf(partition, low, `I${slot}`),
    state: main(`${partition}#S`),
    blocks: `${partition}#B`,
    log: (lane) => `${partition}#L#${lane}`,
  };
}

/** The keys of an index of columns. */
export function columnList(partition: string, columns: number): ColumnIndexKeys {
  const ranges = packedRanges(partition);
  return {
    ...ranges,
    state: { PK: ranges.ranges, SK: STATE },
    columns,
    column: (low, slot, at) => partOf(partition, low, `${COLUMN}${slot}${at}`),
  };
}

/** The key of the only or the main item of a partition. */
export function main(PK: string): Key {
  return { PK, SK: MAIN };
}

function packedRanges(partition: string): PackedRangeKeys {
  return {
    ranges: `${partition}#R`,
    delta: (low, at) => partOf(partition, low, `D${at}`),
    values: (low, slot) => partOf(partition, low, `V${slot}`),
  };
}

function partOf(partition: string, low: string, SK: string): Key {
  return { PK: `${partition}#P#${low}`, SK };
}
