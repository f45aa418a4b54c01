/** The roles of a user: assigned to the user, to one of its groups, or to everyone. */
import type { Group } from "../../directory/groups/model.ts";
import type { GroupStore } from "../../directory/groups/store.ts";
import type { RoleStore } from "../../directory/roles/store.ts";
import type { User } from "../../directory/users/model.ts";
import type { Clock } from "../../kernel/clock.ts";
import { subjects } from "../../tokens/revocation-store.ts";
import { newFactCache } from "./fresh.ts";
import type { Changes } from "./token-validity.ts";

/** Where role assignments are read. */
export interface RoleIdStores {
  readonly groups: Pick<GroupStore, "findMany">;
  readonly roles: Pick<RoleStore, "idOfEveryone">;
}

type Assignee = Pick<User, "roleIds" | "groupIds">;

/** How a user has a role: itself where neither of the others is said. The role may be deleted. */
export interface WayToRole {
  readonly roleId: string;
  /** The group that has the role. */
  readonly groupId?: string;
  /** Every user of the tenant has it. */
  readonly isEveryones?: true;
}

/** The ids of all roles of a user, each once. Ids of deleted roles may be among them. */
type RoleIdsOf = (stores: RoleIdStores, tenant: string, user: Assignee, changes: Changes) => Promise<readonly string[]>;

/** The current role ids of a user. One round trip. */
export async function roleIdsOf(
  { groups, roles }: RoleIdStores,
  tenant: string,
  { roleIds, groupIds }: Assignee,
): Promise<readonly string[]> {
  const [found, everyone] = await Promise.all([groups.findMany(tenant, groupIds), roles.idOfEveryone(tenant)]);
  return distinct(waysToRoles({ roleIds }, found, everyone).map(({ roleId }) => roleId));
}

/** All ways to the roles of a user, given its groups, without those that are deleted, and the role of everyone. */
export function waysToRoles(
  { roleIds }: Pick<User, "roleIds">,
  groups: readonly (Pick<Group, "id" | "roleIds"> | undefined)[],
  everyone: string | undefined,
): readonly WayToRole[] {
  return [
    ...roleIds.map((roleId) => ({ roleId })),
    ...groups.flatMap((group) => group?.roleIds.map((roleId) => ({ roleId, groupId: group.id })) ?? []),
    ...(everyone === undefined ? [] : [{ roleId: everyone, isEveryones: true } as const]),
  ];
}

/**
 * Opens a reader that caches the roles of groups and of everyone (fresh.ts), until they change. No round trip while
 * they are in the cache.
 */
export function newRoleIdsOf(clock: Clock): RoleIdsOf {
  const facts = newFactCache<readonly string[]>(clock);
  return async (stores, tenant, { roleIds, groupIds }, changes) => {
    const cache = facts(changes, () => subjects.rolesOfGroups);
    const [keyOf, everyoneKey] = [(id: string) => `${tenant}#${id}`, `${tenant}#`];
    const cached = groupIds.map((id) => cache.get(keyOf(id)));
    const missing = groupIds.filter((_, at) => cached[at] === undefined);
    const cachedEveryone = cache.get(everyoneKey);
    const [found, everyone] = await Promise.all([
      missing.length > 0 ? stores.groups.findMany(tenant, missing) : [],
      cachedEveryone ?? stores.roles.idOfEveryone(tenant).then((id) => (id === undefined ? [] : [id])),
    ]);
    const read = found.map((group) => group?.roleIds ?? []);
    for (const [at, id] of missing.entries()) cache.set(keyOf(id), read[at] ?? []);
    if (!cachedEveryone) cache.set(everyoneKey, everyone);
    return distinct(roleIds, ...cached.map((ids) => ids ?? []), ...read, everyone);
  };
}

function distinct(...lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}
