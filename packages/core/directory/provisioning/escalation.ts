/**
 * No privilege escalation: a caller that may change users, groups or roles cannot get more privileges that way. It
 * cannot grant scopes of this service that its credential does not have, nor take over a user who has them; and only an
 * administrator can create or change another (decision 0052). Scopes of a tenant's own APIs are not checked, as in
 * decision 0022.
 */
import { systemScopes } from "../../kernel/domain/system-apis.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Group } from "../groups/model.ts";
import { type Role, scopesOf } from "../roles/model.ts";
import type { User } from "../users/model.ts";

/** What the checks read. */
interface PrivilegeStores {
  readonly users: { find(tenant: string, id: string): Promise<User | undefined> };
  readonly groups: { findMany(tenant: string, ids: readonly string[]): Promise<readonly (Group | undefined)[]> };
  readonly roles: { findMany(tenant: string, ids: readonly string[]): Promise<readonly Role[]> };
}

/** The principal of a request. */
export interface Caller {
  readonly tenant: string;
  /** Its id (`callerId`). Absent where the service itself acts, which may do everything. */
  readonly subject?: string | undefined;
  /** The scopes of its credential; none where they are unknown. */
  readonly scopes?: ReadonlySet<string> | undefined;
}

const SCOPES_SHOWN = 5;

/** Checks that a caller can grant scopes to a role. Throws `scim.forbidden`. */
export function checkGrantedScopes(caller: Caller, scopes: readonly string[]): void {
  if (caller.subject === undefined) return;
  const missing = missingScopes(caller, scopes);
  if (missing === "") return;
  throw new Fault("scim.forbidden", `You cannot grant scopes that your credential does not have: ${missing}.`);
}

/**
 * Checks that a caller can assign roles. Throws `scim.forbidden`. One or two round trips for a full-access role, else
 * none.
 */
export async function checkAssignedRoles(
  stores: PrivilegeStores,
  caller: Caller,
  roles: readonly Role[],
): Promise<void> {
  if (caller.subject === undefined) return;
  const fullAccess = roles.find(({ holdsEveryScope }) => holdsEveryScope);
  if (fullAccess) await checkAdministrator(stores, caller, fullAccess);
  checkGrantedScopes(caller, scopesOfAll(roles));
}

/** The same for roles by id. One more round trip where there are any. */
export async function checkAssignedIds(
  stores: PrivilegeStores,
  caller: Caller,
  roleIds: readonly string[],
): Promise<void> {
  if (caller.subject === undefined || roleIds.length === 0) return;
  await checkAssignedRoles(stores, caller, await stores.roles.findMany(caller.tenant, roleIds));
}

/**
 * The current roles of a user: its own and those of its groups. No round trip for a user without either, else up to
 * two.
 */
export async function rolesOf(
  { roles, groups }: Pick<PrivilegeStores, "roles" | "groups">,
  tenant: string,
  { roleIds, groupIds }: Pick<User, "roleIds" | "groupIds">,
): Promise<readonly Role[]> {
  const [own, found] = await Promise.all([roles.findMany(tenant, roleIds), groups.findMany(tenant, groupIds)]);
  const inherited = new Set(found.flatMap((group) => group?.roleIds ?? [])).difference(new Set(roleIds));
  return [...own, ...(await roles.findMany(tenant, [...inherited]))];
}

/**
 * Checks a change of how a user signs in. `takesOver` means that the caller could sign in as that user after it:
 * another name, password, or address that links are sent to. That requires the user's scopes, also where the user is
 * the caller: a token with few scopes must not become a password that has all of them. Throws `scim.forbidden`.
 */
export async function checkAccountChange(
  stores: PrivilegeStores,
  caller: Caller,
  target: User,
  { takesOver }: { readonly takesOver: boolean },
): Promise<void> {
  if (caller.subject === undefined || (caller.subject === target.id && !takesOver)) return;
  const roles = await rolesOf(stores, caller.tenant, target);
  const fullAccess = roles.find(({ holdsEveryScope }) => holdsEveryScope);
  if (fullAccess) await checkAdministrator(stores, caller, fullAccess);
  const missing = takesOver ? missingScopes(caller, scopesOfAll(roles)) : "";
  if (missing === "") return;
  throw new Fault(
    "scim.forbidden",
    `You cannot change the name, password or e-mail address of a user with scopes that your credential does not have: ${missing}.`,
  );
}

/** Those scopes of this service among some that the caller does not have, for a message. */
function missingScopes({ scopes }: Caller, requested: readonly string[]): string {
  return [...new Set(requested)]
    .filter((scope) => systemScopes.has(scope) && !scopes?.has(scope))
    .slice(0, SCOPES_SHOWN)
    .join(", ");
}

/** Checks that the caller has that full-access role, and every scope in its credential. Throws `scim.forbidden`. */
async function checkAdministrator(stores: PrivilegeStores, caller: Caller, { id }: Role): Promise<void> {
  const { tenant, subject, scopes } = caller;
  const user = systemScopes.isSubsetOf(scopes ?? new Set()) && (await stores.users.find(tenant, subject ?? ""));
  if (user) {
    if (user.roleIds.includes(id)) return;
    const groups = await stores.groups.findMany(tenant, user.groupIds);
    if (groups.some((group) => group?.roleIds.includes(id))) return;
  }
  throw new Fault(
    "scim.forbidden",
    "Only an administrator with all scopes can assign the full-access role or change how another administrator signs in.",
  );
}

function scopesOfAll(roles: readonly Role[]): readonly string[] {
  return roles.flatMap((role) => scopesOf(role, systemScopes));
}
