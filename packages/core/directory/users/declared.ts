/**
 * The users of the user stores that the deployment declares. Users of other stores, which an earlier deployment
 * declared, count as not found: they are not listed, changed or authenticated.
 */
import type { User } from "./model.ts";
import { notFound } from "./rules.ts";
import type { UserStore } from "./store.ts";

/**
 * Restricts a store of users to the declared user stores. A user of another store costs as many round trips as one that
 * does not exist.
 */
export function declaredUsers(users: UserStore, userStoresOf: (tenant: string) => readonly string[]): UserStore {
  const isDeclared = (tenant: string, { userStore }: Pick<User, "userStore">): boolean =>
    userStoresOf(tenant).includes(userStore);
  const onlyDeclared = (tenant: string, user: User | undefined): User | undefined =>
    user && isDeclared(tenant, user) ? user : undefined;
  return {
    ...users,

    find: async (tenant, id, userStore) => onlyDeclared(tenant, await users.find(tenant, id, userStore)),

    findMany: async (tenant, ids, options) =>
      (await users.findMany(tenant, ids, options)).map((user) => onlyDeclared(tenant, user)),

    async idOf(name) {
      const id = await users.idOf(name);
      return isDeclared(name.tenant, name) ? id : undefined;
    },

    update: (tenant, id, change, newName) =>
      users.update(
        tenant,
        id,
        (before) => {
          if (!isDeclared(tenant, before)) throw notFound(id);
          return change(before);
        },
        newName,
      ),

    remove: (tenant, id, nowMs, removal) =>
      users.remove(tenant, id, nowMs, {
        ...removal,
        check(user) {
          if (!isDeclared(tenant, user)) throw notFound(id);
          return removal.check(user);
        },
      }),
  };
}
