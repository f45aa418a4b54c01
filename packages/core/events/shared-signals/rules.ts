/** What receivers may ask of streams. Pure. */
import type * as z from "zod";
import { Fault } from "../../kernel/faults.ts";
import { callerId, type Principal } from "../../kernel/operation/context.ts";
import { checkPublic, type Exempt, FetchRefused } from "../../kernel/public-fetch.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { SlotGroup } from "../delivery/slots.ts";
import { defaultTypes, supportedTypes } from "./event-types.ts";
import {
  type Delivery,
  deliveredTypes,
  isOwn,
  POLL,
  PUSH,
  type Stream,
  type StreamSettings,
  sealOwner,
} from "./model.ts";
import type { NewStream, StreamChange, StreamShown } from "./shapes.ts";
import { storedSettings } from "./streams.ts";
import { type NamedSubject, type Subject, subjectOf } from "./subjects.ts";

/** The most streams of one caller; and of the messages about a stream itself that wait; and of excluded subjects. */
export const STREAMS_MAX = 10;
export const ASIDES_MAX = 50;
export const EXCLUDED_MAX = 1_000;

type Sent = z.output<typeof NewStream>;
type Changed = z.output<typeof StreamChange>;

/** The streams of one caller. */
export function ownGroup(principal: Principal): SlotGroup {
  return {
    name: `streams of ${callerId(principal)}`,
    most: STREAMS_MAX,
    has: (subscriber) => subscriber.kind === "stream" && isOwn(storedSettings(subscriber), principal),
    full: () => new Fault("stream.too_many", `A caller has at most ${STREAMS_MAX} streams. Delete one first.`),
  };
}

/** What a stream is configured with. */
export interface Configuring {
  readonly tenant: string;
  readonly id: string;
  readonly seal: Seal;
  readonly exempt: Exempt;
}

/** A stream that does not exist, or belongs to another caller. */
export function notFound(): Fault {
  return new Fault("stream.not_found", "You have no stream with this id.");
}

/** The settings that a receiver sends. Without a delivery, the receiver polls. */
export function configured(
  { delivery, events_requested, description }: Sent,
  context: Configuring,
): Pick<StreamSettings, "delivery" | "requested" | "description"> {
  return { delivery: deliveryOf(delivery, context), requested: events_requested ?? defaultTypes, description };
}

/** The settings with those that a receiver names. A secret header stays with its address. */
export function patched(before: StreamSettings, sent: Changed, context: Configuring): StreamSettings {
  const { delivery, events_requested: requested = before.requested, description = before.description } = sent;
  const after: StreamSettings = { ...before, requested, description };
  if (!delivery) return after;
  const next = deliveryOf(delivery, context);
  const old = before.delivery;
  const keeps =
    next.method === PUSH && old.method === PUSH && next.url === old.url && next.sealedAuthorization === undefined;
  return { ...after, delivery: keeps ? old : next };
}

function deliveryOf(sent: Sent["delivery"], { tenant, id, seal, exempt }: Configuring): Delivery {
  if (!sent || sent.method === POLL) return { method: POLL };
  const { endpoint_url: url, authorization_header: header } = sent;
  if (url === undefined) throw invalid("delivery.endpoint_url: push delivery needs the address of the receiver.");
  checkAddress(url, exempt);
  return {
    method: PUSH,
    url,
    ...(header !== undefined && { sealedAuthorization: seal.seal(header, sealOwner(tenant, id)) }),
  };
}

function checkAddress(url: string, exempt: Exempt): void {
  try {
    checkPublic(url, exempt);
  } catch (error) {
    if (error instanceof FetchRefused) throw invalid(`delivery.endpoint_url: ${error.message}`);
    throw error;
  }
}

/** Throws where a request names another value of what this service sets (SSF 1.0 section 8.1.1.3). */
export function checkFixed(sent: Changed, stream: Pick<Stream, "requested" | "delivery" | "owner">, iss: string): void {
  const is = { iss, aud: stream.owner.subject };
  for (const name of ["iss", "aud"] as const) {
    const value = sent[name];
    if (value !== undefined && [value].flat().join(" ") !== is[name]) throw fixed(name);
  }
  const { events_supported, events_delivered } = sent;
  if (events_supported && !isSame(events_supported, supportedTypes)) throw fixed("events_supported");
  if (events_delivered && !isSame(events_delivered, deliveredTypes(stream))) throw fixed("events_delivered");
}

/** The resource that a receiver names. Whether it exists does not matter, so that the answer does not tell. */
export function namedSubject(named: NamedSubject, issuer: string): Subject {
  const subject = subjectOf(named, issuer);
  if (subject) return subject;
  throw invalid(
    'subject: name a resource as {"format": "scim", "uri": "/Users/<id>"}, or a user as ' +
      `{"format": "iss_sub", "iss": ${JSON.stringify(issuer)}, "sub": "<id>"}.`,
  );
}

/** A stream as its owner sees it. The secret header is never shown. */
export function presented(stream: Stream, issuer: string, base: string): z.input<typeof StreamShown> {
  const { id, owner, requested, description, delivery } = stream;
  return {
    stream_id: id,
    iss: issuer,
    aud: owner.subject,
    delivery: {
      method: delivery.method,
      endpoint_url: delivery.method === PUSH ? delivery.url : `${base}/poll/${id}`,
    },
    events_supported: [...supportedTypes],
    events_requested: [...requested],
    events_delivered: deliveredTypes(stream),
    ...(description !== undefined && { description }),
  };
}

export function invalid(sentence: string): Fault {
  return new Fault("stream.invalid", sentence);
}

function fixed(name: string): Fault {
  return invalid(`${name}: this service sets it. Send the present value, or leave it out.`);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return new Set(one).size === new Set(other).size && one.every((text) => other.includes(text));
}
