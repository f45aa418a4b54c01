/** Whether the user of a session could sign in to an application now, as it is now, without a page. */
import { Fault } from "../../kernel/faults.ts";
import { mayUse } from "../flow/access.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import type { Asker } from "../flow/protocols/protocol.ts";
import { checkStill, type SignedIn } from "../sso/still.ts";
import type { CasContext } from "./context.ts";

/** No round trip, one where the application asks for an assignment. */
export async function isAllowed(
  request: AuthorizationRequest,
  asker: Asker,
  signedIn: SignedIn,
  context: CasContext,
): Promise<boolean> {
  try {
    checkStill({ request }, signedIn, asker, context);
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
  return mayUse({ request, ...asker }, signedIn.current, context);
}
