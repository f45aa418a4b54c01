/** What a handler knows about the request it serves, beside its parsed input. */
import type { Principal } from "./http/decision.ts";

export interface RequestContext {
  readonly traceId: string;
  /** Who calls; absent only in operations that anybody may call. */
  readonly principal: Principal | undefined;
  /** The tenant of the caller: the only tenant that a handler may touch. Empty where anybody may call. */
  readonly tenant: string;
  /** When the request began, in milliseconds since 1970-01-01T00:00:00Z. Read once. */
  readonly now: number;
  /** The origin that absolute links start with, without a trailing slash. Never taken from the `Host` header. */
  readonly origin: string;
}
