/** The handlers of the histories of webhooks. How far the delivery is, a version shows as it is now. */
import type { Handlers } from "../operation/operation.ts";
import { later } from "../platform/later.ts";
import { type WebhookStores, webhookHandlers } from "../webhooks/handlers.ts";
import type { webhookHistoryOperations } from "./contract-webhooks.ts";
import type { Subject } from "./history.ts";
import type { HistorySource } from "./source.ts";

/** The dependencies of these handlers. */
export interface WebhookHistoryStores extends WebhookStores {
  readonly history: HistorySource<WebhookStores>;
}

const [readHistory, storesAt] = later(() => import("./history.ts"), "readHistory", "storesAt");
const empty = { query: undefined, headers: undefined, body: undefined } as const;

export const webhookHistoryHandlers: Handlers<typeof webhookHistoryOperations, WebhookHistoryStores> = {
  listWebhookHistory: ({ params, query }, context) =>
    readHistory(context, subject(context.tenant, params.webhookId), query, () =>
      webhookHandlers.getWebhook({ params, ...empty }, context),
    ),

  async getWebhookVersion({ params: { version, ...params } }, context) {
    const read = async (stores: WebhookStores) =>
      (await webhookHandlers.getWebhook({ params, ...empty }, { ...context, ...stores })).body;
    const place = subject(context.tenant, params.webhookId);
    return read(await storesAt(context.history, place, version, () => read(context)));
  },
};

function subject(tenant: string, id: string): Subject {
  return { tenant, type: "webhook", id };
}
