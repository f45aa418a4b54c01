/**
 * Puts the events of a span of time on the bus again. An operator invokes it after a failure that lasted longer than
 * the stream is tried again (docs/alarms.md, "UndeliveredChanges").
 */
import { firstIdAt, isChangeId } from "../../database/changes/change-id.ts";
import { lanes, recordRange } from "../../database/changes/record-rows.ts";
import type { OpenTable } from "../../database/table/dynamo.ts";
import { newMeter } from "../../database/table/meter.ts";
import type { Item, Key, Table } from "../../database/table/table.ts";
import { tenantStore } from "../../directory/tenant-store.ts";
import type { FeedReport } from "../../http/observe-feed.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { type BusEvent, requestsOf, type Shown, unreadableOf } from "./event.ts";
import type { PutEvents } from "./put-events.ts";
import { foundIn } from "./records.ts";

const RECORDS_PER_PAGE = 50;

/** The span: from a time on, and before another. */
export interface Span {
  readonly since: string;
  readonly until: string;
  /** One tenant; all of them by default. */
  readonly tenant?: string;
}

/** The result of the function. */
export interface Repeated {
  readonly events: number;
}

/** Whether somebody asks for a span. Throws an `Error` that says what is wrong with it. */
export function isSpan(event: object): event is Span {
  if (!("since" in event || "until" in event)) return false;
  for (const name of ["since", "until"] as const) {
    const text = (event as Partial<Span>)[name];
    if (Number.isNaN(Date.parse(text ?? ""))) throw new Error(`${name}: must be a time such as 2026-01-31T12:00:00Z`);
  }
  return true;
}

/** What a repeater uses. */
export interface Repeating {
  readonly open: OpenTable;
  readonly shown: Shown;
  readonly put: PutEvents;
  readonly report: Pick<FeedReport, "unreadable">;
}

/**
 * Builds the function. Of a record that cannot be read, an event says so. It throws an `Error` where the bus refuses an
 * event: then the whole span can be repeated.
 */
export function newRepeater({ open, shown, put, report }: Repeating) {
  return async ({ since, until, tenant }: Span): Promise<Repeated> => {
    const table = open(newMeter());
    const tenants = tenant === undefined ? [SUPER_TENANT, ...(await tenantStore(table).domains())] : [tenant];
    const range = { from: firstIdAt(Date.parse(since)), to: firstIdAt(Date.parse(until)) };
    let events = 0;
    for (const each of tenants) {
      for (const lane of lanes) {
        for await (const items of pagesOf(table, recordRange(each, lane, range))) {
          events += await putAll(put, await eventsOf(table, each, items, { shown, report }));
        }
      }
    }
    return { events };
  };
}

async function* pagesOf(table: Table, range: ReturnType<typeof recordRange>): AsyncGenerator<readonly Item[]> {
  for (let after: Key | undefined; ; ) {
    const page = await table.query({ ...range, limit: RECORDS_PER_PAGE, ...(after && { after }) });
    yield page.items;
    if (!page.next) return;
    after = page.next;
  }
}

async function eventsOf(
  table: Table,
  tenant: string,
  items: readonly Item[],
  { shown, report }: Pick<Repeating, "shown" | "report">,
): Promise<BusEvent[]> {
  const events: BusEvent[] = [];
  for (const item of items) {
    const id = item.SK;
    if (!isChangeId(id)) continue;
    const event = await foundIn(table, tenant, item, shown);
    if (event instanceof Error) report.unreadable({ tenant, id }, event);
    events.push(event instanceof Error ? unreadableOf(tenant, id) : event);
  }
  return events;
}

async function putAll(put: PutEvents, events: readonly BusEvent[]): Promise<number> {
  for (const request of requestsOf(events.map((event) => ({ event })))) {
    const [reason] = (await put(request.map(({ event }) => event))).filter((each) => each !== undefined);
    if (reason !== undefined) throw new Error(`the bus refused an event: ${reason}`);
  }
  return events.length;
}
