/** What a handler knows about the request it serves, beside its parsed input. */

/** Who calls. The tenant comes from the credential alone. */
export interface Principal {
  readonly kind: "user";
  readonly tenant: string;
  /** The user's id. */
  readonly subject: string;
  /** The user's name in its store, in the form it was created with. */
  readonly username: string;
  /** The user store, such as `PRIMARY`. */
  readonly userStore: string;
}

/** What is known of any request, also where anybody may call. */
export interface PublicContext {
  readonly traceId: string;
  /** When the request began, in milliseconds since 1970-01-01T00:00:00Z. Read once. */
  readonly now: number;
  /** The origin that absolute links start with, without a trailing slash. Never taken from the `Host` header. */
  readonly origin: string;
}

/** What is known where the caller had to show a credential. */
export interface RequestContext extends PublicContext {
  readonly principal: Principal;
  /** The tenant of the caller: the only tenant that a handler may touch. */
  readonly tenant: string;
}
