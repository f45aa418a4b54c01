/** The function that delivers changes: what calls it, and for how long it works. */

import type { OpenTable } from "../../database/table/dynamo.ts";
import { newMeter } from "../../database/table/meter.ts";
import type { Table } from "../../database/table/table.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Noted } from "../../kernel/noted.ts";
import { deliverDue } from "./deliver.ts";
import type { DeliveryDeps, DeliveryRecord } from "./deps.ts";
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
  /** Does what else is due in some tenants, or in all that wait. It begins nothing after `untilMs`. */
  readonly alsoDue?: (table: Table, untilMs: number, only: Only | undefined) => Promise<void>;
  /** Notes that tenants have new mails, for the function that sends them: a stream has two readers at most. */
  readonly noteMails?: (table: Table, tenants: ReadonlySet<string>) => Promise<void>;
}

/** The tenants that a call is about. */
export type Only = ReadonlySet<string> | "all";

/** No attempt begins after this time: the function has 60 seconds, and an attempt takes up to 15. */
const RUN_MS = 40_000;

const RECORDS = /^T#([^#]+)#LOG#\d+$/;
const ENDED = /^T#([^#]+)#OUT$/;
const MAILS = /^T#([^#]+)#MAIL$/;

/**
 * Builds the function. What fails and is noted for the schedule is reported alone: it must not hold up the stream,
 * whose batches only say where something is new. What cannot be noted fails the call, so that the stream repeats it,
 * its age rises and the failures of the function count.
 */
export function newWorker({ open, feedOf, kindsOf, report, clock, alsoDue, noteMails }: WorkerParts) {
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
    const changed = Records && tenantsIn(Records, RECORDS);
    const ended = Records && tenantsIn(Records, ENDED);
    const works = [
      () => deliverDue(deps, all ? () => true : changed && ((tenant) => changed.has(tenant))),
      () => alsoDue?.(table, deps.untilMs, all ? "all" : ended),
      () => Records && noteMails?.(table, tenantsIn(Records, MAILS)),
    ];
    const failures = (await Promise.allSettled(works.map(async (work) => work()))).flatMap((outcome) =>
      outcome.status === "rejected" ? [outcome.reason] : [],
    );
    for (const failure of failures) report.defect(failure instanceof Noted ? failure.cause : failure);
    const lost = failures.find((failure) => !(failure instanceof Noted));
    if (lost !== undefined) throw lost;
  };
}

/** The tenants of new rows whose partition has a form. */
function tenantsIn(rows: readonly StreamedRow[], form: RegExp): ReadonlySet<string> {
  return new Set(rows.flatMap(({ dynamodb }) => form.exec(dynamodb?.Keys?.PK?.S ?? "")?.[1] ?? []));
}
