/** Where identifiers come from. */
import { randomUUID } from "node:crypto";
import { v5, v7 } from "uuid";

const ID_BYTES_MAX = 255;

/** Any fixed UUID: it keeps ids that are derived here apart from those derived elsewhere. */
const TRACE_NAMESPACE = "5c0d1f3e-6f0b-4c8e-9a39-0a6a7c8b1d42";

/** Keeps the ids of what ships with the service apart from those of requests. */
const SYSTEM_NAMESPACE = "0f6a1f7e-8a3c-4f0e-b7c2-3a1d6c9e5b84";

/** A resource id: a UUID of version 7 (RFC 9562), so ids made later sort later. Opaque to clients, not a secret. */
export function newId(): string {
  return v7();
}

/**
 * Whether a text can be the id of anything: callers name anything, and keys have an end. What cannot be an id is looked up
 * nowhere.
 */
export function canBeId(text: string): boolean {
  return text !== "" && Buffer.byteLength(text, "utf8") <= ID_BYTES_MAX && text.isWellFormed();
}

/** The same trace id for the same gateway request, whichever function asks. */
export function traceIdFrom(requestId: string): string {
  return v5(requestId, TRACE_NAMESPACE);
}

/** The id of something that ships with the service: the same for the same name, in every deployment and version. */
export function systemIdOf(name: string): string {
  return v5(name, SYSTEM_NAMESPACE);
}

/** The id of one request, shown as `traceId`. It tells nothing about what it stands for. */
export function newTraceId(): string {
  return randomUUID();
}
