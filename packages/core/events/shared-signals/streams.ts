/** Streams as subscribers of the changes of a tenant (packages/core/events/delivery). */
import type { Json } from "../../database/changes/model.ts";
import type { Subscriber, SubscriberState } from "../delivery/model.ts";
import type { Aside, Stream, StreamSettings } from "./model.ts";

/** The stream of a subscriber. */
export function streamOf({ tenant, subscriber, progress }: SubscriberState): Stream {
  return { ...storedSettings(subscriber), id: subscriber.id, tenant, progress };
}

/** The settings of a subscriber that is a stream. */
export function storedSettings({ settings }: Subscriber): StreamSettings {
  const stored: unknown = settings;
  if (!isSettings(stored)) throw new Error("a subscriber is no stream");
  return stored;
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
    // As JSON it has no members that are undefined.
    settings: JSON.parse(JSON.stringify(settings)) as Readonly<Record<string, Json>>,
    createdAtMs,
    updatedAtMs: nowMs,
  };
}

/** What of a stream is stored as settings. */
export function settingsOf({ id: _, tenant: __, progress: ___, ...settings }: Stream): StreamSettings {
  return settings;
}

/** An aside as it is stored with the progress of a subscriber. */
export function asideText(aside: Aside): string {
  return JSON.stringify(aside);
}

export function asideOf(text: string): Aside {
  return JSON.parse(text) as Aside;
}

/** Rows are written by this module alone: the check is for rows of other kinds. */
function isSettings(settings: unknown): settings is StreamSettings {
  return typeof settings === "object" && settings !== null && "owner" in settings && "requested" in settings;
}
