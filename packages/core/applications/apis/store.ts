/**
 * How API resources are stored: as named items (table/named-items.ts) that are named by their identifier and never
 * renamed, with a claim for each scope name. The APIs of the service itself are in no table; every read finds them too.
 */

import { keys } from "../../database/table/keys.ts";
import {
  type NamedKind,
  namedItems,
  namedRows,
  newestFirst,
  type Versioned,
  version,
} from "../../database/table/named-items.ts";
import { as, bool, type Field, list, oneOf, optional, record, rowCodec, text } from "../../database/table/row.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Item, Step, Table } from "../../database/table/table.ts";
import { type Kept, puttingAside } from "../../database/trash/aside-rows.ts";
import { systemClock } from "../../kernel/clock.ts";
import type { ApiResource, ApiSummary, ApiType, Scope } from "../../kernel/domain/api-resource.ts";
import { systemApi, systemApis } from "../../kernel/domain/system-apis.ts";
import { apiNotFound, canBeIdentifier, checkChanges, checkOwn, identifierTaken } from "./rules.ts";
import { claimingScope, exchangingScopes, findScopes, freeingScopes, scopeItem } from "./scope-store.ts";

/** An API resource and the steps that check that it has not changed. */
export interface HeldApi {
  readonly api: ApiResource;
  /** None for an API of the service, which never changes. */
  readonly holding: readonly Step[];
}

/** The API resources of all tenants; every method takes the tenant that the credential named. */
export type ApiResourceStore = ReturnType<typeof apiResourceStore>;

const storedApi: Field<ApiResource> = record<ApiResource>({
  id: text,
  identifier: text,
  name: text,
  type: oneOf("BUSINESS", "TENANT", "SYSTEM"),
  requiresAuthorization: bool,
  description: optional(text),
  scopes: list(record<Scope>({ id: text, name: text, displayName: text, description: optional(text) })),
});

/** Only APIs of the tenant have a row, so their type is not stored in it. */
const own: Field<ApiType> = { expects: "absent", parse: () => "BUSINESS", write: () => undefined };

/** How API resources are stored as named items. */
export const apiResourceKind: NamedKind<ApiResource, ApiSummary> = {
  item: rowCodec<Versioned<ApiResource>>("API resource", { version, value: as("api", storedApi) }),
  entry: rowCodec<ApiSummary>("API resource entry", {
    id: text,
    identifier: as("SK", text),
    name: text,
    type: own,
    requiresAuthorization: bool,
  }),
  itemKey: keys.apiResource,
  entryKey: keys.apiResourceEntry,
  entries: keys.apiResourceEntries,
  nameOf: ({ identifier }) => identifier,
  entryOf: ({ scopes: _, description: __, ...summary }) => summary,
  owner: (id) => ({ id }),
};

/** The rows of a new API resource, for a loader into an empty table. */
export function apiResourceItems(tenant: string, api: ApiResource): Item[] {
  return [...namedRows(apiResourceKind, tenant, api), ...api.scopes.map((scope) => scopeItem(tenant, api.id, scope))];
}

/** Opens the store on the table of one request. Deleted API resources are put aside for `deletedDays`. */
export function apiResourceStore(table: Table, deletedDays = 0) {
  const items = namedItems(table, apiResourceKind);

  const hold = async (tenant: string, id: string): Promise<HeldApi | undefined> => {
    const api = systemApi(id);
    if (api) return { api, holding: [] };
    const found = await items.find(tenant, id);
    if (!found) return undefined;
    const when = { equal: { ver: found.version } };
    return { api: found.value, holding: [{ check: keys.apiResource(tenant, id), when, otherwise: stale }] };
  };

  return {
    /** As `find`; a write with its steps is `stale` if the API has changed since. */
    hold,
    /** At most one round trip. */
    find: async (tenant: string, id: string) => (await hold(tenant, id))?.api,

    /** Those of some ids that exist, by id. At most one round trip. */
    async findMany(tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, ApiResource>> {
      const own = await items.findMany(
        tenant,
        ids.filter((id) => !systemApi(id)),
      );
      const apis = [...ids.map(systemApi), ...own.map((found) => found?.value)];
      return new Map(apis.flatMap((api) => (api ? [[api.id, api] as const] : [])));
    },

    /** The existing scopes of the tenant's own APIs among some names, by name. At most one round trip. */
    findScopes: (tenant: string, names: readonly string[]) => findScopes(table, tenant, names),

    /** The ids of the tenant's own APIs among some identifiers, by identifier. At most one round trip. */
    idsOf: async (tenant: string, identifiers: readonly string[]): Promise<ReadonlyMap<string, string>> => {
      const entries = await items.entriesOf(tenant, identifiers.filter(canBeIdentifier));
      return new Map(entries.map(({ identifier, id }) => [identifier, id]));
    },

    /** All of them, as lists show them: the tenant's own, newest first, then those of the service. */
    summaries: async (tenant: string): Promise<ApiSummary[]> => [
      ...(await items.entries(tenant)).sort(newestFirst),
      ...systemApis,
    ],

    /** Stores a new one. Throws `api_resource.exists` or `api_resource.scope_exists`. One round trip. */
    add: (tenant: string, api: ApiResource): Promise<void> =>
      items.add(
        tenant,
        api,
        () => identifierTaken(api.identifier, tenant),
        api.scopes.map((scope) => claimingScope(tenant, api.id, scope)),
      ),

    /**
     * Optimistic locking: `change` derives the new resource from the current one and is called again after each
     * conflict. Throws `api_resource.not_found`, `api_resource.read_only`, `api_resource.scope_exists`, and what
     * `change` throws. Two round trips.
     */
    async update(tenant: string, id: string, change: (before: ApiResource) => ApiResource): Promise<void> {
      checkChangeable(id);
      await items.update(tenant, id, {
        change,
        absent: () => apiNotFound(id),
        // Its identifier never changes.
        taken: ({ identifier }) => identifierTaken(identifier, tenant),
        steps: ({ value: before }, { value: after }) => scopeSteps(tenant, before, after),
      });
    },

    /**
     * Removes one and frees its identifier and the names of its scopes. Idempotent. Throws `api_resource.read_only`.
     * Two round trips.
     */
    async remove(tenant: string, id: string): Promise<void> {
      checkChangeable(id);
      await whileStale(async () => {
        const before = await items.find(tenant, id);
        if (!before) return;
        const { scopes, identifier } = before.value;
        const kept: Kept = { type: "api-resource", id, name: identifier, item: apiResourceKind.item.write(before) };
        await table.write(
          ...items.removing(tenant, id, before),
          ...freeingScopes(tenant, scopes),
          ...puttingAside(tenant, kept, systemClock.now(), deletedDays),
        );
      });
    },
  };
}

/** Throws `api_resource.read_only` for an API of the service. */
function checkChangeable(id: string): void {
  const api = systemApi(id);
  if (api) checkOwn(api);
}

/** The steps on the claims of scopes between two states of an API. */
function scopeSteps(tenant: string, before: ApiResource, after: ApiResource): Step[] {
  const added = without(after.scopes, before.scopes);
  const removed = without(before.scopes, after.scopes);
  checkChanges(added.length, removed.length);
  return exchangingScopes(tenant, after.id, { added, removed });
}

/** The scopes of the first list that are not in the second. */
function without(scopes: readonly Scope[], others: readonly Scope[]): Scope[] {
  const ids = new Set(others.map(({ id }) => id));
  return scopes.filter(({ id }) => !ids.has(id));
}
