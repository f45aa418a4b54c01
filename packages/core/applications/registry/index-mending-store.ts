/** What `npm run index` writes in the indexes of applications, while others write them (decision 0136). */
import { keys } from "../../table/keys.ts";
import type { Versioned } from "../../table/named-items.ts";
import { stale, whileStale } from "../../table/stale.ts";
import type { Step, Table } from "../../table/table.ts";
import { columnIndex, columnLimitsOf, recordSteps } from "../../table/value-index/column-index.ts";
import { recordText } from "../../table/value-index/columns.ts";
import { timesHeld } from "../../table/value-index/inspect.ts";
import { applicationKind } from "./application-rows.ts";
import { recordId, recordOf } from "./index-rows.ts";
import { placedSteps } from "./index-store.ts";
import type { Application } from "./model.ts";

/**
 * Brings an application into the index of its tenant. Returns whether its row did not say that it is there. For tools,
 * while others write.
 */
export function settleApplication(table: Table, tenant: string, id: string): Promise<boolean> {
  return whileStale(async (attempt) => {
    const item = await table.get(keys.application(tenant, id));
    const found = item && applicationKind.item.read(item);
    if (!found || found.indexed) return false;
    const steps = await placedSteps(table, tenant, { before: found, after: found }, { attempt });
    await table.write(notingIndex(tenant, found), ...steps);
    return true;
  });
}

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
    const isRight = added.length + removed.length === 0 && (!found || found.indexed === true);
    if (isRight || !isMending) return !isRight;
    const absent: Step = { check: keys.application(tenant, id), when: "absent", otherwise: stale };
    const place = await columnIndex(table, own).place(recordId(id), 1);
    const context = { table, keys: own, limits: columnLimitsOf() };
    const steps = added.length + removed.length > 0 ? await recordSteps(context, { added, removed }, stale, place) : [];
    await table.write(found ? notingIndex(tenant, found) : absent, ...steps);
    return true;
  });
}

function notingIndex(tenant: string, { value: { id }, version }: Versioned<Application>): Step {
  return {
    change: keys.application(tenant, id),
    set: { x: true },
    when: { equal: { ver: version } },
    otherwise: stale,
  };
}
