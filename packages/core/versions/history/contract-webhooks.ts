/** The histories of webhooks. */
import { webhookOperations } from "../../events/webhooks/contract.ts";
import { historyOf } from "./contract-parts.ts";

const webhook = historyOf(webhookOperations.getWebhook, {
  list: "List the changes of a webhook, newest first",
  at: "Read the settings of a webhook as they were after a change",
});

export const webhookHistoryOperations = {
  listWebhookHistory: webhook.list,
  getWebhookVersion: webhook.at,
} as const;
