/** The parts of the records of the index that lists of applications read (decision 0136). */
import type { RecordParts } from "../../database/table/value-index/column-index.ts";
import type { ApplicationEntry } from "./application-rows.ts";

/** The columns of the index that filters compare. */
export const columns = { name: 1, clientId: 2, issuer: 3 } as const;

/** Begins a part that is there: that of an application without a client id, or an issuer, is empty. */
const PRESENT = "=";

/** What the index holds of an application. */
export function recordOf({ id, name, clientId, issuer }: Omit<ApplicationEntry, "version">): RecordParts {
  return [recordId(id), name, partOf(clientId), partOf(issuer)];
}

function partOf(value: string | undefined): string {
  return value === undefined ? "" : `${PRESENT}${value}`;
}

/** The values of a record, of which those of columns that were not read are missing. */
export function valuesOf(parts: readonly (string | undefined)[]): {
  readonly name: string | undefined;
  readonly clientId: string | undefined;
  readonly issuer: string | undefined;
} {
  return {
    name: parts[columns.name],
    clientId: valueIn(parts[columns.clientId]),
    issuer: valueIn(parts[columns.issuer]),
  };
}

function valueIn(part: string | undefined): string | undefined {
  return part?.startsWith(PRESENT) ? part.slice(PRESENT.length) : undefined;
}

/** The id of the record of an application. */
export function recordId(id: string): string {
  return id.replaceAll("-", "");
}

/** The id of an application from that of its record. */
export function idOfRecord(id: string): string {
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
