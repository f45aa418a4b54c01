/** The function that delivers changes: what calls it, and for how long it works. */
import type { Clock } from "../platform/clock.ts";
import type { OpenTable } from "../table/dynamo.ts";
import { newMeter } from "../table/meter.ts";
import type { Table } from "../table/table.ts";
import { type DeliveryDeps, type DeliveryRecord, deliverDue } from "./deliver.ts";
import type { Feed } from "./model.ts";
import { deliveryStore } from "./subscriber-store.ts";

/** A call of the function. */
export interface WorkerEvent {
  /** A batch of the stream of the table: new rows by their keys. Absent in a call of the schedule. */
  readonly Records?: readonly StreamedRow[];
  /** True to deliver to all tenants, whatever their time. */
  readonly all?: boolean;
}

interface StreamedRow {
  readonly dynamodb?: { readonly Keys?: Readonly<Record<string, { readonly S?: string }>> };
}

/** What the function is made of. */
export interface WorkerParts {
  readonly open: OpenTable;
  readonly feedOf: (table: Table) => Feed;
  readonly kindsOf: (table: Table) => DeliveryDeps["kinds"];
  readonly report: { run(record: DeliveryRecord): void; defect(cause: unknown): void };
  readonly clock: Clock;
  /** Does what else is due. It begins nothing after `untilMs`, and reports what fails. */
  readonly alsoDue?: (table: Table, untilMs: number) => Promise<void>;
}

/** No attempt begins after this time: the function has 60 seconds, and an attempt takes up to 15. */
const RUN_MS = 40_000;

const TENANT = /^T#([^#]+)#LOG#/;

/**
 * Builds the function. What fails is reported and comes again with the schedule: it must not hold up the stream, whose
 * batches only say where something is new.
 */
export function newWorker({ open, feedOf, kindsOf, report, clock, alsoDue }: WorkerParts) {
  return async ({ Records, all }: WorkerEvent): Promise<void> => {
    const table = open(newMeter());
    const deps: DeliveryDeps = {
      subscribers: deliveryStore(table),
      feed: feedOf(table),
      kinds: kindsOf(table),
      clock,
      report: (record) => report.run(record),
      untilMs: clock.now() + RUN_MS,
    };
    const named = Records && tenantsIn(Records);
    const deliver = () => deliverDue(deps, all ? () => true : named && ((tenant) => named.has(tenant)));
    const works = [deliver, () => alsoDue?.(table, deps.untilMs)];
    for (const ended of await Promise.allSettled(works.map(async (work) => work()))) {
      if (ended.status === "rejected") report.defect(ended.reason);
    }
  };
}

/** The tenants of new change records. A row of another kind names at most a tenant without new ones. */
function tenantsIn(rows: readonly StreamedRow[]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ dynamodb }) => TENANT.exec(dynamodb?.Keys?.PK?.S ?? "")?.[1] ?? []));
}
