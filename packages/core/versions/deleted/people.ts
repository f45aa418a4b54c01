/** Restores users, groups and roles by the rules for changes of them: restoring one gives its caller no privileges. */

import type { Table } from "../../database/table/table.ts";
import type { Aside } from "../../database/trash/aside-rows.ts";
import type { Group } from "../../directory/groups/model.ts";
import { checkGroupName } from "../../directory/groups/rules.ts";
import type { GroupStore } from "../../directory/groups/store.ts";
import { nameIn } from "../../directory/provisioning/account.ts";
import {
  checkAccountChange,
  checkAssignedIds,
  checkAssignedRoles,
  rolesOf,
} from "../../directory/provisioning/escalation.ts";
import { groupNameIn } from "../../directory/provisioning/groups.ts";
import { checkTenantIn } from "../../directory/provisioning/tenant-names.ts";
import type { ChangeContext, UserStores } from "../../directory/provisioning/users.ts";
import { groupAside, restoreGroup } from "../../directory/restoring/group-restoring-store.ts";
import type { Restored } from "../../directory/restoring/model.ts";
import { restoreRole, roleAside } from "../../directory/restoring/role-restoring-store.ts";
import { restoreUser, userAside } from "../../directory/restoring/user-restoring-store.ts";
import { checkRoleName } from "../../directory/roles/rules.ts";
import type { DeclaredIndexes } from "../../directory/users/declared-indexes.ts";
import type { User } from "../../directory/users/model.ts";
import { checkName } from "../../directory/users/rules.ts";
import { withStore } from "../../kernel/domain/username.ts";
import { Fault } from "../../kernel/faults.ts";
import { trimName } from "../../kernel/fold.ts";

type Restore = (
  caller: ChangeContext,
  aside: Aside,
  name: string | undefined,
  absent: () => Error,
) => Promise<Restored>;

/** Restores users, groups and roles. */
export interface People {
  /** Throws `scim.unique`, `scim.forbidden`, `request.invalid`, `deleted.conflict`, and the error of `absent`. */
  readonly restoreUser: Restore;
  /** The same. */
  readonly restoreGroup: Restore;
  /** The same. */
  readonly restoreRole: Restore;
}

/** What restoring reads and writes. */
export interface PeopleStores extends Omit<UserStores, "passwords"> {
  readonly table: Table;
  readonly groups: GroupStore;
  /** The indexes that users get. */
  readonly declared: DeclaredIndexes | undefined;
}

/** Opens it for one request. */
export function restoredPeople({ table, declared, ...stores }: PeopleStores): People {
  const checkStore = (userStore: string): void => {
    if (stores.userStores.includes(userStore)) return;
    throw new Fault(
      "deleted.conflict",
      `Its user store ${userStore} is not declared any more in deployment.toml, so it cannot be restored.`,
    );
  };

  return {
    async restoreUser(caller, aside, name, absent) {
      const { tenant, now } = caller;
      const user = await userAside(table, tenant, aside);
      const { userStore } = user;
      checkStore(userStore);
      if (stores.users.elsewhere?.has(tenant, userStore)) {
        throw new Fault("deleted.conflict", `Its user store ${userStore} is a directory now: create the user there.`);
      }
      const other = name === undefined ? undefined : otherName(name, user, stores);
      const allowed = checkUser(caller, user, other);
      allowed.catch(() => undefined);
      return restoreUser(table, { tenant, aside, name: other, nowMs: now, absent, user, declared, allowed });
    },

    async restoreGroup(caller, aside, name, absent) {
      const { tenant, now } = caller;
      const group = await groupAside(table, tenant, aside);
      checkStore(group.userStore);
      const other = name === undefined ? undefined : otherGroupName(name, group, stores.userStores);
      await checkAssignedIds(stores, caller, group.roleIds);
      return restoreGroup(table, { tenant, aside, name: other, nowMs: now, absent, group });
    },

    async restoreRole(caller, aside, name, absent) {
      const { tenant, now } = caller;
      const role = roleAside(aside);
      const other = name === undefined ? undefined : trimName(name);
      if (other !== undefined) checkRoleName(other);
      await checkAssignedRoles(stores, caller, [role]);
      return restoreRole(table, { tenant, aside, name: other, nowMs: now, absent, role });
    },
  };

  async function checkUser(caller: ChangeContext, user: User, name: string | undefined): Promise<void> {
    const { userStore } = user;
    await Promise.all([
      // Under another name the caller could be somebody whom others trust by that name.
      checkAccountChange(stores, caller, user, { takesOver: name !== undefined }),
      rolesOf(stores, caller.tenant, user).then((roles) => checkAssignedRoles(stores, caller, roles)),
      checkTenantIn(stores.tenants, caller, { userStore, name: name ?? user.userName }),
    ]);
  }
}

/** Another name of a restored user, without its store. Throws `request.invalid`. */
function otherName(
  given: string,
  { userStore }: User,
  { userStores, nameRules }: Pick<UserStores, "userStores" | "nameRules">,
): string {
  const { userStore: asked, name } = nameIn(given.includes("/") ? given : withStore(userStore, given), userStores);
  if (asked !== userStore) throw new Fault("request.invalid", "A user cannot be restored into another user store.");
  checkName(name, nameRules);
  return name;
}

/** The same of a restored group. */
function otherGroupName(given: string, { userStore }: Group, userStores: readonly string[]): string {
  const { userStore: asked, name } = groupNameIn(given, userStores, userStore);
  if (asked !== userStore) throw new Fault("request.invalid", "A group cannot be restored into another user store.");
  checkGroupName(name);
  return name;
}
