/**
 * Lists of which the ids alone decide what is shown, so that only the page itself is read: names, or a member list.
 *
 * A member list is stored in the order of ids. To sort it by name, all of its names and ids are read. So a large list
 * keeps the order of ids where the request has no order, and above 150,000 members that is the only order.
 */
import { compareKeys } from "../../database/table/table.ts";
import { tooMany } from "./limits.ts";
import type { MemberPlan, NamePlan, Plan } from "./plan.ts";
import type { MemberList, NamedId, Position, Query, Source, Window } from "./source.ts";

/**
 * Up to this many members a list without an order is sorted by name: 19 read units for each page. Above it a page reads
 * the members that it shows.
 */
export const MEMBERS_SORTED_MAX = 1_000;
/** Up to this many members all are read with strong consistency. */
const MEMBERS_STRONG_MAX = 10_000;
/** The most members that one request reads: 2,400 read units. */
export const MEMBERS_READ_MAX = 150_000;
/** The most members that are read page by page: three round trips. */
const READ_IN_TURN_MAX = 20_000;

/** A place in a sequence. */
export type Place = Omit<Position, "source">;

/** Some entries, and whether more follow. */
export interface Entries {
  readonly entries: readonly NamedId[];
  readonly more: boolean;
}

/** The ids of one source that match a query, in its order. */
export interface Sequence {
  /** A window, and the total, which may still be counting. */
  window(window: Window): Promise<{ readonly entries: readonly NamedId[]; readonly total: Promise<number> | number }>;
  /** The first entries, whether more follow, and the total. Nothing that comes meanwhile takes an entry away. */
  first(limit: number): Promise<Entries & { readonly total: Promise<number> | number }>;
  /** What follows a place, and whether more follows. */
  after(place: Place | undefined, limit: number): Promise<Entries>;
  /** The place of a cursor whose last resource was this. */
  placeOf(named: NamedId): Place;
}

/** The members whose names pass, in no order. Throws `scim.too_many` above `MEMBERS_READ_MAX`. */
export async function readMembers(list: MemberList, test: MemberPlan["test"]): Promise<readonly NamedId[]> {
  if (list.count > MEMBERS_READ_MAX) {
    throw tooMany(
      undefined,
      `One response can read at most ${MEMBERS_READ_MAX} members of a group. Page with cursor, and without sortBy.`,
    );
  }
  const all = await list.readAll({ consistent: list.count <= MEMBERS_STRONG_MAX });
  return test ? all.filter(({ key }) => test(key)) : all;
}

/** Whether ids alone decide a plan: nothing is left to evaluate on the resources. */
export function isSequence({ candidates, residual }: Plan, { order }: Query): boolean {
  return !residual && !order && candidates.kind !== "ids" && candidates.kind !== "found";
}

/** The sequence of a plan that `isSequence`. A cursor's `place` decides the order in which its pages started. */
export async function sequenceOf<T>(
  source: Source<T>,
  { candidates }: Plan,
  query: Query,
  place?: Place,
): Promise<Sequence> {
  switch (candidates.kind) {
    case "names":
      return namesBy(source, candidates, query.backwards);
    case "members":
      return membersBy(source, candidates, query, place && place.id !== undefined);
    default:
      return inMemory([], query.backwards);
  }
}

function namesBy<T>({ index }: Source<T>, { prefix, exact, test }: NamePlan, backwards: boolean): Sequence {
  if (exact !== undefined) {
    const found = async (): Promise<Sequence> => {
      const names = test ? exact.filter(test) : exact;
      return inMemory(await index.findMany(names), backwards);
    };
    return {
      window: async (window) => (await found()).window(window),
      first: async (limit) => (await found()).first(limit),
      after: async (place, limit) => (await found()).after(place, limit),
      placeOf: byKey,
    };
  }
  return {
    async window({ offset, limit }) {
      const window = { offset, limit, backwards };
      if (test) return index.search(test, { ...window, prefix, consistent: false });
      return index.startingWith(prefix, window);
    },
    async first(limit) {
      if (prefix === "" && !test) {
        const [{ entries, more }, total] = await Promise.all([
          index.after(undefined, limit, { backwards }),
          index.total(),
        ]);
        return { entries, more, total };
      }
      const window = { offset: 0, limit: limit + 1, backwards };
      const { entries, total } = test
        ? await index.search(test, { ...window, prefix, consistent: false })
        : await index.startingWith(prefix, window);
      return { entries: entries.slice(0, limit), more: entries.length > limit, total };
    },
    async after(place, limit) {
      const key = place?.key;
      if (!test) return index.after(key, limit, { prefix, backwards });
      const isAfter = (name: string): boolean =>
        key === undefined || (backwards ? compareKeys(name, key) < 0 : compareKeys(name, key) > 0);
      const window = { offset: 0, limit, prefix, backwards, consistent: false };
      const { entries, total } = await index.search((name) => isAfter(name) && test(name), window);
      return { entries, more: total > entries.length };
    },
    placeOf: byKey,
  };
}

async function membersBy<T>(
  source: Source<T>,
  { equality, test }: MemberPlan,
  { backwards, anyOrder = false }: Query,
  followsIds: boolean | undefined,
): Promise<Sequence> {
  const list = await source.memberList?.(equality);
  if (!list) return inMemory([], backwards);
  const keepsOrder = followsIds ?? (anyOrder && list.count > MEMBERS_SORTED_MAX);
  return keepsOrder && !test ? byIds(list) : inMemory(await readMembers(list, test), backwards);
}

/**
 * A member list in its stored order. A window is read from the nearer end; one far from both ends reads the whole list.
 */
function byIds(list: MemberList): Sequence {
  return {
    async window({ offset, limit }) {
      const { count: total } = list;
      const shown = Math.max(0, Math.min(limit, total - offset));
      const rest = total - offset - shown;
      if (shown === 0) return { entries: [], total };
      if (Math.min(offset, rest) + shown > READ_IN_TURN_MAX) {
        const all = [...(await readMembers(list, undefined))].sort((a, b) => compareKeys(a.id, b.id));
        return { entries: all.slice(offset, offset + shown), total };
      }
      if (offset <= rest) return { entries: (await readEnd(list, offset + shown, false)).slice(offset), total };
      return { entries: (await readEnd(list, rest + shown, true)).slice(rest).reverse(), total };
    },
    first: async (limit) => ({ ...(await list.read({ limit, after: undefined })), total: list.count }),
    after: (place, limit) => list.read({ limit, after: place?.id }),
    placeOf: ({ id, key }) => ({ id, key }),
  };
}

/** `count` members from one end of a list. */
async function readEnd(list: MemberList, count: number, backwards: boolean): Promise<readonly NamedId[]> {
  const found: NamedId[] = [];
  for (let [after, more]: [string | undefined, boolean] = [undefined, true]; more && found.length < count; ) {
    const part = await list.read({ limit: count - found.length, after, backwards });
    for (const entry of part.entries) found.push(entry);
    after = part.entries.at(-1)?.id;
    more = part.more;
  }
  return found;
}

/** Matches that were read, by name. */
export function sequenceOfMatches<T>(
  source: Source<T>,
  matches: readonly { readonly item: T; readonly id: string }[],
  backwards: boolean,
): Sequence {
  return inMemory(
    matches.map(({ item, id }) => ({ id, key: source.keyOf(item) })),
    backwards,
  );
}

/** A sequence in memory, sorted by name. */
export function inMemory(entries: readonly NamedId[], backwards: boolean): Sequence {
  const sign = backwards ? -1 : 1;
  const ordered = entries.toSorted((a, b) => compareKeys(a.key, b.key) * sign);
  return {
    window: async ({ offset, limit }) => ({ entries: ordered.slice(offset, offset + limit), total: ordered.length }),
    first: async (limit) => ({
      entries: ordered.slice(0, limit),
      more: ordered.length > limit,
      total: ordered.length,
    }),
    async after(place, limit) {
      const rest = place ? ordered.filter(({ key }) => compareKeys(key, place.key) * sign > 0) : ordered;
      return { entries: rest.slice(0, limit), more: rest.length > limit };
    },
    placeOf: byKey,
  };
}

function byKey({ key }: NamedId): Place {
  return { key };
}
