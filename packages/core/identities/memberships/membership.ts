/**
 * Membership: an item in the group's partition and the group's id in the user's item, written together, so that a group of
 * any size gains or loses a member in one small transaction, and a user is read with its groups in one round trip
 * (decision 0014).
 */
import { canBeId } from "../../platform/ids.ts";
import { keys, MEMBER } from "../../table/keys.ts";
import { stale } from "../../table/stale.ts";
import { type Item, LAST, type Page, type Step, type Table, type When } from "../../table/table.ts";
import { tallyAfter } from "../groups/model.ts";

/** One member as its group shows it. */
export interface Member {
  readonly userId: string;
  /** The user's name, with its store where that is not PRIMARY. */
  readonly name: string;
}

/** Members that one Query is asked for; DynamoDB's megabyte ends a page at about 7,000. */
const MEMBERS_PER_PAGE = 8_000;

/** A part of a group's members, in the order of their ids. */
export interface MemberRange {
  /** The most that are answered; DynamoDB's megabyte ends a part at about 7,000. */
  readonly limit: number;
  /** Behind the user with this id; from the beginning where it is left out (with `backwards` from the end). */
  readonly after?: string | undefined;
  readonly backwards?: boolean;
  /** False reads at half the price, and an instant behind. */
  readonly consistent?: boolean;
}

/** A user who is to become a member. */
export interface Joiner extends Member {
  /** Without a store. The member item repeats it, so joining depends on it. */
  readonly userName: string;
}

/** Who came to be a member and who is none any more, and when. */
export interface Turnout {
  readonly nowMs: number;
  readonly joined?: readonly string[];
  readonly left?: readonly string[];
}

/** One user that leaves one group because the user goes. */
interface Leaving {
  readonly groupId: string;
  readonly userId: string;
  readonly nowMs: number;
  /** True when the group is known to be deleted. */
  readonly isGone: boolean;
  /** Called when it turns out to be. */
  readonly onGone: () => void;
}

/** Reads a member item. */
export function toMember(item: Item): Member {
  return { userId: item.SK.slice(MEMBER.length), name: item.name as string };
}

/** Some members, and whether more follow. One round trip. */
export async function memberRange(
  table: Table,
  tenant: string,
  groupId: string,
  { limit, after, backwards = false, consistent = true }: MemberRange,
): Promise<{ readonly members: readonly Member[]; readonly more: boolean }> {
  const { PK } = keys.group(tenant, groupId);
  const page: Page = await table.query({
    PK,
    from: MEMBER,
    to: `${MEMBER}${LAST}`,
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
  const found: Member[] = [];
  for (let [after, more]: [string | undefined, boolean] = [undefined, true]; more && found.length < most; ) {
    const part = await memberRange(table, tenant, groupId, { limit: most - found.length, after });
    for (const member of part.members) found.push(member);
    [after, more] = [part.members.at(-1)?.userId, part.more && part.members.length > 0];
  }
  return found;
}

/** Which of these users are members. One round trip. */
export async function membersAmong(
  table: Table,
  tenant: string,
  groupId: string,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = userIds.filter(canBeId);
  const items = await table.getMany(known.map((userId) => keys.member(tenant, groupId, userId)));
  return new Set(items.flatMap((item) => (item ? [toMember(item).userId] : [])));
}

/** The steps by which a user becomes a member; two of a transaction. The group is not told: see `touchingGroup`. */
export function joiningSteps(tenant: string, groupId: string, { userId, name, userName }: Joiner): Step[] {
  return [
    { put: { ...keys.member(tenant, groupId, userId), name }, when: "absent", otherwise: stale },
    {
      change: keys.user(tenant, userId),
      add: { ver: 1, groups: new Set([groupId]) },
      // Whoever is renamed meanwhile tells only the groups that it is in by then.
      when: { equal: { userName } },
      otherwise: stale,
    },
  ];
}

/** The step by which a user's item forgets groups. */
export function leavingGroups(tenant: string, userId: string, groupIds: readonly string[], when: When): Step {
  return {
    change: keys.user(tenant, userId),
    add: { ver: 1 },
    take: { groups: new Set(groupIds) },
    when,
    otherwise: stale,
  };
}

/** The steps by which a user is a member no more; two of a transaction. The group is not told: see `touchingGroup`. */
export function partingSteps(tenant: string, groupId: string, userId: string): Step[] {
  return [leavingMember(tenant, groupId, userId), leavingGroups(tenant, userId, [groupId], "present")];
}

/** The step that tells a group that its members changed. */
export function touchingGroup(
  tenant: string,
  groupId: string,
  { nowMs, joined = [], left = [] }: Turnout,
  when: When = "present",
  otherwise: Step["otherwise"] = stale,
): Step {
  const { memberCount, memberSum } = tallyAfter({ memberCount: 0, memberSum: 0 }, joined, left);
  return {
    change: keys.group(tenant, groupId),
    add: { ver: 1, members: memberCount, memberSum },
    set: { modified: nowMs },
    when,
    otherwise,
  };
}

/** The steps on the side of a group whose member goes; the user's item is the caller's. */
export function leavingSteps(tenant: string, { groupId, userId, nowMs, isGone, onGone }: Leaving): Step[] {
  return [
    leavingMember(tenant, groupId, userId),
    ...(isGone
      ? []
      : [
          touchingGroup(tenant, groupId, { nowMs, left: [userId] }, "present", (found) => {
            if (!found) onGone();
            return stale();
          }),
        ]),
  ];
}

/** The step by which a group forgets a member. */
function leavingMember(tenant: string, groupId: string, userId: string): Step {
  return {
    remove: keys.member(tenant, groupId, userId),
    when: "present",
    otherwise: stale,
  };
}
