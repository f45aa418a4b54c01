/**
 * Who may act on those who hold every scope. Whoever may change users, groups or roles must not become an administrator by
 * it: only an administrator touches the access of another, or makes one (decision 0052).
 */
import { Fault } from "../faults/faults.ts";
import type { Group } from "../groups/model.ts";
import type { User } from "../users/model.ts";
import type { Role } from "./model.ts";

/** What is looked up. */
export interface PowerStores {
  readonly users: { find(tenant: string, id: string): Promise<User | undefined> };
  readonly groups: { findMany(tenant: string, ids: readonly string[]): Promise<readonly (Group | undefined)[]> };
  readonly roles: { findMany(tenant: string, ids: readonly string[]): Promise<readonly Role[]> };
}

/** Whether any of some roles holds every scope. */
const isMighty = async ({ roles }: PowerStores, tenant: string, ids: readonly string[]): Promise<boolean> =>
  ids.length > 0 && (await roles.findMany(tenant, [...new Set(ids)])).some(({ holdsEveryScope }) => holdsEveryScope);

/** Whether a user holds every scope, directly or by a group. At most two round trips; none for a user without roles and groups. */
export const isAdministrative = async (
  stores: PowerStores,
  tenant: string,
  { roleIds, groupIds }: Pick<User, "roleIds" | "groupIds">,
): Promise<boolean> => {
  const groups = groupIds.length > 0 ? await stores.groups.findMany(tenant, groupIds) : [];
  return isMighty(stores, tenant, [...roleIds, ...groups.flatMap((group) => group?.roleIds ?? [])]);
};

/** Refuses callers who do not hold every scope themselves; an application never does. Throws `scim.forbidden`. */
const checkCaller = async (stores: PowerStores, tenant: string, subject: string): Promise<void> => {
  const caller = await stores.users.find(tenant, subject);
  if (caller && (await isAdministrative(stores, tenant, caller))) return;
  throw new Fault("scim.forbidden", "Only an administrator may do this to an administrator, or make one.");
};

/** Judges a change of how a user gets in: its name, password, state or existence. One's own is one's own. Throws `scim.forbidden`. */
export const checkTouch = async (
  stores: PowerStores,
  tenant: string,
  subject: string | undefined,
  target: User,
): Promise<void> => {
  if (subject === undefined || subject === target.id) return;
  if (await isAdministrative(stores, tenant, target)) await checkCaller(stores, tenant, subject);
};

/** Judges that somebody comes to hold some roles. Throws `scim.forbidden`. */
export const checkGain = async (
  stores: PowerStores,
  tenant: string,
  subject: string | undefined,
  roleIds: readonly string[],
): Promise<void> => {
  if (subject !== undefined && (await isMighty(stores, tenant, roleIds))) await checkCaller(stores, tenant, subject);
};
