/**
 * Stores users: one row each (with the ids of its groups and roles), an entry in the name index of its store, a lookup
 * row for each value by which it is found, and the values of some attributes in indexes. Credentials have rows of their
 * own, which this store cannot read.
 */

import { keys } from "../../database/table/keys.ts";
import { entryOf } from "../../database/table/name-index/items.ts";
import { nameIndex } from "../../database/table/name-index/name-index.ts";
import type { NameReads } from "../../database/table/name-index/reads.ts";
import type { ManyReadOptions, Step, Table } from "../../database/table/table.ts";
import type { ValueIndexes } from "../../database/table/value-index/value-index.ts";
import { systemClock } from "../../kernel/clock.ts";
import type { QualifiedName } from "../../kernel/domain/username.ts";
import { foldName } from "../../kernel/fold.ts";
import { canBeId } from "../../kernel/ids.ts";
import { later } from "../../kernel/later.ts";
import type { BoundFilter } from "../../scim/protocol/filter/bound.ts";
import { withoutAssignments } from "../memberships/assignment-clearing.ts";
import { ignoreError } from "../memberships/bulk.ts";
import { isAbandoned, type OpenBulk } from "../memberships/bulk-model.ts";
import { clearOwners } from "./clearing-store.ts";
import type { DeclaredIndexes } from "./declared-indexes.ts";
import type { Lookup } from "./identifiers.ts";
import { findByLookup, findHolders, type Holder } from "./lookup-rows.ts";
import type { User } from "./model.ts";
import { toUser } from "./rows.ts";
import type { Adding, Removal, StoreName, UserChange } from "./writing.ts";

export { userItem } from "./rows.ts";

/** Bytes of a user as JSON; a row holds 400 KB, and the ids of groups need some of it. */
export const USER_BYTES_MAX = 250_000;

/** How several users are read. */
export interface UsersRead extends ManyReadOptions {
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

/** The users of the directories of a tenant with an address that counts. */
export interface ExternalHolders {
  /** At least two where several have it. */
  readonly count: number;
  /** The only one; `undefined` also where its name is ambiguous. To verify its password takes the same in all. */
  readonly only: NamedUser | undefined;
  /** Does the work of verifying the password of one of them. Never rejects. */
  verifyNothing(password: string): Promise<unknown>;
}

/** External user stores: directories. Throws `service.unavailable` where one cannot be reached. */
export interface ExternalUsers {
  has(tenant: string, userStore: string): boolean;
  isReadOnly(tenant: string, userStore: string): boolean;
  /** True where totals of lists count all matches; otherwise those of the page. */
  readonly countsAll: boolean;
  lookUp(name: QualifiedName): Promise<NamedUser>;
  /** Whom an address stands for in all of them; `undefined` at once for a tenant of which none holds addresses. */
  holdersOf(tenant: string, address: Lookup): Promise<ExternalHolders> | undefined;
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
  /** The users of the table with an address that counts: two where several have it. One round trip. */
  holdersOf(tenant: string, lookup: Lookup): Promise<readonly Holder[]>;
  /**
   * A superset of the ids of the users of a tenant who were changed or created since a time, by the records of changes;
   * `undefined` where these do not say it. One round trip, and up to four more for many changes.
   */
  changedSince(tenant: string, sinceMs: number): Promise<readonly string[] | undefined>;
  /** The indexes of a store, for lists; `undefined` for a store without indexes. */
  indexes(tenant: string, userStore: string): ValueIndexes | undefined;
  /**
   * Creates a user and returns it; an external store gives it an id of its own. Throws the error of `taken` when the
   * name is in use. Two round trips; about four more where a range of an index is full.
   */
  add(tenant: string, user: User, adding?: Adding): Promise<User>;
  /**
   * Changes a user and returns its new state. `change` returns the change of the current state (with the same id and
   * store), or `undefined` for none; it is called again when another writer committed first. Throws `scim.not_found`,
   * `scim.unique`, and what `change` throws. Two round trips; three with another name, where `newName` gave it, and
   * with other values of attributes that have an index.
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
  /**
   * The step by which clients learn that a change of the account, or its deletion, ends the sessions of a user; none
   * for a user without any (`endingSessionsOf`). One round trip.
   */
  endingSessions(tenant: string, id: string, kind: "user" | "deletion", nowMs: number): Promise<readonly Step[]>;
  /** Continues the clearing of a deleted user, if the request that began it has ended. */
  settle(tenant: string, open: OpenBulk): Promise<void>;
}

/** How a store writes. */
export interface UserStoreOptions {
  /** For how long deleted users are put aside. Default 0. */
  readonly deletedDays?: number;
  /** For how long the records of changes are kept. Absent for programs that do not read them. */
  readonly recordDays?: number | undefined;
  /**
   * The attributes that the deployment declares. Absent for programs that do not know them: users stay in the indexes
   * that they are in, and new users get into none.
   */
  readonly declared?: DeclaredIndexes | undefined;
}

const { addUser, updateUser, removeUser } = later(
  () => import("./write-store.ts"),
  "addUser",
  "updateUser",
  "removeUser",
);
const { endingSessionsOf } = later(() => import("../../tokens/logout-store.ts"), "endingSessionsOf");
const { changedSince } = later(() => import("../../database/changes/changed-since.ts"), "changedSince");
const { readyAttributes, openIndex } = later(() => import("./index-rows.ts"), "readyAttributes", "openIndex");

/** Opens the store on the table of one request. */
export function userStore(table: Table, { deletedDays = 0, recordDays, declared }: UserStoreOptions = {}): UserStore {
  const writing = (tenant: string) => ({ table, tenant, declared });
  return {
    async find(tenant, id) {
      const item = canBeId(id) ? await table.get(keys.user(tenant, id)) : undefined;
      return item && toUser(item);
    },

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

    names: (tenant, store) => nameIndex(table, keys.userNames(tenant, store)),
    idsBy: (tenant, lookup, most) => findByLookup(table, tenant, lookup, most),
    holdersOf: (tenant, lookup) => findHolders(table, tenant, lookup),
    indexes: (tenant, store) => indexesOf(table, tenant, store, declared),

    async changedSince(tenant, sinceMs) {
      if (recordDays === undefined) return undefined;
      return changedSince(table, { tenant, type: "user", sinceMs, nowMs: systemClock.now(), recordDays });
    },

    endingSessions: (tenant, userId, kind, nowMs) => endingSessionsOf(table, { tenant, userId, kind, nowMs }),

    add: (tenant, user, adding = {}) => addUser(writing(tenant), user, adding),
    update: (tenant, id, change, newName) => updateUser(writing(tenant), id, change, newName),
    remove: (tenant, id, nowMs, removal) =>
      withoutAssignments(table, tenant, { type: "user", id }, removal.isFinal ? 0 : deletedDays, () =>
        removeUser(writing(tenant), { id, nowMs, deletedDays }, removal),
      ),

    async settle(tenant, open) {
      if (isAbandoned(open.bulk, systemClock.now())) await clearOwners(table, tenant, open).catch(ignoreError);
    },
  };
}

function indexesOf(
  table: Table,
  tenant: string,
  userStore: string,
  declared: DeclaredIndexes | undefined,
): ValueIndexes | undefined {
  if (!declared || declared.attributes.length === 0) return undefined;
  return {
    declared: declared.attributes,
    ready: () => readyAttributes(table, tenant, userStore, declared),
    open: (attribute, options) => openIndex(table, { tenant, userStore, attribute }, options),
  };
}
