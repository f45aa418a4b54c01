/** From an authenticated user to a principal and its scopes, which are the scopes of its roles. */

import { directScopesOf } from "../../directory/roles/model.ts";
import type { RoleStore } from "../../directory/roles/store.ts";
import type { User } from "../../directory/users/model.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Principal } from "../../kernel/operation/context.ts";
import { SIGNED_IN } from "../../kernel/operation/operation.ts";
import { subjects } from "../../tokens/revocation-store.ts";
import { newFactCache } from "./fresh.ts";
import { newRoleIdsOf, type RoleIdStores } from "./role-ids.ts";
import type { Changes } from "./token-validity.ts";

/** Who calls, and the scopes of the credential. */
export interface Authenticated {
  readonly principal: Principal;
  readonly scopes: ReadonlySet<string>;
}

/** Where roles and their permissions are read. */
export interface PrincipalStores {
  readonly roles: RoleStore;
  readonly groups: RoleIdStores["groups"];
}

/**
 * The principal and scopes of a user. No round trip while its roles are in the cache, and `changes`, which the request
 * read before, shows no change of them.
 */
export type ResolveUser = (
  stores: PrincipalStores,
  tenant: string,
  user: User,
  changes: Changes,
) => Promise<Authenticated>;

/** Opens the resolver of one container. `everyScope` are the scopes of the full-access role. */
export function newResolveUser(clock: Clock, everyScope: ReadonlySet<string>): ResolveUser {
  const roleIdsOf = newRoleIdsOf(clock);
  const facts = newFactCache<readonly string[]>(clock);

  const scopesOfRoles = async (roles: RoleStore, tenant: string, ids: readonly string[], changes: Changes) => {
    const keyOf = (id: string) => `${tenant}#${id}`;
    const rolePermissions = facts(changes, (key) => subjects.role(key.slice(keyOf("").length)));
    const known = ids.map((id) => rolePermissions.get(keyOf(id)));
    const missing = ids.filter((_, index) => !known[index]);
    const read = new Map((await roles.findMany(tenant, missing)).map((role) => [role.id, role]));
    const permissions = missing.map((id) => {
      const role = read.get(id);
      // Roles of a single application give nothing here, as deleted ones do.
      const scopes = role ? directScopesOf(role, everyScope) : [];
      rolePermissions.set(keyOf(id), scopes);
      return scopes;
    });
    return new Set([...known, ...permissions].flatMap((scopes) => scopes ?? []));
  };

  return async (stores, tenant, user, changes) => {
    const roleIds = await roleIdsOf(stores, tenant, user, changes);
    return {
      principal: { kind: "user", tenant, subject: user.id, username: user.userName, userStore: user.userStore },
      scopes: new Set([SIGNED_IN, ...(await scopesOfRoles(stores.roles, tenant, roleIds, changes))]),
    };
  };
}
