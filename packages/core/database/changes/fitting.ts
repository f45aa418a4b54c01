/** How many change records one page has. */
import type { Table } from "../table/table.ts";
import type { ChangeRecord } from "./model.ts";
import { type RecordRow, withParts } from "./record-rows.ts";
import { bytesOfShown } from "./shown-changes.ts";

/** Bytes of the JSON of a page, as it is shown: the response of a function has a limit. */
const PAGE_BYTES = 2_000_000;
/** About as many bytes of JSON come from one further row of a large record. */
const PART_BYTES = 800_000;

/**
 * The first of some records that fit into one response, at least one, with all their changes. One round trip where
 * there are further rows, which are read of three records at most.
 */
export async function fitting(table: Table, rows: readonly RecordRow[]): Promise<ChangeRecord[]> {
  const likely = firstWithin(rows, ({ record, parts }) => bytesOf(record) + parts * PART_BYTES);
  if (likely.every(({ parts }) => parts === 0)) return likely.map(({ record }) => record);
  return firstWithin(await Promise.all(likely.map((row) => withParts(table, row))), bytesOf);
}

function firstWithin<T>(list: readonly T[], sizeOf: (one: T) => number): T[] {
  let bytes = 0;
  const end = list.findIndex((one, at) => {
    bytes += sizeOf(one);
    return bytes > PAGE_BYTES && at > 0;
  });
  return list.slice(0, end === -1 ? list.length : end);
}

function bytesOf({ changes, ...record }: ChangeRecord): number {
  return Buffer.byteLength(JSON.stringify(record)) + bytesOfShown(changes);
}
