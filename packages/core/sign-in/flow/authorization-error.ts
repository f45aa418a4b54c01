/** An error that is sent to the client (RFC 6749 section 4.1.2.1). */
export class AuthorizationError extends Error {
  readonly code: string;

  constructor(code: string, description: string) {
    super(description);
    this.code = code;
  }
}
