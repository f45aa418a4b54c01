/** The handlers of the histories of webhooks. How far the delivery is, a version shows as it is now. */
import { type WebhookStores, webhookHandlers } from "../../events/webhooks/handlers.ts";
import type { RequestContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { webhookHistoryOperations } from "./contract-webhooks.ts";
import { empty, historyHandlers } from "./reading.ts";
import type { WithHistory } from "./source.ts";

/** The dependencies of these handlers. */
export type WebhookHistoryStores = WithHistory<WebhookStores>;

const webhook = historyHandlers(
  "webhook",
  ({ webhookId }) => webhookId,
  async (params: { readonly webhookId: string }, context: RequestContext & WebhookStores) =>
    (await webhookHandlers.getWebhook({ params, ...empty }, context)).body,
);

export const webhookHistoryHandlers: Handlers<typeof webhookHistoryOperations, WebhookHistoryStores> = {
  listWebhookHistory: webhook.list,
  getWebhookVersion: webhook.at,
};
