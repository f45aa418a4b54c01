/**
 * Who may act on those who hold every scope. Whoever may change users, groups or roles must not become an administrator by
 * it: only an administrator touches the access of another, or makes one (decision 0052).
 */
import { Fault } from "../faults/faults.ts";
import type { Group } from "../groups/model.ts";
import type { User } from "../users/model.ts";

/** What is looked up. */
export interface PowerStores {
  readonly users: { find(tenant: string, id: string): Promise<User | undefined> };
  readonly groups: { findMany(tenant: string, ids: readonly string[]): Promise<readonly (Group | undefined)[]> };
  readonly roles: { idOfAdmin(tenant: string): Promise<string | undefined> };
}

/** The id of the one role that holds every scope. Nobody makes another: the roles of clients hold scopes one by one. */
type AdminRole = Promise<string | undefined>;

/** Begins to read what `checkTouch` compares with, beside other reads. It may be dropped: its failure is told only to who awaits it. */
export const readAhead = ({ roles }: Pick<PowerStores, "roles">, tenant: string): AdminRole => {
  const adminRole = roles.idOfAdmin(tenant);
  adminRole.catch(() => undefined);
  return adminRole;
};

/** Whether a user holds every scope, directly or by a group. One round trip for a user in groups, none for others. */
const isAdministrative = async (
  { groups }: PowerStores,
  tenant: string,
  { roleIds, groupIds }: Pick<User, "roleIds" | "groupIds">,
  adminRole: AdminRole,
): Promise<boolean> => {
  if (roleIds.length === 0 && groupIds.length === 0) return false;
  const found = groupIds.length > 0 ? await groups.findMany(tenant, groupIds) : [];
  const id = await adminRole;
  return id !== undefined && [roleIds, ...found.map((group) => group?.roleIds)].some((ids) => ids?.includes(id));
};

/** Refuses callers who do not hold every scope themselves; an application never does. Throws `scim.forbidden`. */
const checkCaller = async (
  stores: PowerStores,
  tenant: string,
  subject: string,
  adminRole: AdminRole,
): Promise<void> => {
  const caller = await stores.users.find(tenant, subject);
  if (caller && (await isAdministrative(stores, tenant, caller, adminRole))) return;
  throw new Fault("scim.forbidden", "Only an administrator may do this to an administrator, or make one.");
};

/** Judges a change of how a user gets in: its name, password, state or existence. One's own is one's own. Throws `scim.forbidden`. */
export const checkTouch = async (
  stores: PowerStores,
  tenant: string,
  subject: string | undefined,
  target: User,
  adminRole = readAhead(stores, tenant),
): Promise<void> => {
  if (subject === undefined || subject === target.id) return;
  if (await isAdministrative(stores, tenant, target, adminRole)) await checkCaller(stores, tenant, subject, adminRole);
};

/** Judges that somebody comes to hold some roles. Throws `scim.forbidden`. */
export const checkGain = async (
  stores: PowerStores,
  tenant: string,
  subject: string | undefined,
  roleIds: readonly string[],
): Promise<void> => {
  if (subject === undefined || roleIds.length === 0) return;
  const adminRole = readAhead(stores, tenant);
  const id = await adminRole;
  if (id !== undefined && roleIds.includes(id)) await checkCaller(stores, tenant, subject, adminRole);
};
