/** Groups as both SCIM versions read and change them; each version shows the result in its own form. */

import { Fault } from "../../../kernel/faults.ts";
import { type Projection, wants } from "../../../scim/protocol/projection.ts";
import type { Resource } from "../../../scim/protocol/schema/attribute.ts";
import { membersSchema } from "../../../scim/protocol/schema/group.ts";
import { isObject } from "../../../scim/protocol/values.ts";
import type { Group } from "../../groups/model.ts";
import { notFound } from "../../groups/rules.ts";
import type { Member } from "../../memberships/membership.ts";
import { agrees } from "../../memberships/tally.ts";
import { changeGroup, type GroupChangeRequest, type MembershipChange } from "../../provisioning/groups.ts";
import { settleGroups } from "../../provisioning/open-bulks.ts";
import type { ScimCall } from "./call.ts";
import { checkMembers, MEMBERS_SHOWN_MAX, showGroups } from "./show-groups.ts";

/** Up to this many members are read while a change that keeps them is written. */
export const MEMBERS_AT_ONCE_MAX = 1_000;

/** The membership change that keeps every member. */
export const keptMembers: MembershipChange = { replaces: false, adding: new Set(), removing: new Set() };

/** A group, and its members where they were read. */
export interface GroupView {
  readonly group: Group;
  readonly members: readonly Member[] | undefined;
}

/** The membership change that leaves exactly these members. */
export function replacingMembers(ids: ReadonlySet<string>): MembershipChange {
  return { ...keptMembers, replaces: true, adding: ids };
}

/**
 * Checks that a whole group which a client sends back is not the one of a list that left out the members: without them,
 * all would be removed. Throws `request.invalid`.
 */
export function checkMembersSent(body: unknown, { members }: Resource): void {
  const mark = isObject(body) ? body[membersSchema.id] : undefined;
  if (members !== undefined || !isObject(mark) || mark.membersOmitted !== true) return;
  throw new Fault(
    "request.invalid",
    `The members of this group were left out of a response (${membersSchema.id}), and a group without members would remove all of them. Send members, leave out ${membersSchema.id}, or change the group with PATCH.`,
  );
}

/**
 * Reads a group, with its members where they are shown. Throws `scim.not_found`, and `scim.too_many` where the members
 * do not fit one response. One round trip up to about 7,000 members.
 */
export async function foundGroup(call: ScimCall, id: string, projection: Projection): Promise<GroupView> {
  const { stores, tenant } = call;
  const [group, members] = await Promise.all([
    stores.groups.find(tenant, id),
    wants(projection, "members") ? stores.groups.members(tenant, id, MEMBERS_SHOWN_MAX + 1) : undefined,
  ]);
  if (!group) throw notFound(id);
  // The members are those in the middle of a bulk.
  if (members && (await settleGroups(stores, tenant, [group]))) return foundGroup(call, id, projection);
  checkMembers(call, members ?? []);
  return { group, members };
}

/** Changes a group. Throws what `changeGroup` throws. */
export async function changedGroup(
  { stores, ...call }: ScimCall,
  id: string,
  change: GroupChangeRequest,
  projection: Projection,
): Promise<GroupView> {
  const isKept = wants(projection, "members") && change.membership !== undefined && keepsMembers(change.membership);
  let written: readonly Member[] | undefined;
  /** Read after the group and before the write, which is tried again if the members change in between. */
  let kept: Promise<readonly Member[]> | undefined;
  const group = await changeGroup(stores, call, id, {
    ...change,
    check(before) {
      change.check?.(before);
      if (!isKept || before.memberCount > MEMBERS_AT_ONCE_MAX) return;
      kept = stores.groups.members(call.tenant, id, MEMBERS_AT_ONCE_MAX);
      kept.catch(() => undefined);
    },
    onMembers: (members) => {
      written = members;
    },
  });
  // A bulk leaves out users that were deleted meanwhile: then the members are read.
  const ids = written?.map(({ userId }) => userId);
  const isStored = !ids || agrees(group, ids);
  return { group, members: isStored ? (written ?? (await kept)) : undefined };
}

/** A group with its members. Members that do not fit one response are left out: the change itself has been made. */
export async function showGroup(
  call: ScimCall,
  { group, members }: GroupView,
  projection: Projection,
): Promise<Resource> {
  const isKnown = members !== undefined && members.length <= MEMBERS_SHOWN_MAX;
  const [resource = {}] = await showGroups(call, [group], projection, isKnown ? [members] : undefined);
  return resource;
}

function keepsMembers({ replaces, adding, removing }: MembershipChange): boolean {
  return !replaces && adding.size + removing.size === 0;
}
