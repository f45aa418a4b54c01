/** What a handler knows about the request it serves, beside its parsed input. */

/** A person who calls, with a password or through an application that has a token of this person. */
export interface UserPrincipal {
  readonly kind: "user";
  readonly tenant: string;
  /** The user's id. */
  readonly subject: string;
  /** The user's name in its store, in the form it was created with. */
  readonly username: string;
  /** The user store, such as `PRIMARY`. */
  readonly userStore: string;
}

/** An application that calls on its own account, with a token of the grant `client_credentials`. */
export interface ClientPrincipal {
  readonly kind: "client";
  readonly tenant: string;
  /** The client id. */
  readonly subject: string;
  readonly applicationId: string;
}

/** Who calls. The tenant comes from the credential alone. */
export type Principal = UserPrincipal | ClientPrincipal;

/** What is known of any request, also where anybody may call. */
export interface PublicContext {
  readonly traceId: string;
  /** When the request began, in milliseconds since 1970-01-01T00:00:00Z. Read once. */
  readonly now: number;
  /** The origin that absolute links start with, without a trailing slash. Never taken from the `Host` header. */
  readonly origin: string;
  /** The tenant that the path names, where it names one. Nobody has vouched for it. */
  readonly pathTenant?: string;
  /** Where the request came from, for the log. */
  readonly sourceIp: string;
  /** Tells the log, and the count of server errors, of a defect that the answer does not stand or fall with. */
  readonly reportDefect: (defect: Error) => void;
}

/** What is known where the caller had to show a credential. */
export interface RequestContext extends PublicContext {
  readonly principal: Principal;
  /** The tenant of the caller: the only tenant that a handler may touch. */
  readonly tenant: string;
}

/** What is known where an operator may let anybody call: a caller may have shown a credential, or none. */
export interface OpenableContext extends PublicContext {
  readonly principal?: Principal;
  readonly tenant?: string;
}

/** What an operation knows that must look at what its caller may do. */
export interface ScopedContext extends RequestContext {
  /** The scopes of the caller's credential. */
  readonly scopes: ReadonlySet<string>;
}

/**
 * Who calls, to be held against the ids of users. Whoever makes a client chooses its id, which could be that of a user; no
 * id of a user has the form in which a client's stands here.
 */
export function callerId({ kind, subject }: Principal): string {
  return kind === "user" ? subject : `client ${subject}`;
}
