/** How groups are kept: one item each, an entry in the name index of their store, a lookup item for the external id, and their members. */
import { canBeId } from "../../platform/ids.ts";
import { keys } from "../../table/keys.ts";
import type { Range } from "../../table/name-index/items.ts";
import { nameIndex } from "../../table/name-index/name-index.ts";
import { nameKey } from "../../table/name-index/name-key.ts";
import type { NameReads } from "../../table/name-index/reads.ts";
import { stale, whileStale } from "../../table/stale.ts";
import type { ReadOptions, Step, Table } from "../../table/table.ts";
import { revokingRole, revokingUser } from "../../tokens/revocation-store.ts";
import { forgettingHolder, losingRoles } from "../memberships/assignees.ts";
import {
  changeMembers,
  clearMembers,
  MEMBERS_AT_ONCE,
  type MemberChange,
  stillThere,
} from "../memberships/bulk-members.ts";
import { type RollCall, readAllMembers } from "../memberships/large-groups.ts";
import {
  type Joiner,
  joiningSteps,
  type Member,
  type MemberRange,
  memberRange,
  membersAmong,
  partingSteps,
  readMembers,
  touchingGroup,
} from "../memberships/membership.ts";
import { renamingStep } from "../memberships/shown-names.ts";
import { externalIdSteps, finishing, groupItem, groupOf, unfinishedItem } from "./items.ts";
import { agrees, type Group, shownName, type Tally, tallyAfter, tallyOf } from "./model.ts";
import { nameTaken, notFound } from "./rules.ts";

export { groupItem } from "./items.ts";

/** Roles that go in the transaction that removes their group. */
const ROLES_AT_ONCE = 40;
/** The steps of a transaction, without those that remove a group itself: its item, name, lookup, and the mark of the change. */
const STEPS_BESIDE_REMOVAL = 94;
/** Looks at the members of a group that is to go, before a count that never fits them holds up nothing any more. */
const LOOKS_MAX = 8;

/** What a change makes of a group. */
interface GroupChange {
  /** The group with its other attributes; the store sets version, time and count. */
  readonly after: Group;
  /** Users who are no members yet. */
  readonly joining: readonly Joiner[];
  /** The ids of members who go. */
  readonly leaving: readonly string[];
  /** True where it is only to be made of the very group that was given. Otherwise members may come and go beside it. */
  readonly isExact?: boolean;
}

/** How a group is to be changed. It may be tried several times. */
interface GroupEdit<P> {
  /** Read beside the group, for `change`. */
  readonly prepare: () => Promise<P>;
  /** Given what is there, answers what shall be, or `undefined` to leave it. */
  readonly change: (before: Group, prepared: P) => Promise<GroupChange | undefined>;
  /** The name that the change sets, where it is known beforehand: saves a round trip. */
  readonly wishedName?: { readonly userStore: string; readonly name: string } | undefined;
}

/** The groups of all tenants. */
export interface GroupStore {
  /** One round trip. */
  find(tenant: string, id: string): Promise<Group | undefined>;
  /** Several groups in one round trip, in the order of the ids. */
  findMany(tenant: string, ids: readonly string[], options?: ReadOptions): Promise<(Group | undefined)[]>;
  /** The names of several groups, as far as they exist. One round trip. */
  namesOf(tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The names of a store, for lists. */
  names(tenant: string, userStore: string): NameReads;
  /** The ids of the groups with an external id. */
  idsByExternalId(tenant: string, externalId: string): Promise<string[]>;
  /** Members in the order of their ids, up to `most`. One round trip to about 7,000. */
  members(tenant: string, id: string, most: number): Promise<readonly Member[]>;
  /** A part of the members, in the order of their ids, and whether more follow. One round trip. */
  memberRange(
    tenant: string,
    id: string,
    range: MemberRange,
  ): Promise<{ readonly members: readonly Member[]; readonly more: boolean }>;
  /** All members, in no order. One round trip to about 7,000, few more for any number of them. */
  allMembers(tenant: string, call: RollCall): Promise<readonly Member[]>;
  /** Which of some users are members. One round trip. */
  membersAmong(tenant: string, id: string, userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Keeps a new group with its members, but for those who are deleted meanwhile, and answers it. Throws `scim.unique`. It is
   * there with all of them or not at all; beyond 45 members in several transactions, of which the last makes it visible.
   * Two round trips up to there.
   */
  add(tenant: string, group: Group, members: readonly Joiner[]): Promise<Group>;
  /**
   * Changes a group. Up to 45 members join or leave in the transaction that changes it; more do so in further ones behind it.
   * Answers the group as it is then. Throws `scim.not_found`, `scim.unique`, and what `change` throws. Two round trips
   * up to there; three with another name, where `wishedName` told it.
   */
  update<P>(tenant: string, id: string, nowMs: number, edit: GroupEdit<P>): Promise<Group>;
  /**
   * Removes a group. Its users show it no more from that moment on. Throws `scim.not_found`, and what `check` throws.
   * Three round trips up to 45 members; behind a larger group some of its memberships may be left, which lead nowhere.
   */
  remove(tenant: string, id: string, check: (group: Group) => void): Promise<void>;
}

const inUse: Step["otherwise"] = () => new Error("a fresh group id is in use");

/** Opens the store on the table of one request. */
export function groupStore(table: Table): GroupStore {
  const indexOf = (tenant: string, store: string) => nameIndex(table, keys.groupNames(tenant, store));
  const read = async (tenant: string, id: string): Promise<Group | undefined> => {
    if (!canBeId(id)) return undefined;
    return groupOf(await table.get(keys.group(tenant, id)));
  };
  const findMany: GroupStore["findMany"] = async (tenant, ids, options) => {
    const items = await table.getMany(
      ids.filter((id) => canBeId(id)).map((id) => keys.group(tenant, id)),
      options,
    );
    const groups = new Map(items.flatMap((item) => groupOf(item) ?? []).map((group) => [group.id, group]));
    return ids.map((id) => groups.get(id));
  };

  /** The group's own steps and the first members' in one transaction, through the name index where the name changes. */
  const writeGroup = async (
    tenant: string,
    before: Group,
    after: Group,
    { joining, leaving }: { readonly joining: readonly Joiner[]; readonly leaving: readonly string[] },
    { near, isExact }: { readonly near: Range | undefined; readonly isExact: boolean | undefined },
  ): Promise<void> => {
    const { id, userStore } = after;
    const isRenamed = after.displayName !== before.displayName;
    const isOnlyTouched = !isExact && !isRenamed && after.externalId === before.externalId;
    const own: Step = isOnlyTouched
      ? touchingGroup(tenant, id, { nowMs: after.modifiedMs, joined: idsOf(joining), left: leaving })
      : { put: groupItem(tenant, after), when: { equal: { ver: before.version } }, otherwise: stale };
    const steps = [
      own,
      ...externalIdSteps(tenant, id, before.externalId, after.externalId),
      ...leaving.flatMap((userId) => partingSteps(tenant, id, userId)),
      ...joining.flatMap((joiner) => joiningSteps(tenant, id, joiner)),
    ];
    if (!isRenamed) return table.write(...steps);
    await indexOf(tenant, userStore).rename({
      from: nameKey(before.displayName),
      to: nameKey(after.displayName),
      entry: { id },
      steps: [...steps, renamingStep(tenant)],
      taken: () => nameTaken(shownName(after)),
      gone: stale,
      near,
    });
  };

  /** Keeps a new group in the transaction that claims its name; `first` are its members, or the last of them to come. */
  const claimName = (
    tenant: string,
    group: Group,
    first: readonly Joiner[],
    itemSteps: (joining: Tally) => readonly Step[],
  ): Promise<Tally> =>
    whileStale(async (attempts) => {
      const joiners = await stillThere(table, tenant, group, first, attempts);
      const tally = tallyOf(idsOf(joiners));
      await indexOf(tenant, group.userStore).create({
        key: nameKey(group.displayName),
        entry: { id: group.id },
        steps: [
          ...itemSteps(tally),
          ...externalIdSteps(tenant, group.id, undefined, group.externalId),
          ...joiners.flatMap((joiner) => joiningSteps(tenant, group.id, joiner)),
        ],
        taken: () => nameTaken(shownName(group)),
      });
      return tally;
    });

  /** Makes a group of many members. */
  const addLarge = async (tenant: string, group: Group, members: readonly Joiner[]): Promise<Group> => {
    const { id, createdMs } = group;
    const [first, rest] = [members.slice(0, MEMBERS_AT_ONCE), members.slice(MEMBERS_AT_ONCE)];
    if (await indexOf(tenant, group.userStore).find(nameKey(group.displayName))) throw nameTaken(shownName(group));
    await table.write({ put: unfinishedItem(tenant, { ...group, ...tallyOf([]) }), when: "absent", otherwise: inUse });
    try {
      const joining = rest.map(({ userId }): MemberChange => ({ userId, joins: true }));
      await changeMembers(table, tenant, group, createdMs, joining);
      await claimName(tenant, group, first, (tally) => [finishing(tenant, id, tally)]);
    } catch (error) {
      // Nothing of it shows. What cannot be cleared up either does no harm, and the caller learns the first reason.
      await clearMembers(table, tenant, id).then(
        () => table.forget(keys.group(tenant, id)),
        () => undefined,
      );
      throw error;
    }
    return (await read(tenant, id)) ?? group;
  };

  /** Ends the access tokens that rest on some roles. Each is two of a transaction. */
  const endTokensOfRoles = async (tenant: string, roleIds: readonly string[]): Promise<void> => {
    for (let at = 0; at < roleIds.length; at += MEMBERS_AT_ONCE) {
      await table.write(...roleIds.slice(at, at + MEMBERS_AT_ONCE).flatMap((roleId) => revokingRole(tenant, roleId)));
    }
  };

  /**
   * Ends the tokens of members who go, where the group brings roles. It is written ahead of the change, which has not the room
   * for it: a revocation is dated further ahead than the change can take, and one too many only asks for another token.
   */
  const endTokens = async (tenant: string, { roleIds }: Group, leaving: readonly string[]): Promise<void> => {
    if (roleIds.length === 0 || leaving.length === 0) return;
    if (leaving.length > MEMBERS_AT_ONCE) return endTokensOfRoles(tenant, roleIds);
    await table.write(...leaving.flatMap((userId) => revokingUser(tenant, userId)));
  };

  return {
    find: read,
    findMany,

    names: indexOf,

    async namesOf(tenant, ids) {
      const groups = await findMany(tenant, ids);
      return new Map(groups.flatMap((group) => (group ? [[group.id, shownName(group)] as const] : [])));
    },

    async idsByExternalId(tenant, externalId) {
      const { PK } = keys.lookup(tenant, "groupExternalId", externalId, "-");
      const items = await table.queryAll({ PK, limit: 1_000 });
      return items.map(({ SK }) => SK);
    },

    members: async (tenant, id, most) => (canBeId(id) ? readMembers(table, tenant, id, most) : []),
    memberRange: async (tenant, id, range) =>
      canBeId(id) ? memberRange(table, tenant, id, range) : { members: [], more: false },
    allMembers: (tenant, call) => readAllMembers(table, tenant, call),
    membersAmong: async (tenant, id, userIds) => (canBeId(id) ? membersAmong(table, tenant, id, userIds) : new Set()),

    async add(tenant, group, members) {
      if (members.length > MEMBERS_AT_ONCE) return addLarge(tenant, group, members);
      const tally = await claimName(tenant, group, members, (joining) => [
        { put: groupItem(tenant, { ...group, ...joining }), when: "absent", otherwise: inUse },
      ]);
      return { ...group, ...tally };
    },

    update: (tenant, id, nowMs, { prepare, change, wishedName }) =>
      whileStale(async () => {
        const [before, prepared, near] = await Promise.all([
          read(tenant, id),
          prepare(),
          wishedName && indexOf(tenant, wishedName.userStore).locate(nameKey(wishedName.name)),
        ]);
        if (!before) throw notFound(id);
        const wished = await change(before, prepared);
        if (!wished) return before;
        await endTokens(tenant, before, wished.leaving);
        const leavingNow = wished.leaving.slice(0, MEMBERS_AT_ONCE);
        const joiningNow = wished.joining.slice(0, MEMBERS_AT_ONCE - leavingNow.length);
        const after: Group = {
          ...wished.after,
          version: before.version + 1,
          modifiedMs: nowMs,
          ...tallyAfter(before, idsOf(joiningNow), leavingNow),
        };
        const moving = { joining: joiningNow, leaving: leavingNow };
        await writeGroup(tenant, before, after, moving, {
          near: wishedName?.userStore === after.userStore ? near : undefined,
          isExact: wished.isExact,
        });
        const rest: MemberChange[] = [
          ...wished.leaving.slice(leavingNow.length).map((userId) => ({ userId, joins: false })),
          ...wished.joining.slice(joiningNow.length).map(({ userId }) => ({ userId, joins: true })),
        ];
        if (rest.length === 0) return after;
        await changeMembers(table, tenant, after, nowMs, rest);
        return (await read(tenant, id)) ?? after;
      }),

    async remove(tenant, id, check) {
      if (!canBeId(id)) throw notFound(id);
      const holder = { kind: "group", id } as const;
      let isBegun = false;
      const isCleared = await whileStale(async (attempts) => {
        const [found, { members, more }] = await Promise.all([
          read(tenant, id),
          memberRange(table, tenant, id, { limit: MEMBERS_AT_ONCE + 1 }),
        ]);
        let group = found;
        if (group && !isBegun) check(group);
        for (; group && group.roleIds.length > ROLES_AT_ONCE; group = await read(tenant, id)) {
          const some = group.roleIds.slice(0, ROLES_AT_ONCE);
          await endTokensOfRoles(tenant, some);
          await table.write(...losingRoles(tenant, holder, group.version, some));
          isBegun = true;
        }
        if (!group) throw notFound(id);
        const { version, roleIds } = group;
        // A Query may show half of a transaction.
        if (!more && !agrees(group, idsOf(members)) && attempts < LOOKS_MAX) throw stale();
        await endTokensOfRoles(tenant, roleIds);
        const isSmall = !more && members.length * 2 + roleIds.length <= STEPS_BESIDE_REMOVAL;
        await indexOf(tenant, group.userStore).remove({
          key: nameKey(group.displayName),
          id,
          steps: [
            { remove: keys.group(tenant, id), when: { equal: { ver: version } }, otherwise: stale },
            ...externalIdSteps(tenant, id, group.externalId, undefined),
            ...forgettingHolder(tenant, holder, roleIds),
            renamingStep(tenant),
            ...(isSmall ? members.flatMap(({ userId }) => partingSteps(tenant, id, userId)) : []),
          ],
          gone: stale,
        });
        return isSmall;
      });
      if (!isCleared) await clearMembers(table, tenant, id);
    },
  };
}

function idsOf(members: readonly Member[]): string[] {
  return members.map(({ userId }) => userId);
}
