/** Webhooks as subscribers of the engine: records become messages, and messages become signed requests. */
import { timeOfChange } from "../../database/changes/change-id.ts";
import type { ChangeActor, ChangeRecord } from "../../database/changes/model.ts";
import { showsValues } from "../../database/changes/read-scopes.ts";
import type { Clock } from "../../kernel/clock.ts";
import { eventIdOf } from "../../kernel/ids.ts";
import { type Exempt, FetchRefused } from "../../kernel/public-fetch.ts";
import { type Posted, postPublic } from "../../kernel/public-post.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { Message, Outcome, SubscriberKind, SubscriberState } from "../delivery/model.ts";
import { changeEvents, type RecordEvent, wso2Events } from "./events.ts";
import { secretOwner, showsActors, type WebhookOwner, webhookOf } from "./model.ts";
import { signatureHeaders } from "./signature.ts";

/** What the delivery of webhooks needs. */
export interface WebhookParts {
  readonly seal: Pick<Seal, "open">;
  /** The public origin of the service, without a trailing slash. */
  readonly origin: string;
  /** The scopes of an owner at the moment; `undefined` for one that may not sign in any more. */
  readonly scopesOf: (tenant: string, owner: WebhookOwner) => Promise<ReadonlySet<string> | undefined>;
  /** The id of a tenant; `undefined` for one that does not exist any more. */
  readonly tenantIdOf: (tenant: string) => Promise<string | undefined>;
  readonly exempt: Exempt;
  readonly clock: Clock;
}

const GONE = 410;
const NOTHING: ReadonlySet<string> = new Set();
const OWNER_GONE =
  "Who sent its settings last was deleted or may not sign in any more. Send the settings again by PUT.";
/** Those who accept messages know them by it. */
const USER_AGENT = "identity-admin-api-webhooks/1";

/** The kind of webhooks, for one run: it reads the id of a tenant once. */
export function webhookKind(parts: WebhookParts): SubscriberKind {
  const ids = new Map<string, Promise<string | undefined>>();
  const idOf = (tenant: string) => {
    const known = ids.get(tenant) ?? parts.tenantIdOf(tenant);
    ids.set(tenant, known);
    return known;
  };
  return {
    isPushed: () => true,

    async messagesOf({ tenant, subscriber }, record) {
      const { profile, channels, owner, scopes } = webhookOf(subscriber);
      const base = `${parts.origin}/t/${tenant}`;
      const now = (await parts.scopesOf(tenant, owner)) ?? NOTHING;
      const both = new Set(scopes.filter((scope) => now.has(scope)));
      const shows = { actors: showsActors(both), values: showsValues(record.resource.type, both) };
      const events = profile === "WSO2" ? wso2Events(record, base, shows) : changeEvents(record, shows);
      const subscribed = events.filter(({ channel }) => channels.includes(channel));
      if (subscribed.length === 0) return [];
      const tenantId = await idOf(tenant);
      return subscribed.map((event) => messageOf(event, record, { base, tenantId, showsActors: shows.actors }));
    },

    async lostBy({ tenant, subscriber }) {
      const { owner, scopes } = webhookOf(subscriber);
      const now = (await parts.scopesOf(tenant, owner)) ?? NOTHING;
      return scopes.filter((scope) => !now.has(scope));
    },

    async send(state, message) {
      const { owner } = webhookOf(state.subscriber);
      if (!(await parts.scopesOf(state.tenant, owner))) return { kind: "gone", reason: OWNER_GONE };
      return sending(parts, state, message);
    },
  };
}

/** What the messages of one webhook have in common. */
interface Envelope {
  readonly base: string;
  readonly tenantId: string | undefined;
  readonly showsActors: boolean;
}

/** The message of an event, as Identity Server writes it. The same record gives the same bytes. */
function messageOf(
  { uri, payload }: RecordEvent,
  record: ChangeRecord,
  { base, tenantId, showsActors }: Envelope,
): Message {
  const id = eventIdOf(`${record.tenant} ${record.id} ${uri}`);
  const { tenant, sourceIp, traceId, actor, resource } = record;
  const body = {
    iss: base,
    jti: id,
    // Identity Server writes milliseconds here.
    iat: timeOfChange(record.id),
    rci: traceId,
    events: {
      [uri]: {
        initiatorType: initiatorType(actor, resource.type === "user" ? resource.id : undefined),
        ...(showsActors && { initiatorIpAddress: sourceIp }),
        ...payload,
        tenant: { ...(tenantId !== undefined && { id: tenantId }), name: tenant },
      },
    },
  };
  return { id, atMs: record.atMs, body: JSON.stringify(body) };
}

function initiatorType({ type, id }: ChangeActor, userId: string | undefined): string {
  if (type === "client") return "APPLICATION";
  return type === "user" && id === userId ? "USER" : "ADMIN";
}

async function sending(
  { seal, exempt, clock }: WebhookParts,
  { tenant, subscriber }: SubscriberState,
  { id, body }: Message,
): Promise<Outcome> {
  const { endpoint, sealedSecret } = webhookOf(subscriber);
  const secret = sealedSecret && seal.open(sealedSecret, secretOwner(tenant, subscriber.id));
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": USER_AGENT,
    ...signatureHeaders({ id, atMs: clock.now(), body }, secret),
  };
  try {
    return outcomeOf(await postPublic({ url: endpoint, headers, body }, exempt, clock));
  } catch (error) {
    if (error instanceof FetchRefused) return { kind: "failed", what: error.message };
    throw error;
  }
}

function outcomeOf({ status, retryAfterMs }: Posted): Outcome {
  if (status >= 200 && status <= 299) return { kind: "delivered" };
  const what = `The receiver responded with ${status}.`;
  if (status === GONE) return { kind: "gone", reason: `${what} It wants no further events.` };
  return { kind: "failed", what, ...(retryAfterMs !== undefined && { afterMs: retryAfterMs }) };
}
