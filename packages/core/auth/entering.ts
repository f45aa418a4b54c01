/** From a user who has shown who it is to a principal and its scopes, which are those of its roles. */

import { isFor, scopesOf } from "../identities/roles/model.ts";
import type { RoleStore } from "../identities/roles/store.ts";
import type { User } from "../identities/users/model.ts";
import type { Principal } from "../operation/context.ts";
import { SIGNED_IN } from "../operation/operation.ts";
import type { Clock } from "../platform/clock.ts";
import { type Fresh, newFresh } from "./fresh.ts";
import { type HeldRoleStores, newRoleIdsOf } from "./held-roles.ts";

/** Who calls and what it may do. */
export interface Authenticated {
  readonly principal: Principal;
  readonly scopes: ReadonlySet<string>;
}

/** Where roles and what they hold are looked up. */
export interface EnteringStores {
  readonly roles: RoleStore;
  readonly groups: HeldRoleStores["groups"];
}

/** Lets a user in. No round trip while its roles are fresh. */
export type Enter = (stores: EnteringStores, tenant: string, user: User) => Promise<Authenticated>;

/** Opens the entrance of one container. `everyScope` is what the administrator's role stands for. */
export function newEnter(clock: Clock, everyScope: ReadonlySet<string>): Enter {
  const roleIdsOf = newRoleIdsOf(clock);
  const rolePermissions: Fresh<readonly string[]> = newFresh(clock);

  const scopesOfRoles = async (roles: RoleStore, tenant: string, ids: readonly string[]) => {
    const keyOf = (id: string) => `${tenant}#${id}`;
    const known = ids.map((id) => rolePermissions.get(keyOf(id)));
    const read = await roles.findMany(
      tenant,
      ids.filter((_, index) => !known[index]),
    );
    const permissions = read.map((role) => {
      // No application stands between: what a role gives for one of them alone does not count here.
      const scopes = isFor(role) ? scopesOf(role, everyScope) : [];
      rolePermissions.set(keyOf(role.id), scopes);
      return scopes;
    });
    return new Set([...known, ...permissions].flatMap((scopes) => scopes ?? []));
  };

  return async (stores, tenant, user) => {
    const roleIds = await roleIdsOf(stores, tenant, user);
    return {
      principal: { kind: "user", tenant, subject: user.id, username: user.userName, userStore: user.userStore },
      scopes: new Set([SIGNED_IN, ...(await scopesOfRoles(stores.roles, tenant, roleIds))]),
    };
  };
}
