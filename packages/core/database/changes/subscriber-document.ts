/** The documents of webhooks and streams, from their rows as they are stored (packages/core/events/delivery). */
import type { Item } from "../table/table.ts";
import { type Document, type DocumentObject, objectOf, Secret } from "./diff.ts";
import type { ResourceType } from "./model.ts";

/** The type of the resource that a subscriber is. */
export function subscriberType({ kind }: Item): ResourceType {
  return kind === "stream" ? "event-stream" : "webhook";
}

export function subscriberName(item: Item): string | undefined {
  const { name } = settingsOf(item);
  return typeof name === "string" ? name : undefined;
}

/** What the owner of a subscriber decides. Which subjects a stream leaves out is stored as digests. */
export function subscriberDocument(item: Item): DocumentObject {
  return item.kind === "stream" ? streamDocument(settingsOf(item)) : webhookDocument(item);
}

function webhookDocument(item: Item): DocumentObject {
  const { name, endpoint, profile, channels, sealedSecret, owner, scopes } = settingsOf(item);
  return {
    name,
    endpoint,
    eventProfile: profile,
    channelsSubscribed: channels,
    status: item.isActive === true ? "ACTIVE" : "INACTIVE",
    owner,
    // What of the scopes of the owner shows in events.
    scopes,
    secret: secretOf(sealedSecret),
  };
}

function streamDocument({ owner, description, requested, delivery, status, reason, excluded }: DocumentObject) {
  const { method, url, sealedAuthorization } = objectOf(delivery);
  const digests: readonly Document[] = Array.isArray(excluded) ? excluded : [];
  return {
    owner,
    description,
    events_requested: requested,
    delivery: { method, endpoint_url: url, authorization_header: secretOf(sealedAuthorization) },
    status,
    reason,
    // Always there, so that each subject is a change of its own.
    excludedSubjects: Object.fromEntries(digests.map((digest) => [String(digest), {}])),
  };
}

/** The settings of a subscriber: JSON, which this service wrote. */
function settingsOf({ settings }: Item): DocumentObject {
  return typeof settings === "string" ? objectOf(JSON.parse(settings) as Document) : {};
}

function secretOf(sealed: Document): Secret | undefined {
  return typeof sealed === "string" ? new Secret(sealed) : undefined;
}
