/**
 * Lists of users and of groups: any filter, any order, any page, with exact totals, over one user store after the
 * other.
 *
 * The name index serves filters on names for any number of resources; the member list of a group serves filters on that
 * group. All other filters read their candidates, at most 10,000: above that the list fails with `scim.too_many`.
 */
import { Fault } from "../../kernel/faults.ts";
import { later } from "../../kernel/later.ts";
import { type Match, matchesOf } from "./candidates.ts";
import { listExternal } from "./external.ts";
import type { Plan } from "./plan.ts";
import { isSequence, type Sequence, sequenceOf, sequenceOfMatches } from "./sequence.ts";
import {
  comparePositions,
  defined,
  type NamedId,
  type Ordering,
  type Position,
  type Query,
  type Source,
  type Window,
  type Work,
} from "./source.ts";
import type { Way } from "./values/decide.ts";
import type { SortedPart } from "./values/merged.ts";
import { canUseIndexes, type Wanted, waysOf } from "./ways.ts";
import { newWork } from "./work.ts";

const { mergedPage, mergedAfter } = later(() => import("./values/merged.ts"), "mergedPage", "mergedAfter");

/** A page by offset. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
  /** True where more follow than `total` counts. */
  readonly hasMore?: boolean;
}

/** A page by cursor. */
export interface CursorPage<T> {
  readonly items: readonly T[];
  /** Where the next page starts; `undefined` on the last one. */
  readonly next: Position | undefined;
  /** Set on the first page only. */
  readonly total: number | undefined;
}

/** A source with its sequence of ids. */
interface Listed<T> {
  readonly at: number;
  readonly source: Source<T>;
  readonly sequence: Sequence;
}

/**
 * A page by offset over all sources; two or three sequential round trips where names decide. Directories come last and
 * fill what the others leave of the page; of a directory the total counts the page only, unless the directory counts
 * all.
 */
export async function listPage<T>(sources: readonly Source<T>[], given: Query, window: Window): Promise<Page<T>> {
  const query = { ...given, work: newWork(sources[0]) };
  if (!sources.some(({ external }) => external)) return pageInTable(sources, query, window);
  if (!query.anyOrder && sources.length > 1) throw unsortable();
  const stored = inTable(sources, query);
  const first = await pageInTable(stored.sources, stored.query, window);
  const items = [...first.items];
  let { total } = first;
  // How many matches precede the current source; `undefined` after a source that was not read to its end.
  let before: number | undefined = total;
  for (const [at, source] of sources.entries()) {
    const { external } = source;
    if (!external) continue;
    const limit = window.limit - items.length;
    if (limit === 0 && !external.countsAll) {
      before = undefined;
      continue;
    }
    const offset = Math.max(0, window.offset - (before ?? window.offset));
    const page = await listExternal({ source, external, filter: query.filters[at], query }, { offset, limit });
    items.push(...page.items);
    total += external.countsAll ? (page.count ?? 0) : page.items.length;
    before = before === undefined || page.count === undefined ? undefined : before + page.count;
  }
  return { items, total, ...((before === undefined || before > window.offset + items.length) && { hasMore: true }) };
}

async function pageInTable<T>(sources: readonly Source<T>[], query: Query, window: Window): Promise<Page<T>> {
  const { offset, limit } = window;
  const read = await readingOf(sources, query, { isCount: limit === 0 });
  if (read.found) {
    return { items: read.found.slice(offset, offset + limit).map(({ item }) => item), total: read.found.length };
  }
  const { items, total } = read.merged
    ? await mergedPage<T>(read.merged.parts, read.merged.order, window)
    : await windowOf(read.listed, window);
  return { items, total };
}

function unsortable(): Fault {
  return new Fault(
    "request.invalid",
    "A directory cannot be sorted together with other user stores. Leave out sortBy, or name one user store with domain.",
  );
}

/** The sources in the table, and the query with their filters. */
function inTable<T>(sources: readonly Source<T>[], query: Query) {
  const isStored = sources.map(({ external }) => !external);
  return {
    sources: sources.filter((_, at) => isStored[at]),
    query: { ...query, filters: query.filters.filter((_, at) => isStored[at]) },
  };
}

/**
 * A page by cursor: what follows a position, or the first page. A resource that exists unchanged from the first page to
 * the last is on exactly one of them. `limit` is at least 1. Throws `scim.cursor_invalid` where a source is a
 * directory.
 */
export async function listAfter<T>(
  sources: readonly Source<T>[],
  given: Query,
  after: Position | undefined,
  limit: number,
): Promise<CursorPage<T>> {
  if (sources.some(({ external }) => external)) {
    throw new Fault(
      "scim.cursor_invalid",
      "Directories do not support cursors. Use startIndex and count, or name another user store with domain.",
    );
  }
  const query = { ...given, work: newWork(sources[0]) };
  const { found, merged, listed } = await readingOf(sources, query, { after });
  if (found) return matchesAfter(found, query, after, limit);
  if (merged) {
    const { parts, order } = merged;
    return mergedAfter<T>(parts, { ...query, order }, after, limit);
  }
  return after ? pageAfter(listed, after, limit) : firstPage(listed, limit);
}

/**
 * The first page. It ends where the entries say so: totals may be older, and a resource that comes meanwhile must not
 * take the place of the last one.
 */
async function firstPage<T>(listed: readonly Listed<T>[], limit: number): Promise<CursorPage<T>> {
  const reading: Promise<readonly (T | undefined)[]>[] = [];
  const totals: (Promise<number> | number)[] = [];
  let [count, unread] = [0, 0];
  let hasMore = false;
  let last: Position | undefined;
  for (const { at, source, sequence } of listed) {
    if (hasMore || count === limit) {
      unread += await (await sequence.window({ offset: 0, limit: 0 })).total;
      continue;
    }
    const { entries, more, total } = await sequence.first(limit - count);
    totals.push(total);
    if (entries.length > 0) reading.push(readingOfPage(source, entries));
    const end = entries.at(-1);
    if (end) last = { source: at, ...sequence.placeOf(end) };
    count += entries.length;
    hasMore = more;
  }
  const [items, counted] = await Promise.all([Promise.all(reading), Promise.all(totals)]);
  const total = Math.max(
    counted.reduce((sum, one) => sum + one, 0),
    count + Number(hasMore),
  );
  return { items: defined(items.flat()), total: total + unread, next: hasMore || unread > 0 ? last : undefined };
}

/** Reads a page. What is counted meanwhile may fail before this is awaited. */
function readingOfPage<T>(
  source: Source<T>,
  entries: readonly NamedId[],
  page?: Work,
): Promise<readonly (T | undefined)[]> {
  const ids = entries.map(({ id }) => id);
  const read = source.readMany(ids, { spend: page?.read });
  read.catch(() => undefined);
  return read;
}

async function pageAfter<T>(listed: readonly Listed<T>[], after: Position, limit: number): Promise<CursorPage<T>> {
  const items: (T | undefined)[] = [];
  let last = after;
  const first = listed.findIndex(({ at }) => at === after.source);
  const rest = listed.slice(Math.max(0, first));
  for (const [turn, { at, source, sequence }] of rest.entries()) {
    const place = last.source === at ? last : undefined;
    const { entries, more } = await sequence.after(place, limit - items.length);
    if (entries.length > 0) items.push(...(await source.readMany(entries.map(({ id }: NamedId) => id))));
    const end = entries.at(-1);
    if (end) last = { source: at, ...sequence.placeOf(end) };
    if (more || (items.length >= limit && turn < rest.length - 1)) {
      return { items: defined(items), next: last, total: undefined };
    }
  }
  return { items: defined(items), next: undefined, total: undefined };
}

/** The matches after a position. Where its resource was deleted, the page starts where that resource would be. */
function matchesAfter<T>(
  found: readonly Match<T>[],
  query: Query,
  after: Position | undefined,
  limit: number,
): CursorPage<T> {
  const rest = after ? found.filter(({ position }) => comparePositions(position, after, query) > 0) : found;
  const page = rest.slice(0, limit);
  return {
    items: page.map(({ item }) => item),
    next: rest.length > limit ? page.at(-1)?.position : undefined,
    total: after ? undefined : found.length,
  };
}

/** A window over all sequences. Its items are read while the rest is counted. */
async function windowOf<T>(listed: readonly Listed<T>[], window: Window): Promise<Page<T>> {
  // Pages of SCIM 1.1 may have thousands of resources.
  const page = newWork(listed[0]?.source, "The page would have");
  const reading: Promise<readonly (T | undefined)[]>[] = [];
  let [total, count] = [0, 0];
  for (const { source, sequence } of listed) {
    const offset = Math.max(0, window.offset - total);
    const { entries, total: counting } = await sequence.window({ offset, limit: window.limit - count });
    if (entries.length > 0) reading.push(readingOfPage(source, entries, page));
    count += entries.length;
    total += await counting;
  }
  return { items: defined((await Promise.all(reading)).flat()), total };
}

/** How a list is read. */
type Reading<T> =
  /** All matches are in memory. */
  | { readonly found: readonly Match<T>[]; readonly merged?: undefined; readonly listed?: undefined }
  /** The orders of several sources become one. */
  | { readonly merged: Merging<T>; readonly found?: undefined; readonly listed?: undefined }
  /** One source after the other. */
  | { readonly listed: readonly Listed<T>[]; readonly found?: undefined; readonly merged?: undefined };

interface Merging<T> {
  readonly parts: readonly SortedPart<T>[];
  readonly order: Ordering;
}

async function readingOf<T>(sources: readonly Source<T>[], query: Query, wanted: Wanted): Promise<Reading<T>> {
  const ways = await waysOf(sources, query, wanted);
  const plans = ways.flatMap((way) => (way.kind === "plan" ? [way.plan] : []));
  try {
    if (plans.length === ways.length && !plans.every((plan) => isSequence(plan, query))) {
      return { found: await matchesOf(sources, plans, query) };
    }
    const { order } = query;
    return order && ways.length > 1
      ? { merged: { parts: await partsOf(sources, ways, query), order } }
      : { listed: await sequencesOf(sources, ways, query, wanted.after) };
  } catch (error) {
    // Lookups that find too many leave the list to indexes.
    const isLong = error instanceof Fault && error.fault === "scim.too_many";
    if (wanted.always || !isLong || !canUseIndexes(sources, query)) throw error;
    return readingOf(sources, { ...query, work: newWork(sources[0]) }, { ...wanted, always: true });
  }
}

function partsOf<T>(
  sources: readonly Source<T>[],
  ways: readonly Way[],
  query: Query,
): Promise<readonly SortedPart<T>[]> {
  const all = ways.map(async (way, at): Promise<SortedPart<T>[]> => {
    const source = sources[at];
    if (!source) return [];
    if (way.kind === "sequence") return [{ at, source, sequence: way.sequence, found: [] }];
    const found = await matchesOf([source], [way.plan], query);
    const positioned = found.map((match) => ({ ...match, position: { ...match.position, source: at } }));
    return [{ at, source, sequence: undefined, found: positioned }];
  });
  return Promise.all(all).then((parts) => parts.flat());
}

/** The sources in the order in which they are listed. */
async function sequencesOf<T>(
  sources: readonly Source<T>[],
  ways: readonly Way[],
  query: Query,
  after?: Position,
): Promise<readonly Listed<T>[]> {
  const all = await Promise.all(
    sources.map(async (source, at) => {
      const way = ways[at];
      if (!way) return [];
      const sequence = way.kind === "sequence" ? way.sequence : await sequenceOfPlan(source, way.plan, query, after);
      return [{ at, source, sequence }];
    }),
  );
  const inOrder = all.flat();
  return query.backwards ? inOrder.reverse() : inOrder;
}

/** Where the sequence of another source goes with it, the matches of a plan are one too. */
async function sequenceOfPlan<T>(source: Source<T>, plan: Plan, query: Query, after?: Position): Promise<Sequence> {
  if (isSequence(plan, query)) return sequenceOf(source, plan, query, after);
  return sequenceOfMatches(source, await matchesOf([source], [plan], query), query.backwards);
}
