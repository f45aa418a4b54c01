/**
 * How applications are stored: as named items (table/named-items.ts), with the claims of their protocols' keys, and the
 * resident application of the tenant.
 */

import { keys } from "../../database/table/keys.ts";
import { namedItems, namedRows, newestFirst, type Versioned } from "../../database/table/named-items.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Item, Step, Table } from "../../database/table/table.ts";
import type { ValueIndexLimits } from "../../database/table/value-index/range-rows.ts";
import { type Kept, puttingAside } from "../../database/trash/aside-rows.ts";
import { forgetAssignments } from "../../directory/memberships/assignment-clearing.ts";
import { renamingStep } from "../../directory/memberships/shown-names.ts";
import { systemClock } from "../../kernel/clock.ts";
import { type InboundKey, keysOf, protocolKinds } from "../protocols/kinds.ts";
import { type ApplicationEntry, applicationKind, noResident, residentRow } from "./application-rows.ts";
import { AUTHORIZE_ANY, checkGains, checkScript } from "./authorization-rules.ts";
import {
  type AuthorizationRow,
  authorizationsAside,
  holdingAuthorizedApis,
  linkingClient,
  readAuthorizations,
  removingAuthorizedApis,
} from "./authorization-store.ts";
import { readCandidates } from "./candidates-store.ts";
import { type ClientRecord, clientOf } from "./client-model.ts";
import { changingClient, claimedBy, clientItem, releasingClient } from "./client-store.ts";
import { discoverableItems, discoverableSteps } from "./discoverable-store.ts";
import { gainsOf } from "./gain-rules.ts";
import { indexPlace, indexSteps, notingChange, type PageOfApplications, placedSteps } from "./index-store.ts";
import { type ListReads, pageIn, readList } from "./list-store.ts";
import type { Application, ProvisioningSettings } from "./model.ts";
import { nameTaken, notFound, renameTaken } from "./rules.ts";
import { type ShownApplication, type ShownMemory, shownReader } from "./shown-store.ts";

/** The scopes of a caller who only takes away: a gain and a script are refused, and nothing is read in advance. */
export const TAKES_ONLY: ReadonlySet<string> = new Set();

/** The applications of all tenants; every method takes the tenant that the credential named. */
export type ApplicationStore = ReturnType<typeof applicationStore>;

/** The rows of a new application, for a loader into an empty table. */
export function applicationItems(tenant: string, application: Application): Item[] {
  return [
    ...newClientItems(tenant, application),
    ...plainKeysOf(application).map((key) => keyItem(tenant, key, application.id)),
    ...namedRows(applicationKind, tenant, application),
    ...discoverableItems(tenant, application),
  ];
}

/**
 * Opens the store on the table of one request. Deleted applications are put aside for `deletedDays`. `limits` are those
 * of the index of applications, up to `few` applications a list reads their entries, and `memory` is what the container
 * remembers of listed ones.
 */
export function applicationStore(
  table: Table,
  deletedDays = 0,
  { few, memory, ...limits }: Partial<ValueIndexLimits> & { readonly few?: number; readonly memory?: ShownMemory } = {},
) {
  const items = namedItems(table, applicationKind);
  const readShown = shownReader(table, items, memory);

  const readResident = async (tenant: string) => {
    const found = await table.get(keys.residentApplication(tenant));
    return found ? residentRow.read(found) : noResident;
  };

  return {
    /** One round trip. */
    find: async (tenant: string, id: string) => (await items.find(tenant, id))?.value,

    /**
     * Stores a new application. `scopes` are those of the caller: a script needs its scope. Throws `auth.forbidden` and
     * `application.name_taken`. One round trip.
     */
    async add(tenant: string, application: Application, scopes: ReadonlySet<string>): Promise<void> {
      checkScript(undefined, application, scopes);
      await whileStale(async (attempt) =>
        items.add(tenant, application, () => nameTaken(application, tenant), [
          ...newClientItems(tenant, application).map((item) => claimingClient(tenant, application, item)),
          ...furtherSteps(tenant, undefined, application),
          ...(await placedSteps(table, tenant, { after: { value: application, version: 1 } }, { attempt, limits })),
        ]),
      );
    },

    /**
     * Optimistic locking: `change` derives the new application from the current one and is called again after each
     * conflict; returning its argument writes nothing. `scopes` are those of the caller: a gain needs the scopes that
     * the application is authorized for, another script its own. Throws `application.not_found`,
     * `application.name_taken`, `authorized_api.elevation`, `auth.forbidden`, and what `change` throws. Two round
     * trips; three where a caller that may authorize any scope adds or removes a client.
     */
    update(
      tenant: string,
      id: string,
      scopes: ReadonlySet<string>,
      change: (before: Application) => Application,
    ): Promise<void> {
      const read = () => readAuthorizations(table, tenant, id);
      const needsEarly = scopes !== TAKES_ONLY && !scopes.has(AUTHORIZE_ANY);
      return items.update(tenant, id, {
        change(before) {
          const after = change(before);
          checkScript(before, after, scopes);
          return after;
        },
        ...(needsEarly && { alongside: async () => ({ authorized: await read() }) }),
        absent: () => notFound(id, tenant),
        taken: ({ name }) => renameTaken(id, name),
        steps: async (before, after, { attempt, alongside: early }) => {
          const [ofClient, ofIndex] = await Promise.all([
            clientSteps(tenant, before.value, after.value, scopes, async () => (early ? early.authorized : read())),
            placedSteps(table, tenant, { before, after }, { attempt, limits }),
          ]);
          return [
            ...ofClient,
            ...furtherSteps(tenant, before.value, after.value),
            ...ofIndex,
            notingChange(tenant, after),
            // Users show it with their roles of this application.
            ...(after.value.name === before.value.name ? [] : [renamingStep(tenant)]),
          ];
        },
      });
    },

    /** Removes an application with its authorized APIs and frees its name. Idempotent. Two round trips. */
    async remove(tenant: string, id: string): Promise<void> {
      await whileStale(async (attempt) => {
        const [before, authorized, place] = await Promise.all([
          items.find(tenant, id),
          readAuthorizations(table, tenant, id),
          indexPlace(table, tenant, id, attempt, limits),
        ]);
        if (!before) return;
        const client = namedClientOf(before.value);
        await table.write(
          removingAuthorizedApis(tenant, id, authorized),
          ...items.removing(tenant, id, before),
          ...(client ? releasingClient(client.clientId, { tenant, applicationId: id }) : []),
          ...furtherSteps(tenant, before.value, undefined),
          ...(await indexSteps(table, tenant, { before }, place)),
          ...puttingAside(tenant, asideOf(before, authorized), systemClock.now(), deletedDays),
        );
      });
      // One that is put aside keeps who was assigned.
      if (deletedDays === 0) await forgetAssignments(table, tenant, id);
    },

    /** The entries of all applications, newest first. */
    entries: async (tenant: string) => (await items.entries(tenant)).sort(newestFirst),

    /** The entry of one name. */
    entry: items.entry,

    /** One page of a list, newest first, with the exact total. At most five round trips: see `readList`. */
    async page(tenant: string, reads: ListReads): Promise<PageOfApplications> {
      const { candidates, query } = reads;
      const found = await readList(table, items, tenant, reads, { few, readShown });
      if (found) return found;
      const all = candidates
        ? await readCandidates(table, items, tenant, candidates)
        : (await items.entries(tenant)).sort(newestFirst).map((entry) => ({ entry }));
      return pageIn(all ?? [], query);
    },

    /** What lists show of some entries, in their order; those that were removed since are left out. */
    async readMany(tenant: string, entries: readonly ApplicationEntry[]): Promise<ShownApplication[]> {
      // Half the price; the entries, read strongly, show which copies are not the newest.
      const found = await readShown({ tenant, wanted: entries, isConsistent: false });
      return found.flatMap((one) => (one ? [one.shown] : []));
    },

    /** The provisioning settings of the resident application. */
    resident: async (tenant: string) => (await readResident(tenant)).value,

    /** Changes them, as `update` does. Returns the new settings. */
    updateResident: (tenant: string, change: (before: ProvisioningSettings) => ProvisioningSettings) =>
      whileStale(async () => {
        const { version, value } = await readResident(tenant);
        const after = change(value);
        await table.write({
          put: { ...keys.residentApplication(tenant), ...residentRow.write({ version: version + 1, value: after }) },
          when: version > 0 ? { equal: { ver: version } } : "absent",
          otherwise: stale,
        });
        return after;
      }),
  };
}

function asideOf({ value, version }: Versioned<Application>, authorized: AuthorizationRow | undefined): Kept {
  const item = applicationKind.item.write({ value, version });
  return { type: "application", id: value.id, name: value.name, item, apis: authorizationsAside(authorized) };
}

/**
 * The steps on the client between two states, and on the authorizations by which the change was judged. Calls `read`
 * where a client is added or removed, or a gain is judged. Throws `authorized_api.elevation`.
 */
async function clientSteps(
  tenant: string,
  before: Application,
  after: Application,
  scopes: ReadonlySet<string>,
  read: () => Promise<AuthorizationRow | undefined>,
): Promise<readonly Step[]> {
  const [old, next] = [namedClientOf(before), namedClientOf(after)];
  const owner = { tenant, applicationId: after.id };
  const gains = scopes.has(AUTHORIZE_ANY) ? [] : gainsOf(before, after);
  const isAnother = old?.clientId !== next?.clientId;
  if (gains.length === 0 && !isAnother) {
    return old && next ? changingClient(old.clientId, owner, old.client, next.client) : [];
  }
  const authorized = await read();
  const apis = authorized?.apis ?? [];
  checkGains(gains, apis, scopes);
  if (!isAnother) {
    return [
      // Authorized meanwhile, the application would give what was not judged.
      holdingAuthorizedApis(tenant, after.id, authorized),
      ...(old && next ? changingClient(old.clientId, owner, old.client, next.client) : []),
    ];
  }
  return [
    linkingClient(tenant, after.id, authorized, next?.clientId),
    ...(old ? releasingClient(old.clientId, owner) : []),
    ...(next ? [claimingClient(tenant, after, clientItem(next.clientId, owner, next.client, apis))] : []),
  ];
}

/** The client of an application with its id, if it has one. */
export function namedClientOf(
  application: Application,
): { readonly clientId: string; readonly client: ClientRecord } | undefined {
  const [client, clientId] = [clientOf(application), application.inbound.oidc?.clientId];
  return client && clientId !== undefined ? { clientId, client } : undefined;
}

/** The row of the client of a new application, if it has one. */
function newClientItems(tenant: string, application: Application): Item[] {
  const named = namedClientOf(application);
  return named ? [clientItem(named.clientId, { tenant, applicationId: application.id }, named.client, [])] : [];
}

/** The step that claims the client id of an application, given the row of the client. */
export function claimingClient(tenant: string, { id, inbound }: Application, put: Item): Step {
  return {
    put,
    when: "absent",
    otherwise: (found) =>
      belongsTo(found, tenant, id) || !inbound.oidc ? stale() : protocolKinds.oidc.keyOf(inbound.oidc).taken(tenant),
  };
}

/**
 * The steps on further rows of an application between two of its states: claimed keys, without its client id, and what
 * portals show.
 */
export function furtherSteps(tenant: string, before: Application | undefined, after: Application | undefined): Step[] {
  const id = after?.id ?? before?.id ?? "";
  const [old, next] = [plainKeysOf(before), plainKeysOf(after)];
  const isIn = (list: readonly InboundKey[]) => (key: InboundKey) =>
    list.some(({ kind, value }) => kind === key.kind && value === key.value);
  return [
    ...old.filter((key) => !isIn(next)(key)).map((key) => releasing(tenant, key, id)),
    ...next.filter((key) => !isIn(old)(key)).map((key) => claiming(tenant, key, id)),
    ...discoverableSteps(tenant, before, after),
  ];
}

/** The keys that an application claims, except its client id (client-store.ts). */
function plainKeysOf(application: Application | undefined): readonly InboundKey[] {
  const { oidc: _, ...inbound } = application?.inbound ?? {};
  return keysOf(inbound);
}

function releasing(tenant: string, { kind, value }: InboundKey, id: string): Step {
  return {
    remove: keys.inboundKey(tenant, kind, value),
    when: { equal: claimedBy({ tenant, applicationId: id }) },
    otherwise: stale,
  };
}

function claiming(tenant: string, key: InboundKey, id: string): Step {
  return {
    put: keyItem(tenant, key, id),
    when: "absent",
    // A claim of its own there is a concurrent change of the same application, which may have changed more.
    otherwise: (found) => (belongsTo(found, tenant, id) ? stale() : key.taken(tenant)),
  };
}

function keyItem(tenant: string, { kind, value }: InboundKey, id: string): Item {
  return { ...keys.inboundKey(tenant, kind, value), ...claimedBy({ tenant, applicationId: id }) };
}

/** Whether the claim of a key belongs to an application. */
function belongsTo(claim: Item | undefined, tenant: string, id: string): boolean {
  return claim?.application === id && claim.tenant === tenant;
}
