/** Webhooks as subscribers of the engine: records become messages, and messages become signed requests. */
import { timeOfChange } from "../changes/change-id.ts";
import type { ChangeActor, ChangeRecord } from "../changes/model.ts";
import type { Message, Outcome, SubscriberKind, SubscriberState } from "../events/model.ts";
import type { Clock } from "../platform/clock.ts";
import { eventIdOf } from "../platform/ids.ts";
import { type Exempt, FetchRefused } from "../platform/public-fetch.ts";
import { type Posted, postPublic } from "../platform/public-post.ts";
import type { Seal } from "../platform/seal.ts";
import { changeEvents, type RecordEvent, wso2Events } from "./events.ts";
import { secretOwner, webhookOf } from "./model.ts";
import { signatureHeaders } from "./signature.ts";

/** What the delivery of webhooks needs. */
export interface WebhookParts {
  readonly seal: Pick<Seal, "open">;
  /** The public origin of the service, without a trailing slash. */
  readonly origin: string;
  /** The id of a tenant; `undefined` for one that does not exist any more. */
  readonly tenantIdOf: (tenant: string) => Promise<string | undefined>;
  readonly exempt: Exempt;
  readonly clock: Clock;
}

const GONE = 410;
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
      const { profile, channels, showsActors } = webhookOf(subscriber);
      const base = `${parts.origin}/t/${tenant}`;
      const events = profile === "WSO2" ? wso2Events(record, base) : changeEvents(record, showsActors);
      const subscribed = events.filter(({ channel }) => channels.includes(channel));
      if (subscribed.length === 0) return [];
      const tenantId = await idOf(tenant);
      return subscribed.map((event) => messageOf(event, record, { base, tenantId, showsActors }));
    },

    send: (state, message) => sending(parts, state, message),
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
