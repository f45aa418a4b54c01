/** What a tenant has from its first moment: its roles and an administrator. All of it at once, or none. */
import { addingCredential, type Credential } from "../auth/credentials.ts";
import { newId } from "../platform/ids.ts";
import { hashPassword } from "../platform/password.ts";
import { ADMIN_ROLE, EVERYONE_ROLE, roleStore } from "../roles/store.ts";
import type { Table } from "../table/table.ts";
import { userStore } from "../users/store.ts";
import { PRIMARY } from "../users/username.ts";
import { tenantStore } from "./tenant.ts";

/** The first administrator of a tenant, in its PRIMARY user store. */
export interface Administrator {
  readonly username: string;
  readonly password: string;
}

/** A credential of a password that was just set. */
export const newCredential = async (password: string): Promise<Credential> => ({
  passwordHash: await hashPassword(password),
  version: newId(),
});

class TenantExists extends Error {}

/** Founds a tenant; answers false when it exists already. Two callers at once found it once. */
export const foundTenant = async (table: Table, domain: string, administrator: Administrator): Promise<boolean> => {
  if (await tenantStore(table).find(domain)) return false;
  const exists = () => new TenantExists(domain);
  const roles = roleStore(table);
  const [userId, adminId, everyoneId] = [newId(), newId(), newId()];
  const steps = [
    tenantStore(table).adding(domain, exists),
    ...roles.adding(domain, { id: adminId, name: ADMIN_ROLE, permissions: [], holdsEveryScope: true }, exists),
    ...roles.adding(domain, { id: everyoneId, name: EVERYONE_ROLE, permissions: [], holdsEveryScope: false }, exists),
    ...roles.giving(domain, adminId, userId, exists),
    addingCredential(domain, userId, await newCredential(administrator.password), exists),
  ];
  const user = { id: userId, userName: administrator.username, userStore: PRIMARY, active: true };
  try {
    await userStore(table).add(domain, user, steps, exists);
    return true;
  } catch (error) {
    if (error instanceof TenantExists) return false;
    throw error;
  }
};
