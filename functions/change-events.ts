/**
 * Puts changes on the event bus of the stage. The stream of the table calls it, and an operator who repeats a span of
 * time; the gateway does not reach it.
 */
import { newPublisher } from "#core/bus/publish.ts";
import { openBus } from "#core/bus/put-events.ts";
import { eventReader } from "#core/bus/records.ts";
import { isSpan, newRepeater, type Span } from "#core/bus/repeat.ts";
import type { StreamEvent } from "#core/bus/stream-rows.ts";
import { presentRecord } from "#core/changes/present.ts";
import { newFeedReport } from "#core/http/observe-feed.ts";
import { openTable } from "#core/table/dynamo.ts";
import { eventBus, tableConfig } from "./env.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 110_000 }));
const put = openBus(eventBus());
const publish = newPublisher({
  read: eventReader(open, presentRecord),
  put,
  report: newFeedReport("change-events"),
});
const repeat = newRepeater(open, presentRecord, put);

export const handler = (event: StreamEvent | Span) => (isSpan(event) ? repeat(event) : publish(event));
