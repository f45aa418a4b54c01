/** The events on the bus: one for each change, as Amazon EventBridge takes them (docs/changes.md). Pure. */
import { timeOfChange } from "../../database/changes/change-id.ts";
import type { ChangeRecord } from "../../database/changes/model.ts";

/** The source of every event. */
export const SOURCE = "identity-admin-api";

/** The type of an event of a change whose record cannot be read. */
export const UNREADABLE = "change.unreadable";

/** An event, in the words of EventBridge. */
export interface BusEvent {
  readonly Source: string;
  readonly DetailType: string;
  /** JSON. */
  readonly Detail: string;
  readonly Time: Date;
}

/** A record as the API shows it. */
export type Shown = (record: ChangeRecord) => object;

/** EventBridge's limit of one request, which is that of an event too. */
export const REQUEST_BYTES_MAX = 262_144;

/** EventBridge's limit of events in one request. */
export const EVENTS_MAX = 10;

/** What EventBridge counts for the time of an event. */
const TIME_BYTES = 14;

/** The event of a change. One that is larger than an event may be says where its changes are instead. */
export function eventOf(record: ChangeRecord, shown: Shown): BusEvent {
  const event = (detail: object): BusEvent => ({
    Source: SOURCE,
    DetailType: `${record.resource.type}.${kindOf(record)}`,
    Detail: JSON.stringify(detail),
    Time: new Date(record.atMs),
  });
  const whole = event(shown(record));
  if (bytesOf(whole) <= REQUEST_BYTES_MAX) return whole;
  const count = { changesTruncated: true, changesTotalCount: record.changes.length };
  return event({ ...shown({ ...record, changes: [] }), ...count, changesAt: addressOf(record) });
}

/** The event of a record that cannot be read. */
export function unreadableOf(tenant: string, id: string): BusEvent {
  const Time = new Date(timeOfChange(id));
  const detail = { id, time: Time.toISOString(), tenant };
  return { Source: SOURCE, DetailType: UNREADABLE, Detail: JSON.stringify(detail), Time };
}

/** The bytes of an event, as EventBridge counts them. */
export function bytesOf({ Source, DetailType, Detail }: BusEvent): number {
  return TIME_BYTES + [Source, DetailType, Detail].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Events in groups, each of which fits into one request. */
export function requestsOf<E extends { readonly event: BusEvent }>(events: readonly E[]): E[][] {
  const groups: E[][] = [];
  let bytes = 0;
  for (const each of events) {
    const own = bytesOf(each.event);
    const last = groups.at(-1);
    if (last && last.length < EVENTS_MAX && bytes + own <= REQUEST_BYTES_MAX) {
      last.push(each);
      bytes += own;
    } else {
      groups.push([each]);
      bytes = own;
    }
  }
  return groups;
}

/** A resource comes and goes as a whole; everything else changes it. */
function kindOf({ changes }: ChangeRecord): "created" | "updated" | "deleted" {
  const whole = changes.find(({ path }) => path === "");
  return whole?.op === "add" ? "created" : whole?.op === "remove" ? "deleted" : "updated";
}

/** The path that answers with this record. */
function addressOf({ tenant, resource, atMs }: ChangeRecord): string {
  const since = new Date(atMs).toISOString();
  // Exclusive.
  const until = new Date(atMs + 1).toISOString();
  const query = new URLSearchParams({ resourceType: resource.type, resourceId: resource.id, since, until });
  return `/t/${tenant}/api/server/v1/audit-events?${query}`;
}
