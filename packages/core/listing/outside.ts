/**
 * Lists of what is kept elsewhere: somebody else knows the order and leaves out what it can, and what is listed is read from
 * the beginning to the end of the page. So pages go as far as 10,000 resources, and a total is known only at the end.
 */

import { type BoundFilter, namesIn } from "../scim/filter/bound.ts";
import { matches } from "../scim/filter/evaluate.ts";
import { gather } from "./candidates.ts";
import { planOf } from "./plan.ts";
import type { Position } from "./source.ts";
import {
  CANDIDATES_MAX,
  comparePositions,
  type Outside,
  type Query,
  type Source,
  tooMany,
  type Window,
} from "./source.ts";

/** A part of the list of one source. */
export interface OutsidePage<T> {
  readonly things: readonly T[];
  /** How many match in all; `undefined` where nobody looked further than the page. */
  readonly count: number | undefined;
}

/** What one source is asked. */
interface Asked<T> {
  readonly source: Source<T>;
  readonly outside: Outside<T>;
  readonly filter: BoundFilter | undefined;
  readonly query: Query;
}

/** A part of a list of one source that is kept elsewhere. */
export async function listOutside<T>(asked: Asked<T>, window: Window): Promise<OutsidePage<T>> {
  const { source, filter, query } = asked;
  if (filter?.kind === "never") return { things: [], count: 0 };
  const plan = planOf(filter, source);
  const { candidates } = plan;
  const isKnownHere =
    candidates.kind === "nothing" ||
    candidates.kind === "roster" ||
    (candidates.kind === "ids" && candidates.names.length === 0);
  if (isKnownHere && !query.names) {
    const found = await gather([source], [plan], { ...query, filters: [filter] });
    return pageOf(
      found.map(({ thing }) => thing),
      window,
    );
  }
  return query.anyOrder ? walked(asked, window) : pageOf(await ordered(asked), window);
}

function pageOf<T>(found: readonly T[], { offset, limit }: Window): OutsidePage<T> {
  return {
    things: found.slice(offset, offset + limit),
    count: found.length,
  };
}

async function walked<T>(asked: Asked<T>, { offset, limit }: Window): Promise<OutsidePage<T>> {
  const { outside, filter } = asked;
  const isAll = outside.countsAll;
  const end = offset + limit;
  const things: T[] = [];
  let count = 0;
  // One more than is shown tells whether the list ends here.
  for await (const some of matching(asked, filter || isAll ? Number.POSITIVE_INFINITY : end + 1)) {
    for (const thing of some) {
      if (count >= offset && count < end) things.push(thing);
      count += 1;
    }
    if (count > end && !isAll) return { things, count: undefined };
  }
  return { things, count };
}

/** All of them in the order of the query. */
async function ordered<T>(asked: Asked<T>): Promise<readonly T[]> {
  const { source, query } = asked;
  const found: { readonly thing: T; readonly position: Position }[] = [];
  for await (const things of matching(asked, Number.POSITIVE_INFINITY)) {
    const looksAt = new Set(query.order ? [query.order.attribute] : []);
    const resources = await source.resourcesOf(things, looksAt);
    for (const [at, thing] of things.entries()) {
      const value = query.order?.valueOf(resources[at] ?? {});
      found.push({ thing, position: { source: 0, key: source.keyOf(thing), value } });
    }
  }
  return found.sort((a, b) => comparePositions(a.position, b.position, query)).map(({ thing }) => thing);
}

/** The matches in the order of the source, as they come. Throws `scim.too_many` behind 10,000 that were looked at. */
async function* matching<T>({ source, outside, filter, query }: Asked<T>, limit: number): AsyncGenerator<readonly T[]> {
  const looksAt = filter ? namesIn(filter) : new Set<string>();
  const { names } = query;
  let seen = 0;
  for await (const things of outside.walk(filter, limit)) {
    seen += things.length;
    if (seen > CANDIDATES_MAX) throw tooMany();
    const named = names?.test ? things.filter((thing) => names.test?.(source.keyOf(thing))) : things;
    if (!filter) yield named;
    else {
      const resources = await source.resourcesOf(named, looksAt);
      yield named.filter((_, at) => matches(filter, resources[at] ?? {}));
    }
  }
}
