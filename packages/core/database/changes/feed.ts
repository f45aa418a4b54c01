/**
 * The feed of a tenant's changes: all of them, in order, for readers that continue where they stopped (decision 0083).
 *
 * A record becomes visible when its transaction commits, up to 35 s after its id was made (decision 0060), and the
 * clocks of writers differ. So ids are complete only up to a horizon in the past. A cursor holds this horizon, and the
 * ids after it that were shown already: newer records are shown at once, each once, and none is skipped.
 */
import { createHash } from "node:crypto";
import { Fault } from "../../kernel/faults.ts";
import type { Table } from "../table/table.ts";
import { firstIdAt, isChangeId, LANE_COUNT, timeOfChange } from "./change-id.ts";
import { fitting } from "./fitting.ts";
import { readLanes } from "./lanes.ts";
import type { ChangeRecord } from "./model.ts";
import type { RecordRow } from "./record-rows.ts";

/** No transaction commits later than this after its id was made. */
export const SETTLED_MS = 40_000;
/** The most ids after the horizon in a cursor that callers keep. */
const SHOWN_MAX = 64;
/**
 * The same for the deliveries of this service, which keep theirs in a row: changes of 40 s at a hundred a second. Above
 * that they wait as in a cursor of a caller.
 */
export const DELIVERY_SHOWN_MAX = 4_096;
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
export type ChangeFeed = ReturnType<typeof changeFeed>;

/** What a reader has seen: every record up to the horizon, and those after it. */
interface Seen {
  readonly horizon: string;
  readonly shown: ReadonlySet<string>;
}

/** Opens the feed on a table, for readers whose cursors hold so many ids after the horizon. */
export function changeFeed(table: Table, shownMax = SHOWN_MAX) {
  // The other half is for new records, which would wait without a place.
  const startMax = shownMax / 2;
  return {
    /**
     * The changes after a cursor, at most `limit` of them and as many as one response holds; from the first one that is
     * kept, where there is no cursor. Throws `request.invalid` for a text that is no cursor of this tenant. One round
     * trip; one more for changes of many members.
     */
    async read(tenant: string, cursor: string | undefined, limit: number, nowMs: number): Promise<FeedPage> {
      const seen = cursor === undefined ? { horizon: START, shown: new Set<string>() } : opened(tenant, cursor);
      const settled = firstIdAt(nowMs - SETTLED_MS);
      // Enough for a full page and for what is left out; a page of one busy lane is shorter.
      const perLane = Math.ceil((2 * limit) / LANE_COUNT) + seen.shown.size + 2;
      const { rows, reached } = await readLanes(table, { tenant, from: `${seen.horizon}\u0000`, perLane });
      const { page, after, isCut } = selected(seen, rows, { settled, reached, limit, shownMax });
      const records = await fitting(table, page);
      const isAll = records.length === page.length;
      const shown = isAll ? after : selected(seen, rows, { settled, reached, limit: records.length, shownMax }).after;
      return { records, next: sealed(tenant, shown), mayBeMore: !isAll || isCut || reached !== undefined };
    },

    /**
     * A cursor for a reader that begins now: after it the feed shows what becomes visible from now on, also where its
     * id is older, and nothing that is visible already. Where more changes of the last 40 s are visible than half of
     * the ids of a cursor, older ids than those of the latest ones count as shown. One round trip.
     */
    async start(tenant: string, nowMs: number): Promise<string> {
      const from = firstIdAt(nowMs - SETTLED_MS);
      const { rows } = await readLanes(table, { tenant, from, perLane: startMax + 1, backwards: true });
      const ids = rows.map(({ record }) => record.id);
      return sealed(tenant, { horizon: ids[startMax] ?? from, shown: new Set(ids.slice(0, startMax)) });
    },
  };
}

/** A cursor after which the feed shows the changes that were made from a time on, by their ids. */
export function feedCursorAt(tenant: string, atMs: number): string {
  return sealed(tenant, { horizon: firstIdAt(atMs), shown: new Set() });
}

/**
 * A cursor as callers are shown it: of very many ids after the horizon the first ones, so that the others come again.
 */
export function shortCursor(tenant: string, cursor: string): string {
  const { horizon, shown } = opened(tenant, cursor);
  return sealed(tenant, { horizon, shown: new Set([...shown].sort().slice(0, SHOWN_MAX)) });
}

/**
 * The time of a cursor, in milliseconds: changes with ids from before it do not follow. Throws `request.invalid` for a
 * text that is no cursor of the tenant.
 */
export function timeOfFeedCursor(tenant: string, cursor: string): number {
  return timeOfChange(opened(tenant, cursor).horizon);
}

/** The rows of the next page, and what the reader has seen after it. */
function selected(
  { horizon, shown }: Seen,
  rows: readonly RecordRow[],
  {
    settled,
    reached,
    limit,
    shownMax,
  }: {
    readonly settled: string;
    readonly reached: string | undefined;
    readonly limit: number;
    readonly shownMax: number;
  },
): { readonly page: readonly RecordRow[]; readonly after: Seen; readonly isCut: boolean } {
  const all = new Set(shown);
  const page: RecordRow[] = [];
  /** Ids up to which every record is shown. */
  let complete = horizon;
  let [isFull, isYoungOver] = [false, false];
  let young = youngIn(all, settled);
  // The change before it became visible after its place was read.
  const isEarly = (previous?: string) => previous !== undefined && previous > horizon && !all.has(previous);
  for (const row of rows) {
    const { id, previous } = row.record;
    const isSettled = id <= settled;
    if (!all.has(id)) {
      isFull = page.length >= limit;
      isYoungOver = !isFull && !isSettled && young >= shownMax;
      if (isFull || isYoungOver) break;
      if (!isSettled && isEarly(previous)) continue;
      page.push(row);
      all.add(id);
      if (!isSettled) young += 1;
    }
    if (isSettled) complete = id;
  }
  const end = reached === undefined || reached > settled ? settled : reached;
  if (!isFull && end > complete) complete = end;
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
  const fits = shown.length <= DELIVERY_SHOWN_MAX && [horizon ?? "", ...shown].every(isChangeId);
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
