/** The shapes of webhooks, as in WSO2's Webhook Management API and Webhook Metadata API. */
import { resourceTypes } from "../../database/changes/model.ts";
import { withoutNulls } from "../../kernel/management-api.ts";
import * as z from "../../kernel/zod.ts";

const TEXT_MAX = 255;
const URI_MAX = 2_048;
const SECRET_MAX = 1_024;

/** The id of a webhook: opaque text that fits a key. */
export const WebhookId = z.string().min(1).max(TEXT_MAX);

/** Body of create and of PUT. rules.ts refuses blank texts, with codes of its own. */
export const WebhookRequest = z.preprocess(
  withoutNulls,
  z
    .object({
      endpoint: z.string().max(URI_MAX).optional().meta({ description: "An https URL with a public address" }),
      name: z.string().trim().max(TEXT_MAX).optional(),
      eventProfile: z
        .object({ name: z.string().max(TEXT_MAX).optional(), uri: z.string().max(URI_MAX).optional() })
        .meta({ id: "WebhookRequestEventProfile", required: ["name", "uri"] })
        .optional(),
      channelsSubscribed: z
        .array(z.string().max(URI_MAX))
        .max(100)
        .optional()
        .meta({ description: "URIs of channels of the profile" }),
      secret: z.string().max(SECRET_MAX).optional().meta({
        description:
          "The key of the signatures. No response contains it. PUT without it keeps it as long as the endpoint is the same; an empty one removes it",
        writeOnly: true,
      }),
      status: z.enum(["ACTIVE", "INACTIVE"]).optional().meta({ description: "Default: ACTIVE; as it was for PUT" }),
    })
    .meta({ id: "WebhookRequest", required: ["endpoint", "name", "eventProfile", "channelsSubscribed"] }),
);

/** Body of a replay. */
export const WebhookReplay = z.preprocess(
  withoutNulls,
  z
    .object({
      since: z.iso
        .datetime({ offset: true })
        .optional()
        .meta({ description: "Sends the changes since this time again" }),
      cursor: z.string().max(4_096).optional().meta({
        description: "Sends the changes after this cursor again: one of the list of changes, or of a webhook",
      }),
    })
    .meta({ id: "WebhookReplay" }),
);

const time = () => z.string().meta({ format: "date-time" });

const status = z.enum(["ACTIVE", "INACTIVE"]).meta({ description: "INACTIVE also while the delivery is paused" });

const summary = {
  id: z.string(),
  createdAt: time(),
  updatedAt: time(),
  endpoint: z.string(),
  name: z.string(),
  status,
};

export const WebhookList = z
  .object({
    webhooks: z.array(z.object({ ...summary, self: z.string() }).meta({ id: "WebhookSummary" })),
  })
  .meta({ id: "WebhookList" });

/** How far the delivery is: an addition to WSO2's API. */
const Delivery = z
  .object({
    cursor: z.string().meta({ description: "All changes before it were delivered, or are not asked for" }),
    failedAttempts: z.int().meta({ description: "Since the last success" }),
    showsActors: z.boolean().meta({
      description:
        "Whether events name who made a change, and from which address: whether who sent these settings has internal_audit_view",
    }),
    idsOnly: z.array(z.enum(resourceTypes)).meta({
      description:
        "Types of resources whose events have ids and no values, because who sent these settings may not read them: as of its last delivery",
    }),
    isSigned: z.boolean().meta({ description: "Whether messages have signatures: whether there is a secret" }),
    lastFailure: z.string().optional(),
    nextAttemptAt: time().optional(),
    lastDeliveredAt: time().optional(),
    pausedAt: time().optional(),
    pausedReason: z.string().optional().meta({ description: "Why the service stopped; POST /activate goes on" }),
  })
  .meta({ id: "WebhookDelivery" });

export const WebhookShown = z
  .object({
    ...summary,
    eventProfile: z.object({ name: z.string(), uri: z.string() }).meta({ id: "WebhookEventProfile" }),
    channelsSubscribed: z.array(
      z
        .object({ channelUri: z.string(), status: z.enum(["SUBSCRIPTION_ACCEPTED", "UNSUBSCRIPTION_ACCEPTED"]) })
        .meta({ id: "WebhookSubscription" }),
    ),
    delivery: Delivery,
  })
  .meta({ id: "Webhook" });

/** Deliveries are not shared between organizations. */
const OrganizationPolicy = z.object({ policyName: z.string().max(TEXT_MAX) }).meta({ id: "WebhookOrganizationPolicy" });

export const MetadataPatch = z.preprocess(
  withoutNulls,
  z.object({ organizationPolicy: OrganizationPolicy.optional() }).meta({ id: "WebhookMetadataPatch" }),
);

export const WebhookMetadata = z
  .object({
    profiles: z.array(
      z.object({ name: z.string(), uri: z.string(), self: z.string() }).meta({ id: "WebhookProfileLink" }),
    ),
    adapter: z.object({ name: z.string(), type: z.string() }).meta({ id: "WebhookAdapter" }),
    organizationPolicy: OrganizationPolicy,
  })
  .meta({ id: "WebhookMetadata" });

export const EventProfileShown = z
  .object({
    profile: z.string(),
    uri: z.string(),
    channels: z.array(
      z
        .object({
          name: z.string(),
          description: z.string(),
          uri: z.string(),
          events: z.array(
            z
              .object({ eventName: z.string(), eventDescription: z.string(), eventUri: z.string() })
              .meta({ id: "WebhookEvent" }),
          ),
        })
        .meta({ id: "WebhookChannel" }),
    ),
  })
  .meta({ id: "EventProfile" });
