/** The representation of webhooks and their metadata. Pure. */
import type * as z from "zod";
import { shortCursor } from "../../database/changes/feed.ts";
import { type SubscriberState, shownFailures } from "../delivery/model.ts";
import { profileNamed, profiles } from "./channels.ts";
import { showsActors, typesWithIdsOnly, webhookOf } from "./model.ts";
import { isDelivering, ORGANIZATION_POLICY } from "./rules.ts";
import type { EventProfileShown, WebhookList, WebhookMetadata, WebhookShown } from "./shapes.ts";

export function collectionOf(tenant: string): string {
  return `/t/${tenant}/api/server/v1/webhooks`;
}

export function selfOf({ tenant, subscriber }: SubscriberState): string {
  return `${collectionOf(tenant)}/${subscriber.id}`;
}

export function presentSummary(state: SubscriberState): z.input<typeof WebhookList>["webhooks"][number] {
  return { ...facts(state), self: selfOf(state) };
}

export function presentWebhook(state: SubscriberState): z.input<typeof WebhookShown> {
  const { profile, channels, scopes, sealedSecret } = webhookOf(state.subscriber);
  const { cursor, lastFailure, lastDeliveryMs, pause, lost = [] } = state.progress;
  const { failures, nextAttemptMs } = shownFailures(state.progress);
  const showing = new Set(scopes.filter((scope) => !lost.includes(scope)));
  const isSubscribed = state.subscriber.isActive;
  return {
    ...facts(state),
    eventProfile: { name: profile, uri: profileNamed(profile)?.uri ?? "" },
    channelsSubscribed: channels.map((channelUri) => ({
      channelUri,
      status: isSubscribed ? ("SUBSCRIPTION_ACCEPTED" as const) : ("UNSUBSCRIPTION_ACCEPTED" as const),
    })),
    delivery: {
      cursor: shortCursor(state.tenant, cursor),
      failedAttempts: failures,
      showsActors: showsActors(showing),
      idsOnly: [...typesWithIdsOnly(channels, showing)],
      isSigned: sealedSecret !== undefined,
      ...(lastFailure !== undefined && { lastFailure }),
      ...(nextAttemptMs > 0 && { nextAttemptAt: timeOf(nextAttemptMs) }),
      ...(lastDeliveryMs > 0 && { lastDeliveredAt: timeOf(lastDeliveryMs) }),
      ...(pause && { pausedAt: timeOf(pause.atMs), pausedReason: pause.reason }),
    },
  };
}

export function presentMetadata(tenant: string): z.input<typeof WebhookMetadata> {
  const base = `${collectionOf(tenant)}/metadata/event-profiles`;
  return {
    profiles: profiles.map(({ name, uri }) => ({ name, uri, self: `${base}/${name}` })),
    adapter: { name: "httppublisher", type: "Publisher" },
    organizationPolicy: { policyName: ORGANIZATION_POLICY },
  };
}

/** A profile; `undefined` where no profile has that name. */
export function presentProfile(name: string): z.input<typeof EventProfileShown> | undefined {
  const profile = profileNamed(name);
  return (
    profile && {
      profile: profile.name,
      uri: profile.uri,
      channels: profile.channels.map(({ events, ...channel }) => ({
        ...channel,
        events: events.map((event) => ({
          eventName: event.name,
          eventDescription: event.description,
          eventUri: event.uri,
        })),
      })),
    }
  );
}

function facts(state: SubscriberState) {
  const { subscriber } = state;
  const { endpoint, name } = webhookOf(subscriber);
  return {
    id: subscriber.id,
    createdAt: timeOf(subscriber.createdAtMs),
    updatedAt: timeOf(subscriber.updatedAtMs),
    endpoint,
    name,
    status: isDelivering(state) ? ("ACTIVE" as const) : ("INACTIVE" as const),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
