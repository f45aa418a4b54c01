/** Types of the token endpoints whose definition contains itself. */

/** Who acts for the subject of a token (RFC 8693 section 4.1), and for whom that one acts. */
export interface TokenActor {
  readonly sub: string;
  /** The client of an actor that is a user. */
  readonly client_id?: string | undefined;
  readonly act?: TokenActor | undefined;
}
