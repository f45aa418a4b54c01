/**
 * Which reads a list of applications costs least: the entries of the tenant, or its index (decision 0136). Few entries
 * cost less than the index. A container notes for a moment which tenants have more, and whether their index is
 * complete, so that it does not find out with every list.
 */

import { type NamedItems, newestFirst } from "../../database/table/named-items.ts";
import type { Table } from "../../database/table/table.ts";
import { elapsed } from "../../kernel/clock.ts";
import type { ApplicationEntry } from "./application-rows.ts";
import { type Candidates, readCandidates } from "./candidates-store.ts";
import { type IndexPage, type PageOfApplications, type PageQuery, readIndexPage } from "./index-store.ts";
import type { Application } from "./model.ts";
import type { Listed, ReadShown } from "./shown-store.ts";

/** Up to so many entries, in 5 read units, a list reads them. */
const FEW = 200;
/** A tenant with less than this part of that is not large any more. */
const LARGE_FROM = 0.75;
const NOTED_MS = 60_000;
const NOTED_MOST = 10_000;

/** A tenant with more than a few applications. */
interface Large {
  readonly isIndexed: boolean;
  readonly sinceMs: number;
}

const large = new Map<string, Large>();

/** What a list reads of a tenant. */
export interface ListReads {
  /** Those that the candidates of a filter may be. Absent: all applications. */
  readonly candidates: Candidates | undefined;
  /** What the index is asked, where there are more than a few. */
  readonly query: PageQuery;
}

/**
 * The applications of a page, and how many match. Values are looked up, and few entries are read and compared: two
 * round trips. A page of many is three round trips, or four where entries are compared, and two more where the
 * container does not know the tenant. `undefined` where all candidates are to be read, because the index is not
 * complete.
 */
export async function readList(
  table: Table,
  items: NamedItems<Application, ApplicationEntry>,
  tenant: string,
  { candidates, query }: ListReads,
  { few: most = FEW, readShown }: { readonly few?: number | undefined; readonly readShown: ReadShown },
): Promise<PageOfApplications | undefined> {
  if (candidates && candidates.prefixes.length === 0) {
    return pageIn((await readCandidates(table, items, tenant, candidates)) ?? [], query);
  }
  const known = knownOf(tenant);
  if (known && !known.isIndexed) return undefined;
  const few = await (candidates
    ? readCandidates(table, items, tenant, candidates, most)
    : fewOf(items, tenant, known, most));
  if (few) return pageIn(few, query);
  const found = await readIndexPage(table, readShown, tenant, query);
  note(tenant, found, most);
  return found;
}

/** The page of some applications, newest first. */
export function pageIn(listed: readonly Listed[], { test, offset, limit }: PageQuery): PageOfApplications {
  const found = test ? listed.filter(({ entry }) => test(entry)) : listed;
  return { total: found.length, page: found.slice(offset, offset + limit) };
}

/** All applications of a tenant where they are few; `undefined` where they are not, or were not. */
async function fewOf(
  items: NamedItems<Application, ApplicationEntry>,
  tenant: string,
  known: Large | undefined,
  most: number,
): Promise<readonly Listed[] | undefined> {
  const entries = known ? undefined : await items.fewEntries(tenant, "", most);
  return entries?.sort(newestFirst).map((entry) => ({ entry }));
}

function knownOf(tenant: string): Large | undefined {
  const known = large.get(tenant);
  // An index may have been completed since.
  return known && (known.isIndexed || elapsed() - known.sinceMs < NOTED_MS) ? known : undefined;
}

function note(tenant: string, found: IndexPage | undefined, most: number): void {
  if (large.size > NOTED_MOST) large.clear();
  if (found && found.all < most * LARGE_FROM) large.delete(tenant);
  else large.set(tenant, { isIndexed: found !== undefined, sinceMs: elapsed() });
}
