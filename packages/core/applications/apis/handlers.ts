/** The handlers of the operations on API resources. */

import type * as z from "zod";
import type { ApiResource, Scope } from "../../kernel/domain/api-resource.ts";
import { Fault } from "../../kernel/faults.ts";
import { newId } from "../../kernel/ids.ts";
import { later } from "../../kernel/later.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { apiResourceOperations } from "./contract.ts";
import { listApiResources } from "./list.ts";
import { apiSelfOf, presentApi, presentScopes } from "./present.ts";
import { apiNotFound, checkFree, checkSize, nameOf, newNamesOf, newScopesOf, scopeNotFound } from "./rules.ts";
import { listScopes } from "./scope-list.ts";
import type { ScopePatch } from "./shapes.ts";
import type { ApiResourceStore } from "./store.ts";

/** The dependencies of these handlers. */
export interface ApiResourceStores {
  readonly apiResources: ApiResourceStore;
}

const { presentCollections, presentCollection } = later(
  () => import("./present-collections.ts"),
  "presentCollections",
  "presentCollection",
);

export const apiResourceHandlers: Handlers<typeof apiResourceOperations, ApiResourceStores> = {
  listApiResources: ({ query }, { tenant, apiResources }) => listApiResources(apiResources, tenant, query),

  async createApiResource({ body }, { tenant, apiResources }) {
    const { description, requiresAuthorization = true, scopes = [] } = body;
    const names = newNamesOf(body, tenant);
    const api: ApiResource = checkSize({
      id: newId(),
      ...names,
      type: "BUSINESS",
      requiresAuthorization,
      ...(description !== undefined && { description }),
      scopes: newScopesOf(scopes, newId),
    });
    await apiResources.add(tenant, api);
    return { location: apiSelfOf(tenant, api.id), body: presentApi(tenant, api) };
  },

  async getApiResource({ params }, { tenant, apiResources }) {
    const api = await apiResources.find(tenant, params.apiResourceId);
    if (!api) throw apiNotFound(params.apiResourceId);
    return presentApi(tenant, api);
  },

  async patchApiResource({ params, body }, { tenant, apiResources }) {
    // Created once, not at every attempt: the store recognises its own claims by the ids.
    let added: readonly Scope[] | undefined;
    await apiResources.update(tenant, params.apiResourceId, (before) => {
      if (body.removedScopes) {
        throw new Fault(
          "api_resource.scopes_not_removable_here",
          "removedScopes: not supported here. Delete the scope at /scopes/{scopeName}.",
        );
      }
      added ??= newScopesOf(body.addedScopes ?? [], newId);
      checkFree(before, added, tenant);
      return checkSize({
        ...before,
        ...(body.name !== undefined && { name: nameOf(body.name) }),
        ...(body.description !== undefined && { description: body.description }),
        scopes: [...before.scopes, ...added],
      });
    });
    return undefined;
  },

  async deleteApiResource({ params }, { tenant, apiResources }) {
    await apiResources.remove(tenant, params.apiResourceId);
    return undefined;
  },

  async getApiResourceScopes({ params }, { tenant, apiResources }) {
    const api = await apiResources.find(tenant, params.apiResourceId);
    if (!api) throw apiNotFound(params.apiResourceId);
    return presentScopes(api.scopes);
  },

  async replaceApiResourceScopes({ params, body }, { tenant, apiResources }) {
    let scopes: readonly Scope[] | undefined;
    await apiResources.update(tenant, params.apiResourceId, (before) => {
      scopes ??= newScopesOf(body, newId);
      const idByName = new Map(before.scopes.map(({ name, id }) => [name, id]));
      return checkSize({
        ...before,
        scopes: scopes.map((scope) => ({ ...scope, id: idByName.get(scope.name) ?? scope.id })),
      });
    });
    return undefined;
  },

  async patchApiResourceScope({ params, body }, { tenant, apiResources }) {
    await patchScope(apiResources, tenant, params.apiResourceId, body, named(params.scopeName), params.scopeName);
    return undefined;
  },

  async patchApiResourceScopeById({ params, body }, { tenant, apiResources }) {
    await patchScope(apiResources, tenant, params.apiResourceId, body, withId(params.scopeId), params.scopeId);
    return undefined;
  },

  async deleteApiResourceScope({ params }, { tenant, apiResources }) {
    await deleteScope(apiResources, tenant, params.apiResourceId, named(params.scopeName));
    return undefined;
  },

  async deleteApiResourceScopeById({ params }, { tenant, apiResources }) {
    await deleteScope(apiResources, tenant, params.apiResourceId, withId(params.scopeId));
    return undefined;
  },

  listScopes: async ({ query }, { tenant, apiResources }) =>
    presentScopes(await listScopes(apiResources, tenant, query.filter)),

  listApiResourceCollections: ({ query }, { tenant }) => presentCollections(tenant, query),

  getApiResourceCollection: ({ params }, { tenant }) => presentCollection(tenant, params.collectionId),
};

type IsScope = (scope: Scope) => boolean;

function named(wanted: string): IsScope {
  return ({ name }) => name === wanted;
}

function withId(wanted: string): IsScope {
  return ({ id }) => id === wanted;
}

async function patchScope(
  apiResources: ApiResourceStore,
  tenant: string,
  apiResourceId: string,
  body: z.output<typeof ScopePatch>,
  isScope: IsScope,
  label: string,
): Promise<void> {
  await apiResources.update(tenant, apiResourceId, (before) => {
    if (!before.scopes.some(isScope)) throw scopeNotFound(label);
    const changed = (scope: Scope): Scope => ({
      ...scope,
      ...(body.displayName?.trim() && { displayName: body.displayName }),
      ...(body.description !== undefined && { description: body.description }),
    });
    return checkSize({ ...before, scopes: before.scopes.map((scope) => (isScope(scope) ? changed(scope) : scope)) });
  });
}

async function deleteScope(
  apiResources: ApiResourceStore,
  tenant: string,
  apiResourceId: string,
  isScope: IsScope,
): Promise<void> {
  try {
    await apiResources.update(tenant, apiResourceId, (before) => ({
      ...before,
      scopes: before.scopes.filter((scope) => !isScope(scope)),
    }));
  } catch (error) {
    // Without its API, the scope does not exist either.
    if (!(error instanceof Fault && error.fault === "api_resource.not_found")) throw error;
  }
}
