/**
 * Which applications match the filter of a list. A name, a client id and an issuer belong to one application, and each
 * is the key of a row. So where equalities, or beginnings of names, say which applications can match, those are read
 * and no others (decision 0092). The rest is read from the index of applications (decision 0136).
 */
import { attributesOf, type Filter, matches } from "../../platform/filter/filter.ts";
import type { Candidates } from "../registry/candidates-store.ts";
import type { PageOfApplications } from "../registry/index-store.ts";
import type { ApplicationStore } from "../registry/store.ts";

/** What lists are filtered by. */
export const filterable = ["name", "clientId", "issuer"] as const;
export type Filterable = (typeof filterable)[number];

/**
 * A page of the matches, newest first. Two round trips where names decide, client ids or issuers, or where the tenant
 * has few applications; otherwise see `readList`.
 */
export function matching(
  store: ApplicationStore,
  tenant: string,
  filter: Filter<Filterable> | undefined,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<PageOfApplications> {
  return store.page(tenant, {
    candidates: filter && candidatesOf(filter),
    query: {
      compared: filter ? [...attributesOf(filter)] : [],
      test: filter && (({ name, clientId, issuer }) => matches(filter, { name, clientId, issuer })),
      offset,
      limit,
    },
  });
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
