/** Reads what resources show from other rows (members, and the names of groups and roles), and applies projections. */

import { PRIMARY } from "../../domain/username.ts";
import type { Group } from "../../identities/groups/model.ts";
import type { Member } from "../../identities/memberships/membership.ts";
import type { User } from "../../identities/users/model.ts";
import { Fault } from "../../platform/faults.ts";
import { type Projection, present, wants } from "../../scim/projection.ts";
import type { JsonObject, Resource } from "../../scim/schema/attribute.ts";
import { systemSchema } from "../../scim/schema/system.ts";
import type { ScimCall } from "./call.ts";
import { groupResource, type ShownNames, userResource } from "./present.ts";

/** The most members in one response: each takes some 230 bytes of the 5 MB that a response may have. */
export const MEMBERS_SHOWN_MAX = 20_000;

/**
 * The version of the names of groups and roles, where a projection shows such names. A caller reads it together with
 * the users, and passes it to `showUsers`: this saves a round trip.
 */
export function readVersion(
  { stores: { names }, tenant }: ScimCall,
  projection: Projection,
): Promise<number> | undefined {
  if (!showsNames(projection)) return undefined;
  const version = names.version(tenant);
  // Another fault may come first, and then this is not awaited.
  version.catch(() => undefined);
  return version;
}

/** The names of the groups and roles of users. */
export async function namesOf(
  { stores: { names }, tenant }: ScimCall,
  users: readonly User[],
  version?: Promise<number>,
): Promise<ShownNames> {
  const ids = users.flatMap(({ groupIds, roleIds }) => [...groupIds, ...roleIds]);
  return ids.length > 0 ? names.find(tenant, await (version ?? names.version(tenant)), ids) : new Map();
}

/** Users in the form of SCIM 2.0. */
export async function showUsers(
  call: ScimCall,
  users: readonly User[],
  projection: Projection,
  version?: Promise<number>,
): Promise<readonly Resource[]> {
  const { stores, tenant } = call;
  const names = showsNames(projection) ? await namesOf(call, users, version) : new Map();
  return users.map((user) => {
    const isReadOnly = stores.users.elsewhere?.isReadOnly(tenant, user.userStore) === true;
    const resource = withOnRequest(projection, userResource(user, names, call), isReadOnly);
    return present(projection, resource, { ...(stores.dialect.showsUsername && { usernameAlias: aliasOf(user) }) });
  });
}

function showsNames(projection: Projection): boolean {
  return wants(projection, "groups") || wants(projection, "roles");
}

/** Adds what a user shows only where a request names it: whether its store is read-only. */
function withOnRequest(projection: Projection, resource: Resource, isReadOnlyUser: boolean): Resource {
  const { id } = systemSchema;
  if (!wants(projection, `${id}:isReadOnlyUser`)) return resource;
  return { ...resource, [id]: { ...(resource[id] as JsonObject | undefined), isReadOnlyUser } };
}

/** `username`: the name with its store, also where that is PRIMARY. */
function aliasOf({ userName, userStore }: User): string {
  return `${userStore || PRIMARY}/${userName}`;
}

/** Groups in the form of SCIM 2.0. `read` holds their members where those are known. Throws as `membersOfAll` does. */
export async function showGroups(
  call: ScimCall,
  groups: readonly Group[],
  projection: Projection,
  read?: readonly (readonly Member[])[],
): Promise<readonly Resource[]> {
  const members = wants(projection, "members") ? (read ?? (await membersOfAll(call, groups))) : [];
  return groups.map((group, at) =>
    present(projection, groupResource(group, members[at], call), { emptyLists: ["members"] }),
  );
}

/** The members of each group. Throws `scim.too_many` where they do not fit one response. */
export async function membersOfAll(
  { stores, tenant }: ScimCall,
  groups: readonly Group[],
): Promise<readonly (readonly Member[])[]> {
  checkCount(groups.reduce((sum, { memberCount }) => sum + memberCount, 0));
  return Promise.all(
    groups.map(({ id, memberCount }) => (memberCount > 0 ? stores.groups.members(tenant, id, MEMBERS_SHOWN_MAX) : [])),
  );
}

/** Throws `scim.too_many` for more members than one response holds. */
export function checkCount(count: number): void {
  if (count <= MEMBERS_SHOWN_MAX) return;
  throw new Fault(
    "scim.too_many",
    `The response would have ${count} members; at most ${MEMBERS_SHOWN_MAX} fit. Leave members out (excludedAttributes=members; in SCIM 1.1 attributes=displayName), or list them as users with a filter on groups.value.`,
  );
}
