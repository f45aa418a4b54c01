/**
 * How users are kept: one item each (with the ids of its groups and roles), an entry in the name index of its store, and a
 * lookup item for each value it is found by. The password lies elsewhere, where this store cannot read it.
 */

import type { QualifiedName } from "../../domain/username.ts";
import { foldName } from "../../platform/fold.ts";
import { canBeId } from "../../platform/ids.ts";
import type { BoundFilter } from "../../scim/filter/bound.ts";
import { keys } from "../../table/keys.ts";
import { covers, type Range } from "../../table/name-index/items.ts";
import { nameIndex } from "../../table/name-index/name-index.ts";
import { nameKey } from "../../table/name-index/name-key.ts";
import type { NameReads } from "../../table/name-index/reads.ts";
import { stale, whileStale } from "../../table/stale.ts";
import type { Item, ReadOptions, Step, Table } from "../../table/table.ts";
import { forgettingHolder, losingRoles } from "../memberships/assignees.ts";
import { leavingGroups, leavingSteps } from "../memberships/membership.ts";
import { findByLookup, type Lookup, lookupSteps } from "./lookups.ts";
import { qualifiedName, type User } from "./model.ts";
import { nameTaken, notFound } from "./rules.ts";

/** A name in a store. */
export type StoreName = Pick<QualifiedName, "userStore" | "name">;

/** Groups whose copy of a user's name is changed in the transaction that renames the user. */
const GROUPS_RENAMED_AT_ONCE = 40;
/** Groups and roles that a user leaves in the transaction that removes it; two steps and one. */
const GROUPS_LEFT_LAST = 28;
const ROLES_LOST_LAST = 19;
/** Groups, or roles, of which a user who is in more takes leave before, in transactions of their own. */
const GROUPS_LEFT_AT_ONCE = 45;
const ROLES_LOST_AT_ONCE = 90;

/** Bytes of a user as JSON; an item holds 400 KB, and the ids of groups need some of it. */
export const USER_BYTES_MAX = 250_000;

/** What a change makes of a user. */
export interface UserChange {
  readonly after: User;
  /** Written in the same transaction: the credential, for example. At most 5. */
  readonly steps?: readonly Step[];
  /** Judges the change beside what else has to be read for it; where it is rejected, nothing is written. */
  readonly allowed?: Promise<void>;
  /** A new password, for a user store that is kept elsewhere; here it is a credential among the steps. */
  readonly password?: string | undefined;
}

/** How a user is removed. */
export interface Removal {
  /** Given the user that is there, throws where it may not be removed. Not asked again once the removal has begun. */
  readonly check: (user: User) => Promise<void> | void;
  /** Written in the same transaction: the end of the credential, for example. At most 5. */
  readonly steps: (user: User) => readonly Step[];
}

/** How a new user is kept. */
export interface Adding {
  /** Written in the same transaction: its credential, its roles. */
  readonly steps?: readonly Step[];
  /** Makes what is thrown when the name is in use. */
  readonly taken?: () => Error;
  /** As in a change. */
  readonly password?: string | undefined;
}

/** How several users are read. */
export interface UsersRead extends ReadOptions {
  /** The user store that they are of; users of others may be missing then. */
  readonly userStore?: string;
}

/** Who may be meant by a name, and how to tell. */
export interface NamedUser {
  readonly user: User | undefined;
  /** Changes whenever another password may be right. */
  readonly mark: string;
  /** Asks where the user is kept. False for a name that nobody has, after the same work. */
  verify(password: string): Promise<boolean>;
}

/** The user stores that are kept elsewhere: directories. Throws `service.unavailable` where one cannot be asked. */
export interface UsersElsewhere {
  has(tenant: string, userStore: string): boolean;
  isReadOnly(tenant: string, userStore: string): boolean;
  /** True where totals of lists count all matches; otherwise those of the page. */
  readonly countsAll: boolean;
  lookUp(name: QualifiedName): Promise<NamedUser>;
  /** The users of a store, at least those that match, in pages of at most so many, in an order that lasts while nothing changes. */
  walk(
    tenant: string,
    userStore: string,
    filter: BoundFilter | undefined,
    limit: number,
  ): AsyncIterable<readonly User[]>;
  /** Sees to it that users have the items, under the names they have now, that transactions on groups and roles demand. */
  anchor(tenant: string, users: readonly User[]): Promise<void>;
}

/** The users of all tenants. */
export interface UserStore {
  /** The user stores that are not in the table, where there are any. */
  readonly elsewhere?: UsersElsewhere;
  /** One round trip. Users of another store than `userStore`, where it is given, may be missing. */
  find(tenant: string, id: string, userStore?: string): Promise<User | undefined>;
  /** Several users in one round trip, in the order of the ids; those that are gone are `undefined`. */
  findMany(tenant: string, ids: readonly string[], options?: UsersRead): Promise<(User | undefined)[]>;
  /** The id behind a name. One round trip. */
  idOf(name: QualifiedName): Promise<string | undefined>;
  /** The names of a store, for lists. */
  names(tenant: string, userStore: string): NameReads;
  /** The ids of the users with a value; more than `most` where there are more. One round trip to 1,000. */
  idsBy(tenant: string, lookup: Lookup, most: number): Promise<string[]>;
  /**
   * Keeps a new user, and answers it as it is then: one that is kept elsewhere is given its id there. Throws what `taken`
   * makes when the name is in use. Two round trips.
   */
  add(tenant: string, user: User, adding?: Adding): Promise<User>;
  /**
   * Changes a user: `change` is given what is there and answers what shall be (with the same id and store), or `undefined`
   * to leave it. It is called again when another writer was faster. Answers the user as it is then. Throws `scim.not_found`,
   * `scim.unique`, and what `change` throws. Two round trips; three with another name, where `wishedName` told it.
   */
  update(
    tenant: string,
    id: string,
    change: (before: User) => Promise<UserChange | undefined> | UserChange | undefined,
    wishedName?: StoreName,
  ): Promise<User>;
  /**
   * Removes a user with its name, lookups, memberships and roles. Throws `scim.not_found`, and what `check` throws. Three
   * round trips; a user in more than 28 groups leaves the others first, in further ones.
   */
  remove(tenant: string, id: string, nowMs: number, removal: Removal): Promise<void>;
}

/** The item of a user, also for a loader into an empty table. */
export function userItem(tenant: string, user: User): Item {
  return {
    ...keys.user(tenant, user.id),
    id: user.id,
    userName: user.userName,
    userStore: user.userStore,
    active: user.active,
    hasPassword: user.hasPassword,
    created: user.createdMs,
    modified: user.modifiedMs,
    ver: user.version,
    profile: JSON.stringify(user.profile),
    ...(user.groupIds.length > 0 && { groups: new Set(user.groupIds) }),
    ...(user.roleIds.length > 0 && { roles: new Set(user.roleIds) }),
  };
}

/** Opens the store on the table of one request. */
export function userStore(table: Table): UserStore {
  const indexOf = (tenant: string, store: string) => nameIndex(table, keys.userNames(tenant, store));
  const read = async (tenant: string, id: string): Promise<User | undefined> => {
    if (!canBeId(id)) return undefined;
    const item = await table.get(keys.user(tenant, id));
    return item && toUser(item);
  };

  /** The steps that tell groups the new name of a member. */
  const renamed = (tenant: string, user: User, groupIds: readonly string[]): Step[] =>
    groupIds.map((groupId) => ({
      change: keys.member(tenant, groupId, user.id),
      set: { name: qualifiedName(user) },
      when: "present",
      otherwise: stale,
    }));

  /** Tells further groups, unless the user has another name again by then: whoever gave it that one tells them. */
  const renameRest = async (tenant: string, { id, userName, groupIds }: User): Promise<void> => {
    for (let at = GROUPS_RENAMED_AT_ONCE; at < groupIds.length; at += GROUPS_RENAMED_AT_ONCE) {
      const some = groupIds.slice(at, at + GROUPS_RENAMED_AT_ONCE);
      await whileStale(async () => {
        const user = await read(tenant, id);
        if (user?.userName !== userName) return;
        const still = some.filter((groupId) => user.groupIds.includes(groupId));
        const named: Step = { check: keys.user(tenant, id), when: { equal: { userName } }, otherwise: stale };
        if (still.length > 0) await table.write(named, ...renamed(tenant, user, still));
      });
    }
  };

  /** `near` is where the new name belongs, as far as it was known beforehand. */
  const write = async (
    tenant: string,
    before: User,
    { after, steps = [], allowed }: UserChange,
    near: Range | undefined,
  ) => {
    const item: Step = { put: userItem(tenant, after), when: { equal: { ver: before.version } }, otherwise: stale };
    const own = [item, ...lookupSteps(tenant, after.id, before.profile, after.profile, stale), ...steps];
    if (after.userName === before.userName) {
      await allowed;
      return table.write(...own);
    }
    const index = indexOf(tenant, after.userStore);
    const from = nameKey(before.userName);
    const [left] = await Promise.all([near && covers(near, from) ? near : index.locate(from), allowed]);
    const inTransaction = after.groupIds.slice(0, GROUPS_RENAMED_AT_ONCE);
    await index.rename({
      from,
      to: nameKey(after.userName),
      entry: { id: after.id },
      steps: [...own, ...renamed(tenant, after, inTransaction)],
      taken: () => nameTaken(after.userName),
      gone: stale,
      left,
      near,
    });
    await renameRest(tenant, after);
  };

  return {
    find: read,

    async findMany(tenant, ids, options) {
      const known = ids.filter((id) => canBeId(id));
      const items = await table.getMany(
        known.map((id) => keys.user(tenant, id)),
        options,
      );
      const users = new Map(items.flatMap((item) => (item ? [[item.id as string, toUser(item)]] : [])));
      return ids.map((id) => users.get(id));
    },

    async idOf({ tenant, userStore: store, name }) {
      const entry = await table.get(keys.userNames(tenant, store).entry(foldName(name)));
      return entry && String(entry.id);
    },

    names: indexOf,

    idsBy: (tenant, lookup, most) => findByLookup(table, tenant, lookup, most),

    async add(tenant, user, { steps = [], taken = () => nameTaken(user.userName) } = {}) {
      const otherwise: Step["otherwise"] = () => new Error("a fresh user id is in use");
      await indexOf(tenant, user.userStore).create({
        key: nameKey(user.userName),
        entry: { id: user.id },
        steps: [
          { put: userItem(tenant, user), when: "absent", otherwise },
          ...lookupSteps(tenant, user.id, {}, user.profile, otherwise),
          ...steps,
        ],
        taken,
      });
      return user;
    },

    update: (tenant, id, change, wishedName) =>
      whileStale(async () => {
        const [before, near] = await Promise.all([
          read(tenant, id),
          wishedName && indexOf(tenant, wishedName.userStore).locate(nameKey(wishedName.name)),
        ]);
        if (!before) throw notFound(id);
        const wished = await change(before);
        if (!wished) return before;
        const after = { ...wished.after, version: before.version + 1 };
        await write(tenant, before, { ...wished, after }, wishedName?.userStore === after.userStore ? near : undefined);
        return after;
      }),

    remove: (tenant, id, nowMs, { check, steps }) => {
      /** Groups that turned out to be deleted: nobody has to tell them that a member went. */
      const gone = new Set<string>();
      const leaving = (groupId: string): Step[] =>
        leavingSteps(tenant, {
          groupId,
          userId: id,
          nowMs,
          isGone: gone.has(groupId),
          onGone: () => gone.add(groupId),
        });
      let isBegun = false;
      /** One transaction by which a user comes to have fewer groups or roles; false when they are few enough. */
      const takeLeave = async ({ version, groupIds, roleIds }: User): Promise<boolean> => {
        if (groupIds.length > GROUPS_LEFT_LAST) {
          const some = groupIds.slice(0, GROUPS_LEFT_AT_ONCE);
          await table.write(...some.flatMap(leaving), leavingGroups(tenant, id, some, { equal: { ver: version } }));
        } else if (roleIds.length > ROLES_LOST_LAST) {
          await table.write(
            ...losingRoles(tenant, { kind: "user", id }, version, roleIds.slice(0, ROLES_LOST_AT_ONCE)),
          );
        } else {
          return false;
        }
        isBegun = true;
        return true;
      };
      return whileStale(async () => {
        let user = await read(tenant, id);
        let near: Range | undefined;
        if (user && !isBegun) {
          const index = indexOf(tenant, user.userStore);
          [near] = await Promise.all([index.locate(nameKey(user.userName)), check(user)]);
        }
        while (user && (await takeLeave(user))) user = await read(tenant, id);
        if (!user) throw notFound(id);
        await indexOf(tenant, user.userStore).remove({
          key: nameKey(user.userName),
          id,
          steps: [
            { remove: keys.user(tenant, id), when: { equal: { ver: user.version } }, otherwise: stale },
            ...lookupSteps(tenant, id, user.profile, {}, stale),
            ...user.groupIds.flatMap(leaving),
            ...forgettingHolder(tenant, { kind: "user", id }, user.roleIds),
            ...steps(user),
          ],
          gone: stale,
          near,
        });
      });
    },
  };
}

function toUser(item: Item): User {
  return {
    id: item.id as string,
    userName: item.userName as string,
    userStore: item.userStore as string,
    active: item.active === true,
    hasPassword: item.hasPassword === true,
    createdMs: item.created as number,
    modifiedMs: item.modified as number,
    version: item.ver as number,
    // One text is read many times faster than a tree of attribute values; nothing looks into it but this store.
    profile: JSON.parse(item.profile as string) as User["profile"],
    groupIds: idsOf(item.groups),
    roleIds: idsOf(item.roles),
  };
}

function idsOf(value: Item[string]): string[] {
  return value instanceof Set ? [...value].sort() : [];
}
