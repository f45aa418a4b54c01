/** What every grant gets and returns. */
import type * as z from "zod";
import type { OAuthContext } from "./context.ts";
import type { Possession } from "./possession.ts";
import type { AuthenticatedRequest } from "./request.ts";
import type { TokenRequest, TokenResponse } from "./shapes.ts";
import type { AskedTargets } from "./targets.ts";

/** A token request of an authenticated client. */
export interface GrantRequest extends AuthenticatedRequest {
  readonly form: z.output<typeof TokenRequest>;
  /** The requested scopes. */
  readonly names: readonly string[];
  /** The requested resources. */
  readonly asked: AskedTargets;
  readonly possession: Possession;
}

export type Response = z.input<typeof TokenResponse>;
export type Grant = (request: GrantRequest, context: OAuthContext) => Promise<Response>;
