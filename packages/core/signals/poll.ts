/**
 * Poll delivery (RFC 8936). Nothing is stored for an event: what waits is what the feed has after the cursor of the
 * stream, without the events whose ids were acknowledged. The cursor moves over pages that were received as a whole.
 */
import type { ChangeRecord } from "../changes/model.ts";
import type { Feed, Progress } from "../events/model.ts";
import type { EventClaims } from "../tokens/event-token.ts";
import { asideClaims, claimsOf, type DataReads, type Envelope, eventId } from "./claims.ts";
import { occurrenceOf } from "./happenings.ts";
import type { Stream } from "./model.ts";
import { asideOf } from "./streams.ts";

/** Records that are read at once, and pages that one request reads. */
const PAGE = 100;
const PAGES_MAX = 20;
/** Events that are looked at after the first one that was not received. */
const WINDOW = 400;
/** Ids of received events that are kept. */
const RECEIVED_MAX = 1_000;

/** What a receiver reports, and the most events that it takes. */
export interface Polling {
  readonly reported: ReadonlySet<string>;
  readonly most: number;
  readonly nowMs: number;
}

/** What a poll finds: the events that wait, and the progress of the stream after it. */
export interface Polled {
  readonly claims: readonly EventClaims[];
  readonly hasMore: boolean;
  readonly progress: Progress;
  /** The records that the cursor passed, because nothing of them waits. */
  readonly passed: number;
}

/** What the events of a stream are made with. */
export interface Making {
  readonly feed: Feed;
  readonly envelope: Envelope;
  readonly reads: DataReads;
}

/** The events that wait in a stream, in order. At most 20 round trips, and usually one. */
export async function poll(stream: Stream, making: Making, polling: Polling): Promise<Polled> {
  const { progress, status } = stream;
  const asides = progress.asides.filter((text) => !polling.reported.has(asideOf(text).jti));
  if (status === "disabled") return { claims: [], hasMore: false, progress: { ...progress, asides }, passed: 0 };
  const own = asides.flatMap((text) => asideClaims(asideOf(text), making.envelope) ?? []);
  const most = status === "paused" ? 0 : Math.max(0, polling.most - own.length);
  const walk = await walked(stream, making, { ...polling, most });
  const claims = [...own.slice(0, polling.most), ...walk.claims];
  return {
    claims,
    hasMore: own.length > polling.most || (walk.hasMore && status === "enabled"),
    progress: { ...progress, asides, cursor: walk.cursor, received: walk.received },
    passed: walk.passed,
  };
}

/** Walks through the feed from the cursor of a stream. */
async function walked(stream: Stream, making: Making, { reported, most, nowMs }: Polling) {
  const { progress, tenant } = stream;
  const missing = new Set(reported);
  const received = new Set(progress.received ?? []);
  const claims: EventClaims[] = [];
  let cursor = progress.cursor;
  let place = cursor;
  let [isWhole, hasMore, seen, passed] = [true, false, 0, 0];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    if (most === claims.length && missing.size === 0) break;
    const { records, next } = await making.feed.read(tenant, place, PAGE, nowMs);
    const ids: string[] = [];
    for (const { id, make } of eventsIn(stream, records, making)) {
      ids.push(id);
      if (missing.delete(id)) received.add(id);
      if (received.has(id)) continue;
      const made = await make();
      if (!made) continue;
      isWhole = false;
      if (claims.length < most) claims.push(made);
      else hasMore = true;
    }
    place = next;
    if (isWhole) {
      cursor = next;
      passed += records.length;
      for (const id of ids) received.delete(id);
    } else seen += ids.length;
    if (records.length === 0) break;
    hasMore ||= records.length === PAGE && (seen >= WINDOW || claims.length === most || page === PAGES_MAX - 1);
    if (seen >= WINDOW) break;
  }
  return { claims, hasMore, cursor, passed, received: [...received].slice(-RECEIVED_MAX) };
}

/** The events of records with their ids, in order; each is made when it is needed. */
function eventsIn(stream: Stream, records: readonly ChangeRecord[], { envelope, reads }: Making) {
  return records.flatMap((record) => {
    const occurrence = occurrenceOf(record);
    return (occurrence?.happenings ?? []).map((happening) => ({
      id: eventId(stream.id, record.id, happening.kind),
      make: async () => occurrence && claimsOf(happening, occurrence, envelope, reads),
    }));
  });
}
