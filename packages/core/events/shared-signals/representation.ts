/** Representations of resources as they were after a change, for events with data. */
import { shown } from "../../database/changes/diff.ts";
import { documentAt } from "../../database/changes/versions.ts";
import type { Table } from "../../database/table/table.ts";
import type { DataReads } from "./claims.ts";
import { objectOf, representationOf } from "./scim-changes.ts";

/** Reads representations: three round trips, and more for a resource that changed often since. */
export function newRepresentation(table: Table): DataReads["representation"] {
  return async ({ tenant, subject: { type, id }, change }) => {
    const document = await documentAt(table, tenant, type, id, change);
    return document === undefined ? undefined : representationOf(type, id, objectOf(shown(document)));
  };
}
