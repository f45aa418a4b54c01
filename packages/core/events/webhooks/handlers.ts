/** The handlers of the operations on webhooks. */
import type * as z from "zod";
import { Fault } from "../../kernel/faults.ts";
import { newId } from "../../kernel/ids.ts";
import type { Conditions } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { checkConditions } from "../../kernel/operation/preconditions.ts";
import type { Exempt } from "../../kernel/public-fetch.ts";
import type { Seal } from "../../kernel/seal.ts";
import { resumed, type Subscriber, type SubscriberState, startingAt } from "../delivery/model.ts";
import type { SubscriberChange, SubscriberStore } from "../delivery/subscriber-store.ts";
import type { webhookOperations } from "./contract.ts";
import { secretOwner, settingsOf, type Webhook, webhookOf } from "./model.ts";
import { presentMetadata, presentProfile, presentSummary, presentWebhook, selfOf } from "./present.ts";
import {
  checkActive,
  checkedWebhook,
  checkInactive,
  checkPolicy,
  checkRetry,
  endpointTaken,
  type Positions,
  replayCursor,
  webhookGroup,
  webhookNotFound,
} from "./rules.ts";
import type { WebhookRequest } from "./shapes.ts";

/** The dependencies of these handlers. */
export interface WebhookStores extends Positions {
  readonly subscribers: SubscriberStore;
  readonly seal: Pick<Seal, "seal">;
  /** Hosts that are exempt from the rules of endpoints. */
  readonly exempt: Exempt;
  /** The cursor of a webhook that begins now, for what becomes visible from now on (`ChangeFeed.start`). */
  readonly startAt: (tenant: string, nowMs: number) => Promise<string>;
}

export const webhookHandlers: Handlers<typeof webhookOperations, WebhookStores> = {
  async listWebhooks(_, { tenant, subscribers }) {
    return { webhooks: (await webhooksIn(subscribers, tenant)).map(presentSummary) };
  },

  async createWebhook({ body }, { tenant, now, ...stores }) {
    const id = newId();
    const webhook = { ...checkedWebhook(body, stores), ...sealedSecret(stores, tenant, id, body) };
    const subscriber: Subscriber = {
      id,
      kind: "webhook",
      isActive: body.status !== "INACTIVE",
      ...settingsOf(webhook),
      createdAtMs: now,
      updatedAtMs: now,
    };
    const progress = startingAt(await stores.startAt(tenant, now));
    const taken = () => endpointTaken(webhook.endpoint);
    await stores.subscribers.add(tenant, subscriber, progress, { group: webhookGroup, taken });
    const state: SubscriberState = { tenant, subscriber, progress, versions: { subscriber: 1, progress: 1 } };
    return { location: selfOf(state), ...shown(state) };
  },

  async getWebhook({ params }, { tenant, subscribers }) {
    return shown(await webhookIn(subscribers, tenant, params.webhookId));
  },

  async updateWebhook({ params, body }, context) {
    const { tenant, now, ...stores } = context;
    const id = params.webhookId;
    const change = (state: SubscriberState): SubscriberChange => {
      const { endpoint, sealedSecret: former } = webhookOf(state.subscriber);
      // Where messages go to another address, its receiver must not get signatures that the former one can make.
      const kept = endpoint === body.endpoint ? former : undefined;
      const secret = body.secret === undefined ? { ...(kept !== undefined && { sealedSecret: kept }) } : undefined;
      const given = secret ?? sealedSecret(stores, tenant, id, body);
      const subscriber: Subscriber = {
        ...state.subscriber,
        ...settingsOf({ ...checkedWebhook(body, stores), ...given }),
        isActive: body.status === undefined ? state.subscriber.isActive : body.status === "ACTIVE",
        updatedAtMs: now,
      };
      // Another endpoint or secret is what ends most failures.
      const { lost: _, ...progress } = resumed(state.progress);
      return { subscriber, progress };
    };
    return shown(await updated(context, id, change, body.endpoint));
  },

  async deleteWebhook({ params: { webhookId } }, { tenant, subscribers, conditions }) {
    const check = (state: SubscriberState) => checkWebhook(state, webhookId, conditions);
    if (!(await subscribers.remove(tenant, webhookId, check))) throw webhookNotFound(webhookId);
    return undefined;
  },

  activateWebhook: ({ params }, context) =>
    changed(context, params.webhookId, (state) => {
      checkInactive(state);
      return {
        subscriber: { ...state.subscriber, isActive: true, updatedAtMs: context.now },
        progress: resumed(state.progress),
      };
    }),

  deactivateWebhook: ({ params }, context) =>
    changed(context, params.webhookId, (state) => {
      checkActive(state);
      return { subscriber: { ...state.subscriber, isActive: false, updatedAtMs: context.now } };
    }),

  retryWebhook: ({ params }, context) =>
    changed(context, params.webhookId, (state) => {
      checkRetry(state);
      return { progress: { ...resumed(state.progress) } };
    }),

  replayWebhook: ({ params, body }, context) =>
    changed(context, params.webhookId, (state) => {
      const { lastDeliveryMs, lost } = state.progress;
      const start = startingAt(replayCursor(state, body, context));
      return { progress: { ...start, lastDeliveryMs, ...(lost && { lost }) } };
    }),

  getWebhookMetadata: async (_, { tenant }) => presentMetadata(tenant),

  async patchWebhookMetadata({ body }, { tenant }) {
    checkPolicy(body.organizationPolicy?.policyName);
    return presentMetadata(tenant);
  },

  async getEventProfile({ params }) {
    const profile = presentProfile(params.profileName);
    if (profile) return profile;
    const description = `The requested event profile ${params.profileName} could not be found.`;
    throw new Fault("webhook.profile_unknown", description);
  },
};

function shown(state: SubscriberState) {
  return { etag: tagOf(state), body: presentWebhook(state) };
}

/** The tag counts what its owner changes. It is weak: it stays the same while events are delivered. */
function tagOf({ versions }: SubscriberState): string {
  return `W/"${versions.subscriber}"`;
}

async function webhooksIn(subscribers: SubscriberStore, tenant: string): Promise<SubscriberState[]> {
  return (await subscribers.list(tenant)).filter(isWebhook);
}

async function webhookIn(subscribers: SubscriberStore, tenant: string, id: string): Promise<SubscriberState> {
  const state = await subscribers.find(tenant, id);
  if (!state || !isWebhook(state)) throw webhookNotFound(id);
  return state;
}

/** Other kinds of subscribers are no webhooks, whatever their id. */
function isWebhook({ subscriber }: SubscriberState): boolean {
  return subscriber.kind === "webhook";
}

/** Throws for another kind of subscriber, and as `checkConditions` does. */
function checkWebhook(state: SubscriberState, id: string, conditions: Conditions = {}): void {
  if (!isWebhook(state)) throw webhookNotFound(id);
  checkConditions(conditions, tagOf(state));
}

/** What a change of a webhook needs of its request. */
interface ChangeContext extends Pick<WebhookStores, "subscribers"> {
  readonly tenant: string;
  readonly conditions?: Conditions;
}
type Change = (state: SubscriberState) => SubscriberChange;

async function changed(context: ChangeContext, id: string, change: Change) {
  return shown(await updated(context, id, change));
}

async function updated(
  { tenant, subscribers, conditions }: ChangeContext,
  id: string,
  change: Change,
  endpoint = "",
): Promise<SubscriberState> {
  const of = (state: SubscriberState) => {
    checkWebhook(state, id, conditions);
    return change(state);
  };
  const state = await subscribers.update(tenant, id, of, () => endpointTaken(endpoint));
  if (!state) throw webhookNotFound(id);
  return state;
}

/** The secret of a request, sealed; none for an empty one. */
function sealedSecret(
  { seal }: Pick<WebhookStores, "seal">,
  tenant: string,
  id: string,
  { secret }: z.output<typeof WebhookRequest>,
): Pick<Webhook, "sealedSecret"> {
  return secret ? { sealedSecret: seal.seal(secret, secretOwner(tenant, id)) } : {};
}
