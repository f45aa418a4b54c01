/** Webhooks and their metadata. */
import { changeFeed, checkFeedCursor, feedCursorAt } from "#core/changes/feed.ts";
import { recordedTables } from "#core/changes/open.ts";
import { subscriberStore } from "#core/events/subscriber-store.ts";
import { webhookHistoryOperations } from "#core/history/contract-webhooks.ts";
import { withHistory } from "#core/history/source.ts";
import { type WebhookHistoryStores, webhookHistoryHandlers } from "#core/history/webhooks.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { apiSection } from "#core/settings/api.ts";
import { changesSection } from "#core/settings/changes.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { openTable } from "#core/table/dynamo.ts";
import { webhookOperations } from "#core/webhooks/contract.ts";
import { type WebhookStores, webhookHandlers } from "#core/webhooks/handlers.ts";
import { answerKeys, baseUrl, deploymentFile, fetchExempt, tableConfig } from "./env.ts";
import { eventSeal } from "./seals.ts";

const deployment = sectionsFromFile(deploymentFile(), [apiSection, changesSection]);
const open = recordedTables(openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })), deployment.changes);
const shared = { seal: eventSeal(), exempt: fetchExempt(), cursorAt: feedCursorAt, checkCursor: checkFeedCursor };

export const operations = { ...webhookOperations, ...webhookHistoryOperations };

export const handler = lambda<typeof operations, WebhookHistoryStores>({
  service: "webhooks",
  changing,
  operations,
  handlers: { ...webhookHandlers, ...webhookHistoryHandlers },
  baseUrl: baseUrl(),
  answerKeys: answerKeys(),
  ...deployment.api,
  stores: (served) =>
    withHistory<WebhookStores>(open(served), (table) => ({
      ...shared,
      subscribers: subscriberStore(table),
      startAt: (tenant, nowMs) => changeFeed(table).start(tenant, nowMs),
    })),
});
