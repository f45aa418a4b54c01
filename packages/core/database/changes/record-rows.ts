/**
 * The rows of change records (decision 0082). A record is one JSON text, compressed where that makes it cheaper. The
 * changes of a record that is too large for one row are in further rows, which are written before it: a record without
 * all of them is never written.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { keys } from "../table/keys.ts";
import { DamagedRow } from "../table/row.ts";
import { type Item, type Key, LAST, type RangeQuery, type Table } from "../table/table.ts";
import { isChangeId, LANE_COUNT, laneOfChange, timeOfChange } from "./change-id.ts";
import { storedTimes, timesIn } from "./history-rows.ts";
import type { Change, ChangeRecord } from "./model.ts";

/** Longer texts are compressed. A row with this text and its other attributes is below 1 KB: two write units. */
const PLAIN_MOST = 780;
/**
 * A record with more bytes has its changes in further rows, so that pages of records stay small. Those of webhooks are
 * smaller, whatever their texts are: their function has no right on further rows.
 */
const ROW_MOST = 16_000;
/** The same before it is compressed: readers of pages hold many records at once. */
const TEXT_MOST = 64_000;
/** Bytes of the changes of one record; a resource has at most 400 KB in a row, before and after. */
const RECORD_MOST = 64_000_000;
/** Bytes of one further row; DynamoDB accepts 400 KB. */
const PART_MOST = 300_000;
const PARTS_PER_PAGE = 20;
/**
 * Further rows expire so much later than their record. DynamoDB removes expired rows up to two days late and in any
 * order, and a record without all of its further rows cannot be read.
 */
const PARTS_SLACK_SECONDS = 3 * 86_400;

/** What is stored as JSON: all that the key does not say. */
type Stored = Omit<ChangeRecord, "id" | "atMs" | "tenant">;

/** A record with the times that its transaction cut off from the history of the resource, oldest first. */
export interface RecordRow {
  readonly record: ChangeRecord;
  readonly older: readonly number[];
  /** The number of further rows with changes. `withParts` adds these. */
  readonly parts: number;
}

/** The rows of one record: its own, and those that must be written before it. */
export interface RecordItems {
  readonly item: Item;
  readonly parts: readonly Item[];
}

/** The rows of a record. */
export function recordItems(
  { id, atMs: _, tenant, ...stored }: ChangeRecord,
  older: readonly number[],
  expiresAtSeconds: number,
): RecordItems {
  const whole = packed(stored satisfies Stored);
  const isLarge = whole.length > ROW_MOST || Buffer.byteLength(JSON.stringify(stored)) > TEXT_MOST;
  const chunks = isLarge ? chunksOf(packed(stored.changes)) : [];
  return {
    item: {
      ...keys.changeRecord(tenant, laneOfChange(id), id),
      r: chunks.length > 0 ? packed({ ...stored, changes: [] }) : whole,
      ...(older.length > 0 && { o: storedTimes(older) }),
      ...(chunks.length > 0 && { n: chunks.length }),
      expiresAtSeconds,
    },
    parts: chunks.map((r, at) => ({
      ...keys.changePart(tenant, id, at),
      r,
      expiresAtSeconds: expiresAtSeconds + PARTS_SLACK_SECONDS,
    })),
  };
}

/** The range of the records of a lane between two ids, both included. */
export function recordRange(
  tenant: string,
  lane: number,
  { from, to = LAST }: { readonly from?: string; readonly to?: string },
): Pick<RangeQuery, "PK" | "from" | "to"> {
  return { PK: keys.changeRecords(tenant, lane), ...(from !== undefined && { from }), to };
}

/** The lanes of a tenant's records. */
export const lanes: readonly number[] = Array.from({ length: LANE_COUNT }, (_, lane) => lane);

/** The key of a record. */
export function recordKey(tenant: string, id: string) {
  return keys.changeRecord(tenant, laneOfChange(id), id);
}

/** Reads the row of a record. Throws `DamagedRow`. */
export function toRecord(tenant: string, item: Item): RecordRow {
  const id = item.SK;
  const stored = isChangeId(id) ? unpacked<Stored>(item) : damaged(item);
  return {
    record: { id, atMs: timeOfChange(id), tenant, ...stored },
    older: timesIn(item.o),
    parts: typeof item.n === "number" ? item.n : 0,
  };
}

/** A record with the changes of its further rows. One round trip where there are some. Throws `DamagedRow`. */
export async function withParts(table: Table, { record, parts }: RecordRow): Promise<ChangeRecord> {
  if (parts === 0) return record;
  const { PK } = keys.changePart(record.tenant, record.id, 0);
  const items = await table.queryAll({ PK, limit: PARTS_PER_PAGE });
  const [first] = items;
  const chunks = items.map(({ r }) => (r instanceof Uint8Array ? r : new Uint8Array()));
  if (!first || items.length !== parts) return damaged({ PK, SK: "-" });
  return { ...record, changes: unpacked<readonly Change[]>({ ...first, r: new Uint8Array(Buffer.concat(chunks)) }) };
}

function chunksOf(packedText: string | Uint8Array): Uint8Array[] {
  const bytes = typeof packedText === "string" ? deflated(packedText) : packedText;
  return Array.from({ length: Math.ceil(bytes.length / PART_MOST) }, (_, at) =>
    bytes.subarray(at * PART_MOST, (at + 1) * PART_MOST),
  );
}

function packed(value: unknown): string | Uint8Array {
  const text = JSON.stringify(value);
  return Buffer.byteLength(text) <= PLAIN_MOST ? text : deflated(text);
}

function deflated(text: string): Uint8Array {
  return new Uint8Array(deflateRawSync(text));
}

function unpacked<T>(item: Item): T {
  const { r } = item;
  try {
    if (typeof r === "string") return JSON.parse(r) as T;
    if (r instanceof Uint8Array)
      return JSON.parse(inflateRawSync(r, { maxOutputLength: RECORD_MOST }).toString("utf8")) as T;
  } catch {
    return damaged(item);
  }
  return damaged(item);
}

function damaged(item: Key): never {
  throw new DamagedRow("change record", item, { attribute: "r", expects: "the JSON of a record" });
}
