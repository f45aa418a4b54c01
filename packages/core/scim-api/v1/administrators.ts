/**
 * Who may use `/Users/me`: a user with a role of administrators (spec access-and-scim.md, "SCIM 1.1"). The authorizer tells
 * scopes at most, and a token may bring fewer than its user has, so the roles are looked at that the user holds now.
 */
import type { GroupStore } from "../../identities/groups/store.ts";
import { rolesOf } from "../../identities/provisioning/escalation.ts";
import type { RoleStore } from "../../identities/roles/store.ts";
import type { User } from "../../identities/users/model.ts";

/** Where roles are looked up. */
interface HeldRoles {
  readonly groups: Pick<GroupStore, "findMany">;
  readonly roles: Pick<RoleStore, "findMany">;
}

/** Whether a user holds the role of administrators, by itself or through a group. */
export type IsAdministrator = (
  stores: HeldRoles,
  tenant: string,
  user: Pick<User, "roleIds" | "groupIds">,
) => Promise<boolean>;

const TENANTS_MAX = 1_000;

/** Opens the memory of one container. No round trip for users who hold the role themselves, once it is known; one or two otherwise. */
export function newIsAdministrator(): IsAdministrator {
  /** The role that holds every scope, by tenant. It cannot be deleted or changed, so its id says it all. */
  const known = new Map<string, string>();
  return async (stores, tenant, user) => {
    const id = known.get(tenant);
    if (id !== undefined && user.roleIds.includes(id)) return true;
    const held = await rolesOf(stores, tenant, user);
    const administrators = held.find(({ holdsEveryScope }) => holdsEveryScope);
    if (!administrators) return false;
    if (known.size >= TENANTS_MAX) known.clear();
    known.set(tenant, administrators.id);
    return true;
  };
}
