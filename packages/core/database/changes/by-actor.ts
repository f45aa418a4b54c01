/**
 * Finds the changes of an actor (decision 0083): by the index up to where it is complete, and in the records after
 * that. Two round trips: what the index has, and the records. A page may be short, and still have a next one.
 */
import type { Table } from "../table/table.ts";
import { INDEX_PAUSE_MS } from "./actor-index.ts";
import { readActor, readIndexed } from "./actor-rows.ts";
import { firstIdAt, idBefore } from "./change-id.ts";
import { readLanes } from "./lanes.ts";
import { type RecordRow, recordKey, toRecord } from "./record-rows.ts";

/** Which changes are sought. */
export interface ActorSearch {
  readonly tenant: string;
  readonly actor: string;
  /** The first id, and the id before which the range ends; absent for no end. */
  readonly from: string;
  readonly before?: string | undefined;
  readonly isAscending: boolean;
  readonly limit: number;
  /** Whether a record is one that is sought; more than its actor may count. */
  readonly fits: (row: RecordRow) => boolean;
  /** Whether the actor alone counts. */
  readonly isPlain: boolean;
  readonly nowMs: number;
}

/** Rows in the order of the search, and the id after which it goes on; absent at the end. */
export interface ActorFound {
  readonly rows: readonly RecordRow[];
  readonly next?: string | undefined;
}

/** Records that are read by their ids for one page, where not each of them is one that is sought. */
const CANDIDATES = 1_000;
const LANE_MOST = 2_000;
const CEILING = "~";

/** One page of the changes of an actor. Two round trips. */
export async function findByActor(table: Table, search: ActorSearch): Promise<ActorFound> {
  const { tenant, actor, from, before = CEILING, isAscending, limit, fits, isPlain, nowMs } = search;
  const most = isPlain ? limit : Math.max(limit, CANDIDATES);
  const [indexed, page] = await Promise.all([
    readIndexed(table, tenant),
    readActor(table, tenant, actor, { from, before, isAscending, most }),
  ]);
  // The rows of a block that has just become complete may have been read before they were written.
  const isFresh = indexed !== undefined && nowMs - indexed.atMs < INDEX_PAUSE_MS;
  const end = (isFresh ? indexed.former : indexed?.end) ?? firstIdAt(0);
  const order = (a: string, b: string) => (a < b ? -1 : 1) * (isAscending ? 1 : -1);
  const isKnown = (id: string) => page.limit === undefined || (isAscending ? id < page.limit : id >= page.limit);
  const hits = page.ids.filter((id) => id >= from && id < before && id < end && isKnown(id)).sort(order);
  const candidates = hits.slice(0, most);
  const isAll = candidates.length === hits.length && page.limit === undefined;
  const hasTail = end < before && !(isAscending && !isAll);
  const [items, tail] = await Promise.all([
    candidates.length > 0 ? table.getMany(candidates.map((id) => recordKey(tenant, id))) : [],
    hasTail
      ? readLanes(table, {
          tenant,
          from: from > end ? from : end,
          ...(before !== CEILING && { to: before }),
          perLane: LANE_MOST,
          backwards: !isAscending,
        })
      : { rows: [] },
  ]);
  const found = items.flatMap((item) => (item ? [toRecord(tenant, item)] : []));
  const recent = tail.rows;
  // Before the end of the tail nothing of the index may be shown.
  const isCut = !isAscending && "reached" in tail && tail.reached !== undefined;
  const all = [...(isCut ? [] : found), ...recent].filter(fits).sort((a, b) => order(a.record.id, b.record.id));
  const rows = all.slice(0, limit);
  const last = rows.at(-1);
  if (last && rows.length < all.length) return { rows, next: last.record.id };
  if ("reached" in tail && tail.reached !== undefined) return { rows, next: tail.reached };
  if (isAll) return { rows };
  if (candidates.length < hits.length) return { rows, next: candidates.at(-1) };
  return { rows, next: isAscending ? idBefore(page.limit ?? end) : page.limit };
}
