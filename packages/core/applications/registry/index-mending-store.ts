/** What `npm run index` writes in the indexes of applications, while others write them (decision 0136). */
import { keys } from "../../database/table/keys.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Table } from "../../database/table/table.ts";
import { columnIndex, columnLimitsOf, recordSteps } from "../../database/table/value-index/column-index.ts";
import { recordText } from "../../database/table/value-index/columns.ts";
import { timesHeld } from "../../database/table/value-index/inspect.ts";
import { applicationKind } from "./application-rows.ts";
import { recordId, recordOf } from "./index-rows.ts";

/**
 * Makes the index hold an application as its row says, given texts of its record that were met there. Returns whether
 * it did not. `isMending`: false to look only.
 */
export function mendApplication(
  table: Table,
  tenant: string,
  { id, met }: { readonly id: string; readonly met: ReadonlySet<string> },
  isMending: boolean,
): Promise<boolean> {
  const own = keys.applicationColumns(tenant);
  const read = async () => {
    const item = await table.get(keys.application(tenant, id));
    return item && applicationKind.item.read(item);
  };
  return whileStale(async () => {
    const found = await read();
    const wanted = found ? [recordText(recordOf(applicationKind.entryOf(found.value, found.version)))] : [];
    const texts = [...new Set([...wanted, ...met])];
    const times = await Promise.all(texts.map((text) => timesHeld(table, own, text)));
    // A change of the record changes the row too.
    if ((await read())?.version !== found?.version) throw stale();
    const held = texts.filter((_, at) => (times[at] ?? 0) > 0);
    const added = wanted.filter((text) => !held.includes(text));
    const removed = held.filter((text) => !wanted.includes(text));
    const isRight = added.length + removed.length === 0;
    if (isRight || !isMending) return !isRight;
    const when = found ? { equal: { ver: found.version } } : "absent";
    const place = await columnIndex(table, own).place(recordId(id), 1);
    const context = { table, keys: own, limits: columnLimitsOf() };
    const steps = await recordSteps(context, { added, removed }, stale, place);
    await table.write({ check: keys.application(tenant, id), when, otherwise: stale }, ...steps);
    return true;
  });
}
