/** The representation of change records. Pure. */
import type * as z from "zod";
import type { ChangeRecord } from "./model.ts";
import type { ChangeRecordShown } from "./shapes.ts";

/** A record as callers see it. Where it stands in the history of its resource stays inside. */
export function presentRecord({ atMs, previous: _, ...record }: ChangeRecord): z.input<typeof ChangeRecordShown> {
  const { id, tenant, actor, sourceIp, operation, resource, changes, traceId } = record;
  return {
    id,
    version: id,
    time: new Date(atMs).toISOString(),
    tenant,
    actor: { ...actor, ...(actor.via && { via: [...actor.via] }) } as z.input<typeof ChangeRecordShown>["actor"],
    sourceIp,
    operation,
    resource: { ...resource },
    changes: changes.map((change) => ({ ...change })),
    traceId,
  };
}
