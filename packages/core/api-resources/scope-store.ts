/** The claims of scope names: each scope of a tenant's APIs has a row at its name. */
import type { Scope } from "../domain/api-resource.ts";
import { systemScopes } from "../domain/system-apis.ts";
import { keys } from "../table/keys.ts";
import { as, rowCodec, text } from "../table/row.ts";
import { stale } from "../table/stale.ts";
import type { Item, Step, Table } from "../table/table.ts";
import { revokingOwnScopes } from "../tokens/revocation-store.ts";
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

/** The step that claims the name of a scope that an API gets. */
export function claimingScope(tenant: string, apiId: string, scope: Scope): Step {
  return {
    put: scopeItem(tenant, apiId, scope),
    when: "absent",
    // A scope of that name in the same API is another change of the API since it was read, also where it has the same
    // id, as in a restored version: decide again on its current state.
    otherwise: (found) => (found && codec.read(found).apiId === apiId ? stale() : scopeTaken(scope.name, tenant)),
  };
}

/** The steps that free the names of scopes and revoke the tokens that have one of them. */
export function freeingScopes(tenant: string, scopes: readonly Scope[]): Step[] {
  const names = scopes.map(({ name }) => name);
  return [
    ...scopes.map(({ id, name }) => ({ remove: keys.scope(tenant, name), when: { equal: { id } }, otherwise: stale })),
    ...revokingOwnScopes(tenant, names),
  ];
}

/** The row of a claim. */
export function scopeItem(tenant: string, apiId: string, { id, name }: Scope): Item {
  return { ...keys.scope(tenant, name), ...codec.write({ id, apiId }) };
}
