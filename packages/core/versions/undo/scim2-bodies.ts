/** The bodies by which users, groups and roles become as they were: of replacements by SCIM 2.0. */
import { shownName } from "../../directory/groups/model.ts";
import { notFound as groupNotFound } from "../../directory/groups/rules.ts";
import type { AssigneeKind } from "../../directory/memberships/assignees.ts";
import { storedResource } from "../../directory/provisioning/users.ts";
import { notFound as roleNotFound } from "../../directory/roles/rules.ts";
import type { Scim2Stores } from "../../directory/scim-api/v2/stores.ts";
import { notFound as userNotFound } from "../../directory/users/rules.ts";
import type { RequestContext } from "../../kernel/operation/context.ts";

type Now = Pick<RequestContext, "tenant"> & Scim2Stores;

/** More members than a group or role has. */
const ALL = 10_000_000;

/** A user, with the attributes that clients set. */
export async function userBody({ tenant, dialect }: Now, past: Scim2Stores, id: string) {
  const user = await past.users.find(tenant, id);
  if (!user) throw userNotFound(id);
  return { ...storedResource(user), schemas: [dialect.userType.schema.id] };
}

/** A group, with those of its members who exist. */
export async function groupBody({ tenant, users, dialect }: Now, past: Scim2Stores, id: string) {
  const [group, members] = await Promise.all([past.groups.find(tenant, id), past.groups.members(tenant, id, ALL)]);
  if (!group) throw groupNotFound(id);
  const found = await users.findMany(
    tenant,
    members.map(({ userId }) => userId),
  );
  return {
    schemas: [dialect.groupType.schema.id],
    displayName: shownName(group),
    ...(group.externalId !== undefined && { externalId: group.externalId }),
    members: found.flatMap((user) => (user && user.userStore === group.userStore ? [{ value: user.id }] : [])),
  };
}

/** A role, with those of its assignees and permissions that exist. */
export async function roleBody({ tenant, users, groups, knownScopes }: Now, past: Scim2Stores, id: string) {
  const assigned = (kind: AssigneeKind) => past.roles.assigneeIds(tenant, id, kind, ALL);
  const [role, userIds, groupIds] = await Promise.all([
    past.roles.find(tenant, id),
    assigned("user"),
    assigned("group"),
  ]);
  if (!role) throw roleNotFound(id);
  const [known, foundUsers, foundGroups] = await Promise.all([
    knownScopes(tenant, role.permissions),
    users.findMany(tenant, userIds),
    groups.findMany(tenant, groupIds),
  ]);
  const valuesOf = (found: readonly ({ readonly id: string } | undefined)[]) =>
    found.flatMap((one) => (one ? [{ value: one.id }] : []));
  return {
    displayName: role.name,
    ...(role.externalId !== undefined && { externalId: role.externalId }),
    permissions: role.permissions.filter((permission) => known.has(permission)).map((value) => ({ value })),
    users: valuesOf(foundUsers),
    groups: valuesOf(foundGroups),
  };
}
