/**
 * Lists of users and of groups: any filter, any order, any page, with exact totals, over one user store after the other.
 *
 * What names alone decide is answered from the name index, whatever the number of resources; who is in a group, from the
 * group's roster. Everything else is evaluated on candidates, of which at most 10,000 are read: past that the answer is
 * `scim.too_many`, not a timeout.
 */
import { Fault } from "../platform/faults.ts";
import { gather, type Match } from "./candidates.ts";
import { listOutside } from "./outside.ts";
import { type Plan, planOf } from "./plan.ts";
import { isSequence, type Sequence, sequenceOf } from "./sequence.ts";
import {
  comparePositions,
  type Named,
  type Position,
  present,
  type Query,
  type Source,
  type Window,
} from "./source.ts";

export { CANDIDATES_MAX, type Ordering, type Position, type Query, type Source, type Window } from "./source.ts";

/** A page of a list. */
export interface Page<T> {
  readonly things: readonly T[];
  readonly total: number;
  /** True where more follow than the total counts. */
  readonly hasMore?: boolean;
}

/** A page of a walk. */
export interface Step<T> {
  readonly things: readonly T[];
  /** Where the next page begins; `undefined` behind the last one. */
  readonly next: Position | undefined;
  /** How many there are in all, told on the first page. */
  readonly total: number | undefined;
}

/** Where a page ends. */
interface End {
  readonly last: Position | undefined;
  /** How many ids it came by. A resource that went away an instant ago has one, and is not shown. */
  readonly count: number;
}

/**
 * A page by offset, over all sources: two or three sequential round trips where names decide. Those kept elsewhere come last,
 * and are asked only for what the others leave free of the page: of them the total counts the page alone, unless they count all.
 */
export async function listPage<T>(sources: readonly Source<T>[], query: Query, window: Window): Promise<Page<T>> {
  if (!sources.some(({ outside }) => outside)) return pageHere(sources, query, window);
  if (!query.anyOrder && sources.length > 1) throw unsorted();
  const known = here(sources, query);
  const first = await pageHere(known.sources, known.query, window);
  const things = [...first.things];
  let { total } = first;
  // How many came before the source that is asked; not known any more behind one that was not read to its end.
  let before: number | undefined = total;
  for (const [at, source] of sources.entries()) {
    const { outside } = source;
    if (!outside) continue;
    const limit = window.limit - things.length;
    if (limit === 0 && !outside.countsAll) {
      before = undefined;
      continue;
    }
    const offset = Math.max(0, window.offset - (before ?? window.offset));
    const page = await listOutside({ source, outside, filter: query.filters[at], query }, { offset, limit });
    things.push(...page.things);
    total += outside.countsAll ? (page.count ?? 0) : page.things.length;
    before = before === undefined || page.count === undefined ? undefined : before + page.count;
  }
  return { things, total, ...((before === undefined || before > window.offset + things.length) && { hasMore: true }) };
}

/** A page by offset, over sources in the table. */
async function pageHere<T>(sources: readonly Source<T>[], query: Query, window: Window): Promise<Page<T>> {
  const plans = plansOf(sources, query);
  if (!plans.every((plan) => isSequence(plan, query))) {
    const found = await gather(sources, plans, query);
    const { offset, limit } = window;
    return { things: found.slice(offset, offset + limit).map(({ thing }) => thing), total: found.length };
  }
  const { things, total } = await windowOf(await sequencesOf(sources, plans, query), window);
  return { things, total };
}

function unsorted(): Fault {
  return new Fault(
    "request.invalid",
    "One of the user stores is a directory, which is not sorted together with others: leave sortBy out, or name one user store with domain.",
  );
}

/** The sources that are in the table, each with its filter. */
function here<T>(sources: readonly Source<T>[], query: Query) {
  const kept = sources.map(({ outside }) => !outside);
  return {
    sources: sources.filter((_, at) => kept[at]),
    query: { ...query, filters: query.filters.filter((_, at) => kept[at]) },
  };
}

/**
 * A page of a walk: what lies behind a position, or the first page with the total. A resource that is there and unchanged
 * from the first page to the last is in exactly one of them. `limit` is at least 1.
 */
export async function listAfter<T>(
  sources: readonly Source<T>[],
  query: Query,
  after: Position | undefined,
  limit: number,
): Promise<Step<T>> {
  if (sources.some(({ outside }) => outside)) {
    throw new Fault(
      "scim.cursor_invalid",
      "One of the user stores is a directory, which has no cursors: page with startIndex and count, or name another user store with domain.",
    );
  }
  const plans = plansOf(sources, query);
  if (!plans.every((plan) => isSequence(plan, query))) {
    return gatheredAfter(await gather(sources, plans, query), query, after, limit);
  }
  const listed = await sequencesOf(sources, plans, query, after);
  if (!after) {
    const { things, total, last, count } = await windowOf(listed, { offset: 0, limit });
    return { things, total, next: total > count ? last : undefined };
  }
  const things: (T | undefined)[] = [];
  let last: Position = after;
  const rest = listed.slice(
    Math.max(
      0,
      listed.findIndex(({ at }) => at === after.source),
    ),
  );
  for (const [turn, { at, source, sequence }] of rest.entries()) {
    const place = last.source === at ? last : undefined;
    const { entries, more } = await sequence.behind(place, limit - things.length);
    if (entries.length > 0) things.push(...(await source.readMany(entries.map(({ id }: Named) => id))));
    const end = entries.at(-1);
    if (end) last = { source: at, ...sequence.placeOf(end) };
    if (more || (things.length >= limit && turn < rest.length - 1)) {
      return { things: present(things), next: last, total: undefined };
    }
  }
  return { things: present(things), next: undefined, total: undefined };
}

/** The matches behind a position. The one that the position names may be gone: then the walk goes on where it would be. */
function gatheredAfter<T>(
  found: readonly Match<T>[],
  query: Query,
  after: Position | undefined,
  limit: number,
): Step<T> {
  const behind = after ? found.filter(({ position }) => comparePositions(position, after, query) > 0) : found;
  const page = behind.slice(0, limit);
  return {
    things: page.map(({ thing }) => thing),
    next: behind.length > limit ? page.at(-1)?.position : undefined,
    total: after ? undefined : found.length,
  };
}

function plansOf<T>(sources: readonly Source<T>[], { filters, names }: Query): Plan[] {
  return sources.map((source, at) =>
    names ? { candidates: { kind: "names", ...names }, residual: undefined } : planOf(filters[at], source),
  );
}

/** A window over all sequences. What is shown is read while the rest is counted. */
async function windowOf<T>(listed: Awaited<ReturnType<typeof sequencesOf<T>>>, window: Window): Promise<Page<T> & End> {
  const reading: Promise<readonly (T | undefined)[]>[] = [];
  let [total, count] = [0, 0];
  let last: Position | undefined;
  for (const { at, source, sequence } of listed) {
    const offset = Math.max(0, window.offset - total);
    const { entries, total: counting } = await sequence.window({ offset, limit: window.limit - count });
    if (entries.length > 0) {
      const read = source.readMany(entries.map(({ id }) => id));
      // Counting may fail before it is waited for.
      read.catch(() => undefined);
      reading.push(read);
    }
    const end = entries.at(-1);
    if (end) last = { source: at, ...sequence.placeOf(end) };
    count += entries.length;
    total += await counting;
  }
  return { things: present((await Promise.all(reading)).flat()), total, last, count };
}

/** The sources in the order in which they are listed, each with the sequence that it has. */
async function sequencesOf<T>(
  sources: readonly Source<T>[],
  plans: readonly Plan[],
  query: Query,
  after?: Position,
): Promise<readonly { readonly at: number; readonly source: Source<T>; readonly sequence: Sequence }[]> {
  const all = await Promise.all(
    sources.map(async (source, at) => {
      const plan = plans[at];
      return plan ? [{ at, source, sequence: await sequenceOf(source, plan, query, after) }] : [];
    }),
  );
  const inOrder = all.flat();
  return query.backwards ? inOrder.reverse() : inOrder;
}
