/** Opens the table of a request so that its changes are recorded. */
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

/** The tables of a function that changes resources. `recordDays`: how long records are kept. */
export function recordedTables(
  open: OpenTable,
  { recordDays }: { readonly recordDays: number },
): (request: RecordedRequest) => Table {
  return ({ meter, caused, through = (table) => table }) =>
    recording(through(open(meter)), { cause: causeOf(caused), recordDays });
}
