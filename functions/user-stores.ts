/** Opens the user stores of a deployment. */
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
 * The declared user stores, for one container: their names for each tenant, and the users and groups in them. The LDAP
 * client is loaded only where a directory is declared. Throws an `Error` where the password of a directory is not set.
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
      return declaredUsers(withDirectories ? withDirectories(users, table.keeps === "for good") : users, userStoresOf);
    },
    groupsIn: (table: Table) => declaredGroups(groupStore(table), userStoresOf),
  };
}
