/**
 * Reads the records of a tenant in the order of their ids, over the lanes that they are spread over (decision 0083).
 */
import type { Table } from "../table/table.ts";
import { lanes as allLanes, type RecordRow, recordRange, toRecord } from "./record-rows.ts";

/** A range of ids, and how much of it is read at once. */
export interface LaneRange {
  readonly tenant: string;
  /** The first id. */
  readonly from?: string | undefined;
  /** The id before which the range ends. */
  readonly to?: string | undefined;
  /** The most rows of each lane, at least 2. */
  readonly perLane: number;
  readonly backwards?: boolean;
  /** All lanes where it is left out. */
  readonly lanes?: readonly number[] | undefined;
}

/** Records in the order of the range. */
export interface LanePage {
  readonly rows: readonly RecordRow[];
  /** The last id to which every lane was read; absent at the end of the range. */
  readonly reached?: string;
}

/** The first records of a range, without a gap. One round trip. */
export async function readLanes(table: Table, range: LaneRange): Promise<LanePage> {
  const { tenant, from, to, perLane, backwards = false, lanes = allLanes } = range;
  const ends = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const pages = await Promise.all(
    lanes.map((lane) => table.query({ ...recordRange(tenant, lane, ends), limit: perLane, backwards })),
  );
  const order = backwards ? descending : ascending;
  // What a lane returned after the end of another one may have a gap before it.
  const [reached] = pages.flatMap(({ next }) => (next ? [next.SK] : [])).sort(order);
  const rows = pages
    .flatMap(({ items }) => items)
    .filter(({ SK }) => SK !== to && (reached === undefined || order(SK, reached) <= 0))
    .sort((a, b) => order(a.SK, b.SK))
    .map((item) => toRecord(tenant, item));
  return { rows, ...(reached !== undefined && { reached }) };
}

function ascending(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function descending(a: string, b: string): number {
  return ascending(b, a);
}
