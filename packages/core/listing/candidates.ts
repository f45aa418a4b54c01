/** Lists that need the resources themselves: few candidates are read, evaluated and put in order. */

import { namesIn } from "../scim/filter/bound.ts";
import { matches } from "../scim/filter/evaluate.ts";
import type { NamePlan, Plan } from "./plan.ts";
import { readRoster } from "./sequence.ts";
import {
  CANDIDATES_MAX,
  comparePositions,
  type Position,
  present,
  type Query,
  type Source,
  tooMany,
} from "./source.ts";

/** So many candidates are read strongly: as many as the greatest page has. */
const STRONG_MAX = 200;

/** One resource that matches, with what it is ordered by. */
export interface Match<T> {
  readonly thing: T;
  readonly position: Position;
}

/** All matches of all sources, in order. Throws `scim.too_many` where they are more than can be looked at. */
export async function gather<T>(
  sources: readonly Source<T>[],
  plans: readonly Plan[],
  query: Query,
): Promise<Match<T>[]> {
  const { order } = query;
  const lists = await Promise.all(
    sources.map(async (source, at) => {
      const plan = plans[at];
      if (!plan) return [];
      const { residual } = plan;
      const things = await readCandidates(source, plan);
      const looksAt = new Set([...(residual ? namesIn(residual) : []), ...(order ? [order.attribute] : [])]);
      // Where nothing is looked at, nothing need be read for it.
      const resources = looksAt.size > 0 || residual ? await source.resourcesOf(things, looksAt) : [];
      return things.flatMap((thing, index): Match<T>[] => {
        const resource = resources[index];
        if (residual && !(resource && matches(residual, resource))) return [];
        const value = resource && order?.valueOf(resource);
        return [{ thing, position: { source: at, key: source.keyOf(thing), value } }];
      });
    }),
  );
  const found = lists.flat();
  if (found.length > CANDIDATES_MAX) throw tooMany();
  return found.sort((a, b) => comparePositions(a.position, b.position, query));
}

/** The candidates of one source, read: a few of them strongly, many at half the price and an instant behind. */
async function readCandidates<T>(source: Source<T>, plan: Plan): Promise<T[]> {
  const ids = await idsOf(source, plan);
  if (ids.length > CANDIDATES_MAX) throw tooMany();
  return present(await source.readMany(ids, ids.length > STRONG_MAX ? { consistent: false } : undefined));
}

async function idsOf<T>(source: Source<T>, { candidates }: Plan): Promise<readonly string[]> {
  switch (candidates.kind) {
    case "nothing":
      return [];
    case "names":
      return idsByName(source, candidates);
    case "roster": {
      const { equality, test } = candidates;
      const roster = await source.roster?.(equality);
      if (!roster) return [];
      if (!test && roster.count > CANDIDATES_MAX) throw tooMany();
      return (await readRoster(roster, test)).map(({ id }) => id);
    }
    default: {
      const [entries, lists] = await Promise.all([
        Promise.all(candidates.names.map((name) => source.index.find(name))),
        Promise.all(candidates.equalities.map((equality) => source.lookUp(equality, CANDIDATES_MAX))),
      ]);
      return [...new Set([...present(entries).map(({ id }) => id), ...lists.flat()])];
    }
  }
}

/** The ids behind the names of a plan. Where there are too many they are only counted. */
async function idsByName<T>({ index }: Source<T>, { prefix, exact, test }: NamePlan): Promise<readonly string[]> {
  if (exact !== undefined) {
    const entry = test?.(exact) === false ? undefined : await index.find(exact);
    return entry ? [entry.id] : [];
  }
  const window = { offset: 0, limit: CANDIDATES_MAX, most: CANDIDATES_MAX };
  const { entries, total } = test
    ? await index.search(test, { ...window, prefix, consistent: false })
    : await index.startsWith(prefix, window);
  if (total > CANDIDATES_MAX) throw tooMany();
  return entries.map(({ id }) => id);
}
