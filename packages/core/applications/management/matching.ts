/**
 * Which applications match the filter of a list. A name, a client id and an issuer belong to one application, and each
 * is the key of a row. So where equalities, or beginnings of names, say which applications can match, those are read
 * and no others (decision 0092).
 */
import { type Filter, matches } from "../../platform/filter/filter.ts";
import type { Candidates, Listed } from "../registry/candidates-store.ts";
import type { ApplicationStore } from "../registry/store.ts";

/** What lists are filtered by. */
export const filterable = ["name", "clientId", "issuer"] as const;
export type Filterable = (typeof filterable)[number];

/**
 * The matches, newest first. One round trip where names decide, two where client ids or issuers do; a client id or an
 * issuer reads its application. All other filters read the entries of all applications.
 */
export async function matching(
  store: ApplicationStore,
  tenant: string,
  filter: Filter<Filterable> | undefined,
): Promise<readonly Listed[]> {
  const candidates = filter && candidatesOf(filter);
  const found = await (candidates ? store.candidates(tenant, candidates) : scanned(store, tenant));
  if (!filter) return found;
  return found.filter(({ entry: { name, clientId, issuer } }) => matches(filter, { name, clientId, issuer }));
}

async function scanned(store: ApplicationStore, tenant: string): Promise<readonly Listed[]> {
  return (await store.entries(tenant)).map((entry) => ({ entry }));
}

/** What every match has at least one of; `undefined` where the filter does not say so. */
function candidatesOf(filter: Filter<Filterable>): Candidates | undefined {
  if (filter.kind === "compare") {
    const { attribute, operator, value } = filter;
    if (operator === "eq") return { values: [{ attribute, value }], prefixes: [] };
    return operator === "sw" && attribute === "name" && value !== "" ? { values: [], prefixes: [value] } : undefined;
  }
  const parts = filter.parts.map(candidatesOf);
  const known = parts.filter((part) => part !== undefined);
  // Every match is a match of each part: the cheapest one decides.
  if (filter.kind === "and") return known.sort((a, b) => costOf(a) - costOf(b))[0];
  return known.length === parts.length
    ? { values: known.flatMap(({ values }) => values), prefixes: known.flatMap(({ prefixes }) => prefixes) }
    : undefined;
}

/** More than that of all values of a filter. */
const PREFIX_COST = 1_000;

/** A measure to compare candidates by: names read an entry, and short prefixes have the most names. */
function costOf({ values, prefixes }: Candidates): number {
  return (
    values.reduce((sum, { attribute }) => sum + (attribute === "name" ? 1 : 2), 0) +
    prefixes.reduce((sum, prefix) => sum + PREFIX_COST / prefix.length, prefixes.length * PREFIX_COST)
  );
}
