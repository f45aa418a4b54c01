/**
 * Stores users: one row each (with the ids of its groups and roles), an entry in the name index of its store, and a
 * lookup row for each value by which it is found. Credentials have rows of their own, which this store cannot read.
 */
import type { QualifiedName } from "../../domain/username.ts";
import { systemClock } from "../../platform/clock.ts";
import { foldName } from "../../platform/fold.ts";
import { canBeId } from "../../platform/ids.ts";
import type { BoundFilter } from "../../scim/filter/bound.ts";
import { keys } from "../../table/keys.ts";
import { covers, entryOf, type Range } from "../../table/name-index/items.ts";
import { type NameIndex, nameIndex } from "../../table/name-index/name-index.ts";
import { nameKey } from "../../table/name-index/name-key.ts";
import type { NameReads } from "../../table/name-index/reads.ts";
import { stale, whileStale } from "../../table/stale.ts";
import type { ReadOptions, Step, Table } from "../../table/table.ts";
import { ignoreError, ignoreFault } from "../memberships/bulk.ts";
import { isAbandoned, type OpenBulk } from "../memberships/bulk-model.ts";
import { renamingMember } from "../memberships/membership.ts";
import { chunks } from "../memberships/relation.ts";
import { clearOwners, removingOwners } from "./clearing-store.ts";
import { findByLookup, type Lookup, lookupSteps } from "./lookup-rows.ts";
import { qualifiedName, type User } from "./model.ts";
import { toUser, userItem } from "./rows.ts";
import { nameTaken, notFound } from "./rules.ts";

export { userItem } from "./rows.ts";

/** A name in a store. */
export type StoreName = Pick<QualifiedName, "userStore" | "name">;

/** Groups whose copy of a user's name is changed in the transaction that renames the user. */
const GROUPS_RENAMED_AT_ONCE = 40;

/** Bytes of a user as JSON; a row holds 400 KB, and the ids of groups need some of it. */
export const USER_BYTES_MAX = 250_000;

/** A change of a user. */
export interface UserChange {
  readonly after: User;
  /** Written in the same transaction: the credential, for example. At most 5. */
  readonly steps?: readonly Step[];
  /** A check that reads more. Nothing is written where it is rejected. */
  readonly allowed?: Promise<void>;
  /** A new password, for an external user store; in this store it is a credential among the steps. */
  readonly password?: string | undefined;
  /** What the record of the change shows, where the row holds a part of the user only. */
  readonly noted?: NotedUsers;
}

/** The states of a user that a change record compares. */
export interface NotedUsers {
  readonly before?: User | undefined;
  readonly after?: User | undefined;
  readonly hasNewPassword?: boolean;
}

/** The removal of a user. */
export interface Removal {
  /** Throws where the user may not be removed. */
  readonly check: (user: User) => Promise<void> | void;
  /** Written in the same transaction: the removal of the credential, for example. At most 5. */
  readonly steps: (user: User) => readonly Step[];
}

/** What is stored with a new user. */
export interface Adding {
  /** Written in the same transaction: its credential, its roles. */
  readonly steps?: readonly Step[];
  /** The error when the name is in use. */
  readonly taken?: () => Error;
  /** As in a change. */
  readonly allowed?: Promise<void> | undefined;
  readonly password?: string | undefined;
  readonly noted?: NotedUsers;
}

/** How several users are read. */
export interface UsersRead extends ReadOptions {
  /** The user store of all of them; users of other stores may be missing from the result. */
  readonly userStore?: string;
}

/** The user that a name identifies, and how to verify its password. */
export interface NamedUser {
  readonly user: User | undefined;
  /** Changes whenever another password may be valid. */
  readonly mark: string;
  /** Verifies the password in the user's store. False for a name that no user has, after the same work. */
  verify(password: string): Promise<boolean>;
}

/** External user stores: directories. Throws `service.unavailable` where one cannot be reached. */
export interface ExternalUsers {
  has(tenant: string, userStore: string): boolean;
  isReadOnly(tenant: string, userStore: string): boolean;
  /** True where totals of lists count all matches; otherwise those of the page. */
  readonly countsAll: boolean;
  lookUp(name: QualifiedName): Promise<NamedUser>;
  /** Yields a superset of the matches in a store, in pages of `limit`, in a stable order. */
  walk(
    tenant: string,
    userStore: string,
    filter: BoundFilter | undefined,
    limit: number,
  ): AsyncIterable<readonly User[]>;
  /** Ensures that users have rows in the table, under their current names, for transactions on groups and roles. */
  anchor(tenant: string, users: readonly User[]): Promise<void>;
}

/** The users of all tenants. */
export interface UserStore {
  /** The external user stores, where there are any. */
  readonly elsewhere?: ExternalUsers;
  /** One round trip. Users of another store than `userStore`, where it is given, may be missing. */
  find(tenant: string, id: string, userStore?: string): Promise<User | undefined>;
  /** Several users in one round trip, in the order of the ids; deleted ones are `undefined`. */
  findMany(tenant: string, ids: readonly string[], options?: UsersRead): Promise<(User | undefined)[]>;
  /** The id of the user with a name. One round trip. */
  idOf(name: QualifiedName): Promise<string | undefined>;
  /** The names of a store, for lists. */
  names(tenant: string, userStore: string): NameReads;
  /** The ids of the users with a value; more than `most` where more have it. One round trip for each 1,000. */
  idsBy(tenant: string, lookup: Lookup, most: number): Promise<string[]>;
  /**
   * Creates a user and returns it; an external store gives it an id of its own. Throws the error of `taken` when the
   * name is in use. Two round trips.
   */
  add(tenant: string, user: User, adding?: Adding): Promise<User>;
  /**
   * Changes a user and returns its new state. `change` returns the change of the current state (with the same id and
   * store), or `undefined` for none; it is called again when another writer committed first. Throws `scim.not_found`,
   * `scim.unique`, and what `change` throws. Two round trips; three with another name, where `newName` gave it.
   */
  update(
    tenant: string,
    id: string,
    change: (before: User) => Promise<UserChange | undefined> | UserChange | undefined,
    newName?: StoreName,
  ): Promise<User>;
  /**
   * Removes a user with its name, lookups, memberships and roles. Throws `scim.not_found`, and what `check` throws.
   * Three round trips; the memberships of a user in more than 28 groups are removed after it, in further ones.
   */
  remove(tenant: string, id: string, nowMs: number, removal: Removal): Promise<void>;
  /** Continues the clearing of a deleted user, if the request that began it has ended. */
  settle(tenant: string, open: OpenBulk): Promise<void>;
}

const idInUse: Step["otherwise"] = () => new Error("a new user id is in use");

/** Opens the store on the table of one request. */
export function userStore(table: Table): UserStore {
  return {
    find: (tenant, id) => read(table, tenant, id),

    async findMany(tenant, ids, options) {
      const possible = ids.filter(canBeId).map((id) => keys.user(tenant, id));
      const items = await table.getMany(possible, options);
      const users = new Map(items.flatMap((item) => (item ? [toUser(item)] : [])).map((user) => [user.id, user]));
      return ids.map((id) => users.get(id));
    },

    async idOf({ tenant, userStore: store, name }) {
      const entry = await table.get(keys.userNames(tenant, store).entry(foldName(name)));
      return entry && entryOf(entry).id;
    },

    names: (tenant, store) => indexOf(table, tenant, store),
    idsBy: (tenant, lookup, most) => findByLookup(table, tenant, lookup, most),

    async add(tenant, user, { steps = [], taken = () => nameTaken(user.userName), allowed, noted } = {}) {
      await indexOf(table, tenant, user.userStore).create({
        key: nameKey(user.userName),
        entry: { id: user.id },
        steps: [
          { put: userItem(tenant, user), when: "absent", otherwise: idInUse, ...noting(tenant, noted) },
          ...lookupSteps(tenant, user.id, {}, user.profile, idInUse),
          ...steps,
        ],
        allowed,
        taken,
      });
      return user;
    },

    update: (tenant, id, change, newName) =>
      whileStale(async () => {
        const [before, near] = await Promise.all([
          read(table, tenant, id),
          newName && indexOf(table, tenant, newName.userStore).locate(nameKey(newName.name)),
        ]);
        if (!before) throw notFound(id);
        const changed = await change(before);
        if (!changed) return before;
        const after = { ...changed.after, version: before.version + 1 };
        const hint = newName?.userStore === after.userStore ? near : undefined;
        await write(table, tenant, before, { ...changed, after, near: hint });
        return after;
      }),

    remove: (tenant, id, nowMs, removal) => remove(table, { tenant, id, nowMs }, removal),

    async settle(tenant, open) {
      if (isAbandoned(open.bulk, systemClock.now())) await clearOwners(table, tenant, open).catch(ignoreError);
    },
  };
}

function indexOf(table: Table, tenant: string, store: string): NameIndex {
  return nameIndex(table, keys.userNames(tenant, store));
}

async function read(table: Table, tenant: string, id: string): Promise<User | undefined> {
  const item = canBeId(id) ? await table.get(keys.user(tenant, id)) : undefined;
  return item && toUser(item);
}

/** Writes a change of a user. `near` is a hint for the new name. */
async function write(
  table: Table,
  tenant: string,
  before: User,
  { after, steps = [], allowed, near, noted }: UserChange & { readonly near: Range | undefined },
): Promise<void> {
  const put = userItem(tenant, after);
  const item: Step = { put, when: { equal: { ver: before.version } }, otherwise: stale, ...noting(tenant, noted) };
  const own = [item, ...lookupSteps(tenant, after.id, before.profile, after.profile, stale), ...steps];
  if (after.userName === before.userName) {
    await allowed;
    return table.write(...own);
  }
  const index = indexOf(table, tenant, after.userStore);
  const from = nameKey(before.userName);
  const [left] = await Promise.all([near && covers(near, from) ? near : index.locate(from), allowed]);
  await index.rename({
    from,
    to: nameKey(after.userName),
    entry: { id: after.id },
    steps: [...own, ...renaming(tenant, after, after.groupIds.slice(0, GROUPS_RENAMED_AT_ONCE))],
    taken: () => nameTaken(after.userName),
    notOwned: stale,
    left,
    near,
  });
  await renameRest(table, tenant, after);
}

/** What the record of a change compares, as rows. */
function noting(tenant: string, noted: NotedUsers | undefined): Pick<Step, "noted"> {
  if (!noted) return {};
  const rowOf = (user: User | undefined) => user && userItem(tenant, user);
  return { noted: { ...noted, before: rowOf(noted.before), after: rowOf(noted.after) } };
}

/** The steps that copy a user's name to groups. */
function renaming(tenant: string, user: User, groupIds: readonly string[]): Step[] {
  const member = { userId: user.id, name: qualifiedName(user) };
  return groupIds.map((id) => renamingMember({ tenant, id }, member));
}

/**
 * Copies a name to the groups beyond the first. Stops when the user has another name by then: that change copies its
 * own.
 */
async function renameRest(table: Table, tenant: string, { id, userName, groupIds }: User): Promise<void> {
  for (const some of chunks(groupIds, GROUPS_RENAMED_AT_ONCE).slice(1)) {
    await whileStale(async () => {
      const user = await read(table, tenant, id);
      if (user?.userName !== userName) return;
      const still = some.filter((groupId) => user.groupIds.includes(groupId));
      const named: Step = { check: keys.user(tenant, id), when: { equal: { userName } }, otherwise: stale };
      if (still.length > 0) await table.write(named, ...renaming(tenant, user, still));
    });
  }
}

async function remove(
  table: Table,
  { tenant, id, nowMs }: { readonly tenant: string; readonly id: string; readonly nowMs: number },
  { check, steps }: Removal,
): Promise<void> {
  /** Groups that turned out to be deleted: only their pairs are removed. */
  const deleted = new Set<string>();
  const open = await whileStale(async () => {
    const user = await read(table, tenant, id);
    if (!user) throw notFound(id);
    const index = indexOf(table, tenant, user.userStore);
    const [near] = await Promise.all([index.locate(nameKey(user.userName)), check(user)]);
    const owners = removingOwners(tenant, user, nowMs, deleted);
    await index.remove({
      key: nameKey(user.userName),
      id,
      steps: [
        { remove: keys.user(tenant, id), when: { equal: { ver: user.version } }, otherwise: stale },
        ...lookupSteps(tenant, id, user.profile, {}, stale),
        ...owners.steps,
        ...steps(user),
      ],
      notOwned: stale,
      near,
    });
    return owners.open;
  });
  // The user is deleted; what is left of its memberships is on the tenant's list.
  if (open) await clearOwners(table, tenant, open).catch(ignoreFault);
}
