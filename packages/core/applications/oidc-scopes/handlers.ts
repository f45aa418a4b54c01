/** The handlers of the operations on the scopes of OpenID Connect. */

import type { Handlers } from "../../kernel/operation/operation.ts";
import type { oidcScopeOperations } from "./contract.ts";
import type { OidcScope } from "./model.ts";
import { newScopeOf, scopeNotFound, updatedScopeOf, withChanged, withoutScope, withScope } from "./rules.ts";
import type { OidcScopeStore } from "./store.ts";

/** The dependencies of these handlers. */
export interface OidcScopeStores {
  readonly oidcScopes: OidcScopeStore;
}

export const oidcScopeHandlers: Handlers<typeof oidcScopeOperations, OidcScopeStores> = {
  listOidcScopes: async (_, { tenant, oidcScopes }) => (await oidcScopes.all(tenant)).map(present),

  async createOidcScope({ body }, { tenant, oidcScopes }) {
    const scope = newScopeOf(body);
    await oidcScopes.update(tenant, (before) => withScope(before, scope));
    const location = `/t/${tenant}/api/server/v1/oidc/scopes/${encodeURIComponent(scope.name)}`;
    return { location, body: present(scope) };
  },

  async getOidcScope({ params }, { tenant, oidcScopes }) {
    const scope = named(await oidcScopes.all(tenant), params.scopeName);
    if (!scope) throw scopeNotFound(params.scopeName);
    return present(scope);
  },

  async updateOidcScope({ params, body }, { tenant, oidcScopes }) {
    let updated: OidcScope | undefined;
    await oidcScopes.update(tenant, (before) => {
      const after = withChanged(before, params.scopeName, (scope) => updatedScopeOf(scope, body));
      updated = named(after, params.scopeName);
      return after;
    });
    if (!updated) throw scopeNotFound(params.scopeName);
    return present(updated);
  },

  async deleteOidcScope({ params }, { tenant, oidcScopes }) {
    await oidcScopes.update(tenant, (before) => withoutScope(before, params.scopeName));
    return undefined;
  },
};

function named(scopes: readonly OidcScope[], name: string): OidcScope | undefined {
  return scopes.find((scope) => scope.name === name);
}

function present(scope: OidcScope) {
  return { ...scope, claims: [...scope.claims] };
}
