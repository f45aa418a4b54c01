/** Stores groups: one row each, an entry in a name index, a lookup row for the external id, and the members. */

import { keys } from "../../database/table/keys.ts";
import { nameKey } from "../../database/table/name-index/name-key.ts";
import type { NameReads } from "../../database/table/name-index/reads.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { ManyReadOptions, Step, Table } from "../../database/table/table.ts";
import { leftToOthers } from "../../database/table/timing.ts";
import { attributesOf, type Kept, puttingAside } from "../../database/trash/aside-rows.ts";
import { systemClock } from "../../kernel/clock.ts";
import { canBeId } from "../../kernel/ids.ts";
import { changingRolesOfGroups, revokingRole } from "../../tokens/revocation-store.ts";
import { type AllMembersRead, readAllMembers } from "../memberships/all-members.ts";
import { noteDeletedRoles, removingRolesOfDeleted } from "../memberships/assignees.ts";
import { withoutAssignments } from "../memberships/assignment-clearing.ts";
import {
  afterBulks,
  carryOut,
  checkNoBulk,
  committing,
  ignoreError,
  ignoreFault,
  isBulk,
  prepareBulk,
  settleBulk,
} from "../memberships/bulk.ts";
import { isAbandoned, type OpenBulk, openText } from "../memberships/bulk-model.ts";
import { listingBulk } from "../memberships/bulk-rows.ts";
import { SWEPT_MAX } from "../memberships/clearing.ts";
import {
  groupMembers,
  type Member,
  type MemberPage,
  type MemberRange,
  memberRange,
  type NewMember,
  readMembers,
} from "../memberships/membership.ts";
import {
  addingMember,
  MEMBERS_AT_ONCE,
  membersAmong,
  type Owner,
  removingMember,
  stillPresent,
} from "../memberships/relation.ts";
import { renamingStep } from "../memberships/shown-names.ts";
import { agrees, tallyAfter, tallyOf } from "../memberships/tally.ts";
import { clearGroup, endingTokens, endTokens, endTokensOfRoles, groupBulk, groupClearing } from "./bulk-store.ts";
import { type Group, shownName } from "./model.ts";
import { externalIdSteps, groupItem, groupOf, lookupKey } from "./rows.ts";
import { nameTaken, notFound } from "./rules.ts";
import { type GroupChange, idsOf, indexOf, writeGroup } from "./write-store.ts";

export { groupItem } from "./rows.ts";

/** The steps of a transaction that are left for members and roles when a group is removed. */
const STEPS_BESIDE_REMOVAL = 85;
/** The steps of a transaction that are left for members and their tokens when a group is changed. */
const STEPS_BESIDE_CHANGE = 83;
/** Attempts to read members that agree with the tally. Then a removal continues, because the tally itself is wrong. */
const READS_MAX = 8;

/** How a group is changed. It may be called several times. */
interface GroupEdit<P> {
  /** Read concurrently with the group, for `change`. */
  readonly prepare: () => Promise<P>;
  /** Returns the change of the current state, or `undefined` for none. */
  readonly change: (before: Group, prepared: P) => Promise<GroupChange | undefined>;
  /** The name that the change sets, where it is known beforehand: saves a round trip. */
  readonly newName?: { readonly userStore: string; readonly name: string } | undefined;
}

/** A group that was created. */
interface AddedGroup {
  readonly group: Group;
  /** Its members; `undefined` where they must be read, because some of a bulk could not be added. */
  readonly members: readonly Member[] | undefined;
}

/** The groups of all tenants. */
export interface GroupStore {
  /** One round trip. */
  find(tenant: string, id: string): Promise<Group | undefined>;
  /** Several groups in one round trip, in the order of the ids. */
  findMany(tenant: string, ids: readonly string[], options?: ManyReadOptions): Promise<(Group | undefined)[]>;
  /** The names of several groups, without those that do not exist. One round trip. */
  namesOf(tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The names of a store, for lists. */
  names(tenant: string, userStore: string): NameReads;
  /** The ids of the groups with an external id; more than `most` where more have it. */
  idsByExternalId(tenant: string, externalId: string, most: number): Promise<string[]>;
  /** Members in the order of their ids, up to `most`. One round trip to about 7,000. */
  members(tenant: string, id: string, most: number): Promise<readonly Member[]>;
  /** A part of the members, in the order of their ids, and whether more follow. One round trip. */
  memberRange(tenant: string, id: string, range: MemberRange): Promise<MemberPage>;
  /** All members, in no order. One round trip to about 7,000, few more for any number of them. */
  allMembers(tenant: string, read: AllMembersRead): Promise<readonly Member[]>;
  /** Which of some users are members. One round trip. */
  membersAmong(tenant: string, id: string, userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Creates a group with its members, without users who are deleted meanwhile. Throws `scim.unique`. More than 45
   * members are a bulk. Two round trips up to 45.
   */
  add(tenant: string, group: Group, members: readonly NewMember[]): Promise<AddedGroup>;
  /**
   * Changes a group and returns its new state. More than 45 members are a bulk: all of them are added or removed, or
   * none. Throws `scim.not_found`, `scim.unique`, and what `change` throws. Two round trips up to 45 members; three
   * with another name, where `newName` gave it.
   */
  update<P>(tenant: string, id: string, nowMs: number, edit: GroupEdit<P>): Promise<Group>;
  /**
   * Removes a group: from then on, no user shows it. Throws `scim.not_found`, and what `check` throws. Three round
   * trips up to 45 members. Memberships of a larger group are removed after it, and have no effect until then.
   */
  remove(tenant: string, id: string, check: (group: Group) => void): Promise<void>;
  /**
   * Carries out a bulk membership that was committed, or continues the clearing of a deleted group, if the
   * request that began it has ended.
   */
  settle(tenant: string, open: OpenBulk): Promise<void>;
}

const idInUse: Step["otherwise"] = () => new Error("a new group id is in use");

/** Opens the store on the table of one request. Deleted groups are put aside for `deletedDays`. */
export function groupStore(table: Table, deletedDays = 0): GroupStore {
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

    async idsByExternalId(tenant, externalId, most) {
      const { PK } = lookupKey(tenant, externalId, "-");
      const items = await table.queryAll({ PK, limit: 1_000 }, most + 1);
      return items.map(({ SK }) => SK);
    },

    members: async (tenant, id, most) => (canBeId(id) ? readMembers(table, tenant, id, most) : []),
    memberRange: async (tenant, id, range) =>
      canBeId(id) ? memberRange(table, tenant, id, range) : { members: [], more: false },
    allMembers: (tenant, all) => readAllMembers(table, tenant, all),
    membersAmong: async (tenant, id, userIds) =>
      canBeId(id) ? membersAmong(table, groupMembers, { tenant, id }, userIds) : new Set(),

    add: (tenant, group, members) =>
      (members.length > MEMBERS_AT_ONCE ? addLarge : addSmall)(table, tenant, group, members),

    update: (tenant, id, nowMs, edit) => update(table, { tenant, id }, nowMs, edit),
    remove: (tenant, id, check) =>
      withoutAssignments(table, tenant, { type: "group", id }, deletedDays, (clearing) =>
        remove(table, { tenant, id }, check, { deletedDays, clearing }),
      ),

    async settle(tenant, open) {
      if (open.bulk.purpose !== "clear") return settleBulk(table, groupBulk, tenant, open);
      if (isAbandoned(open.bulk, systemClock.now())) {
        await clearGroup(table, tenant, open, { most: SWEPT_MAX, deletedDays }).catch(ignoreError);
      }
    },
  };
}

async function read(table: Table, { tenant, id }: Owner): Promise<Group | undefined> {
  return canBeId(id) ? groupOf(await table.get(keys.group(tenant, id))) : undefined;
}

/** Creates a group of more members than fit one transaction. */
async function addLarge(
  table: Table,
  tenant: string,
  group: Group,
  members: readonly NewMember[],
): Promise<AddedGroup> {
  const owner = { tenant, id: group.id };
  const index = indexOf(table, tenant, group.userStore);
  if (await index.find(nameKey(group.displayName))) throw nameTaken(shownName(group));
  const { bulk } = await whileStale(async () => {
    const prepared = await prepareBulk(table, groupBulk, owner, { adding: idsOf(members), removing: [] });
    const item = groupItem(tenant, { ...group, ...tallyOf(idsOf(members)), bulk: prepared.bulk });
    await committing(prepared, () =>
      index.create({
        key: nameKey(group.displayName),
        entry: { id: group.id },
        steps: [
          { put: item, when: "absent", otherwise: idInUse },
          ...externalIdSteps(tenant, group.id, undefined, group.externalId),
          ...prepared.steps,
          ...(prepared.toList ? [listingBulk(tenant, prepared.toList)] : []),
        ],
        taken: () => nameTaken(shownName(group)),
      }),
    );
    return prepared;
  });
  await carryOut(table, groupBulk, owner, bulk);
  const after = (await read(table, owner)) ?? group;
  return { group: after, members: agrees(after, idsOf(members)) ? members : undefined };
}

/** Creates a group of few members. */
function addSmall(table: Table, tenant: string, group: Group, members: readonly NewMember[]): Promise<AddedGroup> {
  const owner = { tenant, id: group.id };
  return whileStale(async (attempts) => {
    const present = await stillPresent(table, groupMembers, tenant, members, attempts);
    const after: Group = { ...group, ...tallyOf(idsOf(present)) };
    await indexOf(table, tenant, group.userStore).create({
      key: nameKey(group.displayName),
      entry: { id: group.id },
      steps: [
        { put: groupItem(tenant, after), when: "absent", otherwise: idInUse },
        ...externalIdSteps(tenant, group.id, undefined, group.externalId),
        ...present.flatMap((member) => addingMember(groupMembers, owner, member)),
      ],
      taken: () => nameTaken(shownName(group)),
    });
    return { group: after, members: present };
  });
}

async function update<P>(
  table: Table,
  owner: Owner,
  nowMs: number,
  { prepare, change, newName }: GroupEdit<P>,
): Promise<Group> {
  const { tenant, id } = owner;
  const after = await afterBulks(table, groupBulk, owner, async () => {
    const [before, prepared, near] = await Promise.all([
      read(table, owner),
      prepare(),
      newName && indexOf(table, tenant, newName.userStore).locate(nameKey(newName.name)),
    ]);
    if (!before) throw notFound(id);
    checkNoBulk(before);
    const changed = await change(before, prepared);
    if (!changed) return before;
    const { adding, removing } = changed;
    const changes = { adding: idsOf(adding), removing };
    const ending = isBulk(changes) ? [] : endingTokens(tenant, before, removing);
    const hasRoom = !isBulk(changes) && adding.length * 2 + removing.length * 2 + ending.length <= STEPS_BESIDE_CHANGE;
    if (!hasRoom) await endTokens(table, tenant, before, removing);
    const tally = tallyAfter(before, changes.adding, removing);
    const written: Group = { ...changed.after, version: before.version + 1, modifiedMs: nowMs, ...tally };
    const hint = newName?.userStore === written.userStore ? near : undefined;
    if (!isBulk(changes)) {
      await writeGroup(table, tenant, before, {
        ...changed,
        after: written,
        near: hint,
        ending: hasRoom ? ending : [],
      });
      if (!hasRoom) await endTokens(leftToOthers(table), tenant, before, removing);
      return written;
    }
    const bulk = await prepareBulk(table, groupBulk, owner, changes);
    const withBulk: Group = { ...written, bulk: bulk.bulk };
    await committing(bulk, () =>
      writeGroup(table, tenant, before, { ...changed, after: withBulk, near: hint, prepared: bulk }),
    );
    return withBulk;
  });
  if (!after.bulk) return after;
  await carryOut(table, groupBulk, owner, after.bulk);
  return (await read(table, owner)) ?? after;
}

async function remove(
  table: Table,
  owner: Owner,
  check: (group: Group) => void,
  { deletedDays, clearing: others }: { readonly deletedDays: number; readonly clearing: () => Promise<void> },
): Promise<void> {
  const { tenant, id } = owner;
  if (!canBeId(id)) throw notFound(id);
  const removal = { nowMs: systemClock.now(), deleted: new Set<string>() };
  const clearing = await afterBulks(table, groupBulk, owner, async (attempts) => {
    const [group, { members, more }] = await Promise.all([
      read(table, owner),
      memberRange(table, tenant, id, { limit: MEMBERS_AT_ONCE + 1 }),
    ]);
    if (!group) throw notFound(id);
    check(group);
    checkNoBulk(group);
    const { version, roleIds } = group;
    await noteDeletedRoles(table, tenant, roleIds, removal.deleted);
    // A Query may show half of a transaction.
    if (!more && !agrees(group, idsOf(members)) && attempts < READS_MAX) throw stale();
    const ending = roleIds.flatMap((roleId) => revokingRole(tenant, roleId));
    const steps = (members.length + roleIds.length) * 2;
    const hasRoom = !more && steps + ending.length <= STEPS_BESIDE_REMOVAL;
    // Before and after the change, as `endTokens` says.
    if (!hasRoom) await endTokensOfRoles(table, tenant, roleIds);
    const isSmall = !more && steps <= STEPS_BESIDE_REMOVAL;
    const { open, steps: leaving } = isSmall
      ? {
          open: undefined,
          steps: [
            ...removingRolesOfDeleted(tenant, { kind: "group", id }, roleIds, removal),
            ...members.flatMap(({ userId }) => removingMember(groupMembers, owner, userId)),
            ...(hasRoom ? ending : []),
          ],
        }
      : groupClearing(owner, roleIds);
    await indexOf(table, tenant, group.userStore).remove({
      key: nameKey(group.displayName),
      id,
      steps: [
        { remove: keys.group(tenant, id), when: { equal: { ver: version } }, otherwise: stale },
        ...externalIdSteps(tenant, id, group.externalId, undefined),
        renamingStep(tenant, open),
        ...(roleIds.length > 0 ? [changingRolesOfGroups(tenant)] : []),
        ...leaving,
        ...puttingAside(tenant, asideOf(tenant, group, open ? [] : members, open), systemClock.now(), deletedDays),
      ],
      notOwned: stale,
    });
    if (!hasRoom) await endTokensOfRoles(leftToOthers(table), tenant, roleIds);
    return open;
  });
  // The group is deleted; what is left of its members is on the tenant's list.
  if (!clearing) return;
  await others();
  await clearGroup(table, tenant, clearing, { deletedDays }).catch(ignoreFault);
}

function asideOf(tenant: string, group: Group, members: readonly Member[], open: OpenBulk | undefined): Kept {
  const owner = { tenant, id: group.id };
  return {
    type: "group",
    id: group.id,
    name: shownName(group),
    item: attributesOf(groupItem(tenant, group)),
    members: members.map(({ userId }) => groupMembers.pairKey(owner, userId).SK),
    clearing: open && openText(open),
  };
}
