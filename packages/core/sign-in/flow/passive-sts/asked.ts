/** What a relying party of WS-Federation asks for, as sealed texts and pages carry it to the answer. */

/** A request to sign in (WS-Federation 1.2 section 13.2.2). */
export interface PassiveStsAsked {
  /** What makes this request another one than any before: the protocol gives it no name. */
  readonly id: string;
  /** When it was taken, in milliseconds. */
  readonly takenMs: number;
  /** The version of SAML that the token has. */
  readonly version: "1.1" | "2.0";
  /** `wfresh` of a minute or more: no token lives longer. */
  readonly freshMinutes?: number | undefined;
  /** `wauth`: the method of authentication that the token must name. */
  readonly method?: string | undefined;
  /** The `Context` of the RequestSecurityToken, which the answer repeats. */
  readonly context?: string | undefined;
}
