/**
 * What the stream of the table calls: reads the new change records and puts an event for each on the bus (decision
 * 0090). Every record becomes an event at least once.
 */
import type { FeedReport } from "../../http/observe-feed.ts";
import { concurrently } from "../../kernel/concurrently.ts";
import { type BusEvent, requestsOf, unreadableOf } from "./event.ts";
import type { PutEvents } from "./put-events.ts";
import type { ReadEvents } from "./records.ts";
import { newRecordsIn, type StreamEvent } from "./stream-rows.ts";

const REQUESTS_AT_ONCE = 8;

/** What a publisher uses. */
export interface Publishing {
  readonly read: ReadEvents;
  readonly put: PutEvents;
  readonly report: FeedReport;
}

/** What Lambda is told: the rows from which on it sends the batch again. */
export interface BatchAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** The handler of a batch of the stream. Throws where records could not be read at all: the whole batch comes again. */
export function newPublisher({ read, put, report }: Publishing) {
  return async (batch: StreamEvent): Promise<BatchAnswer> => {
    const records = newRecordsIn(batch);
    const found = await read(records);
    const events = records.flatMap((record, at) => {
      const event = found[at];
      if (!(event instanceof Error)) return event ? [{ ...record, event }] : [];
      report.unreadable(record, event);
      return [{ ...record, event: unreadableOf(record.tenant, record.id) }];
    });
    const failed: string[] = [];
    const causes = new Set<string>();
    await concurrently(requestsOf(events), REQUESTS_AT_ONCE, async (request) => {
      const reasons = await attempted(put, request);
      for (const [at, { sequence }] of request.entries()) {
        const reason = reasons[at];
        if (reason === undefined) continue;
        failed.push(sequence);
        causes.add(reason);
      }
    });
    if (failed.length > 0) report.refused({ failed: failed.length, of: events.length, causes: [...causes] });
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
}

/** A request that fails as a whole fails for each of its events. */
async function attempted(put: PutEvents, request: readonly { readonly event: BusEvent }[]) {
  try {
    return await put(request.map(({ event }) => event));
  } catch (error) {
    const reason = error instanceof Error ? error.name : "unknown";
    return request.map(() => reason);
  }
}
