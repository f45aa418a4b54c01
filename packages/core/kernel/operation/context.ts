/** What a handler knows about its request, besides the parsed input. */

/** A user who calls with a password or certificate, or through an application that has a token of this user. */
export interface UserPrincipal {
  readonly kind: "user";
  readonly tenant: string;
  /** The user's id. */
  readonly subject: string;
  /** The user's name in its store, in the form it was created with. */
  readonly username: string;
  /** The user store, such as `PRIMARY`. */
  readonly userStore: string;
  /** Who acts for the user by an exchanged token: ids of clients and users, the latest first, separated by blanks. */
  readonly actor?: string;
}

/** An application that calls on its own behalf, with a token of the grant `client_credentials`. */
export interface ClientPrincipal {
  readonly kind: "client";
  readonly tenant: string;
  /** The client id. */
  readonly subject: string;
  readonly applicationId: string;
}

/** How a caller proved who it is. */
export const signInMethods = ["password", "token", "certificate"] as const;

export type SignInMethod = (typeof signInMethods)[number];

/**
 * The latest proof of a user that it is at the caller: a password that came with the request itself, or the sign-in
 * that a token is from. Absent where a person proved nothing, or did not give the application the own account (decision
 * 0145).
 */
export type Proof =
  | { readonly kind: "password" }
  | {
      readonly kind: "sign-in";
      /** When the password was entered, in seconds since 1970. */
      readonly atSeconds: number;
      /** What was proven, as `amr` names it (RFC 8176): `pwd`, and `otp` or `pop` for a second factor. */
      readonly methods: readonly string[];
    };

/** The authenticated caller. Its tenant comes from the credential, never from the path. */
export type Principal = UserPrincipal | ClientPrincipal;

/** What a proof of possession is about: a request as it was sent, and the connection that it came over. */
export interface SentRequest {
  /** The method of the request line. */
  readonly method: string;
  /** The origin of links and tokens; and that of the domain that the request came by, where it is another one. */
  readonly origins: readonly [string, ...string[]];
  /** The whole path, with the tenant that it names. Decoded once, by the gateway. */
  readonly path: string;
  /** PEM: the client certificate of the TLS handshake. It is never read from a header. */
  readonly certificate?: string;
}

/** On what a request is conditional (RFC 9110 section 13.1). */
export interface Conditions {
  /** Entity tags, or `*`: the resource must have one of them. */
  readonly ifMatch?: string;
  /** Entity tags, or `*`: the resource must have none of them. */
  readonly ifNoneMatch?: string;
  /** True where the operator refuses changes of existing resources without `ifMatch` (RFC 6585 section 3). */
  readonly isRequired?: boolean;
}

/** What the log line of a request says besides its result, for operators. */
export interface NotedEvent {
  readonly event: "saml-metadata-ended";
  readonly tenant: string;
  /** The id of the resource that it is about. */
  readonly resource: string;
}

/** The context of every request, public ones included. */
export interface PublicContext {
  readonly traceId: string;
  /** When the request began, in milliseconds since 1970-01-01T00:00:00Z. One value for the whole request. */
  readonly now: number;
  /** The origin that absolute links start with, without a trailing slash. Never taken from the `Host` header. */
  readonly origin: string;
  /** The tenant that the path names. It is not authenticated. */
  readonly pathTenant?: string;
  /** Where the request came from, for the log. */
  readonly sourceIp: string;
  /** Of an operation with a `target` (operation.ts). */
  readonly conditions?: Conditions;
  /**
   * Runs one of several changes of a repeatable request, by its place in the request: with stores of its own, whose
   * change is stored with its result. Absent where the request has no `Idempotency-Key`.
   */
  readonly inParts?: <R>(place: number, work: (stores: unknown) => Promise<R>) => Promise<R>;
  /** Lets scripts of some origins read the response, also where it is an error (`Operation.scripts`). */
  readonly readableBy?: (origins: readonly string[]) => void;
  /** Adds to the log line of the request what operators should know of it. */
  readonly note?: (event: NotedEvent) => void;
  /** Logs an error that does not fail the response, and counts it as a server error. */
  readonly reportDefect: (defect: Error) => void;
}

/** The context of a request that needs a credential. */
export interface RequestContext extends PublicContext {
  readonly principal: Principal;
  /** The tenant of the caller: the only tenant that a handler may read and write. */
  readonly tenant: string;
  readonly proof?: Proof | undefined;
}

/** The context of an operation that the operator may open: the caller may be unauthenticated. */
export interface OpenableContext extends PublicContext {
  readonly principal?: Principal;
  readonly tenant?: string;
}

/** The context of an operation that checks scopes itself. */
export interface ScopedContext extends RequestContext {
  /** The scopes of the caller's credential. */
  readonly scopes: ReadonlySet<string>;
}

/**
 * The id of the caller, to compare with ids of users. A client id is chosen by the creator of the client and could
 * equal a user id: the prefix keeps them apart.
 */
export function callerId({ kind, subject }: Principal): string {
  return kind === "user" ? subject : `client ${subject}`;
}
