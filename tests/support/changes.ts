/** Reads the change records of a tenant from the raw table. */
import type { ChangeRecord } from "#core/changes/model.ts";
import { lanes, recordRange, toRecord, withParts } from "#core/changes/record-rows.ts";
import { tableOf } from "./people.ts";
import type { World } from "./world.ts";

/** All change records of a tenant, oldest first. */
export async function recordsIn({ service }: World, tenant = "carbon.super"): Promise<ChangeRecord[]> {
  const table = tableOf(service);
  const items = await Promise.all(
    lanes.map((lane) => table.queryAll({ ...recordRange(tenant, lane, {}), limit: 1_000 })),
  );
  const records = await Promise.all(items.flat().map((item) => withParts(table, toRecord(tenant, item))));
  return records.sort((a, b) => (a.id < b.id ? -1 : 1));
}
