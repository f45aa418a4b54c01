/**
 * The index that lists of applications read (decision 0136): the parts of its records, and the row that says whether it
 * is complete. A tenant that is founded while every function keeps the index has a complete one at once; for others
 * `npm run index` completes it.
 */
import { keys } from "../../table/keys.ts";
import { bool, rowCodec, withDefault } from "../../table/row.ts";
import { stale } from "../../table/stale.ts";
import type { Item, Step, Table } from "../../table/table.ts";
import type { RecordParts } from "../../table/value-index/column-index.ts";
import type { ApplicationEntry } from "./application-rows.ts";

/** The columns of the index that filters compare. */
export const columns = { name: 1, clientId: 2, issuer: 3 } as const;

/** Begins a part that is there: that of an application without a client id, or an issuer, is empty. */
const PRESENT = "=";

const stateRow = rowCodec<{ readonly isComplete: boolean }>("state of the index of applications", {
  isComplete: withDefault(bool, false),
});

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

/** Whether the index of a tenant holds all of its applications, by the row of its state. */
export function isComplete(state: Item | undefined): boolean {
  return state !== undefined && stateRow.read(state).isComplete;
}

/** Whether the index of a tenant is complete. One round trip. */
export async function isIndexComplete(table: Table, tenant: string): Promise<boolean> {
  return isComplete(await table.get(keys.applicationColumns(tenant).state));
}

/** The step that makes the index of a tenant complete, or incomplete. */
export function completing(tenant: string, complete: boolean): Step {
  const put = { ...keys.applicationColumns(tenant).state, ...stateRow.write({ isComplete: complete }) };
  return { put, when: "any", otherwise: stale };
}

/** Whether every function that writes applications keeps their indexes. One round trip. */
export async function areIndexed(table: Table): Promise<boolean> {
  return (await table.get(keys.applicationsIndexed())) !== undefined;
}

/** The step that notes that they do. */
export function notingIndexed(): Step {
  return { put: { ...keys.applicationsIndexed() }, when: "any", otherwise: stale };
}
