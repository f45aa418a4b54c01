/** Opens the table of a request so that its changes are recorded. */
import { newId } from "../platform/ids.ts";
import type { OpenTable } from "../table/dynamo.ts";
import type { Meter } from "../table/meter.ts";
import type { Table } from "../table/table.ts";
import { type Caused, causeOf } from "./cause.ts";
import { recording } from "./recording.ts";

/** A request whose changes are recorded. */
export interface RecordedRequest {
  readonly meter: Meter;
  readonly caused: Caused;
  /** A table that reads and writes go through, with the records. */
  readonly through?: ((table: Table) => Table) | undefined;
}

/** How long records are kept, in days. */
interface Keeping {
  readonly recordDays: number;
}

/** The tables in which the first tenant is created: its first resources have records as those of any other tenant. */
export function foundingTables(open: OpenTable, { recordDays }: Keeping): OpenTable {
  const cause = {
    tenant: undefined,
    actor: { type: "operator", id: "" },
    sourceIp: "",
    operation: "createTenant",
  } as const;
  return (meter) => recording(open(meter), { cause: { ...cause, traceId: newId() }, recordDays });
}

/** The tables of a function that changes resources. */
export function recordedTables(open: OpenTable, { recordDays }: Keeping): (request: RecordedRequest) => Table {
  return ({ meter, caused, through = (table) => table }) =>
    recording(through(open(meter)), { cause: causeOf(caused), recordDays });
}
