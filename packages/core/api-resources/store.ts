/**
 * How API resources are kept: one item each with its scopes, an entry per identifier (its claim, and the row of the list) and
 * a claim per scope name. Those of the service itself are in no table, and are found here all the same.
 */

import type { ApiResource, ApiSummary, Scope } from "../domain/api-resource.ts";
import { systemApi, systemApis, systemScopes } from "../domain/system-apis.ts";
import { keys } from "../table/keys.ts";
import { stale, whileStale } from "../table/stale.ts";
import type { Item, Step, Table } from "../table/table.ts";
import { revokingOwnScopes } from "../tokens/revocation-store.ts";
import { apiNotFound, checkChanges, checkOwn, identifierTaken, scopeTaken } from "./rules.ts";

/** Entries of one round trip. Past 1 MB DynamoDB ends the page by itself. */
const ENTRIES_PER_PAGE = 10_000;
const FIRST_VERSION = 1;

/** An API resource and the step that holds it in place while something is written that depends on it. */
export interface HeldApi {
  readonly api: ApiResource;
  /** Nothing for an API of the service, which never changes. */
  readonly holding: readonly Step[];
}

/** Which scope a name means, and whose it is. */
export interface ScopePlace {
  readonly id: string;
  readonly apiId: string;
}

/** The API resources of all tenants; every method takes the tenant that the credential named. */
export interface ApiResourceStore {
  /** At most one round trip. */
  find(tenant: string, id: string): Promise<ApiResource | undefined>;
  /** As `find`; writing with its steps is `stale` when the API has changed since. */
  hold(tenant: string, id: string): Promise<HeldApi | undefined>;
  /** Those of some ids that are there, by id. At most one round trip. */
  findMany(tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, ApiResource>>;
  /** Where scopes of the tenant's own APIs belong, by their names; those that there are. At most one round trip. */
  findScopes(tenant: string, names: readonly string[]): Promise<ReadonlyMap<string, ScopePlace>>;
  /** All of them, as lists show them: the tenant's own, newest first, then those of the service. */
  summaries(tenant: string): Promise<ApiSummary[]>;
  /** Keeps a new one. Throws `api_resource.exists` or `api_resource.scope_exists`. One round trip. */
  add(tenant: string, api: ApiResource): Promise<void>;
  /**
   * Changes one: `change` is given what is there and answers what shall be, and is called again when another writer was faster.
   * Throws `api_resource.not_found`, `api_resource.read_only`, `api_resource.scope_exists`, and what `change` throws. Two round trips.
   */
  update(tenant: string, id: string, change: (before: ApiResource) => ApiResource): Promise<void>;
  /**
   * Removes one and frees its identifier and its scopes' names. Nothing happens when it is not there.
   * Throws `api_resource.read_only`. Two round trips.
   */
  remove(tenant: string, id: string): Promise<void>;
}

/** Which of some scopes an API has, of the service or of the tenant. One round trip. */
export function scopeNames(table: Table) {
  return async (tenant: string, scopes: readonly string[]): Promise<ReadonlySet<string>> => {
    const own = scopes.filter((scope) => !systemScopes.has(scope));
    const items = await table.getMany(own.map((scope) => keys.scope(tenant, scope)));
    return new Set([...scopes.filter((scope) => systemScopes.has(scope)), ...own.filter((_, at) => items[at])]);
  };
}

/** The items of a new API resource, for a loader into an empty table. */
export function apiResourceItems(tenant: string, api: ApiResource): Item[] {
  return [
    entryItem(tenant, api),
    itemOf(tenant, api, FIRST_VERSION),
    ...api.scopes.map((scope) => claimItem(tenant, api.id, scope)),
  ];
}

/** Opens the store on the table of one request. */
export function apiResourceStore(table: Table): ApiResourceStore {
  const own = async (tenant: string, id: string) => {
    const item = await table.get(keys.apiResource(tenant, id));
    return item && { api: toApi(item), ver: item.ver as number };
  };

  const hold: ApiResourceStore["hold"] = async (tenant, id) => {
    const api = systemApi(id);
    if (api) return { api, holding: [] };
    const found = await own(tenant, id);
    if (!found) return undefined;
    const when = { equal: { ver: found.ver } };
    return { api: found.api, holding: [{ check: keys.apiResource(tenant, id), when, otherwise: stale }] };
  };

  return {
    hold,
    find: async (tenant, id) => (await hold(tenant, id))?.api,

    async findMany(tenant, ids) {
      const wanted = ids.filter((id) => !systemApi(id));
      const items = wanted.length > 0 ? await table.getMany(wanted.map((id) => keys.apiResource(tenant, id))) : [];
      const apis = [...ids.map(systemApi), ...items.map((item) => item && toApi(item))];
      return new Map(apis.flatMap((api) => (api ? [[api.id, api] as const] : [])));
    },

    async findScopes(tenant, names) {
      const items = names.length > 0 ? await table.getMany(names.map((name) => keys.scope(tenant, name))) : [];
      return new Map(
        names.flatMap((name, index) => {
          const claim = items[index];
          return claim ? [[name, { id: String(claim.id), apiId: String(claim.api) }] as const] : [];
        }),
      );
    },

    async summaries(tenant) {
      const items = await table.queryAll({ PK: keys.apiResourceEntries(tenant), limit: ENTRIES_PER_PAGE });
      // Ids are UUIDs of version 7, so their order is the order of creation.
      const newestFirst = items.map(toSummary).sort((a, b) => (a.id < b.id ? 1 : -1));
      return [...newestFirst, ...systemApis];
    },

    add: (tenant, api) =>
      table.write(
        {
          put: entryItem(tenant, api),
          when: "absent",
          otherwise: (found) => (found?.id === api.id ? "applied" : identifierTaken(api.identifier, tenant)),
        },
        ...api.scopes.map((scope) => claiming(tenant, api.id, scope)),
        { put: itemOf(tenant, api, FIRST_VERSION), when: "absent", otherwise: stale },
      ),

    async update(tenant, id, change) {
      const system = systemApi(id);
      if (system) checkOwn(system);
      await whileStale(async () => {
        const before = await own(tenant, id);
        if (!before) throw apiNotFound(id);
        await table.write(...changing(tenant, before.api, change(before.api), before.ver));
      });
    },

    async remove(tenant, id) {
      const system = systemApi(id);
      if (system) checkOwn(system);
      await whileStale(async () => {
        const before = await own(tenant, id);
        if (!before) return;
        const { api, ver } = before;
        await table.write(
          { remove: keys.apiResource(tenant, id), when: { equal: { ver } }, otherwise: stale },
          { remove: keys.apiResourceEntry(tenant, api.identifier), when: { equal: { id } }, otherwise: stale },
          ...api.scopes.map((scope) => freeing(tenant, scope)),
          ...ending(tenant, api.scopes),
        );
      });
    },
  };
}

function toApi(item: Item): ApiResource {
  return item.api as unknown as ApiResource;
}

function toSummary(item: Item): ApiSummary {
  return {
    id: item.id as string,
    identifier: item.SK,
    name: item.name as string,
    type: "BUSINESS",
    requiresAuthorization: item.requiresAuthorization === true,
  };
}

function changing(tenant: string, before: ApiResource, after: ApiResource, ver: number): Step[] {
  const added = without(after.scopes, before.scopes);
  const removed = without(before.scopes, after.scopes);
  checkChanges(added.length, removed.length);
  return [
    ...added.map((scope) => claiming(tenant, after.id, scope)),
    ...removed.map((scope) => freeing(tenant, scope)),
    ...ending(tenant, removed),
    { put: entryItem(tenant, after), when: { equal: { id: after.id } }, otherwise: stale },
    { put: itemOf(tenant, after, ver + 1), when: { equal: { ver } }, otherwise: stale },
  ];
}

/** The scopes that the one has and the other has not. */
function without(scopes: readonly Scope[], others: readonly Scope[]): Scope[] {
  const ids = new Set(others.map(({ id }) => id));
  return scopes.filter(({ id }) => !ids.has(id));
}

/** The step that claims the name of a new scope of an API. */
function claiming(tenant: string, api: string, scope: Scope): Step {
  return {
    put: claimItem(tenant, api, scope),
    when: "absent",
    otherwise(found) {
      // The id is new with each request, so a claim that has it already was written by this very call.
      if (found?.id === scope.id) return "applied";
      // The API got a scope of that name since it was read: what is to be done is decided on what it is now.
      return found?.api === api ? stale() : scopeTaken(scope.name, tenant);
    },
  };
}

function freeing(tenant: string, { id, name }: Scope): Step {
  return {
    remove: keys.scope(tenant, name),
    when: { equal: { id } },
    otherwise: stale,
  };
}

/** The steps that end the tokens with scopes that go. */
function ending(tenant: string, scopes: readonly Scope[]): readonly Step[] {
  return revokingOwnScopes(
    tenant,
    scopes.map(({ name }) => name),
  );
}

function entryItem(tenant: string, { id, identifier, name, requiresAuthorization }: ApiResource): Item {
  return {
    ...keys.apiResourceEntry(tenant, identifier),
    id,
    name,
    requiresAuthorization,
  };
}

function itemOf(tenant: string, api: ApiResource, ver: number): Item {
  return {
    ...keys.apiResource(tenant, api.id),
    ver,
    // Stored as it is; `undefined` members are not stored.
    api: api as unknown as Item["api"],
  };
}

function claimItem(tenant: string, api: string, { id, name }: Scope): Item {
  return {
    ...keys.scope(tenant, name),
    id,
    api,
  };
}
