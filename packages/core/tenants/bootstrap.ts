/** The bootstrap of a tenant: its roles and its administrator, in one transaction. */

import { completing, notingIndexed } from "../applications/registry/index-rows.ts";
import type { Administrator, Tenant } from "../domain/tenant.ts";
import { tenantStore } from "../domain/tenant-store.ts";
import { addingCredential, type Credential, newCredential } from "../identities/credentials/store.ts";
import { ADMIN_ROLE, EVERYONE_ROLE, freshRole } from "../identities/roles/model.ts";
import { roleStore } from "../identities/roles/store.ts";
import type { DeclaredIndexes } from "../identities/users/declared-indexes.ts";
import { freshUser } from "../identities/users/model.ts";
import { userStore } from "../identities/users/store.ts";
import { SIGNED_IN } from "../operation/operation.ts";
import { systemClock } from "../platform/clock.ts";
import { newId } from "../platform/ids.ts";
import type { Step, Table } from "../table/table.ts";

class TenantExists extends Error {}

/** A tenant to store. */
interface NewTenant extends Pick<Tenant, "id" | "domain"> {
  readonly administrator: Administrator;
  /** That of the administrator's password. */
  readonly credential: Credential;
  readonly nowMs: number;
  /** True where the domain was reserved for the id. */
  readonly isReserved: boolean;
  /** The indexes that the users of the tenant get. */
  readonly declared: DeclaredIndexes | undefined;
  /** The steps that make its index of applications complete, where it is kept from the beginning. */
  readonly founding: readonly Step[];
}

/**
 * Creates a tenant without regard to names that it captures: for the super tenant, which captures none. Returns
 * `undefined` if it exists; concurrent calls create it once.
 */
export async function bootstrapTenant(
  table: Table,
  domain: string,
  administrator: Administrator,
  declared?: DeclaredIndexes,
): Promise<Tenant | undefined> {
  if (await tenantStore(table).find(domain)) return undefined;
  const credential = await newCredential(administrator.password);
  const nowMs = systemClock.now();
  // No function without indexes of applications has written a table that has no super tenant.
  const founding = [completing(domain, true), notingIndexed()];
  const id = newId();
  return addTenant(table, { id, domain, administrator, credential, nowMs, isReserved: false, declared, founding });
}

/**
 * Stores a tenant with its roles and administrator, in one transaction. Returns `undefined` if it exists, or is not
 * reserved for the id any more. The resident application needs no row: without one it has the settings of a fresh
 * application.
 */
export async function addTenant(
  table: Table,
  { id, domain, administrator, credential, nowMs, isReserved, declared, founding }: NewTenant,
): Promise<Tenant | undefined> {
  const { username, profile = {} } = administrator;
  const exists = () => new TenantExists(domain);
  const [tenants, roles] = [tenantStore(table), roleStore(table)];
  const [userId, adminId, everyoneId] = [newId(), newId(), newId()];
  const tenant: Tenant = { id, domain, active: true, createdMs: nowMs, administrator: userId };
  const steps = [
    ...tenants.adding(tenant, exists),
    ...(isReserved ? [tenants.keepingReservation(tenant, exists)] : []),
    ...roles.adding(domain, freshRole(adminId, ADMIN_ROLE, domain, nowMs, { holdsEveryScope: true }), exists),
    ...roles.adding(domain, freshRole(everyoneId, EVERYONE_ROLE, domain, nowMs, { permissions: [SIGNED_IN] }), exists),
    roles.holding(domain, adminId, userId, exists),
    addingCredential(domain, userId, credential, exists),
    ...founding,
  ];
  const user = freshUser(userId, username, nowMs, { hasPassword: true, roleIds: [adminId], profile });
  try {
    await userStore(table, { declared }).add(domain, user, { steps, taken: exists });
    return tenant;
  } catch (error) {
    if (error instanceof TenantExists) return undefined;
    throw error;
  }
}
