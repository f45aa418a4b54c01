/**
 * The users of the table and of the declared directories behind one interface. Only deployments that declare a
 * directory load this module. A user of a known store is read there. An id alone is searched in the table first, then
 * in the directories of the tenant.
 */

import { whileStale } from "../../database/table/stale.ts";
import type { UndoFailure } from "../../http/observe.ts";
import { isPossibleId } from "../../kernel/ids.ts";
import type { Lookup } from "../users/identifiers.ts";
import type { User } from "../users/model.ts";
import { notFound } from "../users/rules.ts";
import type { ExternalHolders, UserStore } from "../users/store.ts";
import { openConnection, refusingWrites } from "./connection.ts";
import { attributesRead } from "./entry.ts";
import { filtersOf } from "./filter.ts";
import type { DirectorySettings } from "./model.ts";
import { type Directory, type DirectoryUsers, directoryUsers } from "./users.ts";

export interface DirectoriesSettings {
  readonly directories: readonly DirectorySettings[];
  /** Whether totals of lists count all matches. */
  readonly countsAll: boolean;
  /** The password of a directory's `bindDn`. */
  readonly passwordOf: (settings: DirectorySettings) => string;
  /** Reports a change that a directory refused halfway and that could not be undone. */
  readonly reportUndoFailure: (failure: UndoFailure) => void;
}

/** What directories may do in a request. */
interface DirectoryUse {
  /** Writes to the table at once, where the changes of the request are held back. Default: the users of the table. */
  readonly records?: UserStore;
  /** False for a function without the right to remove users. Default true. */
  readonly removesUsers?: boolean;
  /** A rehearsal sends no change to a directory. */
  readonly isRehearsal?: boolean;
}

/** Adds the directories of a container to the users of a request's table. */
export type WithDirectories = (table: UserStore, use?: DirectoryUse) => UserStore;

interface OpenDirectory {
  readonly settings: DirectorySettings;
  readonly users: DirectoryUsers;
}

/** Opens the directories for one container. Each connects on first use. */
export function openDirectories(given: DirectoriesSettings): WithDirectories {
  const { countsAll, passwordOf, reportUndoFailure } = given;
  const directories = given.directories.map(
    (settings): Directory => ({
      settings,
      connection: openConnection(settings, passwordOf(settings), attributesRead(settings)),
      filters: filtersOf(settings),
      reportUndoFailure,
    }),
  );
  return (table, { records = table, removesUsers = true, isRehearsal } = {}) =>
    withDirectories(
      table,
      directories.map((directory) => ({
        settings: directory.settings,
        users: directoryUsers(isRehearsal ? rehearsed(directory) : directory, { table: records, removesUsers }),
      })),
      countsAll,
    );
}

/** A directory that refuses every change before it is sent. */
function rehearsed(directory: Directory): Directory {
  const { settings, connection } = directory;
  return { ...directory, connection: { ...connection, ...refusingWrites(settings.domain) } };
}

function withDirectories(table: UserStore, directories: readonly OpenDirectory[], countsAll: boolean): UserStore {
  const found = foundIn(directories);
  const { directoryAt, usersAt, searched } = found;
  const reads = readsOver(table, found);
  return {
    ...table,
    ...reads,
    ...changesOver(table, found, reads.find),

    elsewhere: {
      countsAll,
      has: (tenant, userStore) => directoryAt(tenant, userStore) !== undefined,
      isReadOnly: (tenant, userStore) => directoryAt(tenant, userStore)?.settings.isReadOnly === true,
      lookUp: ({ tenant, userStore, name }) => usersAt(tenant, userStore).lookUp(name),
      holdersOf(tenant, address) {
        const asked = searched(tenant, undefined).filter(({ settings }) => settings.attributes[address.attribute]);
        return asked.length > 0 ? holdersIn(asked, address) : undefined;
      },
      walk: (tenant, userStore, filter, limit) => usersAt(tenant, userStore).walk(filter, limit),
      async anchor(tenant, users) {
        for (const { users: own } of searched(tenant, undefined)) await own.anchor(users);
      },
    },

    // A directory filters by itself.
    indexes: (tenant, userStore) => (directoryAt(tenant, userStore) ? undefined : table.indexes(tenant, userStore)),
    idOf: (name) => directoryAt(name.tenant, name.userStore)?.users.idOf(name.name) ?? table.idOf(name),

    add: (tenant, user, adding = {}) =>
      directoryAt(tenant, user.userStore)?.users.add(user, adding) ?? table.add(tenant, user, adding),
  };
}

type Finding = ReturnType<typeof foundIn>;

/** Whom an address stands for in some directories, all of which are asked at once. */
async function holdersIn(directories: readonly OpenDirectory[], address: Lookup): Promise<ExternalHolders> {
  const found = await Promise.all(directories.map(({ users }) => users.holdersOf(address)));
  const nothing = (password: string, some = found) =>
    Promise.all(some.map(({ verifyNothing }) => verifyNothing(password)));
  const count = found.reduce((sum, each) => sum + each.count, 0);
  const at = count === 1 ? found.find((each) => each.count === 1) : undefined;
  const only = at?.only;
  const others = found.filter((each) => each !== at);
  return {
    count,
    only: only && {
      ...only,
      async verify(password) {
        const [isRight] = await Promise.all([only.verify(password), nothing(password, others)]);
        return isRight;
      },
    },
    verifyNothing: (password) => nothing(password),
  };
}

/** Finds the directory of a user store. */
function foundIn(directories: readonly OpenDirectory[]) {
  const directoryAt = (tenant: string, userStore: string) =>
    directories.find(({ settings }) => settings.tenant === tenant && settings.domain === userStore);
  const usersAt = (tenant: string, userStore: string): DirectoryUsers => {
    const found = directoryAt(tenant, userStore);
    if (!found) throw new Error(`${userStore} is not a directory of ${tenant}.`);
    return found.users;
  };
  /** The directories to search for a user. */
  const searched = (tenant: string, userStore: string | undefined) =>
    directories.filter(
      ({ settings }) => settings.tenant === tenant && (userStore ?? settings.domain) === settings.domain,
    );
  return { directoryAt, usersAt, searched };
}

function readsOver(table: UserStore, { directoryAt, searched }: Finding): Pick<UserStore, "find" | "findMany"> {
  const find: UserStore["find"] = async (tenant, id, userStore) => {
    const row = await table.find(tenant, id);
    if (row) {
      const directory = directoryAt(tenant, row.userStore);
      return directory ? directory.users.find(id, row) : row;
    }
    if (!isPossibleId(id)) return undefined;
    for (const { users } of searched(tenant, userStore)) {
      const user = await users.find(id, undefined);
      if (user) return user;
    }
    return undefined;
  };

  const findMany: UserStore["findMany"] = async (tenant, ids, options = {}) => {
    const { userStore, ...reading } = options;
    const rows = await table.findMany(tenant, ids, reading);
    const asked = searched(tenant, userStore);
    if (asked.length === 0) return rows;
    const found = new Map<string, User>();
    for (const { settings, users } of asked) {
      const records = new Map(
        rows.flatMap((row) => (row?.userStore === settings.domain ? [[row.id, row] as const] : [])),
      );
      const unknown = ids.filter((id, index) => !rows[index] && !found.has(id));
      const requested = [...records.keys(), ...unknown];
      if (requested.length === 0) continue;
      for (const [id, user] of await users.findMany(requested, records)) found.set(id, user);
    }
    return ids.map((id, index) => {
      const row = rows[index];
      return row && !directoryAt(tenant, row.userStore) ? row : found.get(id);
    });
  };

  return { find, findMany };
}

function changesOver(
  table: UserStore,
  { directoryAt, usersAt }: Finding,
  find: UserStore["find"],
): Pick<UserStore, "update" | "remove"> {
  return {
    async update(tenant, id, change, newName) {
      const row = await table.find(tenant, id);
      if (row && !directoryAt(tenant, row.userStore)) return table.update(tenant, id, change, newName);
      return whileStale(async () => {
        const before = await find(tenant, id);
        if (!before) throw notFound(id);
        const requested = await change(before);
        return requested ? usersAt(tenant, before.userStore).change(before, requested) : before;
      });
    },

    async remove(tenant, id, nowMs, removal) {
      const directory = await whileStale(async () => {
        const before = await find(tenant, id);
        if (!before) throw notFound(id);
        const found = directoryAt(tenant, before.userStore);
        if (!found) return undefined;
        await removal.check(before);
        // The steps revoke tokens, so they come first in case this fails halfway. The record then still lists groups
        // and roles.
        await found.users.remove(before, removal.steps(before, undefined));
        return found;
      });
      if (!directory) return table.remove(tenant, id, nowMs, removal);
      // The entry of the directory is gone, so the user cannot be put aside.
      return table.remove(tenant, id, nowMs, { ...removal, check: () => undefined, isFinal: true });
    },
  };
}
