/** The claims of security events for one stream. Pure. */
import { createHash } from "node:crypto";
import type { EventClaims } from "../../tokens/event-token.ts";
import { eventTypes, streamEventTypes } from "./event-types.ts";
import type { Happening, Occurrence } from "./happenings.ts";
import type { Aside, Stream } from "./model.ts";
import type { JsonObject } from "./scim-changes.ts";
import { type SubjectType, scimPath, subjectDigest } from "./subjects.ts";

/** What is common to the events of a stream. */
export interface Envelope {
  readonly stream: Pick<Stream, "id" | "owner">;
  /** The types that the stream delivers. */
  readonly delivered: ReadonlySet<string>;
  /** The digests of subjects that the stream leaves out. */
  readonly excluded: ReadonlySet<string>;
  readonly issuer: string;
}

/** How the data of events is read. */
export interface DataReads {
  /** The types of resources that the owner may read now. */
  readonly readable: ReadonlySet<SubjectType>;
  /** The representation of a resource right after a change; `undefined` where it is no longer known. */
  representation(occurrence: Occurrence): Promise<JsonObject | undefined>;
}

/** Bytes of data above which a receiver that also takes notices gets a notice. */
const DATA_BYTES_MAX = 65_536;
/**
 * Bytes of data above which another receiver gets no event: a response of Lambda could not hold it, and an event that
 * cannot be sent holds up all that follow.
 */
const DATA_ALONE_BYTES_MAX = 2_000_000;

/** The id of an event: the same whenever it is sent to this stream, another one in each other stream. */
export function eventId(streamId: string, change: string, kind: Happening["kind"]): string {
  return createHash("sha256").update(`${streamId}\n${change}\n${kind}`).digest("base64url").slice(0, 22);
}

/** What is known of an event before it is made: whether the stream may deliver it, and whether that reads data. */
export function outlookOf(
  happening: Happening,
  { subject }: Occurrence,
  { delivered, excluded }: Envelope,
  { readable }: DataReads,
): { readonly mayBeSent: boolean; readonly readsData: boolean } {
  if (excluded.has(subjectDigest(subject))) return { mayBeSent: false, readsData: false };
  if (!("attributes" in happening)) return { mayBeSent: delivered.has(eventTypes[happening.kind]), readsData: false };
  const isFull =
    happening.data !== "none" && delivered.has(eventTypes[`${happening.kind}:full`]) && readable.has(subject.type);
  return {
    mayBeSent: isFull || delivered.has(eventTypes[`${happening.kind}:notice`]),
    readsData: isFull && happening.data === undefined,
  };
}

/** The claims of an event; `undefined` where the stream does not deliver it. */
export async function claimsOf(
  happening: Happening,
  occurrence: Occurrence,
  { stream, delivered, excluded, issuer }: Envelope,
  reads: DataReads,
): Promise<EventClaims | undefined> {
  const { change, atMs, subject } = occurrence;
  if (excluded.has(subjectDigest(subject))) return undefined;
  const event = await eventOf(happening, occurrence, delivered, reads);
  if (!event) return undefined;
  const isCaep = happening.kind === "session-revoked" || happening.kind === "credential-change";
  return {
    iss: issuer,
    aud: stream.owner.subject,
    jti: eventId(stream.id, change, happening.kind),
    txn: change,
    toe: Math.floor(atMs / 1_000),
    // Receivers of CAEP know users by the claims of tokens.
    sub_id: isCaep ? { format: "iss_sub", iss: issuer, sub: subject.id } : scimSubject(occurrence, reads),
    events: event,
  };
}

/** An external id is data of the resource. */
function scimSubject({ subject, externalId }: Occurrence, { readable }: DataReads) {
  const isShown = externalId !== undefined && readable.has(subject.type);
  return { format: "scim", uri: scimPath(subject), ...(isShown && { externalId }) };
}

async function eventOf(
  happening: Happening,
  occurrence: Occurrence,
  delivered: ReadonlySet<string>,
  reads: DataReads,
): Promise<EventClaims["events"] | undefined> {
  if (!("attributes" in happening)) {
    const type = eventTypes[happening.kind];
    return delivered.has(type) ? { [type]: "payload" in happening ? happening.payload : {} } : undefined;
  }
  const full = eventTypes[`${happening.kind}:full`];
  const notice = eventTypes[`${happening.kind}:notice`];
  if (happening.data !== "none" && delivered.has(full) && reads.readable.has(occurrence.subject.type)) {
    const data = happening.data ?? (await reads.representation(occurrence));
    const most = delivered.has(notice) ? DATA_BYTES_MAX : DATA_ALONE_BYTES_MAX;
    const isShort = Buffer.byteLength(JSON.stringify(data ?? {})) <= most;
    if (data && isShort) return { [full]: { data } };
  }
  return delivered.has(notice) ? { [notice]: { attributes: happening.attributes } } : undefined;
}

/** An event about the stream itself, or about what belongs to it; `undefined` where the stream does not deliver it. */
export function asideClaims(aside: Aside, { stream, issuer, delivered }: Envelope): EventClaims | undefined {
  const common = { iss: issuer, aud: stream.owner.subject, jti: aside.jti, txn: aside.jti };
  if ("subject" in aside) {
    const type = eventTypes[aside.name];
    if (!delivered.has(type)) return undefined;
    return { ...common, sub_id: { format: "scim", uri: scimPath(aside.subject) }, events: { [type]: {} } };
  }
  const type = streamEventTypes[aside.name];
  return { ...common, sub_id: { format: "opaque", id: stream.id }, events: { [type]: aside.payload } };
}
