/** Tenants: the walls between customers of one deployment. */
import { keys } from "../table/keys.ts";
import type { Step, Table } from "../table/table.ts";

/** The tenant that exists from the start and that a bare user name means. */
export const SUPER_TENANT = "carbon.super";

/** One tenant. */
export interface Tenant {
  readonly domain: string;
  /** A tenant that is not active lets nobody in. */
  readonly active: boolean;
}

/** The tenants. */
export interface TenantStore {
  find(domain: string): Promise<Tenant | undefined>;
  /** The step that keeps a new tenant; whoever makes one adds what the tenant needs in the same transaction. */
  adding(domain: string, otherwise: Step["otherwise"]): Step;
}

/** Opens the store on the table of one request. */
export const tenantStore = (table: Table): TenantStore => ({
  async find(domain) {
    const item = await table.get(keys.tenant(domain));
    return item && { domain, active: item.active === true };
  },
  adding: (domain, otherwise) => ({ put: { ...keys.tenant(domain), active: true }, when: "absent", otherwise }),
});
