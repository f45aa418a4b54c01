/** The claims of scope names: each scope of a tenant's APIs has a row at its name. */

import { keys } from "../../database/table/keys.ts";
import { as, rowCodec, text } from "../../database/table/row.ts";
import { stale } from "../../database/table/stale.ts";
import type { Item, Step, Table } from "../../database/table/table.ts";
import type { Scope } from "../../kernel/domain/api-resource.ts";
import { systemScopes } from "../../kernel/domain/system-apis.ts";
import { revokingOwnScopes } from "../../tokens/revocation-store.ts";
import { scopeTaken } from "./rules.ts";

/** A scope by its id, and its API. */
export interface ScopePlace {
  readonly id: string;
  readonly apiId: string;
}

const codec = rowCodec<ScopePlace>("scope", { id: text, apiId: as("api", text) });

/** Which of some scopes exist, of the service or of the tenant. One round trip. */
export function scopeNames(table: Table) {
  return async (tenant: string, scopes: readonly string[]): Promise<ReadonlySet<string>> => {
    const own = scopes.filter((scope) => !systemScopes.has(scope));
    const items = await table.getMany(own.map((scope) => keys.scope(tenant, scope)));
    return new Set([...scopes.filter((scope) => systemScopes.has(scope)), ...own.filter((_, at) => items[at])]);
  };
}

/** The existing scopes of the tenant's own APIs among some names, by name. At most one round trip. */
export async function findScopes(
  table: Table,
  tenant: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, ScopePlace>> {
  const claims = names.length > 0 ? await table.getMany(names.map((name) => keys.scope(tenant, name))) : [];
  return new Map(
    names.flatMap((name, index) => {
      const claim = claims[index];
      return claim ? [[name, codec.read(claim)] as const] : [];
    }),
  );
}

/** The step that claims the name of a scope that an API gets; it may replace the API's own `former` of that name. */
export function claimingScope(tenant: string, apiId: string, scope: Scope, former?: Scope): Step {
  return {
    put: scopeItem(tenant, apiId, scope),
    when: former ? { equal: { id: former.id } } : "absent",
    // A scope of that name in the same API is another change of the API since it was read, also where it has the same
    // id, as in a restored version: decide again on its current state.
    otherwise: (found) =>
      former || (found && codec.read(found).apiId === apiId) ? stale() : scopeTaken(scope.name, tenant),
  };
}

/** The steps that free the names of scopes and revoke the tokens that have one of them. */
export function freeingScopes(tenant: string, scopes: readonly Scope[]): Step[] {
  return exchangingScopes(tenant, "", { added: [], removed: scopes });
}

/**
 * The steps of an API that loses some scopes and gets others, and that revoke the tokens with one of those it loses. A
 * restored version may have another scope of a name than the API has now: a transaction has one step for each row, so
 * that one step replaces the claim.
 */
export function exchangingScopes(
  tenant: string,
  apiId: string,
  { added, removed }: { readonly added: readonly Scope[]; readonly removed: readonly Scope[] },
): Step[] {
  const former = new Map(removed.map((scope) => [scope.name, scope]));
  const claimed = new Set(added.map(({ name }) => name));
  return [
    ...added.map((scope) => claimingScope(tenant, apiId, scope, former.get(scope.name))),
    ...removed
      .filter(({ name }) => !claimed.has(name))
      .map(({ id, name }) => ({ remove: keys.scope(tenant, name), when: { equal: { id } }, otherwise: stale })),
    ...revokingOwnScopes(
      tenant,
      removed.map(({ name }) => name),
    ),
  ];
}

/** The row of a claim. */
export function scopeItem(tenant: string, apiId: string, { id, name }: Scope): Item {
  return { ...keys.scope(tenant, name), ...codec.write({ id, apiId }) };
}
