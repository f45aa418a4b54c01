/** Lists that evaluate resources: candidates are read, filtered and sorted in memory. */

import { type Compare, equalityKey, namesIn } from "../scim/filter/bound.ts";
import { matches } from "../scim/filter/evaluate.ts";
import type { NamePlan, Plan } from "./plan.ts";
import { readMembers } from "./sequence.ts";
import {
  CANDIDATES_MAX,
  comparePositions,
  defined,
  type Position,
  type Query,
  type Source,
  tooMany,
} from "./source.ts";

/** Up to this many candidates are read with strong consistency: as many as the largest page has. */
const STRONG_MAX = 200;
/** Members that one request reads of several groups: some 2,900 units, next to the 5,000 of the candidates. */
const MEMBERS_TOGETHER_MAX = 100_000;

/** An item that matches, and its place in the order. */
export interface Match<T> {
  readonly item: T;
  readonly id: string;
  readonly position: Position;
}

/** All matches of all sources, in order. Throws `scim.too_many` for more than `CANDIDATES_MAX`. */
export async function matchesOf<T>(
  sources: readonly Source<T>[],
  plans: readonly Plan[],
  query: Query,
): Promise<Match<T>[]> {
  const lists = await Promise.all(
    sources.map((source, at) => {
      const plan = plans[at];
      return plan ? matchesIn({ source, at }, plan, query) : [];
    }),
  );
  const found = lists.flat();
  if (found.length > CANDIDATES_MAX) throw tooMany(sources[0]);
  return found.sort((a, b) => comparePositions(a.position, b.position, query));
}

async function matchesIn<T>(
  { source, at }: { readonly source: Source<T>; readonly at: number },
  plan: Plan,
  { order }: Query,
): Promise<Match<T>[]> {
  const { residual } = plan;
  const candidates = await readCandidates(source, plan);
  const items = candidates.map(({ item }) => item);
  const attributes = new Set([...(residual ? namesIn(residual) : []), ...(order ? [order.attribute] : [])]);
  const resources = attributes.size > 0 || residual ? await source.resourcesOf(items, attributes) : [];
  return candidates.flatMap(({ item, id }, index): Match<T>[] => {
    const resource = resources[index];
    if (residual && !(resource && matches(residual, resource))) return [];
    const value = resource && order?.valueOf(resource);
    return [{ item, id, position: { source: at, key: source.keyOf(item), value } }];
  });
}

/** Many candidates are read with eventual consistency, which costs half. */
async function readCandidates<T>(source: Source<T>, plan: Plan): Promise<Pick<Match<T>, "item" | "id">[]> {
  const ids = await idsOf(source, plan);
  if (ids.length > CANDIDATES_MAX) throw tooMany(source);
  const items = await source.readMany(ids, ids.length > STRONG_MAX ? { consistent: false } : undefined);
  return items.flatMap((item, at) => (item === undefined ? [] : [{ item, id: ids[at] ?? "" }]));
}

async function idsOf<T>(source: Source<T>, { candidates }: Plan): Promise<readonly string[]> {
  switch (candidates.kind) {
    case "nothing":
      return [];
    case "found":
      return candidates.ids;
    case "changed":
      return idsByName(source, candidates.otherwise);
    case "names":
      return idsByName(source, candidates);
    case "members": {
      const { equality, test } = candidates;
      const list = await source.memberList?.(equality);
      if (!list) return [];
      if (!test && list.count > CANDIDATES_MAX) throw tooMany(source);
      return (await readMembers(list, test)).map(({ id }) => id);
    }
    default: {
      const [entries, lists] = await Promise.all([
        source.index.findMany(candidates.names),
        lookUpAll(source, candidates.equalities),
      ]);
      return [...new Set([...entries.map(({ id }) => id), ...lists.flat()])];
    }
  }
}

/** The ids that satisfy each of the equalities. Equal ones are read once. */
async function lookUpAll<T>(source: Source<T>, equalities: readonly Compare[]): Promise<(readonly string[])[]> {
  const distinct = [...new Map(equalities.map((equality) => [equalityKey(equality), equality])).values()];
  const groups = distinct.filter((equality) => source.hasMemberList?.(equality));
  const lookUp = (equality: Compare) => source.lookUp(equality, CANDIDATES_MAX);
  if (groups.length < 2) return Promise.all(distinct.map(lookUp));
  const lists = defined(await Promise.all(groups.map((equality) => source.memberList?.(equality))));
  if (lists.some(({ count }) => count > CANDIDATES_MAX)) throw tooMany(source);
  if (lists.reduce((sum, { count }) => sum + count, 0) > MEMBERS_TOGETHER_MAX) {
    throw tooMany(source, `The groups of the filter have more than ${MEMBERS_TOGETHER_MAX} members together.`);
  }
  const others = distinct.filter((equality) => !groups.includes(equality));
  const members = lists.map(async (list) => (await readMembers(list, undefined)).map(({ id }) => id));
  return Promise.all([...members, ...others.map(lookUp)]);
}

async function idsByName<T>(source: Source<T>, plan: NamePlan): Promise<readonly string[]> {
  const ids = await idsNamed(source, plan);
  if (!ids) throw tooMany(source);
  return ids;
}

/** The ids of the names of a plan; `undefined` for more than `CANDIDATES_MAX`. */
export async function idsNamed<T>(
  { index }: Source<T>,
  { prefix, exact, test }: NamePlan,
): Promise<readonly string[] | undefined> {
  if (exact !== undefined) {
    const entries = await index.findMany(test ? exact.filter(test) : exact);
    return entries.map(({ id }) => id);
  }
  if (!test) return (await index.all(prefix, CANDIDATES_MAX))?.map(({ id }) => id);
  // With `most`, more entries than that are counted and not returned.
  const window = { offset: 0, limit: CANDIDATES_MAX, most: CANDIDATES_MAX, consistent: false };
  const { entries, total } = await index.search(test, { ...window, prefix });
  return total > CANDIDATES_MAX ? undefined : entries.map(({ id }) => id);
}
