/** Opens the user stores of a deployment. */

import type { Table } from "#core/database/table/table.ts";
import { early } from "#core/database/table/timing.ts";
import { declaredGroups } from "#core/directory/groups/declared.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import type { DirectorySettings } from "#core/directory/ldap/model.ts";
import { declaredUsers } from "#core/directory/users/declared.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { userStore } from "#core/directory/users/store.ts";
import { newObserver } from "#core/http/observe.ts";
import type { ServiceName } from "#core/kernel/operation/services.ts";
import type { Deployment } from "#core/service/settings/deployment.ts";
import { userStoreNames } from "#core/service/settings/user-stores.ts";
import { directoryPassword } from "./env.ts";

/**
 * The declared user stores, for one container: their names for each tenant, and the users and groups in them. The LDAP
 * client is loaded only where a directory is declared. `removesUsers`: false for a function without that right. Throws
 * an `Error` where the password of a directory is not set.
 */
export async function openUserStores(
  service: ServiceName | "authorizer",
  {
    userStores,
    scim2,
    changes,
    indexes,
  }: Pick<Deployment, "userStores" | "scim2"> & Partial<Pick<Deployment, "changes" | "indexes">>,
  removesUsers = true,
) {
  const userStoresOf = userStoreNames(userStores);
  // Functions that delete neither users nor groups do not read the section.
  const deletedDays = changes?.deletedDays ?? 0;
  // Functions that neither write users nor filter them do not read that section.
  const declared = indexes && declaredIndexes(indexes);
  // The users of a directory are in no index.
  const ofDirectories = declaredIndexes([]);
  const directories = userStores.flatMap(({ directory }) => directory ?? []);
  const withDirectories =
    directories.length > 0 &&
    (await import("#core/directory/ldap/open.ts")).openDirectories({
      directories,
      countsAll: scim2.countsDirectories,
      passwordOf: directoryPassword,
      reportUndoFailure: newObserver(service).undoFailure,
    });
  return {
    userStoresOf,
    /** Signs in to a directory as the service does. */
    canConnect: async (directory: DirectorySettings) =>
      (await import("#core/directory/ldap/probe.ts")).canConnect(directory, directoryPassword(directory)),
    /** For what writes users without their store. */
    declared,
    usersIn: (table: Table) => {
      const users = userStore(table, { deletedDays, recordDays: changes?.recordDays, declared });
      // A directory keeps what it was told, whatever becomes of the request.
      const records = userStore(early(table), { declared: ofDirectories });
      const how = { records, removesUsers, isRehearsal: table.keeps === "for good" };
      return declaredUsers(withDirectories ? withDirectories(users, how) : users, userStoresOf);
    },
    groupsIn: (table: Table) => declaredGroups(groupStore(table, deletedDays), userStoresOf),
  };
}
