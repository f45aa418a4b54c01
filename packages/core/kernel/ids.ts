/** Identifiers. */
import { randomUUID } from "node:crypto";
import { parse, v5, v7 } from "uuid";

const ID_BYTES_MAX = 255;

/** Any fixed UUID: it separates these ids from ids that other software derives. */
const TRACE_NAMESPACE = parse("5c0d1f3e-6f0b-4c8e-9a39-0a6a7c8b1d42");

/** Separates the ids of built-in resources from those of requests. */
const SYSTEM_NAMESPACE = parse("0f6a1f7e-8a3c-4f0e-b7c2-3a1d6c9e5b84");

/** Separates the ids of events from them. */
const EVENT_NAMESPACE = parse("b64a3f0c-95d1-4f27-8f5e-5f0f1c0a7d13");

/**
 * A resource id: a UUID of version 7 (RFC 9562), so that newer ids sort after older ones. Opaque to clients, not a
 * secret.
 */
export function newId(): string {
  return v7();
}

/**
 * Whether a text can be an id. Callers can send any text, and keys have a maximum length: other texts are not looked
 * up.
 */
export function canBeId(text: string): boolean {
  return text !== "" && Buffer.byteLength(text, "utf8") <= ID_BYTES_MAX && text.isWellFormed();
}

/** The id of an event: the same for the same name, so that receivers recognise what is sent again. */
export function eventIdOf(name: string): string {
  return v5(name, EVENT_NAMESPACE);
}

/** The trace id of a gateway request, the same in every function. */
export function traceIdFrom(requestId: string): string {
  return v5(requestId, TRACE_NAMESPACE);
}

/** The id of a built-in resource: the same for the same name, in every deployment and version. */
export function systemIdOf(name: string): string {
  return v5(name, SYSTEM_NAMESPACE);
}

/** A random id for one request, shown as `traceId`. */
export function newTraceId(): string {
  return randomUUID();
}

/** Whether a text can be the id of a user or group, of a directory too. Most names and names with a store cannot. */
export function isPossibleId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9-]{7,63}$/.test(text);
}
