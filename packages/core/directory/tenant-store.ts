/** How tenants are stored: one row each at the domain, an entry of the list per domain, and a claim per id. */

import { keys } from "../database/table/keys.ts";
import { as, bool, number, rowCodec, text } from "../database/table/row.ts";
import { stale, whileStale } from "../database/table/stale.ts";
import type { Item, Step, Table } from "../database/table/table.ts";
import { early } from "../database/table/timing.ts";
import { SUPER_TENANT, type Tenant } from "../kernel/domain/tenant.ts";
import { canBeId } from "../kernel/ids.ts";

/** The tenants of the deployment. */
export type TenantStore = ReturnType<typeof tenantStore>;

const ENTRIES_PER_PAGE = 8_000;

/** After this time no function still works on a request, so a reservation without a tenant has been left behind. */
const RESERVED_MS = 60_000;

const codec = rowCodec<Omit<Tenant, "domain">>("tenant", {
  id: text,
  active: bool,
  createdMs: as("created", number),
  administrator: text,
});

const claim = rowCodec<Pick<Tenant, "domain">>("tenant id", { domain: text });

const reservation = rowCodec<{ readonly id: string; readonly sinceMs: number; readonly isKept: boolean }>(
  "reservation of a tenant",
  { id: text, sinceMs: as("since", number), isKept: as("kept", bool) },
);

/** Opens the store on the table of one request. */
export function tenantStore(table: Table) {
  const readEntries = () => table.queryAll({ PK: keys.tenantEntry("-").PK, limit: ENTRIES_PER_PAGE });

  return {
    ...reservations(table),
    ...activity(table),

    /** One round trip. */
    async find(domain: string): Promise<Tenant | undefined> {
      const item = await table.get(keys.tenant(domain));
      return item && toTenant(domain, item);
    },

    /** The domain of the tenant with that id. One round trip. */
    async domainOf(id: string): Promise<string | undefined> {
      if (!canBeId(id)) return undefined;
      const item = await table.get(keys.tenantId(id));
      return item && claim.read(item).domain;
    },

    /** All domains in order, without the super tenant's. One round trip for about 8,000. */
    domains: async () => domainsIn(await readEntries()),

    /** The same without those that were left out of lists. */
    listed: async () => domainsIn((await readEntries()).filter(({ unlisted }) => unlisted !== true)),

    /** The existing tenants among some domains, in their order. One round trip. */
    async findMany(domains: readonly string[]): Promise<Tenant[]> {
      const items = await table.getMany(domains.map((domain) => keys.tenant(domain)));
      return domains.flatMap((domain, at) => {
        const item = items[at];
        return item ? [toTenant(domain, item)] : [];
      });
    },

    /** The steps that store a new tenant. The first roles and users of the tenant belong in the same transaction. */
    adding: (tenant: Tenant, otherwise: Step["otherwise"]): Step[] => [
      { put: { ...keys.tenant(tenant.domain), ...codec.write(tenant) }, when: "absent", otherwise },
      { put: { ...keys.tenantEntry(tenant.domain), id: tenant.id }, when: "absent", otherwise },
      { put: { ...keys.tenantId(tenant.id), ...claim.write(tenant) }, when: "absent", otherwise: stale },
      { put: { ...keys.shownNames(tenant.domain), v: 0 }, when: "absent", otherwise },
    ],
  };
}

/** Reserved domains of tenants that are being created. */
function reservations(table: Table) {
  return {
    /** Whether a tenant has that domain or is being created with it. One round trip. */
    async isInUse(domain: string, nowMs: number): Promise<boolean> {
      const { items } = await table.query({ PK: keys.tenant(domain).PK, limit: 2 });
      return items.some((item) => {
        if (item.SK !== keys.tenantReservation(domain).SK) return true;
        const { isKept, sinceMs } = reservation.read(item);
        return isKept || sinceMs > nowMs - RESERVED_MS;
      });
    },

    /**
     * Reserves a domain for a tenant with a new id, so that `isInUse` is true from now on. Takes the reservation of
     * another creation that has not ended. False where a tenant was created.
     */
    async reserve(domain: string, id: string, nowMs: number): Promise<boolean> {
      const put = { ...keys.tenantReservation(domain), ...reservation.write({ id, sinceMs: nowMs, isKept: false }) };
      const exists = new Error("the tenant exists");
      /** The id of the reservation to take over. */
      let other: string | undefined;
      const attempt = () =>
        early(table).write({
          put,
          when: other === undefined ? "absent" : { equal: { id: other, kept: false } },
          otherwise(found) {
            const current = found && reservation.read(found);
            if (current?.id === id) return "applied";
            if (current?.isKept) return exists;
            other = current?.id;
            return stale();
          },
        });
      try {
        await whileStale(attempt);
        return true;
      } catch (error) {
        if (error === exists) return false;
        throw error;
      }
    },

    /** Ends the reservation of a tenant that was not created. */
    release: (domain: string, id: string): Promise<void> =>
      early(table).write({
        remove: keys.tenantReservation(domain),
        when: { equal: { id, kept: false } },
        otherwise: () => "applied",
      }),

    /** The step that keeps the reservation of a tenant that is stored in the same transaction. */
    keepingReservation: ({ domain, id }: Pick<Tenant, "domain" | "id">, otherwise: Step["otherwise"]): Step => ({
      change: keys.tenantReservation(domain),
      set: { kept: true },
      when: { equal: { id, kept: false } },
      otherwise,
    }),
  };
}

/** Whether tenants are active, and in lists. */
function activity(table: Table) {
  return {
    /**
     * Leaves an inactive tenant out of lists, until it is activated. Throws the error of `absent` if there is no
     * tenant, and that of `active` for an active one. One round trip.
     */
    leaveOut: (
      domain: string,
      { absent, active }: { readonly absent: () => Error; readonly active: () => Error },
    ): Promise<void> =>
      // Stale where it was deactivated since the request read it: the record of that would begin with another state.
      whileStale(() =>
        table.write(
          {
            change: keys.tenant(domain),
            // What is recorded of a tenant begins with whether it is active.
            set: { active: false, unlisted: true },
            when: { equal: { active: false } },
            otherwise: (found) => (found ? active() : absent()),
          },
          { change: keys.tenantEntry(domain), set: { unlisted: true }, when: "present", otherwise: absent },
        ),
      ),

    /**
     * Activates or deactivates a tenant; an active one is in lists. `telling` makes the steps of the same transaction
     * that tell others. Throws the error of `absent` if there is no tenant. Writes nothing where nothing would change.
     * One round trip, and one more where `known` does not say whether it is active as the request has read it.
     */
    setActive: (
      domain: string,
      active: boolean,
      {
        known,
        absent,
        telling,
      }: {
        readonly known?: boolean | undefined;
        readonly absent: () => Error;
        readonly telling: () => readonly Step[];
      },
    ): Promise<void> =>
      whileStale(async (attempt) => {
        const item = known === undefined || attempt > 0 ? await table.get(keys.tenant(domain)) : { active: known };
        if (!item) throw absent();
        if ((item.active === true) === active) return;
        await table.write(
          {
            change: keys.tenant(domain),
            set: { active },
            ...(active && { clear: ["unlisted"] }),
            // What is recorded of the change depends on it.
            when: { equal: { active: !active } },
            otherwise: (found) => (found ? stale() : absent()),
          },
          ...(active ? [listing(domain, absent)] : []),
          ...telling(),
        );
      }),
  };
}

/** The step that puts a tenant back into lists. */
function listing(domain: string, otherwise: Step["otherwise"]): Step {
  return { change: keys.tenantEntry(domain), clear: ["unlisted"], when: "present", otherwise };
}

function domainsIn(entries: readonly Item[]): string[] {
  return entries.map(({ SK }) => SK).filter((domain) => domain !== SUPER_TENANT);
}

function toTenant(domain: string, item: Item): Tenant {
  return { domain, ...codec.read(item) };
}
