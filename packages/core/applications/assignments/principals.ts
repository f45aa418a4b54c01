/** The users, groups and roles that are assigned, by name, and what a user is assigned by. */
import type { GroupStore } from "../../directory/groups/store.ts";
import type { Assigned } from "../../directory/memberships/assignment-model.ts";
import { isFor } from "../../directory/roles/model.ts";
import type { RoleStore } from "../../directory/roles/store.ts";
import { qualifiedName, type User } from "../../directory/users/model.ts";
import type { UserStore } from "../../directory/users/store.ts";
import type { PrincipalType } from "../../kernel/domain/principals.ts";
import { withStore } from "../../kernel/domain/username.ts";

/** Where principals are read. */
export interface PrincipalStores {
  readonly users: Pick<UserStore, "find" | "findMany">;
  readonly groups: Pick<GroupStore, "findMany">;
  readonly roles: Pick<RoleStore, "findMany" | "idOfEveryone">;
}

/** A principal that exists. */
export interface Principal extends Assigned {
  readonly displayName: string;
}

/** Those of some principals that exist and can be assigned to an application, in their order. One round trip. */
export async function existing(
  { users, groups, roles }: PrincipalStores,
  tenant: string,
  applicationId: string,
  some: readonly Assigned[],
): Promise<readonly Principal[]> {
  const idsOf = (type: PrincipalType) => some.flatMap((one) => (one.type === type ? [one.id] : []));
  const [userIds, groupIds, roleIds] = [idsOf("user"), idsOf("group"), idsOf("role")];
  const [foundUsers, foundGroups, foundRoles] = await Promise.all([
    userIds.length > 0 ? users.findMany(tenant, userIds) : [],
    groupIds.length > 0 ? groups.findMany(tenant, groupIds) : [],
    roleIds.length > 0 ? roles.findMany(tenant, roleIds) : [],
  ]);
  const found = new Map<string, Principal>();
  const add = (type: PrincipalType, id: string, displayName: string) =>
    found.set(`${type}#${id}`, { type, id, displayName });
  for (const user of foundUsers) if (user) add("user", user.id, qualifiedName(user));
  for (const group of foundGroups) if (group) add("group", group.id, withStore(group.userStore, group.displayName));
  for (const role of foundRoles) if (isFor(role, applicationId)) add("role", role.id, role.name);
  return some.flatMap(({ type, id }) => found.get(`${type}#${id}`) ?? []);
}

/** What can give a user access: the user, its groups, its roles, and those of its groups. One round trip. */
export async function principalsOf(
  { groups, roles }: Pick<PrincipalStores, "groups" | "roles">,
  tenant: string,
  { id, groupIds, roleIds }: Pick<User, "id" | "groupIds" | "roleIds">,
): Promise<readonly Assigned[]> {
  const [found, everyone] = await Promise.all([groups.findMany(tenant, groupIds), roles.idOfEveryone(tenant)]);
  const inherited = found.flatMap((group) => group?.roleIds ?? []);
  const all = new Set([...roleIds, ...inherited, ...(everyone === undefined ? [] : [everyone])]);
  const present = found.flatMap((group) => (group ? [group.id] : []));
  return [
    ...present.map((groupId): Assigned => ({ type: "group", id: groupId })),
    ...[...all].map((roleId): Assigned => ({ type: "role", id: roleId })),
    { type: "user", id },
  ];
}
