/**
 * The members of groups: the relation between groups and users. A pair repeats the user's name, which the group shows.
 */

import { keys, MEMBER } from "../../database/table/keys.ts";
import { rowCodec, text } from "../../database/table/row.ts";
import { stale } from "../../database/table/stale.ts";
import { type Item, LAST, type Step, type Table } from "../../database/table/table.ts";
import { withStore } from "../../kernel/domain/username.ts";
import { roleAssignees } from "./assignees.ts";
import { type Bulk, bulkText } from "./bulk-model.ts";
import { BULK } from "./bulk-rows.ts";
import { type Owner, type Relation, removingPair } from "./relation.ts";
import { tallyAfter } from "./tally.ts";

/** One member as its group shows it. */
export interface Member {
  readonly userId: string;
  /** The user's name, with its store where that is not PRIMARY. */
  readonly name: string;
}

/** A user to add to a group. */
export interface NewMember extends Member {
  /** Without a store. The pair repeats it, so it must still be the user's name when the user is added. */
  readonly userName: string;
}

/** Members that one Query requests; DynamoDB's megabyte ends a page at about 7,000. */
const MEMBERS_PER_PAGE = 8_000;

/** Some members of a group, and whether more follow. */
export interface MemberPage {
  readonly members: readonly Member[];
  readonly more: boolean;
}

/** A part of a group's members, in the order of their ids. */
export interface MemberRange {
  /** The most to return; DynamoDB's megabyte ends a part at about 7,000. */
  readonly limit: number;
  /** Continue after the user with this id; from the beginning by default (with `backwards` from the end). */
  readonly after?: string | undefined;
  readonly backwards?: boolean;
  /** False reads at half the price, and may miss the latest changes. Default true. */
  readonly consistent?: boolean;
}

/** Members that a change adds to a group and removes from it. */
export interface MembershipDelta {
  readonly nowMs: number;
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
  /** True for a change that is valid only while the group has no role, because it ends no token. */
  readonly hasNoRoles?: boolean;
}

const pairRow = rowCodec<{ readonly name: string }>("group member", { name: text });
const nameRow = rowCodec<{ readonly userName: string; readonly userStore: string }>("user", {
  userName: text,
  userStore: text,
});

/** Groups and their users, by id. */
export const groupMembers: Relation<string, NewMember> = {
  attribute: "groups",
  pairs: ({ tenant, id }) => ({ PK: keys.group(tenant, id).PK, from: MEMBER, to: `${MEMBER}${LAST}` }),
  refAt: (sortKey) => sortKey.slice(MEMBER.length),
  refOf: ({ userId }) => userId,
  idOf: (userId) => userId,
  pairKey: ({ tenant, id }, userId) => keys.member(tenant, id, userId),
  memberKey: (tenant, userId) => keys.user(tenant, userId),
  // A rename updates only the groups that the user is in by then.
  copied: ({ name, userName }) => ({ attributes: { name }, when: { equal: { userName } } }),
  async current(table, tenant, userIds) {
    const items = await table.getMany(userIds.map((userId) => keys.user(tenant, userId)));
    return userIds.map((userId, at) => {
      const item = items[at];
      if (!item) return undefined;
      const { userName, userStore } = nameRow.read(item);
      return { userId, userName, name: withStore(userStore, userName) };
    });
  },
};

/** Reads a pair's row. */
export function toMember(item: Item): Member {
  return { userId: groupMembers.refAt(item.SK), name: pairRow.read(item).name };
}

/** Some members, and whether more follow. One round trip. */
export async function memberRange(
  table: Table,
  tenant: string,
  groupId: string,
  { limit, after, backwards = false, consistent = true }: MemberRange,
): Promise<MemberPage> {
  const page = await table.query({
    ...groupMembers.pairs({ tenant, id: groupId }),
    limit: Math.min(MEMBERS_PER_PAGE, limit),
    backwards,
    consistent,
    ...(after !== undefined && { after: keys.member(tenant, groupId, after) }),
  });
  return { members: page.items.map(toMember), more: page.next !== undefined };
}

/** Members of a group, in the order of their ids, up to `most`. */
export async function readMembers(
  table: Table,
  tenant: string,
  groupId: string,
  most: number,
): Promise<readonly Member[]> {
  const range = { ...groupMembers.pairs({ tenant, id: groupId }), limit: MEMBERS_PER_PAGE };
  return (await table.queryAll(range, most)).map(toMember);
}

/** The step that records a membership change in a group's row; with a bulk, the step that commits it. */
export function touchingGroup(owner: Owner, delta: MembershipDelta, bulk?: Bulk): Step {
  // Changes of one group are in order: this one comes after a bulk that is not finished.
  const lacking = delta.hasNoRoles ? [BULK, roleAssignees.attribute] : [BULK];
  return recording(owner, delta, { when: { lacking }, otherwise: stale }, bulk);
}

function recording(
  { tenant, id }: Owner,
  { nowMs, added = [], removed = [] }: MembershipDelta,
  condition: Pick<Step, "when" | "otherwise">,
  bulk?: Bulk,
): Step {
  const { memberCount, memberSum } = tallyAfter({ memberCount: 0, memberSum: 0 }, added, removed);
  return {
    change: keys.group(tenant, id),
    add: { ver: 1, members: memberCount, memberSum },
    set: { modified: nowMs, ...(bulk && { [BULK]: bulkText(bulk) }) },
    ...condition,
  };
}

/** The step that records another name of a member. */
export function renamingMember({ tenant, id }: Owner, { userId, name }: Member): Step {
  return { change: keys.member(tenant, id, userId), set: { name }, when: "present", otherwise: stale };
}

/**
 * The steps that remove a user who is being deleted from a group; the caller removes the row of the user. Of a group in
 * `deleted` only the pair is removed; a group that turns out to be deleted is added there, for the next attempt.
 */
export function removingDeletedUser(group: Owner, userId: string, nowMs: number, deleted: Set<string>): Step[] {
  const removing = removingPair(groupMembers, group, userId);
  if (deleted.has(group.id)) return [removing];
  const otherwise: Step["otherwise"] = (found) => {
    if (!found) deleted.add(group.id);
    return stale();
  };
  // A bulk skips users who are deleted.
  return [removing, recording(group, { nowMs, removed: [userId] }, { when: "present", otherwise })];
}
