/**
 * Lists of external directories. The directory decides the order and filters what it can; a list reads from its start
 * to the end of the page. So pages reach up to 10,000 resources, and the total is known only when the directory is read
 * whole.
 */

import { type BoundFilter, namesIn } from "../protocol/filter/bound.ts";
import { matches } from "../protocol/filter/evaluate.ts";
import { type Match, matchesOf } from "./candidates.ts";
import { CANDIDATES_MAX, tooMany } from "./limits.ts";
import { planOf } from "./plan.ts";
import { comparePositions, type ExternalList, type Query, type Source, type Window } from "./source.ts";

/** A part of the list of one directory. */
export interface ExternalPage<T> {
  readonly items: readonly T[];
  /** How many match in all; `undefined` where the directory was not read to its end. */
  readonly count: number | undefined;
}

/** The request for the users of one directory. */
interface ExternalQuery<T> {
  readonly source: Source<T>;
  readonly external: ExternalList<T>;
  readonly filter: BoundFilter | undefined;
  readonly query: Query;
}

/** A match of which the id does not matter. */
type Sorted<T> = Omit<Match<T>, "id">;

/** A window over the list of one directory. Throws `scim.too_many`. */
export async function listExternal<T>(asked: ExternalQuery<T>, window: Window): Promise<ExternalPage<T>> {
  const { source, filter, query } = asked;
  if (filter?.kind === "never") return { items: [], count: 0 };
  const plan = planOf(filter, source);
  const { candidates } = plan;
  // Members and looked-up ids are in the table: the directory itself is not searched.
  const isInTable =
    candidates.kind === "nothing" ||
    candidates.kind === "members" ||
    (candidates.kind === "ids" && candidates.names.length === 0);
  if (isInTable && !query.names) {
    return pageOf(await matchesOf([source], [plan], { ...query, filters: [filter] }), window);
  }
  return query.anyOrder ? walked(asked, window) : pageOf(await sorted(asked), window);
}

function pageOf<T>(found: readonly Sorted<T>[], { offset, limit }: Window): ExternalPage<T> {
  return { items: found.slice(offset, offset + limit).map(({ item }) => item), count: found.length };
}

async function walked<T>(asked: ExternalQuery<T>, { offset, limit }: Window): Promise<ExternalPage<T>> {
  const { external, filter } = asked;
  const { countsAll } = external;
  const end = offset + limit;
  const items: T[] = [];
  let count = 0;
  // One more than the page shows whether the list ends here.
  for await (const some of matching(asked, filter || countsAll ? Number.POSITIVE_INFINITY : end + 1)) {
    for (const item of some) {
      if (count >= offset && count < end) items.push(item);
      count += 1;
    }
    if (count > end && !countsAll) return { items, count: undefined };
  }
  return { items, count };
}

/** All matches in the order of the query. */
async function sorted<T>(asked: ExternalQuery<T>): Promise<readonly Sorted<T>[]> {
  const { source, query } = asked;
  const found: Sorted<T>[] = [];
  for await (const items of matching(asked, Number.POSITIVE_INFINITY)) {
    const attributes = new Set(query.order ? [query.order.attribute] : []);
    const resources = await source.resourcesOf(items, attributes);
    for (const [at, item] of items.entries()) {
      const value = query.order?.valueOf(resources[at] ?? {});
      found.push({ item, position: { source: 0, key: source.keyOf(item), value } });
    }
  }
  return found.sort((a, b) => comparePositions(a.position, b.position, query));
}

/** Yields the matches in the order of the directory. Throws `scim.too_many` after `CANDIDATES_MAX` entries. */
async function* matching<T>(
  { source, external, filter, query: { names, work } }: ExternalQuery<T>,
  limit: number,
): AsyncGenerator<readonly T[]> {
  const attributes = filter ? namesIn(filter) : new Set<string>();
  let seen = 0;
  for await (const items of external.walk(filter, limit)) {
    seen += items.length;
    if (seen > CANDIDATES_MAX) throw tooMany();
    const named = names?.test ? items.filter((item) => names.test?.(source.keyOf(item))) : items;
    if (!filter) yield named;
    else {
      const resources = await source.resourcesOf(named, attributes);
      yield named.filter((_, at) => matches(filter, resources[at] ?? {}, work?.compare));
    }
  }
}
