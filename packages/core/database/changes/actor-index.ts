/**
 * Makes the index of changes by actor (decision 0083): later than the changes, in blocks of thousands, so that a change
 * costs nothing for it and a block next to nothing. What is in no block yet is read from the records.
 */
import { concurrently } from "../../kernel/concurrently.ts";
import { isStale, stale } from "../table/stale.ts";
import type { Table } from "../table/table.ts";
import { blockRows, completing, readIndexed } from "./actor-rows.ts";
import { firstIdAt, idAfter } from "./change-id.ts";
import { SETTLED_MS } from "./feed.ts";
import { readLanes } from "./lanes.ts";

/** Fewer changes are no block. */
const BLOCK_LEAST = 2_048;
const BLOCK_PER_LANE = 2_000;
/** Longer than a request: who reads the rows of a block and then that it is complete has read all of its rows. */
export const INDEX_PAUSE_MS = 60_000;
const ROWS_AT_ONCE = 16;
const DAY_SECONDS = 86_400;

/** How a tenant is indexed. */
export interface Indexing {
  readonly nowMs: number;
  /** How long records are kept. */
  readonly recordDays: number;
  /** The most changes of a block that are in one lane. */
  readonly perLane?: number;
}

/**
 * Indexes the next block of a tenant, where there is one. Returns the number of changes in it. Several at once index it
 * once. Two round trips where there is none, and the writes of up to 100 rows where there is.
 */
export async function indexActors(
  table: Table,
  tenant: string,
  { nowMs, recordDays, perLane = BLOCK_PER_LANE }: Indexing,
): Promise<number> {
  const indexed = await readIndexed(table, tenant);
  if (indexed && nowMs - indexed.atMs < INDEX_PAUSE_MS) return 0;
  const start = indexed?.end ?? firstIdAt(0);
  const settled = firstIdAt(nowMs - SETTLED_MS);
  const page = await readLanes(table, { tenant, from: start, to: settled, perLane });
  if (page.rows.length < BLOCK_LEAST) return 0;
  const end = page.reached === undefined ? settled : idAfter(page.reached);
  const changes = page.rows.map(({ record }) => record);
  const expiresAtSeconds = Math.floor(nowMs / 1_000) + recordDays * DAY_SECONDS;
  const items = blockRows(tenant, { start, end }, changes, expiresAtSeconds);
  await concurrently(items, ROWS_AT_ONCE, (put) => table.write({ put, when: "any", otherwise: stale }));
  try {
    await table.write(completing(tenant, { end, former: indexed?.end, atMs: nowMs }));
  } catch (error) {
    // Another one was faster: its rows are other ones where its block ends elsewhere.
    if (isStale(error)) return 0;
    throw error;
  }
  return changes.length;
}
