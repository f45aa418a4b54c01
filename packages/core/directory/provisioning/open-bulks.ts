/** Bulk memberships that may not be finished. A request that needs what they change carries them out first. */
import type { Group } from "../groups/model.ts";
import type { GroupStore } from "../groups/store.ts";
import type { OpenBulk } from "../memberships/bulk-model.ts";
import type { Role } from "../roles/model.ts";
import type { RoleStore } from "../roles/store.ts";
import type { UserStore } from "../users/store.ts";

interface Stores {
  readonly groups: Pick<GroupStore, "settle">;
  readonly roles: Pick<RoleStore, "settle">;
  readonly users: Pick<UserStore, "settle">;
}

const storeOf = { group: "groups", role: "roles", user: "users" } as const;

/**
 * Carries out those of a tenant's open bulks that are committed, and goes on with what others left behind. Returns
 * whether users that were read meanwhile may show half of a bulk.
 */
export async function settleOpenBulks(
  stores: Stores,
  tenant: string,
  openBulks: readonly OpenBulk[],
): Promise<boolean> {
  for (const open of openBulks) await stores[storeOf[open.kind]].settle(tenant, open);
  return openBulks.some(({ bulk }) => bulk.purpose !== "clear");
}

/** Carries out the bulks of groups that were read. Returns whether there were any. */
export async function settleGroups({ groups }: Pick<Stores, "groups">, tenant: string, read: readonly Group[]) {
  const open = read.flatMap(({ id, bulk }): OpenBulk[] => (bulk ? [{ kind: "group", ownerId: id, bulk }] : []));
  for (const one of open) await groups.settle(tenant, one);
  return open.length > 0;
}

/** Carries out the bulk of a role that was read. Returns whether there was one. */
export async function settleRole({ roles }: Pick<Stores, "roles">, tenant: string, { id, bulk }: Role) {
  if (bulk) await roles.settle(tenant, { kind: "role", ownerId: id, bulk });
  return bulk !== undefined;
}
