/** The bootstrap of a tenant: its roles and its administrator, in one transaction. */

import { completing } from "../../database/table/applications-index-rows.ts";
import type { Table } from "../../database/table/table.ts";
import { systemClock } from "../../kernel/clock.ts";
import type { Tenant } from "../../kernel/domain/tenant.ts";
import { newId } from "../../kernel/ids.ts";
import { SIGNED_IN } from "../../kernel/operation/operation.ts";
import type { Resource } from "../../scim/protocol/schema/attribute.ts";
import { addingCredential, type NewCredential, newCredential } from "../credentials/store.ts";
import { ADMIN_ROLE, EVERYONE_ROLE, freshRole } from "../roles/model.ts";
import { roleStore } from "../roles/store.ts";
import { tenantStore } from "../tenant-store.ts";
import type { DeclaredIndexes } from "../users/declared-indexes.ts";
import { freshUser } from "../users/model.ts";
import { userStore } from "../users/store.ts";

class TenantExists extends Error {}

/** The first administrator of a tenant, in its PRIMARY user store. */
export interface Administrator {
  readonly username: string;
  readonly password: string;
  /** Further attributes of the user, as SCIM names them. */
  readonly profile?: Resource;
}

/** A tenant to store. */
interface NewTenant extends Pick<Tenant, "id" | "domain"> {
  readonly administrator: Administrator;
  readonly userId: string;
  /** That of the administrator's password. */
  readonly credential: NewCredential;
  readonly nowMs: number;
  /** True where the domain was reserved for the id. */
  readonly isReserved: boolean;
  /** The indexes that the users of the tenant get. */
  readonly declared: DeclaredIndexes | undefined;
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
  const [id, userId] = [newId(), newId()];
  return addTenant(table, { id, userId, domain, administrator, credential, nowMs, isReserved: false, declared });
}

/**
 * Stores a tenant with its roles and administrator, in one transaction. Returns `undefined` if it exists, or is not
 * reserved for the id any more. The resident application needs no row: without one it has the settings of a fresh
 * application.
 */
export async function addTenant(
  table: Table,
  { id, domain, administrator, userId, credential, nowMs, isReserved, declared }: NewTenant,
): Promise<Tenant | undefined> {
  const { username, profile = {} } = administrator;
  const exists = () => new TenantExists(domain);
  const [tenants, roles] = [tenantStore(table), roleStore(table)];
  const [adminId, everyoneId] = [newId(), newId()];
  const tenant: Tenant = { id, domain, active: true, createdMs: nowMs, administrator: userId };
  const steps = [
    ...tenants.adding(tenant, exists),
    ...(isReserved ? [tenants.keepingReservation(tenant, exists)] : []),
    ...roles.adding(domain, freshRole(adminId, ADMIN_ROLE, domain, nowMs, { holdsEveryScope: true }), exists),
    ...roles.adding(domain, freshRole(everyoneId, EVERYONE_ROLE, domain, nowMs, { permissions: [SIGNED_IN] }), exists),
    roles.holding(domain, adminId, userId, exists),
    addingCredential(domain, userId, credential, exists),
    completing(domain, true),
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
