/** The handlers of streams of security events. */
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { Fault } from "../../kernel/faults.ts";
import { newId } from "../../kernel/ids.ts";
import type { PublicContext, RequestContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { resumed, type SubscriberState, startingAt } from "../delivery/model.ts";
import type { signalOperations } from "./contract.ts";
import { transmitterMetadata, transmitterOf } from "./metadata.ts";
import { type Aside, isOwn, ownerOf, POLL, type Stream, type StreamSettings, statusOf } from "./model.ts";
import { answerPoll } from "./polling.ts";
import {
  ASIDES_MAX,
  checkFixed,
  configured,
  EXCLUDED_MAX,
  invalid,
  namedSubject,
  notFound,
  ownGroup,
  patched,
  presented,
} from "./rules.ts";
import type { SignalStores } from "./stores.ts";
import { asideText, settingsOf, streamOf, subscriberOf } from "./streams.ts";
import { type NamedSubject, type Subject, subjectDigest } from "./subjects.ts";

type Context = RequestContext & SignalStores;

export const signalHandlers: Handlers<typeof signalOperations, SignalStores> = {
  getSignalTransmitter: (_, context) => metadataOf(context.pathTenant, context),
  getSignalIssuer: (_, context) => metadataOf(context.pathTenant, context),
  getTenantSignalIssuer: ({ params }, context) => metadataOf(params.tenant, context),
  getSignalKeys: (_, { table, signer, now }) => signer.keySet(table, now),

  async createStream({ body }, context) {
    const { tenant, principal, subscribers, feed, now } = context;
    const id = newId();
    const settings: StreamSettings = {
      owner: ownerOf(principal),
      ...configured(body, { ...context, id }),
      status: "enabled",
      excluded: [],
    };
    const progress = startingAt(await feed.start(tenant, now));
    const subscriber = subscriberOf({ id, settings }, { createdAtMs: now, nowMs: now });
    await subscribers.add(tenant, subscriber, progress, { group: ownGroup(principal), taken: unclaimed });
    return shown({ ...settings, id, tenant, progress }, context);
  },

  async readStreams({ query }, context) {
    if (query.stream_id !== undefined) return shown(streamOf(await find(query.stream_id, context)), context);
    return (await ownStreams(context)).map((stream) => shown(stream, context));
  },

  async updateStream({ body }, context) {
    const stream = await change(body.stream_id, context, (before) => {
      checkFixed(body, before, issuerOf(context));
      return { settings: patched(before, body, { ...context, id: before.id }) };
    });
    return shown(stream, context);
  },

  async replaceStream({ body }, context) {
    const stream = await change(body.stream_id, context, (before) => {
      checkFixed(body, before, issuerOf(context));
      const { owner, status, reason, excluded } = before;
      return { settings: { owner, status, reason, excluded, ...configured(body, { ...context, id: before.id }) } };
    });
    return shown(stream, context);
  },

  async deleteStream({ query }, context) {
    const { subscriber } = await find(query.stream_id, context);
    if (!(await context.subscribers.remove(context.tenant, subscriber.id))) throw notFound();
    return undefined;
  },

  async getStreamStatus({ query }, context) {
    return statusShown(streamOf(await find(query.stream_id, context)));
  },

  async setStreamStatus({ body: { stream_id, status, reason } }, context) {
    const { tenant, feed, now } = context;
    const stream = await change(stream_id, context, async (before) => {
      const settings = { ...settingsOf(before), status, reason };
      // What happened while the stream was disabled is left out, also where it is paused next.
      if (before.status === "disabled" && status !== "disabled") {
        return { settings, progress: startingAt(await feed.start(tenant, now)) };
      }
      if (status !== "enabled" || statusOf(before).status === "enabled") return { settings };
      // Failures from before a pause say nothing of the receiver after it.
      const progress = resumed(before.progress);
      if (!before.progress.pause) return { settings, progress };
      const aside: Aside = { name: "updated", jti: newId(), payload: { status } };
      return { settings, progress: { ...progress, asides: [...progress.asides, asideText(aside)] } };
    });
    return statusShown(stream);
  },

  async addStreamSubject({ body }, context) {
    await changeSubject(body, context, "feed:add");
    return undefined;
  },

  async removeStreamSubject({ body }, context) {
    await changeSubject(body, context, "feed:remove");
    return undefined;
  },

  async verifyStream({ body: { stream_id, state } }, context) {
    const aside: Aside = { name: "verification", jti: newId(), payload: { ...(state !== undefined && { state }) } };
    await change(stream_id, context, (before) => ({ progress: withAside(before, aside) }));
    return undefined;
  },

  async pollStream({ params, body }, context) {
    const { delivery } = streamOf(await find(params.streamId, context));
    if (delivery.method !== POLL) throw invalid("The events of this stream are pushed: its delivery is not poll.");
    return answerPoll(body, context, () => find(params.streamId, context));
  },
};

async function metadataOf(domain: string | undefined, { tenants, origin }: PublicContext & SignalStores) {
  const tenant = domain ?? SUPER_TENANT;
  if ((await tenants.find(tenant))?.active) return transmitterMetadata(tenant, origin);
  throw new Fault("route.not_found", "This tenant does not exist.");
}

/** The streams of the caller, the oldest first. */
async function ownStreams({ tenant, principal, subscribers }: Context): Promise<readonly Stream[]> {
  const states = await subscribers.list(tenant);
  return states
    .filter(({ subscriber }) => subscriber.kind === "stream")
    .map(streamOf)
    .filter((stream) => isOwn(stream, principal));
}

/** A stream of the caller. Throws `stream.not_found`. */
async function find(id: string, { tenant, principal, subscribers }: Context): Promise<SubscriberState> {
  const state = await subscribers.find(tenant, id);
  if (!state || !isOwnState(state, principal)) throw notFound();
  return state;
}

function isOwnState(state: SubscriberState, principal: Context["principal"]): boolean {
  return state.subscriber.kind === "stream" && isOwn(streamOf(state), principal);
}

/** What a change of a stream writes. */
interface StreamChange {
  readonly settings?: StreamSettings;
  readonly progress?: Stream["progress"];
}

/** Changes a stream of the caller, and returns its new state. Throws `stream.not_found`. */
async function change(
  id: string,
  context: Context,
  decide: (before: Stream) => StreamChange | Promise<StreamChange>,
): Promise<Stream> {
  const { tenant, principal, subscribers, now } = context;
  const after = await subscribers.update(
    tenant,
    id,
    async (state) => {
      if (!isOwnState(state, principal)) throw notFound();
      const { settings, progress } = await decide(streamOf(state));
      const { createdAtMs } = state.subscriber;
      return {
        ...(settings && { subscriber: subscriberOf({ id, settings }, { createdAtMs, nowMs: now }) }),
        ...(progress && { progress }),
      };
    },
    unclaimed,
  );
  if (!after) throw notFound();
  return streamOf(after);
}

/** Leaves a subject out or takes it back, and tells so as an event. */
async function changeSubject(
  { stream_id, subject: named }: { readonly stream_id: string; readonly subject: NamedSubject },
  context: Context,
  name: "feed:add" | "feed:remove",
): Promise<void> {
  const subject: Subject = namedSubject(named, issuerOf(context));
  const digest = subjectDigest(subject);
  const aside: Aside = { name, jti: newId(), subject };
  await change(stream_id, context, (before) => {
    const isOut = before.excluded.includes(digest);
    if (isOut === (name === "feed:remove")) return {};
    const rest = before.excluded.filter((other) => other !== digest);
    if (!isOut && rest.length >= EXCLUDED_MAX) {
      throw invalid(`A stream leaves out at most ${EXCLUDED_MAX} subjects.`);
    }
    const settings = { ...settingsOf(before), excluded: isOut ? rest : [...rest, digest] };
    return { settings, progress: withAside(before, aside) };
  });
}

function withAside({ progress }: Stream, aside: Aside): Stream["progress"] {
  if (progress.asides.length >= ASIDES_MAX) {
    throw new Fault("stream.busy", `${ASIDES_MAX} events about this stream wait. Receive them first.`);
  }
  return { ...progress, asides: [...progress.asides, asideText(aside)] };
}

function shown(stream: Stream, { tenant, origin }: Context) {
  const { issuer, base } = transmitterOf(tenant, origin);
  return presented(stream, issuer, base);
}

function statusShown(stream: Stream) {
  const { status, reason } = statusOf(stream);
  return { stream_id: stream.id, status, ...(reason !== undefined && { reason }) };
}

function issuerOf({ tenant, origin }: Context): string {
  return transmitterOf(tenant, origin).issuer;
}

/** Streams have no claims. */
function unclaimed(): Error {
  return new Error("a stream has no claim");
}
