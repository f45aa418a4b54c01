/** The claims of security events for one stream. Pure. */
import { createHash } from "node:crypto";
import type { EventClaims } from "../tokens/event-token.ts";
import { eventTypes, streamEventTypes } from "./event-types.ts";
import type { Happening, Occurrence } from "./happenings.ts";
import type { Aside, Stream } from "./model.ts";
import { type SubjectType, scimPath } from "./subjects.ts";

/** What is common to the events of a stream. */
export interface Envelope {
  readonly stream: Pick<Stream, "id" | "owner">;
  /** The types that the stream delivers. */
  readonly delivered: ReadonlySet<string>;
  readonly issuer: string;
  /** The types of resources that the owner may read now. */
  readonly readable: ReadonlySet<SubjectType>;
}

/** Characters of data above which a receiver that also takes notices gets a notice. */
const DATA_LENGTH_MAX = 65_536;

/** The events of an occurrence that a stream delivers, in their order. */
export function claimsOf(occurrence: Occurrence, envelope: Envelope): readonly EventClaims[] {
  return occurrence.happenings.flatMap((happening) => {
    const event = eventOf(happening, occurrence, envelope);
    return event ? [{ ...common(envelope, occurrence, happening.kind), ...event }] : [];
  });
}

function common({ issuer, stream }: Envelope, { change, atMs }: Occurrence, kind: string) {
  return {
    iss: issuer,
    aud: stream.owner.subject,
    jti: eventId(stream.id, change, kind),
    txn: change,
    toe: Math.floor(atMs / 1_000),
  };
}

/**
 * The id of an event: the same whenever it is sent to this stream, and another one in each other stream. 22 characters.
 */
function eventId(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("base64url").slice(0, 22);
}

function eventOf(
  { kind, attributes = [], data, payload = {} }: Happening,
  { subject, externalId }: Occurrence,
  { delivered, issuer, readable }: Envelope,
): Pick<EventClaims, "sub_id" | "events"> | undefined {
  const mayRead = readable.has(subject.type);
  const scim = {
    format: "scim",
    uri: scimPath(subject),
    ...(mayRead && externalId !== undefined && { externalId }),
  };
  if (kind === "session-revoked" || kind === "credential-change") {
    const type = eventTypes[kind];
    // Receivers of CAEP know users by the claims of tokens.
    return delivered.has(type)
      ? { sub_id: { format: "iss_sub", iss: issuer, sub: subject.id }, events: { [type]: payload } }
      : undefined;
  }
  if (kind === "delete" || kind === "activate" || kind === "deactivate") {
    const type = eventTypes[kind];
    return delivered.has(type) ? { sub_id: scim, events: { [type]: {} } } : undefined;
  }
  const [full, notice] = [eventTypes[`${kind}:full`], eventTypes[`${kind}:notice`]];
  const takesNotice = delivered.has(notice);
  const sendsData =
    delivered.has(full) && mayRead && !(takesNotice && JSON.stringify(data ?? {}).length > DATA_LENGTH_MAX);
  if (sendsData) return { sub_id: scim, events: { [full]: { data: data ?? {} } } };
  return takesNotice ? { sub_id: scim, events: { [notice]: { attributes } } } : undefined;
}

/** An event about the stream itself, or about what belongs to it; `undefined` for one that the stream does not deliver. */
export function asideClaims(
  aside: Aside,
  { stream, issuer, delivered }: Omit<Envelope, "readable">,
): EventClaims | undefined {
  const common = { iss: issuer, aud: stream.owner.subject, jti: aside.jti, txn: aside.jti };
  if ("subject" in aside) {
    const type = eventTypes[aside.name];
    if (!delivered.has(type)) return undefined;
    return { ...common, sub_id: { format: "scim", uri: scimPath(aside.subject) }, events: { [type]: {} } };
  }
  const type = streamEventTypes[aside.name];
  return { ...common, sub_id: { format: "opaque", id: stream.id }, events: { [type]: aside.payload } };
}
