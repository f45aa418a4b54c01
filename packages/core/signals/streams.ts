/** Streams as subscribers of the changes of a tenant (packages/core/events). */
import type { Json } from "../changes/model.ts";
import type { Subscriber, SubscriberState } from "../events/model.ts";
import type { Aside, Stream, StreamSettings } from "./model.ts";

/** The stream of a subscriber. */
export function streamOf({ tenant, subscriber, progress }: SubscriberState): Stream {
  // What `subscriberOf` stored.
  const settings = subscriber.settings as unknown as StreamSettings;
  return { ...settings, id: subscriber.id, tenant, progress };
}

/** The subscriber of a stream. Nothing is pushed unless the stream is enabled. */
export function subscriberOf(
  { id, settings }: { readonly id: string; readonly settings: StreamSettings },
  { createdAtMs, nowMs }: { readonly createdAtMs: number; readonly nowMs: number },
): Subscriber {
  return {
    id,
    kind: "stream",
    isActive: settings.status === "enabled",
    settings: JSON.parse(JSON.stringify(settings)) as Readonly<Record<string, Json>>,
    createdAtMs,
    updatedAtMs: nowMs,
  };
}

/** An aside as it is stored with the progress of a subscriber. */
export function asideText(aside: Aside): string {
  return JSON.stringify(aside);
}

export function asideOf(text: string): Aside {
  return JSON.parse(text) as Aside;
}
