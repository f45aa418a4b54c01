/** The histories of webhooks. */
import { endpointsOf } from "../operation/endpoints.ts";
import { operation } from "../operation/operation.ts";
import * as z from "../platform/zod.ts";
import { webhookOperations } from "../webhooks/contract.ts";
import { WebhookId, WebhookShown } from "../webhooks/shapes.ts";
import { listed, SOURCE, shownAs, versionPart } from "./contract-parts.ts";

const at = endpointsOf("webhooks", "/api/server/v1/webhooks", { view: webhookOperations.getWebhook.scope }, SOURCE);

export const webhookHistoryOperations = {
  listWebhookHistory: operation({
    ...at("GET", "/{webhookId}/history", "view"),
    summary: "List the changes of a webhook, newest first",
    params: z.object({ webhookId: WebhookId }),
    ...listed,
  }),
  getWebhookVersion: operation({
    ...at("GET", "/{webhookId}/history/{version}", "view"),
    summary: "Read the settings of a webhook as they were after a change",
    params: z.object({ webhookId: WebhookId, ...versionPart }),
    ...shownAs(WebhookShown),
  }),
} as const;
