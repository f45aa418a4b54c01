/**
 * Which applications match the filter of a list. A name, a client id and an issuer belong to one application, and each
 * is the key of a row. So where equalities say which applications can match, those are read and no others (decision
 * 0092).
 */
import { type Filter, matches } from "../../platform/filter/filter.ts";
import type { Listed, UniqueValue } from "../registry/owners-store.ts";
import type { ApplicationStore } from "../registry/store.ts";

/** What lists are filtered by. */
export const filterable = ["name", "clientId", "issuer"] as const;
export type Filterable = (typeof filterable)[number];

/**
 * The matches, newest first. One round trip where equalities of names decide, two where those of client ids or issuers
 * do; each reads no more applications than the filter has comparisons. All other filters read the entries of all.
 */
export async function matching(
  store: ApplicationStore,
  tenant: string,
  filter: Filter<Filterable> | undefined,
): Promise<readonly Listed[]> {
  const values = filter && valuesOf(filter);
  const found = values ? await store.owners(tenant, values) : await scanned(store, tenant);
  if (!filter) return found;
  return found.filter(({ entry: { name, clientId, issuer } }) => matches(filter, { name, clientId, issuer }));
}

async function scanned(store: ApplicationStore, tenant: string): Promise<readonly Listed[]> {
  return (await store.entries(tenant)).map((entry) => ({ entry }));
}

/** Values of which every match has at least one; `undefined` where the filter does not say so. */
export function valuesOf(filter: Filter<Filterable>): readonly UniqueValue[] | undefined {
  if (filter.kind === "compare") {
    const { attribute, operator, value } = filter;
    return operator === "eq" ? [{ attribute, value }] : undefined;
  }
  const parts = filter.parts.map(valuesOf);
  if (filter.kind === "or") return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
  // Every match is a match of each part: the one with the fewest values decides.
  return parts.filter((part) => part !== undefined).sort((a, b) => costOf(a) - costOf(b))[0];
}

/** Of as many values, names cost least: their rows are entries. */
function costOf(values: readonly UniqueValue[]): number {
  return values.reduce((sum, { attribute }) => sum + (attribute === "name" ? 1 : 2), 0);
}
