/** The rows of bulk memberships: the bulk in its owner's row, its parts, and the list of open bulks of a tenant. */
import { keys } from "../../database/table/keys.ts";
import { type Field, list, misfit, rowCodec, text, textSet } from "../../database/table/row.ts";
import { stale } from "../../database/table/stale.ts";
import type { Item, Step } from "../../database/table/table.ts";
import { type Bulk, bulkOf, bulkText, type OpenBulk, openOf, openText } from "./bulk-model.ts";

/** The attribute of a group or role with the bulk that is being carried out; absent for none. */
export const BULK = "bulk";

/** Reads and writes that attribute. */
export const bulkField: Field<Bulk | undefined> = {
  expects: "a bulk or absent",
  parse: (stored) => (stored === undefined ? undefined : (typeof stored === "string" && bulkOf(stored)) || misfit),
  write: (bulk) => bulk && bulkText(bulk),
};

/** A part of a bulk: members to add and to remove in one transaction, as the sort keys of their pairs. */
export interface Part {
  readonly adding: readonly string[];
  readonly removing: readonly string[];
}

/** The row of a part. */
export const partRow = rowCodec<Part>("bulk part", { adding: list(text), removing: list(text) });

const openRow = rowCodec<{ readonly bulks: readonly string[] }>("name version", { bulks: textSet });

/** The bulks that the row of a tenant lists. */
export function openBulksIn(item: Item | undefined): readonly OpenBulk[] {
  if (!item) return [];
  return openRow.read(item).bulks.flatMap((one) => openOf(one) ?? []);
}

/** The step that lists a bulk. */
export function listingBulk(tenant: string, open: OpenBulk): Step {
  return {
    change: keys.shownNames(tenant),
    add: { bulks: new Set([openText(open)]) },
    when: "present",
    otherwise: stale,
  };
}

/** The step that takes a bulk from the list. */
export function unlistingBulk(tenant: string, open: OpenBulk): Step {
  return {
    change: keys.shownNames(tenant),
    take: { bulks: new Set([openText(open)]) },
    when: "present",
    otherwise: stale,
  };
}
