/** How tenants are stored: one row each at the domain, an entry of the list per domain, and a claim per id. */
import { canBeId } from "../platform/ids.ts";
import { keys } from "../table/keys.ts";
import { as, bool, number, rowCodec, text, withDefault } from "../table/row.ts";
import { stale } from "../table/stale.ts";
import type { Item, Step, Table } from "../table/table.ts";
import { SUPER_TENANT, type Tenant } from "./tenant.ts";

/** The tenants of the deployment. */
export interface TenantStore {
  /** One round trip. */
  find(domain: string): Promise<Tenant | undefined>;
  /** The domain of the tenant with that id. One round trip. */
  domainOf(id: string): Promise<string | undefined>;
  /** All domains in order, without the super tenant's. One round trip for about 8,000. */
  domains(): Promise<readonly string[]>;
  /** The existing tenants among some domains, in their order. One round trip. */
  findMany(domains: readonly string[]): Promise<Tenant[]>;
  /** Activates or deactivates a tenant. Throws the error of `absent` if there is none. One round trip. */
  setActive(domain: string, active: boolean, absent: () => Error): Promise<void>;
  /** The steps that store a new tenant. The first roles and users of the tenant belong in the same transaction. */
  adding(tenant: Tenant, otherwise: Step["otherwise"]): Step[];
}

const ENTRIES_PER_PAGE = 8_000;

const codec = rowCodec<Omit<Tenant, "domain">>("tenant", {
  id: text,
  active: withDefault(bool, false),
  createdMs: as("created", number),
  administrator: text,
});

const claim = rowCodec<Pick<Tenant, "domain">>("tenant id", { domain: text });

/** Opens the store on the table of one request. */
export function tenantStore(table: Table): TenantStore {
  return {
    async find(domain) {
      const item = await table.get(keys.tenant(domain));
      return item && toTenant(domain, item);
    },

    async domainOf(id) {
      if (!canBeId(id)) return undefined;
      const item = await table.get(keys.tenantId(id));
      return item && claim.read(item).domain;
    },

    async domains() {
      const entries = await table.queryAll({ PK: keys.tenantEntry("-").PK, limit: ENTRIES_PER_PAGE });
      return entries.map(({ SK }) => SK).filter((domain) => domain !== SUPER_TENANT);
    },

    async findMany(domains) {
      const items = await table.getMany(domains.map((domain) => keys.tenant(domain)));
      return domains.flatMap((domain, at) => {
        const item = items[at];
        return item ? [toTenant(domain, item)] : [];
      });
    },

    setActive: (domain, active, absent) =>
      table.write({ change: keys.tenant(domain), set: { active }, when: "present", otherwise: absent }),

    adding: (tenant, otherwise) => [
      { put: { ...keys.tenant(tenant.domain), ...codec.write(tenant) }, when: "absent", otherwise },
      { put: { ...keys.tenantEntry(tenant.domain), id: tenant.id }, when: "absent", otherwise },
      { put: { ...keys.tenantId(tenant.id), ...claim.write(tenant) }, when: "absent", otherwise: stale },
      { put: { ...keys.shownNames(tenant.domain), v: 0 }, when: "absent", otherwise },
    ],
  };
}

function toTenant(domain: string, item: Item): Tenant {
  return { domain, ...codec.read(item) };
}
