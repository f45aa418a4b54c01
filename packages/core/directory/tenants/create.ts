/** The creation of a tenant other than the super tenant. */
import type { Table } from "../../database/table/table.ts";
import type { Tenant } from "../../kernel/domain/tenant.ts";
import { newId } from "../../kernel/ids.ts";
import { newCredential } from "../credentials/store.ts";
import { tenantStore } from "../tenant-store.ts";
import type { DeclaredIndexes } from "../users/declared-indexes.ts";
import type { UserStore } from "../users/store.ts";
import { type Administrator, addTenant } from "./bootstrap.ts";
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
  /** How many former passwords of the administrator are refused. Default 0. */
  readonly history?: number;
}

/**
 * Creates a tenant with its roles and administrator. Returns `undefined` if it exists; of concurrent calls one creates
 * it. Throws `tenant.names_captured` where names of the super tenant's users end in its domain.
 */
export async function createTenant(
  { table, users, userStores, declared, history = 0 }: CreationStores,
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
    const userId = newId();
    const credential = await newCredential(administrator.password, { userId, history });
    const count = await capturedNames(users, userStores, domain);
    if (count > 0) throw namesCaptured(domain, count);
    const fresh = { id, domain, administrator, userId, credential, nowMs, declared };
    tenant = await addTenant(table, { ...fresh, isReserved: true });
    return tenant;
  } finally {
    // A reservation that cannot be removed has no effect after a minute.
    if (!tenant) await tenants.release(domain, id).catch(() => undefined);
  }
}
