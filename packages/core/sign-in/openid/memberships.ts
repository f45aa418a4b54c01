/** The groups and roles of a user, as claims and scopes need them, with the fewest round trips. */
import type { Application } from "../../applications/registry/model.ts";
import type { GroupStore } from "../../directory/groups/store.ts";
import { type CountingRoles, isAmong, isFor } from "../../directory/roles/model.ts";
import type { Role, RoleStore } from "../../directory/roles/store.ts";
import { type RoleIdStores, roleIdsOf } from "../authentication/role-ids.ts";
import { type ClaimedUser, type Granted, inTenant, uriOf } from "./user-claims.ts";

/** The groups and roles that a user has, or had a moment ago. */
export interface Memberships {
  readonly groupIds: readonly string[];
  readonly roleIds: readonly string[];
}

/** Which of them claims need. */
export interface MembershipNeeds {
  readonly groups: boolean;
  readonly roles: boolean;
}

/** Where they are read. */
export interface MembershipStores extends RoleIdStores {
  readonly groups: Pick<GroupStore, "findMany">;
  readonly roles: Pick<RoleStore, "findMany" | "idOfEveryone">;
}

/** More rows than this are not read ahead: the user may have lost them. */
const AHEAD_MAX = 50;

/** What claims of granted scopes need, and those that an application has of its own. */
export function membershipNeeds(
  { claimConfiguration }: Pick<Application, "claimConfiguration">,
  granted: Granted,
): MembershipNeeds {
  const { claimMappings } = claimConfiguration;
  const wanted = [
    ...granted.scopes.flatMap(({ claims }) => claims),
    ...(granted.claims ?? []),
    ...claimMappings.map(({ localClaim }) => uriOf(localClaim)),
  ];
  return namedNeeds(wanted);
}

/** What claims need, by their names in OpenID Connect or URIs. */
export function namedNeeds(names: readonly string[]): MembershipNeeds {
  const needs = (word: RegExp) => names.some((name) => word.test(name));
  return { groups: needs(/(^|\/)groups?$/), roles: needs(/(^|\/)roles?$/) };
}

/**
 * Begins to read the groups and roles that a user is likely to have, and the role of everyone, before the user is read.
 * The stores that it returns answer with these rows, and read any other. The caller reads again where a revocation
 * shows that they were read too early.
 */
export function readingAhead(stores: MembershipStores, tenant: string, likely: Memberships): MembershipStores {
  const { groups, roles } = stores;
  const [groupIds, roleIds] = [likely.groupIds.slice(0, AHEAD_MAX), likely.roleIds.slice(0, AHEAD_MAX)];
  const groupRows = handled(groupIds.length > 0 ? groups.findMany(tenant, groupIds) : Promise.resolve([]));
  const roleRows = handled(roleIds.length > 0 ? roles.findMany(tenant, roleIds) : Promise.resolve([]));
  const everyone = handled(roles.idOfEveryone(tenant));
  return {
    groups: {
      async findMany(_, ids) {
        const ahead = await groupRows;
        const missing = ids.filter((id) => !groupIds.includes(id));
        const others = missing.length > 0 ? await groups.findMany(tenant, missing) : [];
        return ids.map((id) => {
          const at = groupIds.indexOf(id);
          return at < 0 ? others[missing.indexOf(id)] : ahead[at];
        });
      },
    },
    roles: {
      async findMany(_, ids) {
        const ahead = (await roleRows).filter(({ id }) => ids.includes(id));
        const missing = ids.filter((id) => !roleIds.includes(id));
        return missing.length > 0 ? [...ahead, ...(await roles.findMany(tenant, missing))] : ahead;
      },
      idOfEveryone: () => everyone,
    },
  };
}

/** A promise that may fail before somebody waits for it. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/**
 * A user with the names of its groups and roles, where they are needed: no round trip where they are not, up to two
 * where they are. Its roles are those that the application chose (`associatedRoles`). `known`: roles of the user that
 * were read before.
 */
export async function claimedUser(
  {
    user,
    tenant,
    isGuest = false,
    given,
    needs,
  }: Pick<ClaimedUser, "user" | "tenant" | "isGuest" | "given"> & { readonly needs: MembershipNeeds },
  { id, roles: chosen }: { readonly id: string; readonly roles?: CountingRoles | undefined },
  stores: MembershipStores,
  known?: readonly Role[],
): Promise<ClaimedUser> {
  const { groups, roles } = stores;
  const rolesOf = async () => known ?? roles.findMany(tenant, await roleIdsOf(stores, tenant, user));
  const [found, ofUser] = await Promise.all([
    needs.groups ? groups.findMany(tenant, user.groupIds) : [],
    needs.roles ? rolesOf() : [],
  ]);
  const counting = ofUser.filter((role) => isFor(role, id) && isAmong(role, chosen));
  // A group or role of a guest is none of the application's tenant, whatever it is called.
  const named = (name: string) => inTenant(name, { tenant, isGuest });
  return {
    user,
    tenant,
    isGuest,
    given,
    groupNames: found.flatMap((group) => (group ? [named(group.displayName)] : [])),
    roleNames: counting.map(({ name }) => named(name)),
    roleAudiences: counting.map(({ audience }) => audience.type),
  };
}
