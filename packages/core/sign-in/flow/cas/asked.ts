/** What a client of CAS asks for, as sealed texts and pages carry it to the answer. */
import type { Release } from "../../../applications/protocols/cas-kind.ts";

/** A request of a client. */
export interface CasAsked {
  /** The kind of custom protocols that is CAS. */
  readonly kind: string;
  /** Which claims the application gets: the person is asked for them. */
  readonly release: Release;
  /** When the request was taken, in milliseconds. */
  readonly takenMs: number;
  /** True where the service gets no ticket, and no page is shown, for a person without a session (`gateway`). */
  readonly isGateway?: true;
}
