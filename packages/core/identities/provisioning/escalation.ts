/**
 * Who may give what, and act on whom. Whoever may change users, groups or roles gets no further by it: nobody gives scopes
 * of this service that the own credential does not have, nor takes over who has them; and only an administrator makes or
 * touches another (decision 0052). A tenant's own scopes mean nothing here and are not judged, as in decision 0022.
 */
import { systemScopes } from "../../domain/system-apis.ts";
import { Fault } from "../../platform/faults.ts";
import type { Group } from "../groups/model.ts";
import { type Role, scopesOf } from "../roles/model.ts";
import type { User } from "../users/model.ts";

/** What is looked up. */
interface PowerStores {
  readonly users: { find(tenant: string, id: string): Promise<User | undefined> };
  readonly groups: { findMany(tenant: string, ids: readonly string[]): Promise<readonly (Group | undefined)[]> };
  readonly roles: { findMany(tenant: string, ids: readonly string[]): Promise<readonly Role[]> };
}

/** Who asks. */
export interface Caller {
  readonly tenant: string;
  /** Who it is (`callerId`). Nobody where the service itself acts, which may do anything. */
  readonly subject?: string | undefined;
  /** The scopes of the credential; none where they are not told. */
  readonly scopes?: ReadonlySet<string> | undefined;
}

const SCOPES_TOLD = 5;

/** Judges that a role is given scopes. Throws `scim.forbidden`. */
export function checkGiven(caller: Caller, scopes: readonly string[]): void {
  if (caller.subject === undefined) return;
  const missing = lacking(caller, scopes);
  if (missing === "") return;
  throw new Fault("scim.forbidden", `Nobody gives a scope without having it; the caller does not have ${missing}.`);
}

/** Judges that somebody comes to hold some roles. Throws `scim.forbidden`. Round trips only where one holds every scope: one or two. */
export async function checkHeld(stores: PowerStores, caller: Caller, roles: readonly Role[]): Promise<void> {
  if (caller.subject === undefined) return;
  const almighty = roles.find(({ holdsEveryScope }) => holdsEveryScope);
  if (almighty) await checkAdministrator(stores, caller, almighty);
  checkGiven(caller, scopesOfAll(roles));
}

/** As `checkHeld`, for roles by their ids. One round trip where there are any, and what that takes. */
export async function checkGain(stores: PowerStores, caller: Caller, roleIds: readonly string[]): Promise<void> {
  if (caller.subject === undefined || roleIds.length === 0) return;
  await checkHeld(stores, caller, await stores.roles.findMany(caller.tenant, roleIds));
}

/** The roles of a user, its own and those of its groups, as they are now. None for users without either, at most two round trips. */
export async function rolesOf(
  { roles, groups }: Pick<PowerStores, "roles" | "groups">,
  tenant: string,
  { roleIds, groupIds }: Pick<User, "roleIds" | "groupIds">,
): Promise<readonly Role[]> {
  const [own, found] = await Promise.all([roles.findMany(tenant, roleIds), groups.findMany(tenant, groupIds)]);
  const inherited = new Set(found.flatMap((group) => group?.roleIds ?? [])).difference(new Set(roleIds));
  return [...own, ...(await roles.findMany(tenant, [...inherited]))];
}

/**
 * Judges a change of how a user gets in. `takesOver` is one with which the caller could get in as that user: by its name or
 * its password. It takes the user's scopes, also where that is the caller: a token that holds few of them must not become
 * a password that brings all. Throws `scim.forbidden`.
 */
export async function checkTouch(
  stores: PowerStores,
  caller: Caller,
  target: User,
  { takesOver }: { readonly takesOver: boolean },
): Promise<void> {
  if (caller.subject === undefined || (caller.subject === target.id && !takesOver)) return;
  const roles = await rolesOf(stores, caller.tenant, target);
  const almighty = roles.find(({ holdsEveryScope }) => holdsEveryScope);
  if (almighty) await checkAdministrator(stores, caller, almighty);
  const missing = takesOver ? lacking(caller, scopesOfAll(roles)) : "";
  if (missing === "") return;
  throw new Fault(
    "scim.forbidden",
    `The password and the name of a user are changed by those who have the user's scopes; the caller does not have ${missing}.`,
  );
}

/** The scopes of this service, of those that somebody is to have, that the caller has not, as far as a sentence tells them. */
function lacking({ scopes }: Caller, wanted: readonly string[]): string {
  return [...new Set(wanted)]
    .filter((scope) => systemScopes.has(scope) && !scopes?.has(scope))
    .slice(0, SCOPES_TOLD)
    .join(", ");
}

/**
 * Lets through who holds a role that holds every scope, and holds it by this credential: a token that says less is no
 * administrator's. Throws `scim.forbidden`.
 */
async function checkAdministrator(stores: PowerStores, caller: Caller, { id }: Role): Promise<void> {
  const { tenant, subject, scopes } = caller;
  const user = systemScopes.isSubsetOf(scopes ?? new Set()) && (await stores.users.find(tenant, subject ?? ""));
  if (user) {
    if (user.roleIds.includes(id)) return;
    const groups = await stores.groups.findMany(tenant, user.groupIds);
    if (groups.some((group) => group?.roleIds.includes(id))) return;
  }
  throw administratorsOnly();
}

function administratorsOnly(): Fault {
  return new Fault("scim.forbidden", "Only an administrator may do this to an administrator, or make one.");
}

function scopesOfAll(roles: readonly Role[]): readonly string[] {
  return roles.flatMap((role) => scopesOf(role, systemScopes));
}
