/** Reading what a resource shows beside itself (the names of groups and roles, members), and cutting it to what was asked for. */

import { PRIMARY } from "../../domain/username.ts";
import type { Group } from "../../identities/groups/model.ts";
import { notFound } from "../../identities/groups/rules.ts";
import type { Member } from "../../identities/memberships/membership.ts";
import type { User } from "../../identities/users/model.ts";
import { Fault } from "../../platform/faults.ts";
import { type Projection, present, wants } from "../../scim/projection.ts";
import type { JsonObject, Resource } from "../../scim/schema/attribute.ts";
import { systemSchema } from "../../scim/schema/system.ts";
import { groupResource, type Links, userResource } from "./present.ts";
import type { ResourceStores } from "./stores.ts";

/** Members that one answer can hold: each takes some 230 bytes of the 5 MB. */
export const MEMBERS_SHOWN_MAX = 20_000;

/** Whether a projection shows what users only have by name. */
export function showsNames(projection: Projection): boolean {
  return wants(projection, "groups") || wants(projection, "roles");
}

/** Reads the version of the names beside whatever else is read, where the answer may need it. */
export function versionBeside(
  { names }: Pick<ResourceStores, "names">,
  tenant: string,
  projection: Projection,
): Promise<number> | undefined {
  if (!showsNames(projection)) return undefined;
  const version = names.version(tenant);
  // It may not be waited for, where something else fails first.
  version.catch(() => undefined);
  return version;
}

/** Users as they are answered. `version` is that of the names, where it was read beside the users already. */
export async function showUsers(
  { names, dialect, users: { elsewhere } }: ResourceStores,
  links: Links,
  users: readonly User[],
  projection: Projection,
  version?: Promise<number>,
): Promise<readonly Resource[]> {
  const ids = showsNames(projection) ? users.flatMap(({ groupIds, roleIds }) => [...groupIds, ...roleIds]) : [];
  const known =
    ids.length > 0 ? await names.find(links.tenant, await (version ?? names.version(links.tenant)), ids) : new Map();
  const isReadOnly = ({ userStore }: User) => elsewhere?.isReadOnly(links.tenant, userStore) === true;
  return users.map((user) =>
    present(projection, withRequested(projection, userResource(user, known, links), isReadOnly(user)), {
      ...(dialect.showsUsername && { usernameAlias: aliasOf(user) }),
    }),
  );
}

/** A user with what is told only where it is asked for: whether its store is one that cannot be written. */
function withRequested(projection: Projection, resource: Resource, isReadOnlyUser: boolean): Resource {
  const { id } = systemSchema;
  if (!wants(projection, `${id}:isReadOnlyUser`)) return resource;
  return { ...resource, [id]: { ...(resource[id] as JsonObject | undefined), isReadOnlyUser } };
}

/** `username` as the spec shows it: the name with its store, also where that is PRIMARY. */
function aliasOf({ userName, userStore }: User): string {
  return `${userStore || PRIMARY}/${userName}`;
}

/**
 * A group, and its members where they are shown. Throws `scim.not_found`, and `scim.too_many` where there are too many for one
 * answer. One round trip up to about 7,000 members.
 */
export async function readWithMembers(
  { groups }: Pick<ResourceStores, "groups">,
  tenant: string,
  id: string,
  projection: Projection,
): Promise<{ readonly group: Group; readonly members: readonly Member[] | undefined }> {
  const [group, members] = await Promise.all([
    groups.find(tenant, id),
    // One more than can be shown tells that there are too many.
    wants(projection, "members") ? groups.members(tenant, id, MEMBERS_SHOWN_MAX + 1) : undefined,
  ]);
  if (!group) throw notFound(id);
  checkCount(members?.length ?? 0);
  return { group, members };
}

/** The members of some groups. Throws `scim.too_many` where there are too many for one answer. */
export async function membersOfAll(
  { groups: store }: Pick<ResourceStores, "groups">,
  tenant: string,
  groups: readonly Group[],
): Promise<readonly (readonly Member[])[]> {
  checkCount(groups.reduce((sum, { memberCount }) => sum + memberCount, 0));
  return Promise.all(
    groups.map(({ id, memberCount }) => (memberCount > 0 ? store.members(tenant, id, MEMBERS_SHOWN_MAX) : [])),
  );
}

/** Groups as they are answered. */
export async function showGroups(
  stores: ResourceStores,
  links: Links,
  groups: readonly Group[],
  projection: Projection,
): Promise<readonly Resource[]> {
  const members = wants(projection, "members") ? await membersOfAll(stores, links.tenant, groups) : [];
  return groups.map((group, at) =>
    present(projection, groupResource(group, members[at], links), { emptyLists: ["members"] }),
  );
}

/** Refuses members that are more than one answer holds. */
function checkCount(count: number): void {
  if (count <= MEMBERS_SHOWN_MAX) return;
  throw new Fault(
    "scim.too_many",
    `There are ${count} members to show, and at most ${MEMBERS_SHOWN_MAX} in one answer. Leave the members out (excludedAttributes=members; in SCIM 1.1 attributes=displayName), or find them as users with a filter on groups.value.`,
  );
}
