/** Push delivery (RFC 8935): streams as a kind of the subscribers that the delivery engine serves. */

import type { ChangeRecord } from "../../database/changes/model.ts";
import type { Table } from "../../database/table/table.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type Exempt, FetchRefused } from "../../kernel/public-fetch.ts";
import type { Posted, Posting } from "../../kernel/public-post.ts";
import type { Seal } from "../../kernel/seal.ts";
import { newOwnerScopes, type OwnerStores } from "../../sign-in/authentication/owner-scopes.ts";
import type { EventClaims, EventSigner } from "../../tokens/event-token.ts";
import type { Message, Outcome, SubscriberKind, SubscriberState } from "../delivery/model.ts";
import { asideClaims, claimsOf, type DataReads, type Envelope } from "./claims.ts";
import { occurrenceOf } from "./happenings.ts";
import { transmitterOf } from "./metadata.ts";
import { deliveredTypes, PUSH, type Stream, sealOwner } from "./model.ts";
import { ownerRights } from "./owner.ts";
import { asideOf, streamOf } from "./streams.ts";

/** What pushing uses. */
export interface PushDeps {
  readonly table: Table;
  readonly owners: OwnerStores;
  readonly signer: EventSigner;
  readonly seal: Seal;
  /** The origin of tokens and events. */
  readonly origin: string;
  readonly representation: DataReads["representation"];
  readonly post: (posting: Posting, exempt: Exempt) => Promise<Posted>;
  readonly exempt: Exempt;
  readonly clock: Clock;
}

const NOTHING: DataReads["readable"] = new Set();

/** Codes of a receiver that refuses an event for good (RFC 8935 section 2.4). */
const CODE = /^[a-z_]{1,40}$/;

/** Streams with push delivery, for one run of the delivery function. */
export function streamKind(deps: PushDeps): SubscriberKind {
  const scopesNow = newOwnerScopes(deps.owners, deps.clock);
  const rightsOf = async (stream: Stream) => ownerRights(stream, await scopesNow(stream.tenant, stream.owner));
  return {
    isPushed: (subscriber) => isPushed(subscriber.settings.delivery),

    async messagesOf(state, record) {
      const stream = streamOf(state);
      const rights = await rightsOf(stream);
      const reads = { readable: rights?.readable ?? NOTHING, representation: deps.representation };
      return messages(record, envelopeOf(stream, deps.origin), reads);
    },

    messageOfAside(state, text) {
      const claims = asideClaims(asideOf(text), envelopeOf(streamOf(state), deps.origin));
      return claims && messageOf(claims, deps.clock.now());
    },

    async send(state, message) {
      const stream = streamOf(state);
      if (!(await rightsOf(stream))) {
        return { kind: "gone", reason: "The owner of the stream may not receive events any more." };
      }
      return sent(state, message, deps);
    },
  };
}

/** What the events of a stream have in common. */
export function envelopeOf(stream: Stream, origin: string): Envelope {
  const { issuer } = transmitterOf(stream.tenant, origin);
  return { stream, issuer, delivered: new Set(deliveredTypes(stream)), excluded: new Set(stream.excluded) };
}

function isPushed(delivery: unknown): boolean {
  return typeof delivery === "object" && delivery !== null && "method" in delivery && delivery.method === PUSH;
}

async function messages(record: ChangeRecord, envelope: Envelope, reads: DataReads): Promise<readonly Message[]> {
  const occurrence = occurrenceOf(record);
  if (!occurrence) return [];
  const made: Message[] = [];
  for (const happening of occurrence.happenings) {
    const claims = await claimsOf(happening, occurrence, envelope, reads);
    if (claims) made.push(messageOf(claims, record.atMs));
  }
  return made;
}

/** Signed when it is sent: each attempt has a fresh time of issue, and the key of its time. */
function messageOf(claims: EventClaims, atMs: number): Message {
  return { id: claims.jti, atMs, body: JSON.stringify(claims) };
}

async function sent(state: SubscriberState, { body }: Message, deps: PushDeps): Promise<Outcome> {
  const { tenant, id, delivery } = streamOf(state);
  if (delivery.method !== PUSH) return { kind: "gone", reason: "The stream is not pushed." };
  const token = await deps.signer.sign(deps.table, JSON.parse(body) as EventClaims, deps.clock.now());
  const { url, sealedAuthorization: sealed } = delivery;
  const headers = {
    "content-type": "application/secevent+jwt",
    accept: "application/json",
    ...(sealed !== undefined && { authorization: deps.seal.open(sealed, sealOwner(tenant, id)) }),
  };
  try {
    return outcomeOf(await deps.post({ url, headers, body: token }, deps.exempt));
  } catch (error) {
    if (error instanceof FetchRefused) return { kind: "failed", what: error.message };
    throw error;
  }
}

/** RFC 8935 section 2: 202 where the event was taken, 400 with a code where it never will be. */
function outcomeOf({ status, retryAfterMs: afterMs, text }: Posted): Outcome {
  if (status >= 200 && status <= 299) return { kind: "delivered" };
  const code = status === 400 ? codeIn(text) : undefined;
  if (code !== undefined) return { kind: "refused", what: `The receiver refused an event: ${code}.` };
  const what = `The receiver responded with ${status}.`;
  return { kind: "failed", what, ...(afterMs !== undefined && { afterMs }) };
}

/** Descriptions of receivers are not repeated: they may contain anything. */
function codeIn(text: string): string | undefined {
  try {
    const { err } = JSON.parse(text) as { readonly err?: unknown };
    return typeof err === "string" && CODE.test(err) ? err : undefined;
  } catch {
    return undefined;
  }
}
