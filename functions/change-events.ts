/**
 * Puts changes on the event bus of the stage, and indexes them by actor. The stream of the table calls it, and an
 * operator who repeats a span of time; the gateway does not reach it.
 */

import { presenting } from "#core/database/changes/present.ts";
import { openDocumentClient } from "#core/database/table/client/document-client.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { newIndexer } from "#core/events/bus/indexing.ts";
import { newPublisher } from "#core/events/bus/publish.ts";
import { openBus } from "#core/events/bus/put-events.ts";
import { eventReader } from "#core/events/bus/records.ts";
import { isSpan, newRepeater, type Span } from "#core/events/bus/repeat.ts";
import type { StreamEvent } from "#core/events/bus/stream-rows.ts";
import { newFeedReport } from "#core/http/observe-feed.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { customProtocolSection } from "#core/service/settings/custom-protocols.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { deploymentFile, eventBus, tableConfig } from "./env.ts";

const { customProtocols, changes } = sectionsFromFile(deploymentFile(), [customProtocolSection, changesSection]);
const shown = presenting(customProtocols);
const open = openTable({ ...tableConfig({ callMs: 9_000, requestMs: 110_000 }), openClient: openDocumentClient });
const put = openBus(eventBus());
const report = newFeedReport("change-events");
const publish = newPublisher({ read: eventReader(open, shown), put, report });
const index = newIndexer({ open, recordDays: changes.recordDays, report, clock: systemClock, random: Math.random });
const repeat = newRepeater({ open, shown, put, report });

export const handler = async (event: StreamEvent | Span) => {
  if (isSpan(event)) return repeat(event);
  const answer = await publish(event);
  await index(event);
  return answer;
};
