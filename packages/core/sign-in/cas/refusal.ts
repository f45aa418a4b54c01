/** What a service is told instead of the name of a user (CAS protocol 3.0 sections 2.5.3 and 2.7.3). */

/** The codes of refusals. */
export type CasCode =
  | "INVALID_REQUEST"
  | "INVALID_TICKET_SPEC"
  | "INVALID_TICKET"
  | "INVALID_SERVICE"
  | "INVALID_PROXY_CALLBACK"
  | "UNAUTHORIZED_SERVICE_PROXY"
  | "UNAUTHORIZED_SERVICE";

/** A refusal that the service is told. */
export class CasRefusal extends Error {
  readonly code: CasCode;

  constructor(code: CasCode, message: string) {
    super(message);
    this.code = code;
  }
}
