/** Access to applications at the token endpoint: of the user of a grant to the application of a client. */
import type { Client } from "../../applications/registry/client-store.ts";
import type { User } from "../../directory/users/model.ts";
import { Fault } from "../../kernel/faults.ts";
import type { TokenUser } from "../../tokens/model.ts";
import { hasAccess } from "../authentication/access.ts";
import type { OAuthContext } from "./context.ts";

/** The user of a grant, as a token names it and as it is now. */
interface Granted {
  readonly user: Pick<TokenUser, "home">;
  readonly account: Pick<User, "id" | "groupIds" | "roleIds">;
  /** When the sign-in was that wants to go on; absent for one that begins. */
  readonly sinceMs?: number;
}

/**
 * Whether the user may use the application of a client. No round trip where the application asks for no assignment,
 * otherwise those of `hasAccess`. Guests may not: they cannot be assigned.
 */
export async function mayUse(
  { tenant, applicationId, settings }: Pick<Client, "tenant" | "applicationId" | "settings">,
  { user, account, sinceMs }: Granted,
  context: Pick<OAuthContext, "table" | "groups" | "roles">,
): Promise<boolean> {
  if (!settings.needsAssignment) return true;
  return user.home === undefined && hasAccess(context, { tenant, applicationId, user: account, sinceMs });
}

/** After the right credential, the reason is no secret. */
export function noAccess(): Fault {
  return new Fault(
    "grant.invalid",
    "The user has no access to this application: an administrator assigns the user, or a group or role of the user.",
  );
}
