/** What provisioning does with groups, whatever protocol it speaks. Membership is a wish about users, never a list to be kept. */

import { splitStore } from "../../domain/username.ts";
import { Fault } from "../../platform/faults.ts";
import { newId } from "../../platform/ids.ts";
import { compareText } from "../../platform/text-order.ts";
import type { JsonObject, Resource } from "../../scim/schema/attribute.ts";
import { stale } from "../../table/stale.ts";
import { agrees, type Group, shownName, tallyOf } from "../groups/model.ts";
import { checkGroupName, GROUPS_OF_USER_MAX, tooManyGroups, unknownMembers } from "../groups/rules.ts";
import type { GroupStore } from "../groups/store.ts";
import type { Joiner, Member } from "../memberships/membership.ts";
import type { RoleStore } from "../roles/store.ts";
import { qualifiedName, type User } from "../users/model.ts";
import type { UserStore } from "../users/store.ts";
import { checkGain } from "./escalation.ts";
import type { Occasion } from "./users.ts";

/** What provisioning of groups uses. */
export interface GroupStores {
  readonly roles: RoleStore;
  readonly users: UserStore;
  readonly groups: GroupStore;
  readonly userStores: readonly string[];
}

/** So many users of a whole list are read before it is known whether they matter. */
const FOREKNOWN_MAX = 100;
/** Up to so many members, a whole list is put in place of the very list that was read. */
const HELD_EXACTLY_MAX = 1_000;

/** What is to become of the members. */
export interface MembershipWish {
  /** True: nobody stays but those who join. */
  readonly replaces: boolean;
  readonly joining: ReadonlySet<string>;
  readonly leaving: ReadonlySet<string>;
}

interface Named {
  readonly userStore: string;
  readonly name: string;
}

/** How a group is to be changed. */
export interface GroupWish {
  readonly check?: ((before: Group) => void) | undefined;
  /** True where the group must be the one that `check` saw when it is written. */
  readonly isExact?: boolean | undefined;
  /** Answers the resource that shall be, and what becomes of the members, which `members` reads. */
  readonly change: (
    before: Resource,
    members: () => Promise<readonly Member[]>,
  ) => Promise<{ readonly after: Resource; readonly membership: MembershipWish }>;
  /** The name that the change sets, where it is known beforehand: saves a round trip. */
  readonly displayName?: string | undefined;
  /** What `change` will answer about the members, where it is known beforehand: saves a round trip. It must be that very object. */
  readonly membership?: MembershipWish | undefined;
  /** Told who is a member then, in the order of ids, where the whole list was given. */
  readonly onMembers?: ((members: readonly Member[]) => void) | undefined;
}

/** What was read about a wish beside the group. */
interface Foreknown {
  readonly wish: MembershipWish;
  /** Which of the users who are to join or leave are members. Of a whole list nothing is known before the group is. */
  readonly are: ReadonlySet<string>;
  /** The users who are to join, by id, as far as they were read. */
  readonly users: ReadonlyMap<string, User | undefined>;
}

/** Who really joins and leaves, and who is a member then, where that is known. */
interface Settled {
  readonly joining: readonly Joiner[];
  readonly leaving: readonly string[];
  readonly members: readonly Member[] | undefined;
}

/** The ids in a `members` attribute; nested groups are refused. */
export function memberIds(members: Resource[string] | undefined): Set<string> {
  const ids = new Set<string>();
  for (const member of Array.isArray(members) ? members : []) {
    const { value, type } = member as JsonObject;
    if (typeof type === "string" && type.toLowerCase() === "group") throw refuse("Groups cannot be members of groups.");
    if (typeof value !== "string") throw refuse("members.value is required: the id of a user.");
    ids.add(value);
  }
  return ids;
}

/** Makes a group with its members. Throws `request.invalid` and `scim.unique`. */
export async function createGroup(
  stores: GroupStores,
  { tenant, now }: Occasion,
  resource: Resource,
): Promise<{ readonly group: Group; readonly members: readonly Member[] }> {
  const { userStore, name } = nameIn(resource.displayName, stores.userStores);
  // In the order in which the group is read.
  const members = await membersOf(stores, tenant, userStore, [...memberIds(resource.members)].sort());
  const wished: Group = {
    id: newId(),
    displayName: name,
    userStore,
    ...(typeof resource.externalId === "string" && { externalId: resource.externalId }),
    createdMs: now,
    modifiedMs: now,
    version: 1,
    ...tallyOf(members.map(({ userId }) => userId)),
    roleIds: [],
  };
  return { group: await stores.groups.add(tenant, wished, members), members };
}

/** Changes a group. Answers it as it is then. Throws `scim.not_found`, `scim.unique`, `request.invalid`, and what `check` and `change` throw. */
export function changeGroup(
  stores: GroupStores,
  { tenant, now, subject, scopes }: Occasion,
  id: string,
  { check, isExact = false, change, displayName, membership: foreseen, onMembers }: GroupWish,
): Promise<Group> {
  return stores.groups.update<Foreknown | undefined>(tenant, id, now, {
    wishedName: displayName === undefined ? undefined : nameIn(displayName, stores.userStores),
    prepare: async () => foreseen && foreknow(stores, tenant, id, foreseen),
    change: async (before, foreknown) => {
      check?.(before);
      const was = storedGroup(before);
      const { after, membership } = await change(was, () => allMembers(stores, tenant, before));
      const { userStore, name } = nameIn(after.displayName, stores.userStores, before.userStore);
      if (userStore !== before.userStore) throw refuse("A group cannot be moved to another user store.");
      const externalId = typeof after.externalId === "string" ? after.externalId : undefined;
      const isForeseen = foreknown && membership === foreseen;
      const known = isForeseen ? foreknown : await foreknow(stores, tenant, id, membership);
      const { joining, leaving, members } = await settleMembership(stores, tenant, before, known);
      if (members) onMembers?.(members);
      if (joining.length > 0) await checkGain(stores, { tenant, subject, scopes }, before.roleIds);
      const isSame = name === before.displayName && externalId === before.externalId;
      if (isSame && joining.length === 0 && leaving.length === 0) return undefined;
      return {
        after: { ...before, displayName: name, externalId },
        joining,
        leaving,
        isExact: isExact || (membership.replaces && isHeldExactly(before)),
      };
    },
  });
}

/** Reads what a wish needs to know, beside the group. One round trip. */
async function foreknow(
  { groups, users }: GroupStores,
  tenant: string,
  id: string,
  wish: MembershipWish,
): Promise<Foreknown> {
  const { replaces, joining, leaving } = wish;
  // Of a whole list most are members already: only a short one is looked at in advance.
  const wanted = !replaces || joining.size <= FOREKNOWN_MAX ? [...joining] : [];
  const [found, are] = await Promise.all([
    wanted.length > 0 ? users.findMany(tenant, wanted) : [],
    replaces ? new Set<string>() : groups.membersAmong(tenant, id, [...joining, ...leaving]),
  ]);
  return { wish, are, users: new Map(wanted.map((userId, at) => [userId, found[at]])) };
}

/** A group as the resource that changes are made to, without its members. */
function storedGroup(group: Group): Resource {
  return {
    id: group.id,
    displayName: shownName(group),
    ...(group.externalId !== undefined && { externalId: group.externalId }),
  };
}

/** Those who are members already do not join, and those who are none do not leave. */
async function settleMembership(
  stores: GroupStores,
  tenant: string,
  group: Group,
  { wish: { replaces, joining, leaving }, are, users }: Foreknown,
): Promise<Settled> {
  // Read behind the group: whatever changes from then on shows in its version.
  const present = replaces ? await allMembers(stores, tenant, group) : undefined;
  const presentIds = present?.map(({ userId }) => userId);
  // A Query may show half of a transaction: one that went while another came would pass by their number.
  if (presentIds && isHeldExactly(group) && !agrees(group, presentIds)) throw stale();
  const isMember = presentIds ? new Set(presentIds) : are;
  const fresh = [...joining].filter((userId) => !isMember.has(userId));
  const known = fresh.filter((userId) => users.has(userId));
  const unread = fresh.filter((userId) => !users.has(userId));
  const found = known.map((userId) => users.get(userId));
  const joiners = [
    ...(await asMembers(stores, tenant, group.userStore, known, found)),
    ...(await membersOf(stores, tenant, group.userStore, unread)),
  ];
  return {
    joining: joiners,
    leaving: present ? [...isMember].filter((id) => !joining.has(id)) : [...leaving].filter((id) => isMember.has(id)),
    members: present && [...present.filter(({ userId }) => joining.has(userId)), ...joiners].sort(byId),
  };
}

function allMembers({ groups }: GroupStores, tenant: string, { id, memberCount: count }: Group) {
  return groups.allMembers(tenant, { groupId: id, count, consistent: true });
}

function byId(a: Member, b: Member): number {
  return compareText(a.userId, b.userId);
}

/**
 * Whether of two whole lists at once one wins. In a larger group they come to what both say together: it may never stand
 * still for long enough.
 */
function isHeldExactly({ memberCount }: Group): boolean {
  return memberCount <= HELD_EXACTLY_MAX;
}

function nameIn(displayName: unknown, userStores: readonly string[], fallback?: string): Named {
  if (typeof displayName !== "string") throw refuse("Required attribute displayName is missing in the SCIM object.");
  const given = displayName.trim();
  const split = splitStore(given);
  // Names of groups may hold a slash: only what names a store is one.
  const known = given.includes("/") && userStores.includes(split.userStore);
  const { userStore, name } = known ? split : { userStore: fallback ?? splitStore("").userStore, name: given };
  checkGroupName(name);
  return { userStore, name };
}

function refuse(description: string): Fault {
  return new Fault("request.invalid", description);
}

/** The users behind ids, as members. Throws `request.invalid`. */
async function membersOf(
  stores: GroupStores,
  tenant: string,
  userStore: string,
  ids: readonly string[],
): Promise<Joiner[]> {
  return ids.length > 0 ? asMembers(stores, tenant, userStore, ids, await stores.users.findMany(tenant, ids)) : [];
}

/** Users as members. Throws `request.invalid` for those who are no users of the store, or in too many groups. */
async function asMembers(
  { users }: Pick<GroupStores, "users">,
  tenant: string,
  userStore: string,
  ids: readonly string[],
  found: readonly (User | undefined)[],
): Promise<Joiner[]> {
  const unknown = ids.filter((_, at) => found[at]?.userStore !== userStore);
  if (unknown.length > 0) throw unknownMembers(unknown);
  const known = found.flatMap((user) => user ?? []);
  const full = known.find(({ groupIds }) => groupIds.length >= GROUPS_OF_USER_MAX);
  if (full) throw tooManyGroups(full.id);
  await users.elsewhere?.anchor(tenant, known);
  return known.map((user) => ({ userId: user.id, name: qualifiedName(user), userName: user.userName }));
}
