/** Which operations take an `Idempotency-Key` (decision 0086). Pure. */
import type { Operation } from "./operation.ts";
import { services } from "./services.ts";

/** The header, as HTTP/2 and the events of the gateway write it. */
export const IDEMPOTENCY_KEY = "idempotency-key";

/** The header of an answer that was given before. */
export const REPLAYED = "idempotency-replayed";

/**
 * Whether a repeated request with the same key gets the first answer. Searches change nothing, PUT and DELETE have the
 * same effect when they are repeated, and a token endpoint must not give the same token twice.
 */
export function isRepeatable({ method, service, changesNothing }: Operation): boolean {
  return (method === "POST" || method === "PATCH") && !changesNothing && services[service].dialect !== "oauth2";
}
