/**
 * Which resources of a type were changed since a time, by the records of their changes (decision 0083). Every change
 * has a record in its transaction, so that the answer lacks no resource; it may name some that were changed earlier or
 * are deleted.
 */
import type { Table } from "../table/table.ts";
import { firstIdAt, LANE_COUNT, timeOfChange } from "./change-id.ts";
import { type LanePage, readLanes } from "./lanes.ts";
import type { ResourceType } from "./model.ts";
import { lanes, recordRange } from "./record-rows.ts";

/** What to look for. */
export interface ChangedSince {
  readonly tenant: string;
  readonly type: ResourceType;
  readonly sinceMs: number;
  readonly nowMs: number;
  /** How long records are kept. */
  readonly recordDays: number;
}

/** The time of a record may be before the time that the resource shows, where clocks differ. */
const SLACK_MS = 60_000;
const DAY_MS = 86_400_000;
/** Records that are read before it is known how many there are. */
const SAMPLE = 2_000;
/** The most records that are read: about 3,000 read units. */
const RECORDS_MOST = 16_000;

/**
 * The ids of the resources; `undefined` where the records do not go back so far, or are too many to read. Strongly
 * consistent. One round trip for up to 2,000 records, and up to four more for 16,000.
 */
export async function changedSince(table: Table, search: ChangedSince): Promise<readonly string[] | undefined> {
  const { tenant, type, sinceMs, nowMs, recordDays } = search;
  const startMs = sinceMs - SLACK_MS;
  if (startMs < nowMs - recordDays * DAY_MS) return undefined;
  const ids = new Set<string>();
  let from = firstIdAt(startMs);
  const [isWithin, first] = await Promise.all([
    hasRecordBefore(table, tenant, from),
    read(table, tenant, from, SAMPLE),
  ]);
  if (!isWithin) return undefined;
  let count = 0;
  for (let page = first; ; page = await read(table, tenant, from, RECORDS_MOST)) {
    count += page.rows.length;
    for (const { record } of page.rows) if (record.resource.type === type) ids.add(record.resource.id);
    if (page.reached === undefined) return [...ids];
    const readMs = timeOfChange(page.reached) - startMs;
    const expected = (count * (nowMs - startMs)) / Math.max(1, readMs);
    if (count > RECORDS_MOST || expected > 2 * RECORDS_MOST) return undefined;
    from = `${page.reached}\u0000`;
  }
}

/** Whether the records begin before an id: those of a younger table do not tell what was changed before them. */
async function hasRecordBefore(table: Table, tenant: string, id: string): Promise<boolean> {
  const pages = await Promise.all(
    lanes.map((lane) => table.query({ ...recordRange(tenant, lane, { to: id }), limit: 1 })),
  );
  return pages.some(({ items }) => items.length > 0);
}

function read(table: Table, tenant: string, from: string, most: number): Promise<LanePage> {
  return readLanes(table, { tenant, from, perLane: Math.ceil(most / LANE_COUNT) });
}
