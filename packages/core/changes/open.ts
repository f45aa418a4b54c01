/** Opens the table of a request so that its changes are recorded. */
import type { ChangeSettings } from "../settings/changes.ts";
import type { OpenTable } from "../table/dynamo.ts";
import type { Meter } from "../table/meter.ts";
import type { Table } from "../table/table.ts";
import type { Cause } from "./model.ts";
import { recording } from "./recording.ts";

/** A request whose changes are recorded. */
export interface RecordedRequest {
  readonly meter: Meter;
  readonly cause: Cause;
  /** A table that reads and writes go through, with the records. */
  readonly through?: ((table: Table) => Table) | undefined;
}

/** The tables of a function that changes resources. */
export function recordedTables(open: OpenTable, { recordDays }: ChangeSettings): (request: RecordedRequest) => Table {
  return ({ meter, cause, through = (table) => table }) => recording(through(open(meter)), { cause, recordDays });
}
