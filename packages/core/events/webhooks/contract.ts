/** The operations on webhooks, as in WSO2's Webhook Management API and Webhook Metadata API. */
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import { readsChanges } from "../../kernel/operation/reach.ts";
import * as z from "../../kernel/zod.ts";
import {
  EventProfileShown,
  MetadataPatch,
  WebhookId,
  WebhookList,
  WebhookMetadata,
  WebhookReplay,
  WebhookRequest,
  WebhookShown,
} from "./shapes.ts";

const ById = z.object({ webhookId: WebhookId });

const scopes = {
  view: "internal_webhook_view",
  create: "internal_webhook_create",
  update: "internal_webhook_update",
  delete: "internal_webhook_delete",
  metaView: "internal_webhook_meta_view",
  metaUpdate: "internal_webhook_meta_update",
} as const;
const at = endpointsOf("webhooks", "/api/server/v1/webhooks", scopes, "decision 0088");

export const webhookOperations = {
  listWebhooks: operation({
    ...at("GET", "", "view"),
    summary: "List webhooks",
    success: { status: 200, body: WebhookList },
    failures: [],
  }),
  createWebhook: operation({
    ...at("POST", "", "create"),
    seesScopes: true,
    reaches: readsChanges,
    summary: "Create a webhook: changes from now on are sent to its endpoint",
    body: WebhookRequest,
    success: { status: 201, location: true, body: WebhookShown, etag: true },
    failures: [400],
  }),
  getWebhook: operation({
    ...at("GET", "/{webhookId}", "view"),
    summary: "Read a webhook, and how far its delivery is",
    params: ById,
    success: { status: 200, body: WebhookShown, etag: true },
    failures: [404],
  }),
  updateWebhook: operation({
    ...at("PUT", "/{webhookId}", "update"),
    seesScopes: true,
    reaches: readsChanges,
    summary: "Replace the settings of a webhook",
    params: ById,
    body: WebhookRequest,
    target: "getWebhook",
    success: { status: 200, body: WebhookShown, etag: true },
    failures: [400, 404],
  }),
  deleteWebhook: operation({
    ...at("DELETE", "/{webhookId}", "delete"),
    summary: "Delete a webhook",
    params: ById,
    target: "getWebhook",
    success: { status: 204 },
    failures: [404],
  }),
  activateWebhook: operation({
    ...at("POST", "/{webhookId}/activate", "update"),
    reaches: readsChanges,
    summary: "Activate a webhook, also a paused one: it goes on where it stopped",
    params: ById,
    target: "getWebhook",
    success: { status: 200, body: WebhookShown, etag: true },
    failures: [400, 404],
  }),
  deactivateWebhook: operation({
    ...at("POST", "/{webhookId}/deactivate", "update"),
    summary: "Deactivate a webhook: nothing is sent, and its place in the changes stays",
    params: ById,
    target: "getWebhook",
    success: { status: 200, body: WebhookShown, etag: true },
    failures: [400, 404],
  }),
  retryWebhook: operation({
    ...at("POST", "/{webhookId}/retry", "update"),
    summary: "Repeat a failed delivery now, and not at its next time",
    params: ById,
    target: "getWebhook",
    success: { status: 200, body: WebhookShown, etag: true },
    failures: [400, 404],
  }),
  replayWebhook: operation({
    ...at("POST", "/{webhookId}/replay", "update"),
    reaches: readsChanges,
    seesScopes: true,
    summary: "Send changes again, from a time or a cursor on; from before its creation with internal_audit_view",
    params: ById,
    body: WebhookReplay,
    target: "getWebhook",
    success: { status: 200, body: WebhookShown, etag: true },
    failures: [400, 404],
  }),
  getWebhookMetadata: operation({
    ...at("GET", "/metadata", "metaView"),
    summary: "Read the metadata of webhooks: event profiles and adapter",
    success: { status: 200, body: WebhookMetadata, etag: "content" },
    failures: [],
  }),
  patchWebhookMetadata: operation({
    ...at("PATCH", "/metadata", "metaUpdate"),
    summary: "Change the metadata of webhooks; the only policy of organizations is NO_SHARING",
    body: MetadataPatch,
    target: "getWebhookMetadata",
    success: { status: 200, body: WebhookMetadata, etag: "content" },
    failures: [400],
  }),
  getEventProfile: operation({
    ...at("GET", "/metadata/event-profiles/{profileName}", "metaView"),
    summary: "Read an event profile with its channels and events",
    params: z.object({ profileName: z.string().max(255) }),
    success: { status: 200, body: EventProfileShown, etag: "content" },
    failures: [404],
  }),
} as const;
