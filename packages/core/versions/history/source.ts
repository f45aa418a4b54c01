/** What operations on histories use, besides the stores of their function. */
import type { Table } from "../../database/table/table.ts";

/** The table of a request, and how the stores of its function are opened on a table. */
export interface HistorySource<Stores> {
  readonly table: Table;
  readonly storesOn: (table: Table) => Stores;
}

/** The stores of a request, with the source of histories. */
export type WithHistory<Stores> = Stores & { readonly history: HistorySource<Stores> };

/** Opens them on the table of a request. */
export function withHistory<Stores extends object>(
  table: Table,
  storesOn: (table: Table) => Stores,
): WithHistory<Stores> {
  return { ...storesOn(table), history: { table, storesOn } };
}
