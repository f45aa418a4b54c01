/** Stores groups: one row each, an entry in a name index, a lookup row for the external id, and the members. */
import { canBeId } from "../../platform/ids.ts";
import { keys } from "../../table/keys.ts";
import type { Range } from "../../table/name-index/items.ts";
import { type NameIndex, nameIndex } from "../../table/name-index/name-index.ts";
import { nameKey } from "../../table/name-index/name-key.ts";
import type { NameReads } from "../../table/name-index/reads.ts";
import { stale, whileStale } from "../../table/stale.ts";
import type { ReadOptions, Step, Table } from "../../table/table.ts";
import { changingRolesOfGroups, revokingRole, revokingUser } from "../../tokens/revocation-store.ts";
import { type AllMembersRead, readAllMembers } from "../memberships/all-members.ts";
import { removingRolePairs, removingRoles } from "../memberships/assignees.ts";
import {
  groupMembers,
  type Member,
  type MemberPage,
  type MemberRange,
  memberRange,
  type NewMember,
  readMembers,
  touchingGroup,
} from "../memberships/membership.ts";
import {
  addingMember,
  changeMembers,
  chunks,
  MEMBERS_AT_ONCE,
  type MemberChanges,
  membersAmong,
  type Owner,
  removeMembers,
  removingMember,
  stillPresent,
} from "../memberships/relation.ts";
import { renamingStep } from "../memberships/shown-names.ts";
import { agrees, type Tally, tallyAfter, tallyOf } from "../memberships/tally.ts";
import { type Group, shownName } from "./model.ts";
import { externalIdSteps, finishing, groupItem, groupOf, lookupKey, unfinishedItem } from "./rows.ts";
import { nameTaken, notFound } from "./rules.ts";

export { groupItem } from "./rows.ts";

/** Roles that are removed in the transaction that removes their group. */
const ROLES_AT_ONCE = 40;
/** The steps of a transaction that are left for members and roles when a group is removed. */
const STEPS_BESIDE_REMOVAL = 93;
/** Attempts to read members that agree with the tally. Then a removal continues, because the tally itself is wrong. */
const READS_MAX = 8;

/** A change of a group. */
interface GroupChange {
  /** The group with its other attributes; the store sets version, time and tally. */
  readonly after: Group;
  /** Users who are not members yet. */
  readonly adding: readonly NewMember[];
  /** The ids of members to remove. */
  readonly removing: readonly string[];
  /** True where the change is valid for this version of the group only, so that no concurrent change may precede it. */
  readonly isExact?: boolean;
}

/** How a group is changed. It may be called several times. */
interface GroupEdit<P> {
  /** Read concurrently with the group, for `change`. */
  readonly prepare: () => Promise<P>;
  /** Returns the change of the current state, or `undefined` for none. */
  readonly change: (before: Group, prepared: P) => Promise<GroupChange | undefined>;
  /** The name that the change sets, where it is known beforehand: saves a round trip. */
  readonly newName?: { readonly userStore: string; readonly name: string } | undefined;
}

/** The groups of all tenants. */
export interface GroupStore {
  /** One round trip. */
  find(tenant: string, id: string): Promise<Group | undefined>;
  /** Several groups in one round trip, in the order of the ids. */
  findMany(tenant: string, ids: readonly string[], options?: ReadOptions): Promise<(Group | undefined)[]>;
  /** The names of several groups, without those that do not exist. One round trip. */
  namesOf(tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The names of a store, for lists. */
  names(tenant: string, userStore: string): NameReads;
  /** The ids of the groups with an external id. */
  idsByExternalId(tenant: string, externalId: string): Promise<string[]>;
  /** Members in the order of their ids, up to `most`. One round trip to about 7,000. */
  members(tenant: string, id: string, most: number): Promise<readonly Member[]>;
  /** A part of the members, in the order of their ids, and whether more follow. One round trip. */
  memberRange(tenant: string, id: string, range: MemberRange): Promise<MemberPage>;
  /** All members, in no order. One round trip to about 7,000, few more for any number of them. */
  allMembers(tenant: string, read: AllMembersRead): Promise<readonly Member[]>;
  /** Which of some users are members. One round trip. */
  membersAmong(tenant: string, id: string, userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Creates a group with its members, without users who are deleted meanwhile. Throws `scim.unique`. Readers see it
   * with all of its members or not at all; more than 45 need several transactions, of which the last makes it visible.
   * Two round trips up to 45.
   */
  add(tenant: string, group: Group, members: readonly NewMember[]): Promise<Group>;
  /**
   * Changes a group and returns its new state. Up to 45 members are added or removed in the transaction that changes
   * it, more in transactions after it. Throws `scim.not_found`, `scim.unique`, and what `change` throws. Two round
   * trips up to 45 members; three with another name, where `newName` gave it.
   */
  update<P>(tenant: string, id: string, nowMs: number, edit: GroupEdit<P>): Promise<Group>;
  /**
   * Removes a group: from then on, no user shows it. Throws `scim.not_found`, and what `check` throws. Three round
   * trips up to 45 members; some memberships of a larger group may be left, without effect.
   */
  remove(tenant: string, id: string, check: (group: Group) => void): Promise<void>;
}

const idInUse: Step["otherwise"] = () => new Error("a new group id is in use");

/** Opens the store on the table of one request. */
export function groupStore(table: Table): GroupStore {
  const findMany: GroupStore["findMany"] = async (tenant, ids, options) => {
    const possible = ids.filter(canBeId).map((id) => keys.group(tenant, id));
    const items = await table.getMany(possible, options);
    const groups = new Map(items.flatMap((item) => groupOf(item) ?? []).map((group) => [group.id, group]));
    return ids.map((id) => groups.get(id));
  };
  return {
    find: (tenant, id) => read(table, { tenant, id }),
    findMany,
    names: (tenant, userStore) => indexOf(table, tenant, userStore),

    async namesOf(tenant, ids) {
      const groups = await findMany(tenant, ids);
      return new Map(groups.flatMap((group) => (group ? [[group.id, shownName(group)] as const] : [])));
    },

    async idsByExternalId(tenant, externalId) {
      const { PK } = lookupKey(tenant, externalId, "-");
      const items = await table.queryAll({ PK, limit: 1_000 });
      return items.map(({ SK }) => SK);
    },

    members: async (tenant, id, most) => (canBeId(id) ? readMembers(table, tenant, id, most) : []),
    memberRange: async (tenant, id, range) =>
      canBeId(id) ? memberRange(table, tenant, id, range) : { members: [], more: false },
    allMembers: (tenant, all) => readAllMembers(table, tenant, all),
    membersAmong: async (tenant, id, userIds) =>
      canBeId(id) ? membersAmong(table, groupMembers, { tenant, id }, userIds) : new Set(),

    async add(tenant, group, members) {
      if (members.length > MEMBERS_AT_ONCE) return addLarge(table, tenant, group, members);
      const tally = await claimName(table, tenant, group, members, (added) => [
        { put: groupItem(tenant, { ...group, ...added }), when: "absent", otherwise: idInUse },
      ]);
      return { ...group, ...tally };
    },

    update: (tenant, id, nowMs, edit) => update(table, { tenant, id }, nowMs, edit),
    remove: (tenant, id, check) => remove(table, { tenant, id }, check),
  };
}

function indexOf(table: Table, tenant: string, userStore: string): NameIndex {
  return nameIndex(table, keys.groupNames(tenant, userStore));
}

async function read(table: Table, { tenant, id }: Owner): Promise<Group | undefined> {
  return canBeId(id) ? groupOf(await table.get(keys.group(tenant, id))) : undefined;
}

/** Creates a group of more members than fit one transaction. */
async function addLarge(table: Table, tenant: string, group: Group, members: readonly NewMember[]): Promise<Group> {
  const owner = { tenant, id: group.id };
  const [first, rest] = [members.slice(0, MEMBERS_AT_ONCE), members.slice(MEMBERS_AT_ONCE)];
  const index = indexOf(table, tenant, group.userStore);
  if (await index.find(nameKey(group.displayName))) throw nameTaken(shownName(group));
  await table.write({ put: unfinishedItem(tenant, { ...group, ...tallyOf([]) }), when: "absent", otherwise: idInUse });
  try {
    await changeRest(table, owner, group.createdMs, { adding: idsOf(rest), removing: [] });
    await claimName(table, tenant, group, first, (added) => [finishing(tenant, group.id, added)]);
  } catch (error) {
    // Nothing of the group is visible. Rows that this cannot remove have no effect; the caller gets the first error.
    await removeMembers(table, groupMembers, owner).then(
      () => table.forget(keys.group(tenant, group.id)),
      () => undefined,
    );
    throw error;
  }
  return (await read(table, owner)) ?? group;
}

/** Writes a new group in the transaction that claims its name, with some members. Returns the tally of those added. */
function claimName(
  table: Table,
  tenant: string,
  group: Group,
  members: readonly NewMember[],
  itemSteps: (added: Tally) => readonly Step[],
): Promise<Tally> {
  const owner = { tenant, id: group.id };
  return whileStale(async (attempts) => {
    const present = await stillPresent(table, groupMembers, tenant, members, attempts);
    const tally = tallyOf(idsOf(present));
    await indexOf(table, tenant, group.userStore).create({
      key: nameKey(group.displayName),
      entry: { id: group.id },
      steps: [
        ...itemSteps(tally),
        ...externalIdSteps(tenant, group.id, undefined, group.externalId),
        ...present.flatMap((member) => addingMember(groupMembers, owner, member)),
      ],
      taken: () => nameTaken(shownName(group)),
    });
    return tally;
  });
}

/** Changes the members that did not fit the first transaction. Throws `scim.not_found` for a deleted group. */
function changeRest(table: Table, owner: Owner, nowMs: number, changes: MemberChanges<string>): Promise<void> {
  return changeMembers(table, groupMembers, owner, changes, ({ adding: added, removing: removed }) => [
    touchingGroup(owner, { nowMs, added, removed }, (found) => (found ? stale() : notFound(owner.id))),
  ]);
}

function update<P>(
  table: Table,
  owner: Owner,
  nowMs: number,
  { prepare, change, newName }: GroupEdit<P>,
): Promise<Group> {
  const { tenant, id } = owner;
  return whileStale(async () => {
    const [before, prepared, near] = await Promise.all([
      read(table, owner),
      prepare(),
      newName && indexOf(table, tenant, newName.userStore).locate(nameKey(newName.name)),
    ]);
    if (!before) throw notFound(id);
    const changed = await change(before, prepared);
    if (!changed) return before;
    const { adding, removing } = changed;
    await endTokens(table, tenant, before, removing);
    const removed = removing.slice(0, MEMBERS_AT_ONCE);
    const added = adding.slice(0, MEMBERS_AT_ONCE - removed.length);
    const after: Group = {
      ...changed.after,
      version: before.version + 1,
      modifiedMs: nowMs,
      ...tallyAfter(before, idsOf(added), removed),
    };
    const hint = newName?.userStore === after.userStore ? near : undefined;
    await writeGroup(table, tenant, before, { ...changed, after, adding: added, removing: removed, near: hint });
    const rest = { adding: idsOf(adding.slice(added.length)), removing: removing.slice(removed.length) };
    if (rest.adding.length + rest.removing.length === 0) return after;
    await changeRest(table, owner, nowMs, rest);
    return (await read(table, owner)) ?? after;
  });
}

/** Writes a change in one transaction, with another name through the index. `near` is a hint for that name. */
async function writeGroup(
  table: Table,
  tenant: string,
  before: Group,
  { after, adding, removing, isExact = false, near }: GroupChange & { readonly near: Range | undefined },
): Promise<void> {
  const owner = { tenant, id: after.id };
  const isRenamed = after.displayName !== before.displayName;
  const isOnlyTouched = !isExact && !isRenamed && after.externalId === before.externalId;
  const own: Step = isOnlyTouched
    ? touchingGroup(owner, { nowMs: after.modifiedMs, added: idsOf(adding), removed: removing })
    : { put: groupItem(tenant, after), when: { equal: { ver: before.version } }, otherwise: stale };
  const steps = [
    own,
    ...externalIdSteps(tenant, after.id, before.externalId, after.externalId),
    ...removing.flatMap((userId) => removingMember(groupMembers, owner, userId)),
    ...adding.flatMap((member) => addingMember(groupMembers, owner, member)),
  ];
  if (!isRenamed) return table.write(...steps);
  await indexOf(table, tenant, after.userStore).rename({
    from: nameKey(before.displayName),
    to: nameKey(after.displayName),
    entry: { id: after.id },
    steps: [...steps, renamingStep(tenant)],
    taken: () => nameTaken(shownName(after)),
    notOwned: stale,
    near,
  });
}

/**
 * Revokes the tokens of members who are removed from a group with roles. It is written before the change, which has no
 * room for it: a revocation is dated further ahead than the change can take, and one too many does no harm.
 */
async function endTokens(table: Table, tenant: string, { roleIds }: Group, removed: readonly string[]): Promise<void> {
  if (roleIds.length === 0 || removed.length === 0) return;
  if (removed.length > MEMBERS_AT_ONCE) return endTokensOfRoles(table, tenant, roleIds);
  await table.write(...removed.flatMap((userId) => revokingUser(tenant, userId)));
}

/** Revokes the access tokens whose scopes depend on some roles; two steps for each. */
async function endTokensOfRoles(table: Table, tenant: string, roleIds: readonly string[]): Promise<void> {
  for (const some of chunks(roleIds, MEMBERS_AT_ONCE)) {
    await table.write(...some.flatMap((roleId) => revokingRole(tenant, roleId)));
  }
}

async function remove(table: Table, owner: Owner, check: (group: Group) => void): Promise<void> {
  const { tenant, id } = owner;
  if (!canBeId(id)) throw notFound(id);
  const assignee = { kind: "group", id } as const;
  let isBegun = false;
  const isComplete = await whileStale(async (attempts) => {
    const [found, { members, more }] = await Promise.all([
      read(table, owner),
      memberRange(table, tenant, id, { limit: MEMBERS_AT_ONCE + 1 }),
    ]);
    let group = found;
    if (group && !isBegun) check(group);
    for (; group && group.roleIds.length > ROLES_AT_ONCE; group = await read(table, owner)) {
      const some = group.roleIds.slice(0, ROLES_AT_ONCE);
      await endTokensOfRoles(table, tenant, some);
      await table.write(...removingRoles(tenant, assignee, group.version, some), changingRolesOfGroups(tenant));
      isBegun = true;
    }
    if (!group) throw notFound(id);
    const { version, roleIds } = group;
    // A Query may show half of a transaction.
    if (!more && !agrees(group, idsOf(members)) && attempts < READS_MAX) throw stale();
    await endTokensOfRoles(table, tenant, roleIds);
    const isSmall = !more && members.length * 2 + roleIds.length <= STEPS_BESIDE_REMOVAL;
    await indexOf(table, tenant, group.userStore).remove({
      key: nameKey(group.displayName),
      id,
      steps: [
        { remove: keys.group(tenant, id), when: { equal: { ver: version } }, otherwise: stale },
        ...externalIdSteps(tenant, id, group.externalId, undefined),
        ...removingRolePairs(tenant, assignee, roleIds),
        renamingStep(tenant),
        ...(roleIds.length > 0 ? [changingRolesOfGroups(tenant)] : []),
        ...(isSmall ? members.flatMap(({ userId }) => removingMember(groupMembers, owner, userId)) : []),
      ],
      notOwned: stale,
    });
    return isSmall;
  });
  if (!isComplete) await removeMembers(table, groupMembers, owner);
}

function idsOf(members: readonly Member[]): string[] {
  return members.map(({ userId }) => userId);
}
