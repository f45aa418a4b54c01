/** Rules for webhooks. Pure; faults have the codes of WSO2 Identity Server. */
import type * as z from "zod";
import { SETTLED_MS } from "../../database/changes/feed.ts";
import { VIEW_CHANGES } from "../../database/changes/read-scopes.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Principal } from "../../kernel/operation/context.ts";
import { checkPublic, type Exempt, FetchRefused } from "../../kernel/public-fetch.ts";
import { checkTogether } from "../../kernel/together.ts";
import { type SubscriberState, shownFailures } from "../delivery/model.ts";
import type { SlotGroup } from "../delivery/slots.ts";
import { profileNamed } from "./channels.ts";
import { showingScopes, type Webhook } from "./model.ts";
import type { WebhookReplay, WebhookRequest } from "./shapes.ts";

/** A tenant has at most so many webhooks. */
export const WEBHOOKS_MAX = 20;

/** The only policy: a tenant has no organizations below it. */
export const ORGANIZATION_POLICY = "NO_SHARING";

/** How much a caller's clock may be ahead. */
const AHEAD_MS = 5 * 60_000;

/** Who sends the settings of a webhook. */
interface Sender {
  readonly exempt: Exempt;
  readonly principal: Principal;
  readonly scopes: ReadonlySet<string>;
}

/**
 * The settings of a request, without the secret. Throws `webhook.field_empty` and `webhook.field_invalid`.
 */
export function checkedWebhook(
  body: z.output<typeof WebhookRequest>,
  { exempt, principal, scopes }: Sender,
): Omit<Webhook, "sealedSecret"> {
  const profileOf = () => {
    const profile = profileNamed(filled("Event Profile Name", body.eventProfile?.name));
    if (!profile) throw invalid("Event Profile Name is invalid.");
    return profile;
  };
  const channels = [...new Set(body.channelsSubscribed ?? [])];
  checkTogether(
    () => checkEndpoint(filled("Endpoint URI", body.endpoint), exempt),
    () => filled("Webhook name", body.name),
    profileOf,
    () => filled("Event Profile URI", body.eventProfile?.uri),
    () => {
      if (channels.length === 0) throw new Fault("webhook.field_empty", "Channels Subscribed is empty.");
    },
  );
  const [endpoint, name] = [filled("Endpoint URI", body.endpoint), filled("Webhook name", body.name)];
  const profile = profileOf();
  if (body.eventProfile?.uri !== profile.uri)
    throw invalid(`Event Profile URI is invalid: that of ${profile.name} is ${profile.uri}.`);
  const known = new Set(profile.channels.map((channel) => channel.uri));
  const unknown = channels.findIndex((channel) => !known.has(channel));
  if (unknown >= 0) {
    throw invalid(`channelsSubscribed.${unknown}: not the URI of a channel of the profile ${profile.name}.`);
  }
  const { kind, subject } = principal;
  const owner = { kind, subject, ...(kind === "user" && { userStore: principal.userStore }) };
  return { name, endpoint, profile: profile.name, channels, owner, scopes: showingScopes(scopes) };
}

/** The fault for an id that no webhook of the tenant has. */
export function webhookNotFound(id: string): Fault {
  return new Fault("webhook.not_found", `No webhook is found for given webhook id: ${id}`);
}

/** The fault for an endpoint that another webhook of the tenant has. */
export function endpointTaken(endpoint: string): Fault {
  return new Fault(
    "webhook.endpoint_taken",
    `A webhook with the given endpoint: ${endpoint} already exists in the system.`,
  );
}

/** All webhooks of a tenant. */
export const webhookGroup: SlotGroup = {
  name: "webhooks",
  most: WEBHOOKS_MAX,
  has: ({ kind }) => kind === "webhook",
  full: () =>
    new Fault(
      "webhook.too_many",
      `The maximum number of webhooks allowed has been reached. Max allowed: ${WEBHOOKS_MAX}. Please delete an existing webhook before adding a new one.`,
    ),
};

/** Whether changes are sent to a webhook: it is neither deactivated nor paused. */
export function isDelivering({ subscriber, progress }: Pick<SubscriberState, "subscriber" | "progress">): boolean {
  return subscriber.isActive && progress.pause === undefined;
}

export function checkInactive(state: SubscriberState): void {
  if (!isDelivering(state)) return;
  const { id } = state.subscriber;
  throw new Fault("webhook.active", `The webhook: ${id} is already active and cannot be activated again.`);
}

export function checkActive(state: SubscriberState): void {
  if (isDelivering(state)) return;
  const { id } = state.subscriber;
  throw new Fault("webhook.inactive", `The webhook: ${id} is already inactive and cannot be deactivated again.`);
}

/** Throws for a webhook whose last delivery succeeded: Identity Server repeats nothing either. */
export function checkRetry({ subscriber, progress }: SubscriberState): void {
  if (subscriber.isActive && (shownFailures(progress).failures > 0 || progress.pause)) return;
  throw new Fault("webhook.nothing_to_retry", "Operation is not supported for Publisher adapter type.");
}

/**
 * The time from which changes are sent again. Clocks of callers may differ: a time that is at most five minutes ahead
 * is now, so that no change before it is left out. Throws `request.invalid` for a later one.
 */
function replayStart(sinceMs: number, nowMs: number): number {
  if (sinceMs > nowMs + AHEAD_MS) {
    const description =
      "since: this time is in the future, and nothing would be sent before it. Send the present time to go on from now.";
    throw new Fault("request.invalid", description);
  }
  return Math.min(sinceMs, nowMs);
}

/** How a replay reads positions in the changes. */
export interface Positions {
  /** The cursor after which the changes since a time follow. */
  readonly cursorAt: (tenant: string, atMs: number) => string;
  /** The time of a cursor of the tenant's changes. Throws `request.invalid` for another text. */
  readonly timeOfCursor: (tenant: string, cursor: string) => number;
}

/**
 * The cursor at which a replay begins. What was before the creation of the webhook is sent again only for callers with
 * `internal_audit_view`, who may read it anyway (decision 0149): the fault is `auth.forbidden`.
 */
export function replayCursor(
  { tenant, subscriber: { createdAtMs } }: Pick<SubscriberState, "tenant" | "subscriber">,
  { since, cursor }: z.output<typeof WebhookReplay>,
  { cursorAt, timeOfCursor, scopes, now }: Positions & { readonly scopes: ReadonlySet<string>; readonly now: number },
): string {
  if ((since === undefined) === (cursor === undefined)) {
    throw new Fault("request.invalid", "Send either since, a time, or cursor.");
  }
  const mayGoBack = scopes.has(VIEW_CHANGES);
  if (cursor === undefined) {
    const startMs = replayStart(Date.parse(since ?? ""), now);
    if (startMs < createdAtMs && !mayGoBack) throw beforeCreation("since", createdAtMs);
    return cursorAt(tenant, startMs);
  }
  const atMs = timeOfCursor(tenant, cursor);
  if (atMs >= createdAtMs || mayGoBack) return cursor;
  // Its first cursors are of this time: they waited for what could still become visible.
  if (atMs >= createdAtMs - SETTLED_MS) return cursorAt(tenant, createdAtMs);
  throw beforeCreation("cursor", createdAtMs);
}

function beforeCreation(member: string, createdAtMs: number): Fault {
  const created = new Date(createdAtMs).toISOString();
  return new Fault(
    "auth.forbidden",
    `${member}: it is before ${created}, when the webhook was created. Changes from before that are sent only for callers with the scope ${VIEW_CHANGES}; send a later one.`,
  );
}

export function checkPolicy(policyName: string | undefined): void {
  if (policyName === undefined || policyName === ORGANIZATION_POLICY) return;
  throw new Fault("request.invalid", `organizationPolicy.policyName: only ${ORGANIZATION_POLICY} is supported.`);
}

function checkEndpoint(endpoint: string, exempt: Exempt): void {
  try {
    checkPublic(endpoint, exempt);
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    // Identity Server's sentence stands alone for what is no URL.
    throw invalid(URL.canParse(endpoint) ? `Endpoint URI is invalid. ${error.message}` : "Endpoint URI is invalid.");
  }
}

function filled(field: string, text: string | undefined): string {
  if (text?.trim()) return text;
  throw new Fault("webhook.field_empty", `${field} is empty.`);
}

function invalid(description: string): Fault {
  return new Fault("webhook.field_invalid", description);
}
