/** What is left to do for sessions that have ended (decision 0117). */

/** A client that got a code in a session. */
export interface ToldClient {
  readonly clientId: string;
  readonly applicationId: string;
  /** The tenant of an application that the user is a guest of; absent for one of the user's tenant. */
  readonly tenant?: string | undefined;
  /** The subject that the client knows the user by. */
  readonly subject: string;
  /** How a service provider of SAML 2.0 knows the user and the session. */
  readonly saml?: SamlName | undefined;
  /** How a service of CAS knows the session. */
  readonly cas?: CasVisit | undefined;
}

/** The latest ticket of a service of CAS in a session. */
export interface CasVisit {
  readonly ticket: string;
  readonly service: string;
}

/** A user for a service provider of SAML 2.0. */
export interface SamlName {
  /** The format and the value of the NameID. */
  readonly format: string;
  readonly value: string;
  /** The SessionIndex. */
  readonly index: string;
  /** When the session ends, as it was known when this was noted. */
  readonly endsAtSeconds: number;
}

/** A piece of work. */
export interface Logout {
  /**
   * `session`: a session has ended, and its clients are in the table. `user`: the sessions of a user that its account
   * has ended; `deletion` the same of a user that was deleted, with what it has agreed to. `client`: a client has not
   * been told yet.
   */
  readonly kind: "session" | "user" | "deletion" | "client";
  readonly tenant: string;
  readonly userId: string;
  /** Absent for all sessions of the user. */
  readonly sid?: string | undefined;
  readonly client?: ToldClient | undefined;
  /** When the session ended. */
  readonly endedMs: number;
  /** Attempts that failed since then. */
  readonly failures: number;
}

/** A piece of work with its place in the order of time. */
export interface WaitingLogout extends Logout {
  readonly sortKey: string;
  /** Milliseconds since 1970. */
  readonly dueMs: number;
}

/** The path at which the token endpoint takes orders of logout tokens. */
export const LOGOUT_TOKEN_PATH = "/oauth2/logout-token";

/** The path at which the function of single sign-on takes orders of logout requests of SAML. */
export const LOGOUT_REQUEST_PATH = "/samlsso/logout-request";
