/** How tenants are kept: the walls between the customers of one deployment. One item each, an entry per domain and a claim per id. */

import { canBeId } from "../platform/ids.ts";
import type { Resource } from "../scim/schema/attribute.ts";
import { keys } from "../table/keys.ts";
import { stale } from "../table/stale.ts";
import type { Item, Step, Table } from "../table/table.ts";

/** The tenant that exists from the start and that a bare user name means. */
export const SUPER_TENANT = "carbon.super";

/** One tenant. */
export interface Tenant {
  readonly id: string;
  readonly domain: string;
  /** A tenant that is not active lets nobody in. */
  readonly active: boolean;
  readonly createdMs: number;
  /** The id of the user who was its first administrator, and whom nobody can delete or deactivate. */
  readonly administrator: string;
}

/** The first administrator of a tenant, in its PRIMARY user store. */
export interface Administrator {
  readonly username: string;
  readonly password: string;
  /** What else is known of the user, as SCIM names it. */
  readonly profile?: Resource;
}

const ENTRIES_PER_PAGE = 8_000;

/** The tenants. */
export interface TenantStore {
  /** One round trip. */
  find(domain: string): Promise<Tenant | undefined>;
  /** The domain of the tenant with that id. One round trip. */
  domainOf(id: string): Promise<string | undefined>;
  /** All domains in order, without that of the super tenant. One round trip to about 8,000. */
  domains(): Promise<readonly string[]>;
  /** Several tenants in the order of their domains. One round trip. */
  findMany(domains: readonly string[]): Promise<Tenant[]>;
  /** Lets the users of a tenant in, or keeps them out. Throws what `gone` makes. One round trip. */
  setActive(domain: string, active: boolean, gone: () => Error): Promise<void>;
  /** The steps that keep a new tenant; whoever makes one adds what the tenant needs in the same transaction. */
  adding(tenant: Tenant, otherwise: Step["otherwise"]): Step[];
}

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
      return item && String(item.domain);
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

    setActive: (domain, active, gone) =>
      table.write({ change: keys.tenant(domain), set: { active }, when: "present", otherwise: gone }),

    adding: ({ id, domain, active, createdMs, administrator }, otherwise) => [
      {
        put: { ...keys.tenant(domain), id, active, created: createdMs, administrator },
        when: "absent",
        otherwise,
      },
      { put: { ...keys.tenantEntry(domain), id }, when: "absent", otherwise },
      { put: { ...keys.tenantId(id), domain }, when: "absent", otherwise: stale },
      { put: { ...keys.shownNames(domain), v: 0 }, when: "absent", otherwise },
    ],
  };
}

function toTenant(domain: string, item: Item): Tenant {
  return {
    id: String(item.id),
    domain,
    active: item.active === true,
    createdMs: item.created as number,
    administrator: String(item.administrator),
  };
}
