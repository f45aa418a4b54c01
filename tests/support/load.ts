/** Loads many items into the table of a running service without other writers. */
import type { Item } from "#core/database/table/table.ts";
import type { RunningService } from "#local/service.ts";
import { loadItems } from "#tools/bench/loading.ts";

/** Writes items without conditions. */
export const loadInto = async (
  { endpoint, tableName }: Pick<RunningService, "endpoint" | "tableName">,
  items: Iterable<Item>,
): Promise<void> => {
  const all = [...items];
  await loadItems(endpoint, tableName, "items", all.length, all);
};
