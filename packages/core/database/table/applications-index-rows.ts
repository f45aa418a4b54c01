/**
 * Whether the index that lists of applications read (decision 0136) is complete. A new tenant has a complete one; after
 * an operator has switched it off, `npm run index` completes it.
 */
import { keys } from "./keys.ts";
import { bool, rowCodec } from "./row.ts";
import { stale } from "./stale.ts";
import type { Item, Step, Table } from "./table.ts";

const stateRow = rowCodec<{ readonly isComplete: boolean }>("state of the index of applications", { isComplete: bool });

/** Whether the index of a tenant holds all of its applications, by the row of its state. */
export function isComplete(state: Item | undefined): boolean {
  return state !== undefined && stateRow.read(state).isComplete;
}

/** Whether the index of a tenant is complete. One round trip. */
export async function isIndexComplete(table: Table, tenant: string): Promise<boolean> {
  return isComplete(await table.get(keys.applicationColumns(tenant).state));
}

/** The step that makes the index of a tenant complete, or incomplete. */
export function completing(tenant: string, complete: boolean): Step {
  const put = { ...keys.applicationColumns(tenant).state, ...stateRow.write({ isComplete: complete }) };
  return { put, when: "any", otherwise: stale };
}
