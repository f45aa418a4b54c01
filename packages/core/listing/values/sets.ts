/**
 * Which owners a tree has, over any number of indexes: a set of ids where indexes and names decide all of it, else few
 * candidates. Counts come first, because they cost little; ids are read of what the counts leave.
 */
import { Fault } from "../../platform/faults.ts";
import { type Compare, equalityKey, namesIn, sizeOf } from "../../scim/filter/bound.ts";
import { matches } from "../../scim/filter/evaluate.ts";
import { idSetOf } from "../../table/value-index/id-set.ts";
import type { IdSet, Matches } from "../../table/value-index/model.ts";
import { idsNamed } from "../candidates.ts";
import { type NamePlan, planOf } from "../plan.ts";
import { MEMBERS_READ_MAX, readMembers } from "../sequence.ts";
import { CANDIDATES_MAX, type MemberList, type Source, tooMany } from "../source.ts";
import { limitedMatch, newWork, type Work } from "../work.ts";
import { everything } from "./intervals.ts";
import { inverse, isCounted, matching, openPairs } from "./pairs.ts";
import {
  groupsOf,
  type MembersNode,
  type NamesNode,
  namesOf,
  type OpenIndex,
  type PairsNode,
  pairsIn,
  type Tree,
} from "./tree.ts";

/** Up to this many candidates are always read: a page has as many. */
export const FEW = 100;
/** Reading one resource costs as much as searching the values of this many pairs. */
const SEARCHED_PER_RESOURCE = 500;
/** Reading one resource costs as much as reading the ids of this many pairs. */
const PAIRS_PER_RESOURCE = 250;
/** Values that a request searches and ids that it reads, of several indexes or groups together: some 6,000 units. */
const PAIRS_MAX = 4_000_000;
/** Reading one member of a group costs as much as reading the ids of this many pairs. */
const PAIRS_PER_MEMBER = 4;
/** The most names that are read with their ids, to compare them with a set: 2,200 units. */
export const NAMES_READ_MAX = 200_000;
/** Pairs whose ids a further round trip must save. */
const SAVED_BY_REST = 10_000;

/** The matches of an index, counted. */
export interface Counted {
  readonly matches: Matches;
  /** Some pairs are left open, because their values are longer than what the index holds. */
  readonly isOpen: boolean;
}

/** What indexes find. */
export type Found =
  /** Exactly the matches. */
  | { readonly kind: "exact"; readonly set: IdSet }
  /** At most `CANDIDATES_MAX`, on which the filter is evaluated. */
  | { readonly kind: "candidates"; readonly ids: readonly string[] };

/** The owners of a part of a tree: those of the set, or with `isRest` all others. */
interface Owners {
  readonly set: IdSet;
  readonly isRest: boolean;
  /** False where the part has fewer. */
  readonly isExact: boolean;
}

/** Reads the sets of one list. Counts are read once. */
export interface Sets {
  count(node: PairsNode): Promise<Counted>;
  /**
   * The owners of a tree; `undefined` where the candidates are too many. With `exactly` there are no candidates, unless
   * the tree has open parts.
   */
  find(tree: Tree, exactly: boolean): Promise<Found | undefined>;
}

/** The member list of an equality; `undefined` where there is no such group. */
export type MemberLists = (equality: Compare) => Promise<MemberList | undefined>;

export function setsOf<T>(
  source: Source<T>,
  indexes: readonly OpenIndex[],
  memberLists: MemberLists,
  work: Work = newWork(source),
): Sets {
  const counts = new Map<PairsNode, Promise<Counted>>();
  const sizes = new Map<PairsNode, Counted>();
  const named = new Map<NamesNode, Promise<readonly string[] | undefined>>();
  const names = new Map<NamesNode, readonly string[] | undefined>();
  const groups = new Map<MembersNode, MemberList | undefined>();
  const members = new Map<string | Compare, Promise<Owners | undefined>>();

  const count = (node: PairsNode): Promise<Counted> => {
    const known = counts.get(node);
    if (known) return known;
    const { match: unlimited, isOpen } = matching(node.pairs);
    const match = limitedMatch(unlimited, sizeOf(node.filter), source);
    const counting = node.index.directory.matches(match).then((found) => {
      const counted = { matches: found, isOpen: isOpen() };
      sizes.set(node, counted);
      return counted;
    });
    counts.set(node, counting);
    return counting;
  };

  const idsOf = (node: NamesNode): Promise<readonly string[] | undefined> => {
    const known = named.get(node);
    if (known) return known;
    const reading = idsNamed(source, namePlan(node, source)).then((ids) => {
      names.set(node, ids);
      return ids;
    });
    named.set(node, reading);
    return reading;
  };

  /** The same of more names, of which the ids are in their entries. */
  const allIdsOf = async (node: NamesNode): Promise<readonly string[] | undefined> => {
    const { prefix, test } = namePlan(node, source);
    const entries = await source.index.all(prefix, NAMES_READ_MAX, { consistent: false });
    return entries?.flatMap(({ id, key }) => (test?.(key) === false ? [] : [id]));
  };

  const listOf = async (node: MembersNode): Promise<MemberList | undefined> => {
    const list = await memberLists(node.equality);
    groups.set(node, list);
    return list;
  };

  const membersOf = (node: MembersNode): Promise<Owners | undefined> => {
    const key = equalityKey(node.equality);
    const known = members.get(key) ?? readMembersOf(node);
    members.set(key, known);
    return known;
  };

  const readMembersOf = async (node: MembersNode): Promise<Owners | undefined> => {
    const list = await listOf(node);
    if (list && list.count > MEMBERS_READ_MAX) return undefined;
    const all = list ? await readMembers(list, undefined) : [];
    return { set: idSetOf(all.map(({ id }) => id)), isRest: false, isExact: true };
  };

  /** At most this many owners, by what is counted so far. */
  const most = (tree: Tree): number => {
    switch (tree.kind) {
      case "none":
        return 0;
      case "pairs": {
        const counted = sizes.get(tree);
        return counted && !counted.isOpen ? counted.matches.total : Number.POSITIVE_INFINITY;
      }
      case "names":
        return names.get(tree)?.length ?? Number.POSITIVE_INFINITY;
      case "members":
        return groups.has(tree) ? (groups.get(tree)?.count ?? 0) : Number.POSITIVE_INFINITY;
      case "and":
        return Math.min(...tree.parts.map(most));
      case "or":
        return tree.parts.map(most).reduce((sum, size) => sum + size, 0);
      default:
        return Number.POSITIVE_INFINITY;
    }
  };

  /** The pairs whose ids trees read, and what their groups cost in the same unit. */
  const pairsToRead = (trees: readonly Tree[]): number => {
    const pairs = trees.flatMap(pairsIn).map((node) => {
      const total = sizes.get(node)?.matches.total ?? 0;
      return node.index.isSingle ? Math.min(total, node.index.directory.total - total) : total;
    });
    const members = distinctGroups(trees).map((node) => Math.min(most(node), MEMBERS_READ_MAX) * PAIRS_PER_MEMBER);
    return [...pairs, ...members].reduce((sum, size) => sum + size, 0);
  };

  /** The owners of pairs whose values are too long for the index to decide: their resources are read. */
  const settled = async (node: PairsNode): Promise<IdSet> => {
    const undecided = await node.index.directory.matches(openPairs(node.pairs));
    const ids = (await undecided.owners()).slice(0, CANDIDATES_MAX + 1);
    if (ids.length > CANDIDATES_MAX) throw tooMany(source);
    const items = await source.readMany(ids, { spend: work.read });
    const found = items.flatMap((item, at) => (item === undefined ? [] : [{ item, id: ids[at] ?? "" }]));
    const resources = await source.resourcesOf(
      found.map(({ item }) => item),
      namesIn(node.filter),
    );
    return idSetOf(
      found.filter((_, at) => matches(node.filter, resources[at] ?? {}, work.compare)).map(({ id }) => id),
    );
  };

  /** What a part of a filter leaves. */
  const ownersOf = async (node: PairsNode): Promise<Owners> => {
    const { matches: found, isOpen } = await count(node);
    const { directory, isSingle } = node.index;
    // Most owners are fewer to read as all but the rest. A search for the rest would read all values again.
    if (isSingle && !isOpen && isCheap(node) && found.total - (directory.total - found.total) > SAVED_BY_REST) {
      const rest = await directory.matches(matching(inverse(node.pairs)).match);
      return { set: await rest.owners(), isRest: true, isExact: true };
    }
    return allOwnersOf(node);
  };

  /** The same of a whole filter: all but the rest would need the owners of everything. */
  const allOwnersOf = async (node: PairsNode): Promise<Owners> => {
    const { matches: found, isOpen } = await count(node);
    const set = await found.owners();
    return { set: isOpen ? set.or(await settled(node)) : set, isRest: false, isExact: true };
  };

  /** `undefined` where nothing is known of the part. */
  const owners = async (tree: Tree): Promise<Owners | undefined> => {
    switch (tree.kind) {
      case "all":
        return { set: idSetOf([]), isRest: true, isExact: true };
      case "none":
        return { set: idSetOf([]), isRest: false, isExact: true };
      case "open":
        return undefined;
      case "pairs":
        return ownersOf(tree);
      case "members":
        return membersOf(tree);
      case "not": {
        const part = await owners(tree.part);
        return part && { ...part, isRest: !part.isRest };
      }
      case "names": {
        const ids = (await idsOf(tree)) ?? (await allIdsOf(tree));
        return ids && { set: idSetOf(ids), isRest: false, isExact: true };
      }
      case "and": {
        const parts = await Promise.all(tree.parts.map(owners));
        const known = parts.filter((part) => part !== undefined);
        const [first, ...rest] = known;
        const isWhole = known.length === parts.length;
        const found = first && rest.reduce(intersection, first);
        return found && { ...found, isExact: found.isExact && isWhole };
      }
      default: {
        const parts = await Promise.all(tree.parts.map(owners));
        if (!parts.every((part) => part !== undefined)) return undefined;
        const [first, ...rest] = parts;
        return first && rest.reduce(union, first);
      }
    }
  };

  /** The set of owners, where it is not that of the rest. */
  const setOf = async ({ set, isRest }: Owners): Promise<IdSet> => {
    const [index] = indexes.toSorted((a, b) => a.directory.total - b.directory.total);
    if (!isRest || !index) return set;
    const everyPair = await index.directory.matches({ intervals: everything });
    return (await everyPair.owners()).without(set);
  };

  const candidates = async (tree: Tree): Promise<Found | undefined> => {
    const found = await owners(tree);
    const set = found && (await setOf(found));
    return set && set.size <= CANDIDATES_MAX ? { kind: "candidates", ids: set.slice(0, set.size) } : undefined;
  };

  /** The part with the fewest owners, and the others. */
  const fewest = (parts: readonly Tree[]) => {
    const [part, ...others] = parts.toSorted((a, b) => most(a) - most(b));
    return part && others.length > 0 ? { part, others, size: most(part) } : undefined;
  };

  return {
    count,

    async find(tree, exactly) {
      const parts = tree.kind === "and" ? tree.parts : [tree];
      const pairs = pairsIn(tree);
      const [counted, searched] = [pairs.filter(isCheap), pairs.filter((node) => !isCheap(node))];
      const beginnings = namesOf(tree).filter((node) => hasBeginning(namePlan(node, source)));
      await Promise.all([...counted.map(count), ...beginnings.map(idsOf), ...groupsOf(tree).map(listOf)]);
      const few = exactly ? undefined : fewest(parts);
      const toSearch = searched.reduce((sum, { index }) => sum + index.directory.total, 0);
      const readable = Math.min(CANDIDATES_MAX, Math.max(FEW, toSearch / SEARCHED_PER_RESOURCE));
      if (few && few.size <= readable) return candidates(few.part);
      if (searched.length > 1 && toSearch > PAIRS_MAX) return undefined;
      try {
        await Promise.all(searched.map(count));
      } catch (error) {
        const isTooMuch = error instanceof Fault && error.fault === "scim.too_many";
        if (isTooMuch && few && few.size <= CANDIDATES_MAX) return candidates(few.part);
        throw error;
      }
      const fewer = exactly ? undefined : fewest(parts);
      if (fewer && fewer.size <= CANDIDATES_MAX) {
        if (fewer.size <= Math.max(FEW, pairsToRead(fewer.others) / PAIRS_PER_RESOURCE)) return candidates(fewer.part);
      }
      if (pairs.length + distinctGroups([tree]).length > 1 && pairsToRead([tree]) > PAIRS_MAX) return undefined;
      const found = await (tree.kind === "pairs" ? allOwnersOf(tree) : owners(tree));
      if (!found) return undefined;
      const set = await setOf(found);
      if (found.isExact) return { kind: "exact", set };
      return set.size <= CANDIDATES_MAX ? { kind: "candidates", ids: set.slice(0, set.size) } : undefined;
    },
  };
}

/** The groups of trees, each once: their members are read once. */
function distinctGroups(trees: readonly Tree[]): readonly MembersNode[] {
  return [...new Map(trees.flatMap(groupsOf).map((node) => [equalityKey(node.equality), node])).values()];
}

/** Whether a plan reads a part of the names. */
function hasBeginning({ prefix, exact }: NamePlan): boolean {
  return prefix !== "" || exact !== undefined;
}

function isCheap({ pairs }: PairsNode): boolean {
  return isCounted(pairs);
}

function namePlan<T>({ filter }: NamesNode, source: Source<T>): NamePlan {
  const { candidates } = planOf(filter, source);
  return candidates.kind === "names" ? candidates : { kind: "names", prefix: "", test: () => false };
}

function intersection(a: Owners, b: Owners): Owners {
  const isExact = a.isExact && b.isExact;
  if (a.isRest && b.isRest) return { set: a.set.or(b.set), isRest: true, isExact };
  if (a.isRest) return { set: b.set.without(a.set), isRest: false, isExact };
  return { set: b.isRest ? a.set.without(b.set) : a.set.and(b.set), isRest: false, isExact };
}

function union(a: Owners, b: Owners): Owners {
  const isExact = a.isExact && b.isExact;
  if (a.isRest && b.isRest) return { set: a.set.and(b.set), isRest: true, isExact };
  if (a.isRest) return { set: a.set.without(b.set), isRest: true, isExact };
  return b.isRest
    ? { set: b.set.without(a.set), isRest: true, isExact }
    : { set: a.set.or(b.set), isRest: false, isExact };
}
