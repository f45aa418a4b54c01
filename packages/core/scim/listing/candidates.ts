/** Lists that evaluate resources: candidates are read, filtered and sorted in memory. */

import { type Compare, equalityKey, namesIn } from "../protocol/filter/bound.ts";
import { matches } from "../protocol/filter/evaluate.ts";
import { CANDIDATES_MAX, tooMany } from "./limits.ts";
import type { NamePlan, Plan } from "./plan.ts";
import { readMembers } from "./sequence.ts";
import { comparePositions, defined, type Position, type Query, type Source, type Work } from "./source.ts";
import { newWork } from "./work.ts";

/** Candidates that are read and evaluated at a time: those that do not match are forgotten before others are read. */
const EVALUATED_AT_ONCE = 800;
/** Equalities that are looked up at a time. */
const LOOKED_UP_AT_ONCE = 20;
/** Ids that the lookups of one list may find together, where several find the same ones: some 2,500 units. */
const LOOKED_UP_MAX = 100_000;
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
  const { work = newWork(sources[0]) } = query;
  const lists = await Promise.all(
    sources.map((source, at) => {
      const plan = plans[at];
      return plan ? matchesIn({ source, at }, plan, { order: query.order, work }) : [];
    }),
  );
  const found = lists.flat();
  if (found.length > CANDIDATES_MAX) throw tooMany(sources[0]);
  return found.sort((a, b) => comparePositions(a.position, b.position, query));
}

async function matchesIn<T>(
  from: { readonly source: Source<T>; readonly at: number },
  plan: Plan,
  asked: Pick<Query, "order"> & { readonly work: Work },
): Promise<Match<T>[]> {
  const { source } = from;
  // Names are read in several round trips: a user who is renamed meanwhile may be met under both names.
  const ids = [...new Set(await idsOf(source, plan))];
  if (ids.length > CANDIDATES_MAX) throw tooMany(source);
  const found: Match<T>[] = [];
  for (let at = 0; at < ids.length; at += EVALUATED_AT_ONCE) {
    found.push(...(await evaluated(from, ids.slice(at, at + EVALUATED_AT_ONCE), plan, asked)));
  }
  return found;
}

/** The matches among some candidates. They are read strongly: an outdated copy may match, or not, by mistake. */
async function evaluated<T>(
  { source, at }: { readonly source: Source<T>; readonly at: number },
  ids: readonly string[],
  { residual }: Plan,
  { order, work }: Pick<Query, "order"> & { readonly work: Work },
): Promise<Match<T>[]> {
  const read = await source.readMany(ids, { spend: work.read });
  const candidates = read.flatMap((item, index) => (item === undefined ? [] : [{ item, id: ids[index] ?? "" }]));
  const items = candidates.map(({ item }) => item);
  const attributes = new Set([...(residual ? namesIn(residual) : []), ...(order ? [order.attribute] : [])]);
  const resources = attributes.size > 0 || residual ? await source.resourcesOf(items, attributes) : [];
  return candidates.flatMap(({ item, id }, index): Match<T>[] => {
    const resource = resources[index];
    if (residual && !(resource && matches(residual, resource, work.compare))) return [];
    const value = resource && order?.valueOf(resource);
    return [{ item, id, position: { source: at, key: source.keyOf(item), value } }];
  });
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
  if (groups.length < 2) return lookUpEach(source, distinct);
  const lists = defined(await Promise.all(groups.map((equality) => source.memberList?.(equality))));
  if (lists.some(({ count }) => count > CANDIDATES_MAX)) throw tooMany(source);
  if (lists.reduce((sum, { count }) => sum + count, 0) > MEMBERS_TOGETHER_MAX) {
    throw tooMany(source, `The groups of the filter have more than ${MEMBERS_TOGETHER_MAX} members together.`);
  }
  const others = distinct.filter((equality) => !groups.includes(equality));
  const members = lists.map(async (list) => (await readMembers(list, undefined)).map(({ id }) => id));
  return [...(await Promise.all(members)), ...(await lookUpEach(source, others))];
}

/** The ids of each equality, of some at a time. Throws `scim.too_many`. */
async function lookUpEach<T>(source: Source<T>, equalities: readonly Compare[]): Promise<(readonly string[])[]> {
  const found: (readonly string[])[] = [];
  for (let at = 0; at < equalities.length; at += LOOKED_UP_AT_ONCE) {
    const some = equalities.slice(at, at + LOOKED_UP_AT_ONCE);
    found.push(...(await Promise.all(some.map((equality) => source.lookUp(equality, CANDIDATES_MAX)))));
    if (found.reduce((sum, { length }) => sum + length, 0) > LOOKED_UP_MAX) throw tooMany(source);
  }
  return found;
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
