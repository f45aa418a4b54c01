/**
 * Which owners a tree has, over any number of indexes: a set of ids where indexes and names decide all of it, else few
 * candidates. Counts come first, because they cost little; ids are read of what the counts leave.
 */

import { idSetOf } from "../../../database/table/value-index/id-set.ts";
import type { IdSet, Matches } from "../../../database/table/value-index/model.ts";
import { Fault } from "../../../kernel/faults.ts";
import { type Compare, equalityKey, namesIn, sizeOf } from "../../protocol/filter/bound.ts";
import { matches } from "../../protocol/filter/evaluate.ts";
import { idsNamed } from "../candidates.ts";
import { CANDIDATES_MAX, tooMany } from "../limits.ts";
import { type NamePlan, planOf } from "../plan.ts";
import { MEMBERS_READ_MAX, readMembers } from "../sequence.ts";
import type { MemberList, Source, Work } from "../source.ts";
import { limitedMatch, newWork } from "../work.ts";
import { everything } from "./intervals.ts";
import { intersection, type Owners, union } from "./owners.ts";
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

/** Opens the sets of one list. */
export function setsOf<T>(
  source: Source<T>,
  indexes: readonly OpenIndex[],
  memberLists: MemberLists,
  work: Work = newWork(source),
): Sets {
  const read: Reads = { counts: new Map(), named: new Map(), members: new Map() };
  const known: Known = { sizes: new Map(), names: new Map(), groups: new Map() };
  const session: Session<T> = { source, indexes, memberLists, work, read, known };
  return {
    count: (node) => count(session, node),
    find: (tree, exactly) => find(session, tree, exactly),
  };
}

/** What is read once, and may be on its way. */
interface Reads {
  readonly counts: Map<PairsNode, Promise<Counted>>;
  readonly named: Map<NamesNode, Promise<readonly string[] | undefined>>;
  readonly members: Map<string | Compare, Promise<Owners | undefined>>;
}

/** What has been read: sizes are judged by it. */
interface Known {
  readonly sizes: Map<PairsNode, Counted>;
  readonly names: Map<NamesNode, readonly string[] | undefined>;
  readonly groups: Map<MembersNode, MemberList | undefined>;
}

/** The search of one list. */
interface Session<T> {
  readonly source: Source<T>;
  readonly indexes: readonly OpenIndex[];
  readonly memberLists: MemberLists;
  readonly work: Work;
  readonly read: Reads;
  readonly known: Known;
}

async function find<T>(session: Session<T>, tree: Tree, exactly: boolean): Promise<Found | undefined> {
  const { source, known } = session;
  const parts = tree.kind === "and" ? tree.parts : [tree];
  const pairs = pairsIn(tree);
  const [counted, searched] = [pairs.filter(isCheap), pairs.filter((node) => !isCheap(node))];
  const beginnings = namesOf(tree).filter((node) => hasBeginning(namePlan(node, source)));
  await Promise.all([
    ...counted.map((node) => count(session, node)),
    ...beginnings.map((node) => idsOf(session, node)),
    ...groupsOf(tree).map((node) => listOf(session, node)),
  ]);
  const few = exactly ? undefined : fewest(known, parts);
  const toSearch = searched.reduce((sum, { index }) => sum + index.directory.total, 0);
  const readable = Math.min(CANDIDATES_MAX, Math.max(FEW, toSearch / SEARCHED_PER_RESOURCE));
  if (few && few.size <= readable) return candidates(session, few.part);
  if (searched.length > 1 && toSearch > PAIRS_MAX) return undefined;
  try {
    await Promise.all(searched.map((node) => count(session, node)));
  } catch (error) {
    const isTooMuch = error instanceof Fault && error.fault === "scim.too_many";
    if (isTooMuch && few && few.size <= CANDIDATES_MAX) return candidates(session, few.part);
    throw error;
  }
  const fewer = exactly ? undefined : fewest(known, parts);
  if (fewer && fewer.size <= CANDIDATES_MAX) {
    const costOfOthers = pairsToRead(known, fewer.others) / PAIRS_PER_RESOURCE;
    if (fewer.size <= Math.max(FEW, costOfOthers)) return candidates(session, fewer.part);
  }
  if (pairs.length + distinctGroups([tree]).length > 1 && pairsToRead(known, [tree]) > PAIRS_MAX) return undefined;
  const found = await (tree.kind === "pairs" ? allOwnersOf(session, tree) : owners(session, tree));
  if (!found) return undefined;
  const set = await setOf(session, found);
  if (found.isExact) return { kind: "exact", set };
  return set.size <= CANDIDATES_MAX ? { kind: "candidates", ids: set.slice(0, set.size) } : undefined;
}

function count<T>({ source, read, known }: Session<T>, node: PairsNode): Promise<Counted> {
  const earlier = read.counts.get(node);
  if (earlier) return earlier;
  const { match: unlimited, isOpen } = matching(node.pairs);
  const match = limitedMatch(unlimited, sizeOf(node.filter), source);
  const counting = node.index.directory.matches(match).then((found) => {
    const counted = { matches: found, isOpen: isOpen() };
    known.sizes.set(node, counted);
    return counted;
  });
  read.counts.set(node, counting);
  return counting;
}

function idsOf<T>({ source, read, known }: Session<T>, node: NamesNode): Promise<readonly string[] | undefined> {
  const earlier = read.named.get(node);
  if (earlier) return earlier;
  const reading = idsNamed(source, namePlan(node, source)).then((ids) => {
    known.names.set(node, ids);
    return ids;
  });
  read.named.set(node, reading);
  return reading;
}

/** The same of more names, of which the ids are in their entries. */
async function allIdsOf<T>({ source }: Session<T>, node: NamesNode): Promise<readonly string[] | undefined> {
  const { prefix, test } = namePlan(node, source);
  const entries = await source.index.all(prefix, NAMES_READ_MAX, { consistent: false });
  return entries?.flatMap(({ id, key }) => (test?.(key) === false ? [] : [id]));
}

async function listOf<T>({ memberLists, known }: Session<T>, node: MembersNode): Promise<MemberList | undefined> {
  const list = await memberLists(node.equality);
  known.groups.set(node, list);
  return list;
}

function membersOf<T>(session: Session<T>, node: MembersNode): Promise<Owners | undefined> {
  const { members } = session.read;
  const key = equalityKey(node.equality);
  const reading = members.get(key) ?? readMembersOf(session, node);
  members.set(key, reading);
  return reading;
}

async function readMembersOf<T>(session: Session<T>, node: MembersNode): Promise<Owners | undefined> {
  const list = await listOf(session, node);
  if (list && list.count > MEMBERS_READ_MAX) return undefined;
  const all = list ? await readMembers(list, undefined) : [];
  return { set: idSetOf(all.map(({ id }) => id)), isRest: false, isExact: true };
}

/** At most this many owners, by what is counted so far. */
function most(known: Known, tree: Tree): number {
  switch (tree.kind) {
    case "none":
      return 0;
    case "pairs": {
      const counted = known.sizes.get(tree);
      return counted && !counted.isOpen ? counted.matches.total : Number.POSITIVE_INFINITY;
    }
    case "names":
      return known.names.get(tree)?.length ?? Number.POSITIVE_INFINITY;
    case "members":
      return known.groups.has(tree) ? (known.groups.get(tree)?.count ?? 0) : Number.POSITIVE_INFINITY;
    case "and":
      return Math.min(...tree.parts.map((part) => most(known, part)));
    case "or":
      return tree.parts.reduce((sum, part) => sum + most(known, part), 0);
    default:
      return Number.POSITIVE_INFINITY;
  }
}

/** The pairs whose ids trees read, and what their groups cost in the same unit. */
function pairsToRead(known: Known, trees: readonly Tree[]): number {
  const pairs = trees.flatMap(pairsIn).map((node) => {
    const total = known.sizes.get(node)?.matches.total ?? 0;
    return node.index.isSingle ? Math.min(total, node.index.directory.total - total) : total;
  });
  const members = distinctGroups(trees).map((node) => Math.min(most(known, node), MEMBERS_READ_MAX) * PAIRS_PER_MEMBER);
  return [...pairs, ...members].reduce((sum, size) => sum + size, 0);
}

/** The part with the fewest owners, and the others. */
function fewest(known: Known, parts: readonly Tree[]) {
  const [part, ...others] = parts.toSorted((a, b) => most(known, a) - most(known, b));
  return part && others.length > 0 ? { part, others, size: most(known, part) } : undefined;
}

/** The owners of pairs whose values are too long for the index to decide: their resources are read. */
async function settled<T>({ source, work }: Session<T>, node: PairsNode): Promise<IdSet> {
  const undecided = await node.index.directory.matches(openPairs(node.pairs));
  const ids = (await undecided.owners()).slice(0, CANDIDATES_MAX + 1);
  if (ids.length > CANDIDATES_MAX) throw tooMany(source);
  const items = await source.readMany(ids, { spend: work.read });
  const found = items.flatMap((item, at) => (item === undefined ? [] : [{ item, id: ids[at] ?? "" }]));
  const resources = await source.resourcesOf(
    found.map(({ item }) => item),
    namesIn(node.filter),
  );
  return idSetOf(found.filter((_, at) => matches(node.filter, resources[at] ?? {}, work.compare)).map(({ id }) => id));
}

/** What a part of a filter leaves. */
async function ownersOf<T>(session: Session<T>, node: PairsNode): Promise<Owners> {
  const { matches: found, isOpen } = await count(session, node);
  const { directory, isSingle } = node.index;
  // Most owners are fewer to read as all but the rest. A search for the rest would read all values again.
  if (isSingle && !isOpen && isCheap(node) && found.total - (directory.total - found.total) > SAVED_BY_REST) {
    const rest = await directory.matches(matching(inverse(node.pairs)).match);
    return { set: await rest.owners(), isRest: true, isExact: true };
  }
  return allOwnersOf(session, node);
}

/** The same of a whole filter: all but the rest would need the owners of everything. */
async function allOwnersOf<T>(session: Session<T>, node: PairsNode): Promise<Owners> {
  const { matches: found, isOpen } = await count(session, node);
  const set = await found.owners();
  return { set: isOpen ? set.or(await settled(session, node)) : set, isRest: false, isExact: true };
}

/** `undefined` where nothing is known of the part. */
async function owners<T>(session: Session<T>, tree: Tree): Promise<Owners | undefined> {
  switch (tree.kind) {
    case "all":
      return { set: idSetOf([]), isRest: true, isExact: true };
    case "none":
      return { set: idSetOf([]), isRest: false, isExact: true };
    case "open":
      return undefined;
    case "pairs":
      return ownersOf(session, tree);
    case "members":
      return membersOf(session, tree);
    case "not": {
      const part = await owners(session, tree.part);
      return part && { ...part, isRest: !part.isRest };
    }
    case "names": {
      const ids = (await idsOf(session, tree)) ?? (await allIdsOf(session, tree));
      return ids && { set: idSetOf(ids), isRest: false, isExact: true };
    }
    case "and": {
      const parts = await Promise.all(tree.parts.map((part) => owners(session, part)));
      const [first, ...rest] = parts.filter((part) => part !== undefined);
      const isWhole = parts.every((part) => part !== undefined);
      const found = first && rest.reduce(intersection, first);
      return found && { ...found, isExact: found.isExact && isWhole };
    }
    default: {
      const parts = await Promise.all(tree.parts.map((part) => owners(session, part)));
      if (!parts.every((part) => part !== undefined)) return undefined;
      const [first, ...rest] = parts;
      return first && rest.reduce(union, first);
    }
  }
}

/** The set of owners, where it is not that of the rest. */
async function setOf<T>({ indexes }: Session<T>, { set, isRest }: Owners): Promise<IdSet> {
  const [index] = indexes.toSorted((a, b) => a.directory.total - b.directory.total);
  if (!isRest || !index) return set;
  const everyPair = await index.directory.matches({ intervals: everything });
  return (await everyPair.owners()).without(set);
}

async function candidates<T>(session: Session<T>, tree: Tree): Promise<Found | undefined> {
  const found = await owners(session, tree);
  const set = found && (await setOf(session, found));
  return set && set.size <= CANDIDATES_MAX ? { kind: "candidates", ids: set.slice(0, set.size) } : undefined;
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
