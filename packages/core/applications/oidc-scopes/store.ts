/** How the scopes of OpenID Connect are stored: all of a tenant in one row. Without a row they are the default ones. */

import { keys } from "../../database/table/keys.ts";
import { type Versioned, version } from "../../database/table/named-items.ts";
import { as, list, optional, record, rowCodec, text } from "../../database/table/row.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Table } from "../../database/table/table.ts";
import { newId } from "../../kernel/ids.ts";
import { defaultScopes, type OidcScope } from "./model.ts";

/** The scopes of all tenants; every method takes the tenant that the credential named. */
export type OidcScopeStore = ReturnType<typeof oidcScopeStore>;

interface Row extends Versioned<readonly OidcScope[]> {
  /** The call that wrote it. */
  readonly writer: string;
}

const codec = rowCodec<Row>("scopes of OpenID Connect", {
  version,
  writer: text,
  value: as(
    "scopes",
    list(record<OidcScope>({ name: text, displayName: text, description: optional(text), claims: list(text) })),
  ),
});

const untouched: Row = { version: 0, writer: "", value: defaultScopes };

/** Opens the store on the table of one request. */
export function oidcScopeStore(table: Table) {
  const read = async (tenant: string) => {
    const found = await table.get(keys.oidcScopes(tenant));
    return found ? codec.read(found) : untouched;
  };

  return {
    /** In the order in which they were created. One round trip. */
    all: async (tenant: string): Promise<readonly OidcScope[]> => (await read(tenant)).value,

    /**
     * Optimistic locking: `change` derives the scopes from the current ones and is called again after each conflict.
     * Throws what `change` throws. Two round trips.
     */
    update: (tenant: string, change: (before: readonly OidcScope[]) => readonly OidcScope[]): Promise<void> => {
      const writer = newId();
      return whileStale(async () => {
        const before = await read(tenant);
        const value = change(before.value);
        await table.write({
          put: { ...keys.oidcScopes(tenant), ...codec.write({ version: before.version + 1, writer, value }) },
          when: before.version > 0 ? { equal: { ver: before.version } } : "absent",
          // An earlier attempt of this call may have been carried out although its response was lost.
          otherwise: (found) => (found?.writer === writer ? "applied" : stale()),
        });
      });
    },
  };
}
