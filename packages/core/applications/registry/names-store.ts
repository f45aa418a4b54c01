/** The names of applications, for functions that need nothing else of them: from the entries, which hold no secret. */

import { keys } from "../../database/table/keys.ts";
import { as, rowCodec, text } from "../../database/table/row.ts";
import type { Item, Table } from "../../database/table/table.ts";
import type { ApplicationNames } from "../../directory/roles/audiences.ts";
import { packedId } from "./entry-id.ts";

/** DynamoDB ends a page at 1 MB in any case. */
const ENTRIES_PER_PAGE = 10_000;

const nameEntry = rowCodec<{ readonly id: string; readonly name: string }>("application entry", {
  id: as("i", packedId),
  name: as("SK", text),
});

/** Looks the known names up; where one belongs to its application no more, all entries of the tenant. */
export function applicationNames(table: Table): ApplicationNames {
  return async (tenant, wanted) => {
    if (wanted.length === 0) return new Map();
    const known = wanted.flatMap(({ name }) => (name === undefined ? [] : [keys.applicationEntry(tenant, name)]));
    const found = known.length > 0 ? namesIn(wanted, await table.getMany(known)) : new Map<string, string>();
    if (found.size === new Set(wanted.map(({ id }) => id)).size) return found;
    const PK = keys.applicationEntries(tenant);
    return namesIn(wanted, await table.queryAll({ PK, limit: ENTRIES_PER_PAGE }));
  };
}

function namesIn(
  wanted: Parameters<ApplicationNames>[1],
  entries: readonly (Item | undefined)[],
): ReadonlyMap<string, string> {
  const ids = new Set(wanted.map(({ id }) => id));
  const read = entries.flatMap((entry) => (entry ? nameEntry.read(entry) : []));
  return new Map(read.flatMap(({ id, name }) => (ids.has(id) ? [[id, name] as const] : [])));
}
