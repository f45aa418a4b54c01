/** Changes of groups, for every protocol. A membership change names users to add and remove, or all members. */

import { stale } from "../../database/table/stale.ts";
import { PRIMARY, splitStore } from "../../kernel/domain/username.ts";
import { refuse } from "../../kernel/faults.ts";
import { trimName } from "../../kernel/fold.ts";
import { newId } from "../../kernel/ids.ts";
import { compareText } from "../../kernel/text-order.ts";
import { allTogether, checking } from "../../kernel/together.ts";
import type { JsonObject, Resource } from "../../scim/protocol/schema/attribute.ts";
import { type Group, shownName } from "../groups/model.ts";
import { checkGroupName, GROUPS_OF_USER_MAX, tooManyGroups, unknownMembers } from "../groups/rules.ts";
import type { GroupStore } from "../groups/store.ts";
import type { Member, NewMember } from "../memberships/membership.ts";
import { agrees, tallyOf } from "../memberships/tally.ts";
import type { RoleStore } from "../roles/store.ts";
import { qualifiedName, type User } from "../users/model.ts";
import type { UserStore } from "../users/store.ts";
import type { StoreName } from "../users/writing.ts";
import { checkAssignedIds } from "./escalation.ts";
import { checkRemoved, textOf } from "./resource.ts";
import type { ChangeContext } from "./users.ts";

/** The stores that changes of groups need. */
export interface GroupStores {
  readonly roles: RoleStore;
  readonly users: UserStore;
  readonly groups: GroupStore;
  readonly userStores: readonly string[];
}

/** The users of a whole list that are read before it is known which of them are members. */
const PREFETCHED_MAX = 100;
/** Up to this many members, a whole list replaces exactly the list that was read. */
const EXACT_MAX = 1_000;

/** A requested change of the members of a group. */
export interface MembershipChange {
  /** True: all members that are not in `adding` are removed. */
  readonly replaces: boolean;
  /** The ids of users to add. */
  readonly adding: ReadonlySet<string>;
  /** The ids of users to remove. */
  readonly removing: ReadonlySet<string>;
}

/** A requested change of a group. */
export interface GroupChangeRequest {
  /** Throws where the group must not be changed. */
  readonly check?: ((before: Group) => void) | undefined;
  /** True where the change is valid only for the version that `check` got. */
  readonly isExact?: boolean | undefined;
  /** Returns the new resource and the membership change; `members` reads the current members of the group. */
  readonly change: (
    before: Resource,
    members: () => Promise<readonly Member[]>,
    group: Group,
  ) => Promise<{ readonly after: Resource; readonly membership: MembershipChange }>;
  /** The name that the change sets, where it is known beforehand: saves a round trip. */
  readonly displayName?: string | undefined;
  /** The membership that `change` will return, the same object, where it is known beforehand: saves a round trip. */
  readonly membership?: MembershipChange | undefined;
  /** Called with all members after the change, in the order of ids, where the whole list was given. */
  readonly onMembers?: ((members: readonly Member[]) => void) | undefined;
}

/** What was read for a membership change, concurrently with the group. */
interface Prefetched {
  readonly requested: MembershipChange;
  /** Which of the users to add or remove are members; empty for a whole list. */
  readonly members: ReadonlySet<string>;
  /** The users to add, by id; some of a whole list may be missing. */
  readonly users: ReadonlyMap<string, User | undefined>;
}

/** The membership change against the current members, and all members after it where they were read. */
interface Resolved {
  readonly adding: readonly NewMember[];
  readonly removing: readonly string[];
  readonly members: readonly Member[] | undefined;
}

/** The ids in a `members` attribute. Throws `request.invalid` for nested groups. */
export function memberIds(members: Resource[string] | undefined): Set<string> {
  const ids = new Set<string>();
  for (const member of Array.isArray(members) ? members : []) {
    const { value, type } = member as JsonObject;
    if (typeof type === "string" && type.toLowerCase() === "group")
      throw refuse("members.type: groups cannot be members of groups. Add the users of the group.");
    if (typeof value !== "string") throw refuse("members.value is required: the id of a user.");
    ids.add(value);
  }
  return ids;
}

/**
 * Creates a group with its members, and returns those that it has: a user that is deleted meanwhile is left out. They
 * are `undefined` where they must be read. Throws `request.invalid`, `scim.unique`, and what `check` throws.
 */
export async function createGroup(
  stores: GroupStores,
  { tenant, now }: ChangeContext,
  resource: Resource,
  check?: () => void,
): Promise<{ readonly group: Group; readonly members: readonly Member[] | undefined }> {
  const { userStore, name } = groupNameIn(textOf(resource, "displayName"), stores.userStores);
  const [, , members] = await allTogether([
    checking(() => check?.()),
    checking(() => checkGroupName(name)),
    (async () => {
      // In the order in which the group is read.
      const ids = [...memberIds(resource.members)].sort();
      return newMembers(stores, tenant, userStore, [...(await readUsers(stores, tenant, ids))]);
    })(),
  ]);
  const group: Group = {
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
  return stores.groups.add(tenant, group, members);
}

/**
 * Changes a group and returns its new state. Throws `scim.not_found`, `scim.unique`, `request.invalid`, and what
 * `check` and `change` throw.
 */
export function changeGroup(
  stores: GroupStores,
  context: ChangeContext,
  id: string,
  { check, isExact = false, change, displayName, membership: expected, onMembers }: GroupChangeRequest,
): Promise<Group> {
  const { tenant, now } = context;
  return stores.groups.update<Prefetched | undefined>(tenant, id, now, {
    newName: displayName === undefined ? undefined : groupNameIn(displayName, stores.userStores),
    prepare: async () => expected && prefetch(stores, tenant, id, expected),
    change: async (before, prefetched) => {
      check?.(before);
      const { after, membership } = await change(storedGroup(before), () => allMembers(stores, tenant, before), before);
      const { userStore, name } = nameAfter(before, after, stores.userStores);
      const externalId = typeof after.externalId === "string" ? after.externalId : undefined;
      const known = prefetched && membership === expected ? prefetched : await prefetch(stores, tenant, id, membership);
      const isMoved = userStore !== before.userStore;
      const [, , { adding, removing, members }] = await allTogether([
        isMoved && Promise.reject(refuse("displayName: a group cannot be moved to another user store.")),
        name !== before.displayName && checking(() => checkGroupName(name)),
        resolve(stores, tenant, before, known),
      ]);
      if (members) onMembers?.(members);
      if (adding.length > 0) await checkAssignedIds(stores, context, before.roleIds);
      const isSame = name === before.displayName && externalId === before.externalId;
      if (isSame && adding.length === 0 && removing.length === 0) return undefined;
      return {
        after: { ...before, displayName: name, externalId },
        adding,
        removing,
        isExact: isExact || (membership.replaces && isReplacedExactly(before)),
      };
    },
  });
}

/** Reads what a membership change needs. One round trip. */
async function prefetch(
  { groups, users }: GroupStores,
  tenant: string,
  id: string,
  requested: MembershipChange,
): Promise<Prefetched> {
  const { replaces, adding, removing } = requested;
  // Most users of a whole list are members already: only those of a short one are read beforehand.
  const ids = !replaces || adding.size <= PREFETCHED_MAX ? [...adding] : [];
  const [read, members] = await Promise.all([
    readUsers({ users }, tenant, ids),
    replaces ? new Set<string>() : groups.membersAmong(tenant, id, [...adding, ...removing]),
  ]);
  return { requested, members, users: read };
}

/** A group as the resource that changes apply to, without its members. */
function storedGroup(group: Group): Resource {
  return {
    id: group.id,
    displayName: shownName(group),
    ...(group.externalId !== undefined && { externalId: group.externalId }),
  };
}

/** Leaves out users to add who are members already, and users to remove who are not. */
async function resolve(
  stores: GroupStores,
  tenant: string,
  group: Group,
  { requested: { replaces, adding, removing }, members, users }: Prefetched,
): Promise<Resolved> {
  // Read after the group: later changes show in its version.
  const current = replaces ? await allMembers(stores, tenant, group) : undefined;
  const currentIds = current?.map(({ userId }) => userId);
  // A Query may show half of a transaction: a removed and an added member would leave the count as it was.
  if (currentIds && isReplacedExactly(group) && !agrees(group, currentIds)) throw stale();
  const isMember = currentIds ? new Set(currentIds) : members;
  checkRemoved("members", removing, (userId) => isMember.has(userId));
  const fresh = [...adding].filter((userId) => !isMember.has(userId));
  const read = await readUsers(
    stores,
    tenant,
    fresh.filter((userId) => !users.has(userId)),
  );
  const found = fresh.map((userId) => [userId, (users.has(userId) ? users : read).get(userId)] as const);
  const added = await newMembers(stores, tenant, group.userStore, found);
  return {
    adding: added,
    removing: current ? [...isMember].filter((id) => !adding.has(id)) : [...removing].filter((id) => isMember.has(id)),
    members: current && [...current.filter(({ userId }) => adding.has(userId)), ...added].sort(byId),
  };
}

function allMembers({ groups }: GroupStores, tenant: string, { id, memberCount: count }: Group) {
  return groups.allMembers(tenant, { groupId: id, count, consistent: true });
}

function byId(a: Member, b: Member): number {
  return compareText(a.userId, b.userId);
}

/**
 * Whether one of two concurrent whole lists wins. For a larger group the result is the union of both: its version may
 * never stay the same for long enough.
 */
function isReplacedExactly({ memberCount }: Group): boolean {
  return memberCount <= EXACT_MAX;
}

/** The store and the bare name of a group name. */
export function groupNameIn(displayName: string, userStores: readonly string[], defaultStore = PRIMARY): StoreName {
  const { userStore, name } = splitStore(displayName);
  // Names of groups may contain a slash: only a known store before it is a store.
  const hasStore = displayName.includes("/") && userStores.includes(userStore);
  return hasStore ? { userStore, name } : { userStore: defaultStore, name: trimName(displayName) };
}

/**
 * The store and the bare name that a change gives a group. The name that is shown stays the name: read as a new one, it
 * could be another, because a store was declared since that has the part before a slash as its name.
 */
function nameAfter(before: Group, after: Resource, userStores: readonly string[]): StoreName {
  if (after.displayName === shownName(before)) return { userStore: before.userStore, name: before.displayName };
  return groupNameIn(textOf(after, "displayName"), userStores, before.userStore);
}

async function readUsers(
  { users }: Pick<GroupStores, "users">,
  tenant: string,
  ids: readonly string[],
): Promise<Map<string, User | undefined>> {
  const found = ids.length > 0 ? await users.findMany(tenant, ids) : [];
  return new Map(ids.map((id, at) => [id, found[at]]));
}

/**
 * Users as new members. Throws `request.invalid` for ids without a user of the store, and for users in too many groups.
 */
async function newMembers(
  { users, groups }: GroupStores,
  tenant: string,
  userStore: string,
  found: readonly (readonly [id: string, user: User | undefined])[],
): Promise<NewMember[]> {
  const unknown = found.flatMap(([id, user]) => (user?.userStore === userStore ? [] : [id]));
  if (unknown.length > 0) throw unknownMembers(unknown);
  const known = found.flatMap(([, user]) => user ?? []);
  for (const { id, groupIds } of known) {
    if (groupIds.length < GROUPS_OF_USER_MAX) continue;
    // A group that was just deleted is still in the rows of its members, and does not count.
    const found = await groups.findMany(tenant, groupIds);
    if (found.filter((group) => group !== undefined).length >= GROUPS_OF_USER_MAX) throw tooManyGroups(id);
  }
  await users.elsewhere?.anchor(tenant, known);
  return known.map((user) => ({ userId: user.id, name: qualifiedName(user), userName: user.userName }));
}
