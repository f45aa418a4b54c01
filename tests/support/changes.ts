/** Reads the change records of a tenant from the raw table. */
import type { ChangeRecord } from "#core/database/changes/model.ts";
import { lanes, type RecordRow, recordRange, toRecord, withParts } from "#core/database/changes/record-rows.ts";
import type { RunningService } from "#local/service.ts";
import { tableOf } from "./people.ts";

type Reached = Pick<RunningService, "tableName" | "endpoint">;

/** The rows of all change records of a tenant. */
export async function recordItemsIn(
  { service }: { readonly service: Reached },
  tenant = "carbon.super",
): Promise<RecordRow[]> {
  const table = tableOf(service);
  const items = await Promise.all(
    lanes.map((lane) => table.queryAll({ ...recordRange(tenant, lane, {}), limit: 1_000 })),
  );
  return items.flat().map((item) => toRecord(tenant, item));
}

/** All change records of a tenant, oldest first. */
export async function recordsIn(
  { service }: { readonly service: Reached },
  tenant = "carbon.super",
): Promise<ChangeRecord[]> {
  const table = tableOf(service);
  const rows = await recordItemsIn({ service }, tenant);
  const records = await Promise.all(rows.map((row) => withParts(table, row)));
  return records.sort((a, b) => (a.id < b.id ? -1 : 1));
}
