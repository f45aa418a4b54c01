/**
 * How API resources are stored: as named items (table/named-items.ts) that are named by their identifier and never
 * renamed, with a claim for each scope name. The APIs of the service itself are in no table; every read finds them too.
 */

import { type Kept, puttingAside } from "../aside/aside-rows.ts";
import type { ApiResource, ApiSummary, ApiType, Scope } from "../domain/api-resource.ts";
import { systemApi, systemApis } from "../domain/system-apis.ts";
import { systemClock } from "../platform/clock.ts";
import { keys } from "../table/keys.ts";
import { type NamedKind, namedItems, namedRows, newestFirst, type Versioned, version } from "../table/named-items.ts";
import { as, bool, type Field, list, oneOf, optional, record, rowCodec, text, withDefault } from "../table/row.ts";
import { stale, whileStale } from "../table/stale.ts";
import type { Item, Step, Table } from "../table/table.ts";
import { apiNotFound, canBeIdentifier, checkChanges, checkOwn, identifierTaken } from "./rules.ts";
import {
  claimingScope,
  exchangingScopes,
  findScopes,
  freeingScopes,
  type ScopePlace,
  scopeItem,
} from "./scope-store.ts";

/** An API resource and the steps that check that it has not changed. */
export interface HeldApi {
  readonly api: ApiResource;
  /** None for an API of the service, which never changes. */
  readonly holding: readonly Step[];
}

/** The API resources of all tenants; every method takes the tenant that the credential named. */
export interface ApiResourceStore {
  /** At most one round trip. */
  find(tenant: string, id: string): Promise<ApiResource | undefined>;
  /** As `find`; a write with its steps is `stale` if the API has changed since. */
  hold(tenant: string, id: string): Promise<HeldApi | undefined>;
  /** Those of some ids that exist, by id. At most one round trip. */
  findMany(tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, ApiResource>>;
  /** The existing scopes of the tenant's own APIs among some names, by name. At most one round trip. */
  findScopes(tenant: string, names: readonly string[]): Promise<ReadonlyMap<string, ScopePlace>>;
  /** The ids of the tenant's own APIs among some identifiers, by identifier. At most one round trip. */
  idsOf(tenant: string, identifiers: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** All of them, as lists show them: the tenant's own, newest first, then those of the service. */
  summaries(tenant: string): Promise<ApiSummary[]>;
  /** Stores a new one. Throws `api_resource.exists` or `api_resource.scope_exists`. One round trip. */
  add(tenant: string, api: ApiResource): Promise<void>;
  /**
   * Optimistic locking: `change` derives the new resource from the current one and is called again after each conflict.
   * Throws `api_resource.not_found`, `api_resource.read_only`, `api_resource.scope_exists`, and what `change` throws.
   * Two round trips.
   */
  update(tenant: string, id: string, change: (before: ApiResource) => ApiResource): Promise<void>;
  /**
   * Removes one and frees its identifier and the names of its scopes. Idempotent. Throws `api_resource.read_only`. Two
   * round trips.
   */
  remove(tenant: string, id: string): Promise<void>;
}

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
    requiresAuthorization: withDefault(bool, false),
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
export function apiResourceStore(table: Table, deletedDays = 0): ApiResourceStore {
  const items = namedItems(table, apiResourceKind);

  const hold: ApiResourceStore["hold"] = async (tenant, id) => {
    const api = systemApi(id);
    if (api) return { api, holding: [] };
    const found = await items.find(tenant, id);
    if (!found) return undefined;
    const when = { equal: { ver: found.version } };
    return { api: found.value, holding: [{ check: keys.apiResource(tenant, id), when, otherwise: stale }] };
  };

  return {
    hold,
    find: async (tenant, id) => (await hold(tenant, id))?.api,

    async findMany(tenant, ids) {
      const own = await items.findMany(
        tenant,
        ids.filter((id) => !systemApi(id)),
      );
      const apis = [...ids.map(systemApi), ...own.map((found) => found?.value)];
      return new Map(apis.flatMap((api) => (api ? [[api.id, api] as const] : [])));
    },

    findScopes: (tenant, names) => findScopes(table, tenant, names),

    idsOf: async (tenant, identifiers) => {
      const entries = await items.entriesOf(tenant, identifiers.filter(canBeIdentifier));
      return new Map(entries.map(({ identifier, id }) => [identifier, id]));
    },

    summaries: async (tenant) => [...(await items.entries(tenant)).sort(newestFirst), ...systemApis],

    add: (tenant, api) =>
      items.add(
        tenant,
        api,
        () => identifierTaken(api.identifier, tenant),
        api.scopes.map((scope) => claimingScope(tenant, api.id, scope)),
      ),

    async update(tenant, id, change) {
      checkChangeable(id);
      await items.update(tenant, id, {
        change,
        absent: () => apiNotFound(id),
        // Its identifier never changes.
        taken: ({ identifier }) => identifierTaken(identifier, tenant),
        steps: ({ value: before }, { value: after }) => scopeSteps(tenant, before, after),
      });
    },

    async remove(tenant, id) {
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
