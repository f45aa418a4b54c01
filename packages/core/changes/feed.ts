/**
 * The feed of a tenant's changes: all of them, in order, for readers that continue where they stopped (decision 0083).
 *
 * A record becomes visible when its transaction commits, up to 35 s after its id was made (decision 0060), and the
 * clocks of writers differ. So ids are complete only up to a horizon in the past. A cursor holds this horizon, and the
 * ids after it that were shown already: newer records are shown at once, each once, and none is skipped.
 */
import { createHash } from "node:crypto";
import { Fault } from "../platform/faults.ts";
import type { Table } from "../table/table.ts";
import { firstIdAt, isChangeId, LANE_COUNT } from "./change-id.ts";
import { fitting } from "./fitting.ts";
import { readLanes } from "./lanes.ts";
import type { ChangeRecord } from "./model.ts";
import type { RecordRow } from "./record-rows.ts";

/** The most records of a page. */
export const FEED_LIMIT_MAX = 1_000;
/** No transaction commits later than this after its id was made. */
export const SETTLED_MS = 40_000;
/** The most ids after the horizon in a cursor. */
const SHOWN_MAX = 64;
/** The most of them at the start of a reader. The others are for new records, which would wait without a place. */
const START_MAX = 32;
const ID_LENGTH = 18;
const TENANT_CHARACTERS = 8;
/** The start of all ids. */
const START = firstIdAt(0);

export interface FeedPage {
  /** In the order of their ids; those of one resource in the order in which they were made. */
  readonly records: readonly ChangeRecord[];
  /** Where the next page starts. An empty page means that there is nothing new yet. */
  readonly next: string;
  /** Whether further changes may be visible already. */
  readonly mayBeMore: boolean;
}

/** Reads the changes of tenants. */
export interface ChangeFeed {
  /**
   * The changes after a cursor, at most `limit` of them and as many as one response holds; from the first one that is
   * kept, where there is no cursor. Throws `request.invalid` for a text that is no cursor of this tenant. One round
   * trip; one more for changes of many members.
   */
  read(tenant: string, cursor: string | undefined, limit: number, nowMs: number): Promise<FeedPage>;
  /**
   * A cursor for a reader that begins now: after it the feed shows what becomes visible from now on, also where its id
   * is older, and nothing that is visible already. Where more than 32 changes of the last 40 s are visible, older ids
   * than those of the latest 32 count as shown. One round trip.
   */
  start(tenant: string, nowMs: number): Promise<string>;
}

/** What a reader has seen: every record up to the horizon, and those after it. */
interface Seen {
  readonly horizon: string;
  readonly shown: ReadonlySet<string>;
}

/** Opens the feed on a table. */
export function changeFeed(table: Table): ChangeFeed {
  return {
    async read(tenant, cursor, limit, nowMs) {
      const seen = cursor === undefined ? { horizon: START, shown: new Set<string>() } : opened(tenant, cursor);
      const settled = firstIdAt(nowMs - SETTLED_MS);
      // Enough for a full page and for what is left out; a page of one busy lane is shorter.
      const perLane = Math.ceil((2 * limit) / LANE_COUNT) + seen.shown.size + 2;
      const { rows, reached } = await readLanes(table, { tenant, from: `${seen.horizon}\u0000`, perLane });
      const { page, after, isCut } = selected(seen, rows, { settled, reached, limit });
      const records = await fitting(table, page);
      const isAll = records.length === page.length;
      const shown = isAll ? after : selected(seen, rows, { settled, reached, limit: records.length }).after;
      return { records, next: sealed(tenant, shown), mayBeMore: !isAll || isCut || reached !== undefined };
    },

    async start(tenant, nowMs) {
      const from = firstIdAt(nowMs - SETTLED_MS);
      const { rows } = await readLanes(table, { tenant, from, perLane: START_MAX + 1, backwards: true });
      const ids = rows.map(({ record }) => record.id);
      return sealed(tenant, { horizon: ids[START_MAX] ?? from, shown: new Set(ids.slice(0, START_MAX)) });
    },
  };
}

/** A cursor after which the feed shows the changes that were made from a time on, by their ids. */
export function feedCursorAt(tenant: string, atMs: number): string {
  return sealed(tenant, { horizon: firstIdAt(atMs), shown: new Set() });
}

/** Throws `request.invalid` for a text that is no cursor of the tenant. */
export function checkFeedCursor(tenant: string, cursor: string): void {
  opened(tenant, cursor);
}

/** The rows of the next page, and what the reader has seen after it. */
function selected(
  { horizon, shown }: Seen,
  rows: readonly RecordRow[],
  {
    settled,
    reached,
    limit,
  }: { readonly settled: string; readonly reached: string | undefined; readonly limit: number },
): { readonly page: readonly RecordRow[]; readonly after: Seen; readonly isCut: boolean } {
  const all = new Set(shown);
  const page: RecordRow[] = [];
  /** Ids up to which every record is shown. */
  let complete = horizon;
  let [isFull, isYoungOver] = [false, false];
  for (const row of rows) {
    const { id, previous } = row.record;
    const isSettled = id <= settled;
    if (!all.has(id)) {
      isFull ||= page.length >= limit;
      if (isFull) break;
      isYoungOver = !isSettled && youngIn(all, settled) >= SHOWN_MAX;
      // The change before it became visible after its place was read.
      const isEarly = !isSettled && previous !== undefined && previous > horizon && !all.has(previous);
      if (isYoungOver) break;
      if (isEarly) continue;
      page.push(row);
      all.add(id);
    }
    if (isSettled) complete = id;
  }
  if (!isFull) {
    const end = reached === undefined || reached > settled ? settled : reached;
    if (end > complete) complete = end;
  }
  const after = { horizon: complete, shown: new Set([...all].filter((id) => id > complete)) };
  return { page, after, isCut: isFull || isYoungOver };
}

function youngIn(ids: ReadonlySet<string>, settled: string): number {
  let count = 0;
  for (const id of ids) if (id > settled) count += 1;
  return count;
}

/** Plain text: it says nothing that the feed does not show, and it selects nothing of another tenant. */
function sealed(tenant: string, { horizon, shown }: Seen): string {
  return Buffer.from(`${tagOf(tenant)}${[horizon, ...shown].join("")}`, "latin1").toString("base64url");
}

function opened(tenant: string, cursor: string): Seen {
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  const [tag, ids] = [text.slice(0, TENANT_CHARACTERS), text.slice(TENANT_CHARACTERS)];
  const [horizon, ...shown] = idsIn(ids);
  const isOwn = tag === tagOf(tenant) && Buffer.from(text, "latin1").toString("base64url") === cursor;
  const fits = shown.length <= SHOWN_MAX && [horizon ?? "", ...shown].every(isChangeId);
  if (!isOwn || horizon === undefined || !fits) {
    throw new Fault("request.invalid", "after: not a cursor of this list. Send `next` of the page before unchanged.");
  }
  return { horizon, shown: new Set(shown) };
}

function idsIn(text: string): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / ID_LENGTH) }, (_, at) =>
    text.slice(at * ID_LENGTH, (at + 1) * ID_LENGTH),
  );
}

function tagOf(tenant: string): string {
  return createHash("sha256").update(`changes ${tenant}`).digest("base64url").slice(0, TENANT_CHARACTERS);
}
