/** The roles that a user holds, whichever way: given to it, to a group that it is in, or to everybody. */
import type { GroupStore } from "../identities/groups/store.ts";
import type { RoleStore } from "../identities/roles/store.ts";
import type { User } from "../identities/users/model.ts";
import type { Clock } from "../platform/clock.ts";
import { type Fresh, newFresh } from "./fresh.ts";

/** Where roles are looked up. */
export interface HeldRoleStores {
  readonly groups: Pick<GroupStore, "findMany">;
  readonly roles: Pick<RoleStore, "idOfEveryone">;
}

type Holding = Pick<User, "roleIds" | "groupIds">;

/** The ids of all roles of a user, each once; of those that were deleted some may be among them. */
type RoleIdsOf = (stores: HeldRoleStores, tenant: string, user: Holding) => Promise<readonly string[]>;

/** As they are now. One round trip. */
export async function roleIdsOf(
  { groups, roles }: HeldRoleStores,
  tenant: string,
  { roleIds, groupIds }: Holding,
): Promise<readonly string[]> {
  const [found, everyone] = await Promise.all([groups.findMany(tenant, groupIds), roles.idOfEveryone(tenant)]);
  return distinct(roleIds, ...found.map((group) => group?.roleIds ?? []), everyone === undefined ? [] : [everyone]);
}

/** What groups and everybody bring may be as old as other facts about access (fresh.ts). No round trip while it is known. */
export function newRoleIdsOf(clock: Clock): RoleIdsOf {
  const known: Fresh<readonly string[]> = newFresh(clock);
  return async (stores, tenant, { roleIds, groupIds }) => {
    const [keyOf, everybody] = [(id: string) => `${tenant}#${id}`, `${tenant}#`];
    const remembered = groupIds.map((id) => known.get(keyOf(id)));
    const missing = groupIds.filter((_, at) => remembered[at] === undefined);
    const ofEverybody = known.get(everybody);
    const [found, everyone] = await Promise.all([
      missing.length > 0 ? stores.groups.findMany(tenant, missing) : [],
      ofEverybody ?? stores.roles.idOfEveryone(tenant).then((id) => (id === undefined ? [] : [id])),
    ]);
    const read = found.map((group) => group?.roleIds ?? []);
    for (const [at, id] of missing.entries()) known.set(keyOf(id), read[at] ?? []);
    if (!ofEverybody) known.set(everybody, everyone);
    return distinct(roleIds, ...remembered.map((ids) => ids ?? []), ...read, everyone);
  };
}

function distinct(...lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}
