/** The creation of a tenant other than the super tenant. */
import { areIndexed, completing } from "../applications/registry/index-rows.ts";
import type { Administrator, Tenant } from "../domain/tenant.ts";
import { tenantStore } from "../domain/tenant-store.ts";
import { newCredential } from "../identities/credentials/store.ts";
import type { DeclaredIndexes } from "../identities/users/declared-indexes.ts";
import type { UserStore } from "../identities/users/store.ts";
import { newId } from "../platform/ids.ts";
import type { Table } from "../table/table.ts";
import { addTenant } from "./bootstrap.ts";
import { capturedNames } from "./captured.ts";
import { namesCaptured } from "./rules.ts";

/** What a creation reads and writes. */
export interface CreationStores {
  readonly table: Table;
  readonly users: UserStore;
  /** The user stores of the super tenant. */
  readonly userStores: readonly string[];
  /** The indexes that users get. */
  readonly declared?: DeclaredIndexes | undefined;
}

/**
 * Creates a tenant with its roles and administrator. Returns `undefined` if it exists; of concurrent calls one creates
 * it. Throws `tenant.names_captured` where names of the super tenant's users end in its domain.
 */
export async function createTenant(
  { table, users, userStores, declared }: CreationStores,
  domain: string,
  administrator: Administrator,
  nowMs: number,
): Promise<Tenant | undefined> {
  const tenants = tenantStore(table);
  const id = newId();
  if ((await tenants.find(domain)) || !(await tenants.reserve(domain, id, nowMs))) return undefined;
  let tenant: Tenant | undefined;
  try {
    // Hashing takes longer than a user creation that had not seen the reservation needs for its write.
    const credential = await newCredential(administrator.password);
    const [count, isIndexed] = await Promise.all([capturedNames(users, userStores, domain), areIndexed(table)]);
    if (count > 0) throw namesCaptured(domain, count);
    const founding = isIndexed ? [completing(domain, true)] : [];
    const fresh = { id, domain, administrator, credential, nowMs, declared, founding };
    tenant = await addTenant(table, { ...fresh, isReserved: true });
    return tenant;
  } finally {
    // A reservation that cannot be removed has no effect after a minute.
    if (!tenant) await tenants.release(domain, id).catch(() => undefined);
  }
}
