/** The bootstrap of a tenant: its roles and its administrator, in one transaction. */

import type { Administrator, Tenant } from "../domain/tenant.ts";
import { tenantStore } from "../domain/tenant-store.ts";
import { addingCredential, newCredential } from "../identities/credentials/store.ts";
import { ADMIN_ROLE, EVERYONE_ROLE, freshRole } from "../identities/roles/model.ts";
import { roleStore } from "../identities/roles/store.ts";
import { freshUser } from "../identities/users/model.ts";
import { userStore } from "../identities/users/store.ts";
import { SIGNED_IN } from "../operation/operation.ts";
import { systemClock } from "../platform/clock.ts";
import { newId } from "../platform/ids.ts";
import type { Table } from "../table/table.ts";

class TenantExists extends Error {}

/**
 * Creates a tenant with its roles and administrator. Returns `undefined` if it exists; concurrent calls create it once.
 * The resident application needs no row: without one it has the settings of a fresh application.
 */
export async function bootstrapTenant(
  table: Table,
  domain: string,
  { username, password, profile = {} }: Administrator,
  nowMs = systemClock.now(),
): Promise<Tenant | undefined> {
  if (await tenantStore(table).find(domain)) return undefined;
  const exists = () => new TenantExists(domain);
  const roles = roleStore(table);
  const [userId, adminId, everyoneId] = [newId(), newId(), newId()];
  const tenant: Tenant = { id: newId(), domain, active: true, createdMs: nowMs, administrator: userId };
  const steps = [
    ...tenantStore(table).adding(tenant, exists),
    ...roles.adding(domain, freshRole(adminId, ADMIN_ROLE, domain, nowMs, { holdsEveryScope: true }), exists),
    ...roles.adding(domain, freshRole(everyoneId, EVERYONE_ROLE, domain, nowMs, { permissions: [SIGNED_IN] }), exists),
    roles.holding(domain, adminId, userId, exists),
    addingCredential(domain, userId, await newCredential(password), exists),
  ];
  const user = freshUser(userId, username, nowMs, { hasPassword: true, roleIds: [adminId], profile });
  try {
    await userStore(table).add(domain, user, { steps, taken: exists });
    return tenant;
  } catch (error) {
    if (error instanceof TenantExists) return undefined;
    throw error;
  }
}
