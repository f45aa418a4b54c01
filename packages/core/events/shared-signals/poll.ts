/**
 * Poll delivery (RFC 8936). Nothing is stored for an event: what waits is what the feed has after the cursor of the
 * stream, without the events whose ids were acknowledged. The cursor moves over pages that were received as a whole.
 */
import type { ChangeRecord } from "../../database/changes/model.ts";
import { concurrently } from "../../kernel/concurrently.ts";
import type { EventClaims } from "../../tokens/event-token.ts";
import type { Feed, Progress } from "../delivery/model.ts";
import { asideClaims, claimsOf, type DataReads, type Envelope, eventId, outlookOf } from "./claims.ts";
import { occurrenceOf } from "./happenings.ts";
import type { Stream } from "./model.ts";
import { asideOf } from "./streams.ts";

/** Records that are read at once, and pages that one request reads. */
const PAGE = 100;
const PAGES_MAX = 20;
/** Events that are looked at after the first one that was not received. */
const WINDOW = 400;
/** Events of one poll whose data is read, and how many at once: each takes three round trips or more. */
const DATA_MAX = 24;
const DATA_AT_ONCE = 8;
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
  /** The records that the cursor passed, because nothing of them waits. A page before others counts as a full one. */
  readonly passed: number;
  /** The events whose data was looked for and is gone. They count as received, so that it is not looked for again. */
  readonly gone: number;
}

/** An event that waits, or does not: it is made when it is needed. */
interface Waiting {
  readonly id: string;
  readonly mayBeSent: boolean;
  readonly readsData: boolean;
  readonly make: () => Promise<EventClaims | undefined>;
}

/** What the events of a stream are made with. */
export interface Making {
  readonly feed: Feed;
  readonly envelope: Envelope;
  readonly reads: DataReads;
}

/**
 * The events that wait in a stream, in order. At most 20 round trips, and usually one. Where data is asked for that
 * changes do not show, three times three more, and further ones for resources that have changed often since.
 */
export async function poll(stream: Stream, making: Making, polling: Polling): Promise<Polled> {
  const { progress, status } = stream;
  const asides = progress.asides.filter((text) => !polling.reported.has(asideOf(text).jti));
  if (status === "disabled")
    return { claims: [], hasMore: false, progress: { ...progress, asides }, passed: 0, gone: 0 };
  const own = asides.flatMap((text) => asideClaims(asideOf(text), making.envelope) ?? []);
  const most = status === "paused" ? 0 : Math.max(0, polling.most - own.length);
  // Where events about the stream leave no room for those of changes, one page tells whether some wait.
  const isFilled = status === "enabled" && own.length > 0 && own.length === polling.most;
  const walk = await walked(stream, making, { ...polling, most }, isFilled ? 1 : 0);
  const claims = [...own.slice(0, polling.most), ...walk.claims];
  return {
    claims,
    hasMore: own.length > polling.most || (walk.hasMore && status === "enabled"),
    progress: { ...progress, asides, cursor: walk.cursor, received: walk.received },
    passed: walk.passed,
    gone: walk.gone,
  };
}

/** Walks through the feed from the cursor of a stream: at least so many pages, also where no event is asked for. */
async function walked(stream: Stream, making: Making, { reported, most, nowMs }: Polling, pagesMin: number) {
  const { progress, tenant } = stream;
  const missing = new Set(reported);
  const received = new Set(progress.received ?? []);
  const claims: EventClaims[] = [];
  const batch = newBatch(most);
  let cursor = progress.cursor;
  let place = cursor;
  let [isWhole, hasMore, seen, passed, gone] = [true, false, 0, 0, 0];
  for (let page = 0; page < PAGES_MAX && seen < WINDOW; page += 1) {
    if (page >= pagesMin && batch.isFull() && missing.size === 0) break;
    const { records, next, mayBeMore } = await making.feed.read(tenant, place, PAGE, nowMs);
    const events = eventsIn(stream, records, making);
    const waiting = waitingOf(events, missing, received);
    const { made, without, left } = await batch.make(waiting);
    claims.push(...made);
    isWhole &&= made.length === 0 && left === 0;
    place = next;
    if (isWhole) {
      cursor = next;
      // A page ends early where its records are large. It was no less work than a full one.
      passed += mayBeMore ? Math.max(records.length, PAGE) : records.length;
      for (const { id } of events) received.delete(id);
    } else {
      seen += events.length;
      for (const id of without) received.add(id);
      gone += without.length;
    }
    const isLast = seen >= WINDOW || batch.isFull() || page === PAGES_MAX - 1;
    hasMore ||= left > 0 || (records.length > 0 && mayBeMore && isLast);
    if (records.length === 0) break;
  }
  return { claims, hasMore, cursor, passed, gone, received: [...received].slice(-RECEIVED_MAX) };
}

/** The events that are not received. Notes those of them that the receiver has reported. */
function waitingOf(events: readonly Waiting[], missing: Set<string>, received: Set<string>): readonly Waiting[] {
  for (const { id } of events) if (missing.delete(id)) received.add(id);
  return events.filter(({ id, mayBeSent }) => mayBeSent && !received.has(id));
}

/** The events that one poll makes: so many, and not more than so many with data. */
function newBatch(most: number) {
  let [count, data, isOver] = [0, 0, false];
  const isFull = () => isOver || count >= most;
  /** The next events to make. Those behind one that is not made wait with it: a resource's events are in order. */
  const take = (list: readonly Waiting[]): readonly Waiting[] => {
    const some = list.slice(0, most - count);
    const withData = some.flatMap(({ readsData }, at) => (readsData ? [at] : []));
    const end = withData[DATA_MAX - data];
    isOver ||= end !== undefined;
    const taken = some.slice(0, end);
    data = Math.min(DATA_MAX, data + withData.length);
    return taken;
  };
  return {
    /** Whether no further event is made. */
    isFull,
    /**
     * Makes the first events of a list. Returns also the ids of those without data, which are not sent, and how many
     * are left, at most: they are not made.
     */
    async make(list: readonly Waiting[]) {
      const made: EventClaims[] = [];
      const without: string[] = [];
      let at = 0;
      while (at < list.length && !isFull()) {
        const some = take(list.slice(at));
        const results = new Map<string, EventClaims | undefined>();
        await concurrently(some, DATA_AT_ONCE, async ({ id, make }) => {
          results.set(id, await make());
        });
        for (const { id } of some) {
          const one = results.get(id);
          if (one) made.push(one);
          else without.push(id);
        }
        count += some.filter(({ id }) => results.get(id)).length;
        at += some.length;
      }
      return { made, without, left: list.length - at };
    },
  };
}

/** The events of records with their ids, in order. */
function eventsIn(stream: Stream, records: readonly ChangeRecord[], { envelope, reads }: Making): readonly Waiting[] {
  return records.flatMap((record) => {
    const occurrence = occurrenceOf(record);
    if (!occurrence) return [];
    return occurrence.happenings.map((happening) => ({
      id: eventId(stream.id, record.id, happening.kind),
      ...outlookOf(happening, occurrence, envelope, reads),
      make: () => claimsOf(happening, occurrence, envelope, reads),
    }));
  });
}
