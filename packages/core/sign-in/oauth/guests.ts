/**
 * Guests at the token endpoint: users of other tenants than the application (decision 0134). They get scopes of OpenID
 * Connect and nothing else, for as long as the application takes guests.
 */
import type { Client } from "../../applications/registry/client-store.ts";
import { maySignIn, type User } from "../../directory/users/model.ts";
import { Fault } from "../../kernel/faults.ts";
import { homeOf, type TokenUser } from "../../tokens/model.ts";
import { type Issued, isEndedBy } from "../../tokens/revocation-store.ts";
import type { OAuthContext } from "./context.ts";
import type { AskedTargets } from "./targets.ts";

/** Whether a client takes guests, and has done so since something was issued for one. */
export function takesGuest({ settings, guestsFromMs }: Client, issued: Issued, nowMs: number): boolean {
  return settings.takesGuests === true && !isEndedBy(guestsFromMs, issued, nowMs);
}

/**
 * The user of a sign-in as the account is now: `undefined` where it may not sign in any more, or its tenant is not
 * active. That of the client was found to be active with the client. One round trip.
 */
export async function findAccount(
  user: TokenUser,
  { tenant }: Pick<Client, "tenant">,
  { users, tenants }: Pick<OAuthContext, "users" | "tenants">,
): Promise<User | undefined> {
  const home = homeOf(user, tenant);
  const [account, owner] = await Promise.all([
    users.find(home, user.id, user.userStore),
    home === tenant ? { active: true } : tenants.find(home),
  ]);
  return account && maySignIn(account) && owner?.active ? account : undefined;
}

/** Refuses resources for a guest: no API of a tenant is for users of others. Throws `target.invalid`. */
export function checkGuestTargets(user: TokenUser, { addresses }: AskedTargets): void {
  if (user.home === undefined || addresses.length === 0) return;
  throw new Fault("target.invalid", "A user of another tenant gets no token for a resource: leave resource out.");
}
