/**
 * Shows groups: reads their members and applies projections. A response holds a limited number of members. A list shows
 * a group with all of its members or with none, and says which (decision 0066).
 */

import { Fault } from "../../../kernel/faults.ts";
import { type Projection, present, wants } from "../../../scim/protocol/projection.ts";
import type { Json, Resource } from "../../../scim/protocol/schema/attribute.ts";
import { membersSchema } from "../../../scim/protocol/schema/group.ts";
import type { Group } from "../../groups/model.ts";
import type { Member } from "../../memberships/membership.ts";
import { settleGroups } from "../../provisioning/open-bulks.ts";
import type { ScimCall } from "./call.ts";
import { groupResource, type Links, linkTo, type ShownNames } from "./present.ts";

/** The most members in one response: each takes some 230 bytes of the 5 MB that a response may have. */
export const MEMBERS_SHOWN_MAX = 20_000;

/** What is left for members of 5 MB: names may be long. */
const MEMBER_BYTES_MAX = 4_500_000;
/** The JSON of a member without id, link and name. */
const BYTES_OF_MEMBER = 60;

/**
 * Groups in the form of SCIM 2.0. `read` holds their members where those are known. Members that do not fit one
 * response are left out, those of the largest groups first.
 */
export async function showGroups(
  call: ScimCall,
  groups: readonly Group[],
  projection: Projection,
  read?: readonly (readonly Member[])[],
): Promise<readonly Resource[]> {
  const hasMembers = wants(projection, "members");
  const [found, names] = await Promise.all([
    hasMembers ? (read ?? membersThatFit(call, groups)) : [],
    wants(projection, "roles") ? roleNamesOf(call, groups) : undefined,
  ]);
  if (!hasMembers) return groups.map((group) => present(projection, groupResource(group, { names }, call)));
  const fit = fitting(call, found, MEMBER_BYTES_MAX - bytesOfRoles(call, groups, names));
  return groups.map((group, at) => {
    const members = fit[at];
    const shown = present(projection, groupResource(group, { members, names }, call), {
      emptyLists: members ? ["members"] : [],
    });
    return members ? shown : withoutMembers(shown, group, call);
  });
}

/** The names of the roles of groups. One round trip; none where no group has a role. */
export async function roleNamesOf(
  { stores: { roles }, tenant }: ScimCall,
  groups: readonly Group[],
): Promise<ShownNames> {
  const ids = [...new Set(groups.flatMap(({ roleIds }) => roleIds))];
  return ids.length > 0 ? roles.namesOf(tenant, ids) : new Map();
}

/** Marks a group whose members are left out, and says where they are. */
function withoutMembers({ schemas, meta, ...resource }: Resource, { id, memberCount }: Group, links: Links): Resource {
  const filter = encodeURIComponent(`groups.value eq "${id}"`);
  const listed: readonly Json[] = Array.isArray(schemas) ? schemas : [];
  return {
    schemas: [...listed, membersSchema.id],
    ...resource,
    [membersSchema.id]: {
      membersOmitted: true,
      memberCount,
      membersRef: linkTo(links, `/Users?filter=${filter}`),
    },
    ...(meta !== undefined && { meta }),
  };
}

/** The members of each group. Throws `scim.too_many` where they do not fit one response. */
export async function membersOfAll(call: ScimCall, groups: readonly Group[]): Promise<readonly (readonly Member[])[]> {
  const count = groups.reduce((sum, { memberCount }) => sum + memberCount, 0);
  if (count > MEMBERS_SHOWN_MAX) throw tooMany(count);
  await settleGroups(call.stores, call.tenant, groups);
  return Promise.all(groups.map((group) => membersOf(call, group)));
}

/** Throws `scim.too_many` for members that do not fit one response. */
export function checkMembers(links: Links, members: readonly Member[]): void {
  if (members.length > MEMBERS_SHOWN_MAX || bytesOf(links, members) > MEMBER_BYTES_MAX) throw tooMany(members.length);
}

/** The members of the smallest groups, as many as one response holds; `undefined` for the other groups. */
async function membersThatFit(
  call: ScimCall,
  groups: readonly Group[],
): Promise<readonly (readonly Member[] | undefined)[]> {
  const fits = withinBudget(
    groups.map(({ memberCount }) => memberCount),
    MEMBERS_SHOWN_MAX,
  );
  await settleGroups(
    call.stores,
    call.tenant,
    groups.filter((_, at) => fits[at]),
  );
  return Promise.all(groups.map((group, at) => (fits[at] ? membersOf(call, group) : undefined)));
}

async function membersOf({ stores, tenant }: ScimCall, { id, memberCount }: Group): Promise<readonly Member[]> {
  return memberCount > 0 ? stores.groups.members(tenant, id, MEMBERS_SHOWN_MAX) : [];
}

/** Leaves out the members of the groups whose members have the most bytes, where all do not fit. */
function fitting(links: Links, members: readonly (readonly Member[] | undefined)[], budget: number) {
  const fits = withinBudget(
    members.map((own) => bytesOf(links, own ?? [])),
    budget,
  );
  return members.map((own, at) => (fits[at] ? own : undefined));
}

/** Which of some sizes fit together, the smallest first. */
function withinBudget(sizes: readonly number[], budget: number): readonly boolean[] {
  const fits = sizes.map(() => false);
  let sum = 0;
  for (const { size, at } of sizes.map((size, at) => ({ size, at })).sort((a, b) => a.size - b.size)) {
    sum += size;
    if (sum > budget) break;
    fits[at] = true;
  }
  return fits;
}

/** The bytes of members in a response. */
function bytesOf(links: Links, members: readonly Member[]): number {
  const link = linkTo(links, "/Users/").length + BYTES_OF_MEMBER;
  return members.reduce((sum, { userId, name }) => sum + link + userId.length * 2 + Buffer.byteLength(name), 0);
}

/** The bytes of the roles that are shown of groups. */
function bytesOfRoles(links: Links, groups: readonly Group[], names: ShownNames | undefined): number {
  if (!names) return 0;
  const link = linkTo(links, "/v2/Roles/").length + BYTES_OF_MEMBER;
  const sizeOf = (id: string): number => link + id.length * 2 + Buffer.byteLength(names.get(id) ?? "");
  return groups.reduce((sum, { roleIds }) => sum + roleIds.reduce((bytes, id) => bytes + sizeOf(id), 0), 0);
}

function tooMany(count: number): Fault {
  return new Fault(
    "scim.too_many",
    `The response would have ${count} members; at most ${MEMBERS_SHOWN_MAX} of them, or 4.5 MB, fit. Leave members out (excludedAttributes=members; in SCIM 1.1 attributes=displayName), or list them as users with a filter on groups.value.`,
  );
}
