/**
 * The user stores of a deployment as one: the table's, and the directories that it declares. Loaded only by deployments that
 * declare one. By its store a user is found at once; by an id it is looked for in the table first, where most are, and then in
 * the directories of the tenant.
 */

import type { User } from "../identities/users/model.ts";
import { notFound } from "../identities/users/rules.ts";
import type { UserStore } from "../identities/users/store.ts";
import { whileStale } from "../table/stale.ts";
import { openConnection } from "./connection.ts";
import { attributesRead, isPossibleId } from "./entry.ts";
import { filtersOf } from "./filter.ts";
import type { DirectorySettings } from "./model.ts";
import { type Directory, type DirectoryUsers, directoryUsers } from "./users.ts";

/** What a deployment says of its directories. */
export interface DirectoriesSettings {
  readonly directories: readonly DirectorySettings[];
  /** True where totals of lists count all matches. */
  readonly countsAll: boolean;
  /** The password of a directory's `bindDn`. */
  readonly passwordOf: (settings: DirectorySettings) => string;
}

/** Adds the directories of a container to the users of a request's table. */
export type WithDirectories = (table: UserStore) => UserStore;

/** Opens the directories for one container. Nothing is connected to before it is needed. */
export function openDirectories({ directories, countsAll, passwordOf }: DirectoriesSettings): WithDirectories {
  const opened = directories.map(
    (settings): Directory => ({
      settings,
      connection: openConnection(settings, passwordOf(settings), attributesRead(settings)),
      filters: filtersOf(settings),
    }),
  );

  return (table) => {
    const all = opened.map((directory) => ({ settings: directory.settings, users: directoryUsers(directory, table) }));
    const at = (tenant: string, userStore: string) =>
      all.find(({ settings }) => settings.tenant === tenant && settings.domain === userStore);
    const of = (tenant: string, userStore: string): DirectoryUsers => {
      const found = at(tenant, userStore);
      if (!found) throw new Error(`${userStore} is no directory of ${tenant}`);
      return found.users;
    };
    /** Where a user may be who is not in the table. */
    const where = (tenant: string, userStore: string | undefined) =>
      all.filter(({ settings }) => settings.tenant === tenant && (userStore ?? settings.domain) === settings.domain);

    const find: UserStore["find"] = async (tenant, id, userStore) => {
      const here = await table.find(tenant, id);
      if (here) {
        const directory = at(tenant, here.userStore);
        return directory ? directory.users.find(id, here) : here;
      }
      if (!isPossibleId(id)) return undefined;
      for (const { users } of where(tenant, userStore)) {
        const user = await users.find(id, undefined);
        if (user) return user;
      }
      return undefined;
    };

    const findMany: UserStore["findMany"] = async (tenant, ids, options = {}) => {
      const { userStore, ...reading } = options;
      const here = await table.findMany(tenant, ids, reading);
      const asked = where(tenant, userStore);
      if (asked.length === 0) return here;
      const found = new Map<string, User>();
      for (const { settings, users } of asked) {
        const shadows = new Map(
          here.flatMap((user) => (user?.userStore === settings.domain ? [[user.id, user] as const] : [])),
        );
        const unknown = ids.filter((id, index) => !here[index] && !found.has(id));
        const wanted = [...shadows.keys(), ...unknown];
        if (wanted.length === 0) continue;
        for (const [id, user] of await users.findMany(wanted, shadows)) found.set(id, user);
      }
      return ids.map((id, index) => {
        const user = here[index];
        return user && !at(tenant, user.userStore) ? user : found.get(id);
      });
    };

    return {
      ...table,
      find,
      findMany,

      elsewhere: {
        countsAll,
        has: (tenant, userStore) => at(tenant, userStore) !== undefined,
        isReadOnly: (tenant, userStore) => at(tenant, userStore)?.settings.isReadOnly === true,
        lookUp: ({ tenant, userStore, name }) => of(tenant, userStore).lookUp(name),
        walk: (tenant, userStore, filter, limit) => of(tenant, userStore).walk(filter, limit),
        async anchor(tenant, users) {
          for (const { users: own } of where(tenant, undefined)) await own.anchor(users);
        },
      },

      idOf: (name) => at(name.tenant, name.userStore)?.users.idOf(name.name) ?? table.idOf(name),

      add: (tenant, user, adding = {}) =>
        at(tenant, user.userStore)?.users.add(user, adding) ?? table.add(tenant, user, adding),

      async update(tenant, id, change, wishedName) {
        const here = await table.find(tenant, id);
        if (here && !at(tenant, here.userStore)) return table.update(tenant, id, change, wishedName);
        return whileStale(async () => {
          const before = await find(tenant, id);
          if (!before) throw notFound(id);
          const wished = await change(before);
          return wished ? of(tenant, before.userStore).change(before, wished) : before;
        });
      },

      async remove(tenant, id, nowMs, removal) {
        const before = await find(tenant, id);
        if (!before) throw notFound(id);
        const directory = at(tenant, before.userStore);
        if (!directory) return table.remove(tenant, id, nowMs, removal);
        await removal.check(before);
        // First what ends its tokens, in case this ends half way; its shadow remembers what it must leave.
        await directory.users.remove(before, removal.steps(before));
        return table.remove(tenant, id, nowMs, { ...removal, check: () => undefined });
      },
    };
  };
}
