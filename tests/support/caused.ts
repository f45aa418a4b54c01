/** Tables of requests that record what they change. */
import { recording } from "#core/database/changes/open.ts";
import type { Table } from "#core/database/table/table.ts";

/** The table of a request of dana, who changes a tenant by an operation. */
export const causedIn = (tenant: string, operation: string, table: Table): Table =>
  recording(table, {
    cause: {
      tenant,
      actor: { type: "user", id: "1", name: "dana", signIn: "password" },
      sourceIp: "192.0.2.1",
      operation,
      traceId: "trace",
    },
    recordDays: 1,
  });
