/**
 * Who may use `/Users/me`: users with the administrator role (S1-005). A token may have fewer scopes than its user's
 * roles, so this reads the roles that the user has now.
 */
import type { GroupStore } from "../../groups/store.ts";
import { rolesOf } from "../../provisioning/escalation.ts";
import type { RoleStore } from "../../roles/store.ts";
import type { User } from "../../users/model.ts";

interface AssignedRoles {
  readonly groups: Pick<GroupStore, "findMany">;
  readonly roles: Pick<RoleStore, "findMany">;
}

/** Whether a user has the administrator role, directly or through a group. */
export type IsAdministrator = (
  stores: AssignedRoles,
  tenant: string,
  user: Pick<User, "roleIds" | "groupIds">,
) => Promise<boolean>;

const TENANTS_MAX = 1_000;

/**
 * A check that remembers the role of each tenant. Once known, it costs no round trip for users who have the role
 * directly, otherwise one or two.
 */
export function newIsAdministrator(): IsAdministrator {
  /** The id of the administrator role by tenant. That role can be neither deleted nor changed. */
  const known = new Map<string, string>();
  return async (stores, tenant, user) => {
    const id = known.get(tenant);
    if (id !== undefined && user.roleIds.includes(id)) return true;
    const roles = await rolesOf(stores, tenant, user);
    const administrators = roles.find(({ holdsEveryScope }) => holdsEveryScope);
    if (!administrators) return false;
    if (known.size >= TENANTS_MAX) known.clear();
    known.set(tenant, administrators.id);
    return true;
  };
}
