/** Whether an application exists, for functions that need nothing else of applications. */
import { keys } from "../../table/keys.ts";
import type { Table } from "../../table/table.ts";

/** Reads the key alone. One round trip. */
export function hasApplication(table: Table) {
  return async (tenant: string, id: string): Promise<boolean> =>
    (await table.get(keys.application(tenant, id), { keyOnly: true })) !== undefined;
}
