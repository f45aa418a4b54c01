/** Reads change records, and makes the events of them. */
import { recordKey, toRecord, withParts } from "../../database/changes/record-rows.ts";
import type { OpenTable } from "../../database/table/dynamo.ts";
import { newMeter } from "../../database/table/meter.ts";
import { DamagedRow } from "../../database/table/row.ts";
import type { Item, Table } from "../../database/table/table.ts";
import { type BusEvent, eventOf, type Shown } from "./event.ts";

/** The event of a record, `undefined` where it has expired, or why it cannot be read. */
export type Found = BusEvent | DamagedRow | undefined;

/** The events of records, in their order. One round trip, and one more for each record with further rows. */
export type ReadEvents = (
  records: readonly { readonly tenant: string; readonly id: string }[],
) => Promise<readonly Found[]>;

/** Opens a reader on the table of a container. */
export function eventReader(open: OpenTable, shown: Shown): ReadEvents {
  return async (records) => {
    const table = open(newMeter());
    const items = await table.getMany(records.map(({ tenant, id }) => recordKey(tenant, id)));
    const found: Found[] = [];
    // One after the other: a record with further rows may be larger than its event by far.
    for (const [at, { tenant }] of records.entries()) {
      const item = items[at];
      found.push(item && (await foundIn(table, tenant, item, shown)));
    }
    return found;
  };
}

/** The event of a record in a row, or why it cannot be read. One round trip where the record has further rows. */
export async function foundIn(
  table: Table,
  tenant: string,
  item: Item,
  shown: Shown,
): Promise<Exclude<Found, undefined>> {
  try {
    return eventOf(await withParts(table, toRecord(tenant, item)), shown);
  } catch (error) {
    if (error instanceof DamagedRow) return error;
    throw error;
  }
}
