/** The representation of change records. Pure. */
import type * as z from "zod";
import { type DeclaredProtocol, hiding } from "./confidential.ts";
import type { ChangeRecord } from "./model.ts";
import type { ChangeRecordShown } from "./shapes.ts";
import { shownChanges } from "./shown-changes.ts";

/** A function that shows records, without what the custom protocols of this deployment have confidential. */
export function presenting(
  declared: readonly DeclaredProtocol[],
): (record: ChangeRecord) => z.input<typeof ChangeRecordShown> {
  const hide = hiding(declared);
  return (record) => presentRecord(hide(record));
}

/**
 * A record as callers see it. Where it stands in the history of its resource stays inside; of very many changes it has
 * the first ones and their number.
 */
function presentRecord({ atMs, previous: _, ...record }: ChangeRecord): z.input<typeof ChangeRecordShown> {
  const { id, tenant, actor, sourceIp, operation, resource, changes, traceId } = record;
  const first = shownChanges(changes);
  return {
    id,
    version: id,
    time: new Date(atMs).toISOString(),
    tenant,
    actor: { ...actor, ...(actor.via && { via: [...actor.via] }) } as z.input<typeof ChangeRecordShown>["actor"],
    sourceIp,
    operation,
    resource: { ...resource },
    changes: first.map((change) => ({ ...change })),
    ...(first.length < changes.length && { changesTruncated: true, changesTotalCount: changes.length }),
    traceId,
  };
}
