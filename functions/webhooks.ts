/** Webhooks and their metadata. */
import { changeFeed, DELIVERY_SHOWN_MAX, feedCursorAt, timeOfFeedCursor } from "#core/database/changes/feed.ts";
import { recordedTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { subscriberStore } from "#core/events/delivery/subscriber-store.ts";
import { webhookOperations } from "#core/events/webhooks/contract.ts";
import { type WebhookStores, webhookHandlers } from "#core/events/webhooks/handlers.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { apiSection } from "#core/service/settings/api.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { webhookHistoryOperations } from "#core/versions/history/contract-webhooks.ts";
import { withHistory } from "#core/versions/history/source.ts";
import { type WebhookHistoryStores, webhookHistoryHandlers } from "#core/versions/history/webhooks.ts";
import { answerKeys, baseUrl, deploymentFile, fetchExempt, tableConfig } from "./env.ts";
import { eventSeal } from "./seals.ts";

const deployment = sectionsFromFile(deploymentFile(), [apiSection, changesSection]);
const recorded = recordedTables(deployment.changes);
const shared = { seal: eventSeal(), exempt: fetchExempt(), cursorAt: feedCursorAt, timeOfCursor: timeOfFeedCursor };

export const operations = { ...webhookOperations, ...webhookHistoryOperations };

export const handler = lambda<typeof operations, WebhookHistoryStores>({
  service: "webhooks",
  changing,
  operations,
  handlers: { ...webhookHandlers, ...webhookHistoryHandlers },
  baseUrl: baseUrl(),
  answerKeys: answerKeys(),
  ...deployment.api,
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })),
  stores: (plain, served) =>
    withHistory<WebhookStores>(recorded(plain, served.caused), (table) => ({
      ...shared,
      subscribers: subscriberStore(table),
      startAt: (tenant, nowMs) => changeFeed(table, DELIVERY_SHOWN_MAX).start(tenant, nowMs),
    })),
});
