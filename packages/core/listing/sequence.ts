/**
 * Lists that are known by ids alone, so that only what is shown of them is read: a part of the names, or a roster.
 *
 * A roster lies in the order of ids. To put it into the order of names all of it is read, names and ids; so a long one comes
 * by ids where nobody asked for an order, and past 150,000 it comes in no other way.
 */
import type { Entry } from "../table/name-index/items.ts";
import { compareKeys } from "../table/table.ts";
import type { NamePlan, Plan, RosterPlan } from "./plan.ts";
import { type Named, type Position, type Query, type Roster, type Source, tooMany, type Window } from "./source.ts";

/** Up to here a roster is put in the order of names unasked. */
export const ROSTER_SORTED_MAX = 10_000;
/** The most of a roster that one request reads: 2,400 read units. */
export const ROSTER_READ_MAX = 150_000;
/** What is read page after page: three round trips. */
const READ_IN_TURN_MAX = 20_000;

/** A place in a sequence. */
type Place = Omit<Position, "source">;

/** The ids of one source that a query leaves, in its order. */
export interface Sequence {
  /** A window, and how many there are, which may still be being counted. */
  window(window: Window): Promise<{ readonly entries: readonly Named[]; readonly total: Promise<number> | number }>;
  /** What lies behind a place, and whether more follows. */
  behind(
    place: Place | undefined,
    limit: number,
  ): Promise<{ readonly entries: readonly Named[]; readonly more: boolean }>;
  /** Where a walk stands that came by a resource last. */
  placeOf(named: Named): Place;
}

/** All of a roster whose names pass, in no order. Throws `scim.too_many` where it is too long. */
export async function readRoster(roster: Roster, test: RosterPlan["test"]): Promise<readonly Named[]> {
  refuseBeyond(roster.count);
  const all = await roster.readAll({ consistent: roster.count <= ROSTER_SORTED_MAX });
  return test ? all.filter(({ key }) => test(key)) : all;
}

function refuseBeyond(count: number): void {
  if (count <= ROSTER_READ_MAX) return;
  throw tooMany(
    `At most ${ROSTER_READ_MAX} members of a group are looked at for one answer. Page through them by cursor, without an order.`,
  );
}

/** Whether a plan leads to a sequence: nothing is left to be evaluated on the resources themselves. */
export function isSequence({ candidates, residual }: Plan, { order }: Query): boolean {
  return !residual && !order && candidates.kind !== "ids";
}

/** The sequence of a plan that leads to one; for a walk that stands at a place, in the order in which it began. */
export async function sequenceOf<T>(
  source: Source<T>,
  { candidates }: Plan,
  query: Query,
  place?: Place,
): Promise<Sequence> {
  switch (candidates.kind) {
    case "names":
      return namesBy(source, candidates, query.backwards);
    case "roster":
      return rosterBy(source, candidates, query, place && place.id !== undefined);
    default:
      return settled([], query.backwards);
  }
}

function namesBy<T>({ index }: Source<T>, { prefix, exact, test }: NamePlan, backwards: boolean): Sequence {
  if (exact !== undefined) {
    const found = async (): Promise<Sequence> => {
      const entry: Entry | undefined = test?.(exact) === false ? undefined : await index.find(exact);
      return settled(entry ? [entry] : [], backwards);
    };
    return {
      window: async (window) => (await found()).window(window),
      behind: async (place, limit) => (await found()).behind(place, limit),
      placeOf: byKey,
    };
  }
  return {
    async window({ offset, limit }) {
      const window = { offset, limit, backwards };
      if (test) return index.search(test, { ...window, prefix, consistent: false });
      return index.startingWith(prefix, window);
    },
    async behind(place, limit) {
      const key = place?.key;
      if (!test) return index.after(key, limit, { prefix, backwards });
      const isBehind = (name: string): boolean =>
        key === undefined || (backwards ? compareKeys(name, key) < 0 : compareKeys(name, key) > 0);
      const window = { offset: 0, limit, prefix, backwards, consistent: false };
      const { entries, total } = await index.search((name) => isBehind(name) && test(name), window);
      return { entries, more: total > entries.length };
    },
    placeOf: byKey,
  };
}

async function rosterBy<T>(
  source: Source<T>,
  { equality, test }: RosterPlan,
  { backwards, anyOrder = false }: Query,
  goesByIds: boolean | undefined,
): Promise<Sequence> {
  const roster = await source.roster?.(equality);
  if (!roster) return settled([], backwards);
  const inItsOrder = goesByIds ?? (anyOrder && roster.count > ROSTER_SORTED_MAX);
  return inItsOrder && !test ? byIds(roster) : settled(await readRoster(roster, test), backwards);
}

/** A roster as it lies. What a window leaves out is read from the nearer end; far from both, all is read at once. */
function byIds(roster: Roster): Sequence {
  return {
    async window({ offset, limit }) {
      const { count: total } = roster;
      const shown = Math.max(0, Math.min(limit, total - offset));
      const behind = total - offset - shown;
      if (shown === 0) return { entries: [], total };
      if (Math.min(offset, behind) + shown > READ_IN_TURN_MAX) {
        const all = [...(await readRoster(roster, undefined))].sort(byId);
        return { entries: all.slice(offset, offset + shown), total };
      }
      if (offset <= behind) return { entries: (await readEnd(roster, offset + shown, false)).slice(offset), total };
      return { entries: (await readEnd(roster, behind + shown, true)).slice(behind).reverse(), total };
    },
    behind: (place, limit) => roster.read({ limit, after: place?.id }),
    placeOf: ({ id, key }) => ({ id, key }),
  };
}

function byId(a: Named, b: Named): number {
  return compareKeys(a.id, b.id);
}

/** So many of a roster, from one of its ends. */
async function readEnd(roster: Roster, count: number, backwards: boolean): Promise<readonly Named[]> {
  const found: Named[] = [];
  for (let [after, more]: [string | undefined, boolean] = [undefined, true]; more && found.length < count; ) {
    const part = await roster.read({ limit: count - found.length, after, backwards });
    for (const entry of part.entries) found.push(entry);
    after = part.entries.at(-1)?.id;
    more = part.more;
  }
  return found;
}

/** A sequence that is in memory, in the order of names. */
function settled(entries: readonly Named[], backwards: boolean): Sequence {
  const ordered = entries.toSorted((a, b) => compareKeys(a.key, b.key) * (backwards ? -1 : 1));
  return {
    window: async ({ offset, limit }) => ({ entries: ordered.slice(offset, offset + limit), total: ordered.length }),
    async behind(place, limit) {
      const isBehind = ({ key }: Named) =>
        place === undefined || compareKeys(key, place.key) * (backwards ? -1 : 1) > 0;
      const rest = ordered.filter(isBehind);
      return { entries: rest.slice(0, limit), more: rest.length > limit };
    },
    placeOf: byKey,
  };
}

function byKey({ key }: Named): Place {
  return { key };
}
