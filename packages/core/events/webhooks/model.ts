/** A webhook, and how the engine of events stores it as a subscriber. Pure. */
import type { ResourceType } from "../../database/changes/model.ts";
import { readScopes, showsValues, VIEW_CHANGES } from "../../database/changes/read-scopes.ts";
import type { Principal } from "../../kernel/operation/context.ts";
import type { Subscriber } from "../delivery/model.ts";
import { typesOfChannel } from "./channels.ts";

/** Who sent the settings of a webhook last, by POST or PUT. */
export interface WebhookOwner {
  readonly kind: Principal["kind"];
  /** The id of the user, or the client id. */
  readonly subject: string;
  /** Of a user. */
  readonly userStore?: string | undefined;
}

/** What the owner of a webhook decides. */
export interface Webhook {
  readonly name: string;
  readonly endpoint: string;
  /** The name of its event profile. */
  readonly profile: string;
  /** URIs of channels. */
  readonly channels: readonly string[];
  readonly owner: WebhookOwner;
  /**
   * The scopes of its owner, when it sent the settings, that show values in events (`showingScopes`). Events show what
   * both these and the owner's scopes of the moment show (decision 0149).
   */
  readonly scopes: readonly string[];
  /** Sealed for `secretOwner`; absent for messages without signatures. */
  readonly sealedSecret?: string;
}

/** The scopes that matter to events: those that read resources, and the one that shows who changed them. */
const showing: ReadonlySet<string> = new Set([...Object.values(readScopes), VIEW_CHANGES]);

/** Of some scopes those that show values in events. */
export function showingScopes(scopes: ReadonlySet<string>): readonly string[] {
  return [...showing].filter((scope) => scopes.has(scope));
}

/** The types of a webhook's channels whose events have ids only under some scopes. */
export function typesWithIdsOnly(channels: readonly string[], scopes: ReadonlySet<string>): readonly ResourceType[] {
  return [...new Set(channels.flatMap(typesOfChannel))].filter((type) => !showsValues(type, scopes));
}

/** Whether events name who made a change, and from where. */
export function showsActors(scopes: ReadonlySet<string>): boolean {
  return scopes.has(VIEW_CHANGES);
}

/** The webhook of a subscriber. Throws an `Error` for settings that are none: a defect. */
export function webhookOf({ id, settings }: Pick<Subscriber, "id" | "settings">): Webhook {
  const { name, endpoint, profile, channels, owner, scopes, sealedSecret } = settings;
  if (typeof name !== "string" || typeof endpoint !== "string" || typeof profile !== "string" || !isOwner(owner)) {
    throw new Error(`The settings of the webhook ${id} are damaged.`);
  }
  const secret = typeof sealedSecret === "string" && { sealedSecret };
  return { name, endpoint, profile, channels: textsIn(channels), owner, scopes: textsIn(scopes), ...secret };
}

/** The settings of a webhook, and its claim: one webhook of a tenant has an endpoint. */
export function settingsOf({ owner: { kind, subject, userStore }, ...webhook }: Webhook): {
  readonly settings: Subscriber["settings"];
  readonly claim: string;
} {
  const owner = { kind, subject, ...(userStore !== undefined && { userStore }) };
  return { settings: { ...webhook, owner }, claim: webhook.endpoint };
}

/** For whom the secret of a webhook is sealed. */
export function secretOwner(tenant: string, id: string): string {
  return `webhook ${tenant}/${id}`;
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function isOwner(value: unknown): value is WebhookOwner {
  return typeof value === "object" && value !== null && "kind" in value && "subject" in value;
}
