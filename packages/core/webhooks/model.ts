/** A webhook, and how the engine of events stores it as a subscriber. Pure. */
import type { Subscriber } from "../events/model.ts";

/** What the owner of a webhook decides. */
export interface Webhook {
  readonly name: string;
  readonly endpoint: string;
  /** The name of its event profile. */
  readonly profile: string;
  /** URIs of channels. */
  readonly channels: readonly string[];
  /**
   * Whether its events name the actor, and where the request came from: whether who decided its settings last may read
   * that of all changes (internal_audit_view).
   */
  readonly showsActors: boolean;
  /** Sealed for `secretOwner`; absent for messages without signatures. */
  readonly sealedSecret?: string;
}

/** The webhook of a subscriber. Throws an `Error` for settings that are none: a defect. */
export function webhookOf({ id, settings }: Pick<Subscriber, "id" | "settings">): Webhook {
  const { name, endpoint, profile, channels, sealedSecret, showsActors: shows } = settings;
  const uris = Array.isArray(channels) ? channels.filter((one) => typeof one === "string") : [];
  if (typeof name !== "string" || typeof endpoint !== "string" || typeof profile !== "string") {
    throw new Error(`The settings of the webhook ${id} are damaged.`);
  }
  const secret = typeof sealedSecret === "string" && { sealedSecret };
  return { name, endpoint, profile, channels: uris, showsActors: shows === true, ...secret };
}

/** The settings of a webhook, and its claim: one webhook of a tenant has an endpoint. */
export function settingsOf(webhook: Webhook): Pick<Subscriber, "settings" | "claim"> {
  return { settings: { ...webhook }, claim: webhook.endpoint };
}

/** For whom the secret of a webhook is sealed. */
export function secretOwner(tenant: string, id: string): string {
  return `webhook ${tenant}/${id}`;
}
