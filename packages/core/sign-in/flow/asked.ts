/** A request that is on its way to an answer, as every page and step has it. */
import { Fault } from "../../kernel/faults.ts";
import type { Consent } from "../sessions/consent-store.ts";
import type { Sending } from "./answers.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { CodeRequest, TenantFacts } from "./code.ts";
import type { Current } from "./session.ts";
import type { Steps } from "./ways.ts";

/** A request with everything that answers to it need. */
export interface Asked extends Sending, CodeRequest {
  readonly browser: string;
  readonly cookies: readonly string[];
  /** What the person must prove. */
  readonly steps: Steps;
  readonly session?: string | undefined;
}

/** What is known of the user of a request. */
export interface Known {
  readonly current: Current;
  readonly consent: Consent | undefined;
  readonly facts: TenantFacts;
}

/** Whether the user of a session is a guest of the application of a request. */
export function isGuestOf({ tenant }: AuthorizationRequest, { session }: Current): boolean {
  return session.tenant !== tenant;
}

/** What is thrown for a request that may not be answered any more. */
export function changed(): Fault {
  return new Fault("request.invalid", "The application was changed meanwhile. Go back to it and sign in again.");
}
