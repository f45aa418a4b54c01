/** The user stores of a deployment, as the functions that deal with users open them. */
import { newObserver } from "#core/http/observe.ts";
import { declaredGroups } from "#core/identities/groups/declared.ts";
import { groupStore } from "#core/identities/groups/store.ts";
import { declaredUsers } from "#core/identities/users/declared.ts";
import { userStore } from "#core/identities/users/store.ts";
import type { ServiceName } from "#core/operation/services.ts";
import type { Deployment } from "#core/settings/deployment.ts";
import { userStoreNames } from "#core/settings/user-stores.ts";
import type { Table } from "#core/table/table.ts";
import { directoryPassword } from "./env.ts";

/**
 * Opens the declared user stores for one container: the names that a tenant has, and the users and groups of a request's table
 * that are in them. What speaks to directories is loaded only where one is declared. Throws an `Error` for a password that
 * is not set.
 */
export async function openUserStores(
  service: ServiceName | "authorizer",
  { userStores, scim2 }: Pick<Deployment, "userStores" | "scim2">,
) {
  const userStoresOf = userStoreNames(userStores);
  const directories = userStores.flatMap(({ directory }) => directory ?? []);
  const withDirectories =
    directories.length > 0 &&
    (await import("#core/ldap/open.ts")).openDirectories({
      directories,
      countsAll: scim2.countsDirectories,
      passwordOf: directoryPassword,
      reportUndoFailure: newObserver(service).undoFailure,
    });
  return {
    userStoresOf,
    usersIn: (table: Table) => {
      const users = userStore(table);
      return declaredUsers(withDirectories ? withDirectories(users) : users, userStoresOf);
    },
    groupsIn: (table: Table) => declaredGroups(groupStore(table), userStoresOf),
  };
}
