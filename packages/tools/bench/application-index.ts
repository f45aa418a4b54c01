/** Loads the index of applications (decision 0136) into a running service. */
import { applicationStore } from "#core/applications/registry/store.ts";
import { SUPER_TENANT } from "#core/domain/tenant.ts";
import { openTable } from "#core/table/dynamo.ts";
import { keys } from "#core/table/keys.ts";
import { newMeter } from "#core/table/meter.ts";
import { clientFor } from "../../local/database.ts";
import type { RunningService } from "../../local/service.ts";
import { loadItems } from "./bulk.ts";
import { recordItems } from "./index-rows.ts";

const DEADLINE_MS = 9_000;
const ROWS_PER_PAGE = 1_000;

/** Makes the index hold the applications of the super tenant that are there. No other writer may be active. */
export async function loadIndex({ endpoint, tableName }: RunningService): Promise<void> {
  const table = openTable({ tableName, deadlineMs: DEADLINE_MS, client: clientFor(endpoint) })(newMeter());
  const entries = await applicationStore(table).entries(SUPER_TENANT);
  const { ranges } = keys.applicationColumns(SUPER_TENANT);
  for (const row of await table.queryAll({ PK: ranges, limit: ROWS_PER_PAGE })) await table.forget(row);
  await loadItems(endpoint, tableName, "index", 0, recordItems(SUPER_TENANT, entries));
}
