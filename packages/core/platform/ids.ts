/** Where identifiers come from. */
import { randomUUID } from "node:crypto";
import { v7 } from "uuid";

/** A resource id: a UUID of version 7 (RFC 9562), so ids made later sort later. Opaque to clients, not a secret. */
export const newId = (): string => v7();

/** The id of one request, shown as `traceId`. It tells nothing about what it stands for. */
export const newTraceId = (): string => randomUUID();
