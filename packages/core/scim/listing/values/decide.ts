/**
 * How a list is read whose filter or order names attributes with an index. One attribute alone gives the pages in the
 * order of its index. Several give a set of ids; a part that no index decides is evaluated on what the others leave.
 */

import type { IdSet, MatchPages, ValueDirectory } from "../../../database/table/value-index/model.ts";
import type { ValueIndexes } from "../../../database/table/value-index/value-index.ts";
import { Fault } from "../../../kernel/faults.ts";
import { always, type BoundFilter, type Compare, equalityKey } from "../../protocol/filter/bound.ts";
import { type IndexedAttribute, indexedAttribute } from "../../protocol/indexed.ts";
import { CANDIDATES_MAX, tooMany } from "../limits.ts";
import type { Plan } from "../plan.ts";
import { inMemory, type Place, type Sequence, sequenceOf } from "../sequence.ts";
import type { MemberList, Query, Source } from "../source.ts";
import { both, everyPair, isCounted, isMissing } from "./pairs.ts";
import { byIdsOf, byIndex, byNameIndex, keptOf, type LongerList, type Section, valuesIn } from "./sequences.ts";
import { FEW, type MemberLists, NAMES_READ_MAX, type Sets, setsOf } from "./sets.ts";
import { treeOf } from "./terms.ts";
import { groupsOf, namesOf, type OpenIndex, type PairsNode, pairsIn, type Tree } from "./tree.ts";

/** What reads a list: candidates that are evaluated, or a sequence of ids. */
export type Way =
  | { readonly kind: "plan"; readonly plan: Plan }
  | { readonly kind: "sequence"; readonly sequence: Sequence };

/** A list of one source. */
export interface Asked<T> {
  readonly source: Source<T>;
  readonly filter: BoundFilter | undefined;
  readonly query: Query;
  /** How the list is read without indexes. */
  readonly plan: Plan;
  /** The attributes with an index that the filter or the order names. */
  readonly attributes: readonly string[];
  /** Where the page of a cursor starts. */
  readonly place: Place | undefined;
  /** Only the total is wanted. */
  readonly isCount: boolean;
}

/** What the pages of a list follow: an index, ids, or the order of a list without indexes. */
type Mode = "pairs" | "ids" | "resources";

type Indexes = ReadonlyMap<string, OpenIndex>;

/**
 * The way of a list; `undefined` where indexes do not help. Throws `scim.cursor_expired` where the index that a cursor
 * follows is gone.
 */
export async function wayOf<T>(asked: Asked<T>): Promise<Way | undefined> {
  const mode = modeOf(asked.place);
  const way = await wayIn(asked, mode);
  if (!way && (mode === "pairs" || mode === "ids")) {
    throw new Fault("scim.cursor_expired", "The list changed too much. Start again with an empty cursor.");
  }
  return way;
}

function modeOf(place: Place | undefined): Mode | undefined {
  if (!place) return undefined;
  if (place.facet !== undefined) return "pairs";
  return place.id === undefined ? "resources" : "ids";
}

async function wayIn<T>(asked: Asked<T>, mode: Mode | undefined): Promise<Way | undefined> {
  const { source, filter, query, attributes } = asked;
  if (!source.indexes) return undefined;
  const memberLists = memberListsOf(source);
  const [indexes, others] = await Promise.all([
    openOf(source.indexes, attributes),
    candidatesWithout(asked, memberLists),
  ]);
  const isFree = mode === undefined || mode === "resources";
  const sizes = [...indexes.values()].map(({ directory }) => directory.total);
  if (indexes.size === 0 || (isFree && Math.min(others, ...sizes) <= FEW)) return undefined;
  const read: Reading<T> = { ...asked, mode, ...(await treeFor(source, filter, indexes)) };
  const sets = setsOf(source, [...read.indexes.values()], memberLists, query.work);
  const node = mode === "ids" ? undefined : aloneIn(read, query);
  const alone = node && (await wayAlone(read, sets, node));
  if (alone) return alone;
  // Filters on names and groups alone need an index for the order only.
  const isOther = namesOf(read.tree).length + groupsOf(read.tree).length > 0 && sortIndexOf(read) !== undefined;
  if (pairsIn(read.tree).length === 0 && !isOther) return undefined;
  const found = await sets.find(read.tree, !isFree);
  if (found?.kind === "exact") return wayOfSet(read, sets, found.set);
  return found && isFree && found.ids.length <= others ? foundPlan(found.ids, filter) : undefined;
}

/** A list with what is open for it. */
interface Reading<T> extends Asked<T> {
  readonly mode: Mode | undefined;
  readonly tree: Tree;
  readonly indexes: Indexes;
}

/** Opens those of the indexes that hold all resources. */
async function openOf(indexes: ValueIndexes, names: readonly string[]): Promise<Indexes> {
  const [complete, ...opened] = await Promise.all([
    indexes.ready(),
    ...names.map(async (name) => {
      const attribute = indexedAttribute(name);
      return attribute ? [openIndex(attribute, await indexes.open(name))] : [];
    }),
  ]);
  const known = opened.flat().filter(({ attribute: { name } }) => complete.has(name));
  return new Map(known.map((index) => [index.attribute.name, index]));
}

function openIndex(attribute: IndexedAttribute, directory: ValueDirectory): OpenIndex {
  return { attribute, directory, isSingle: !attribute.isMultiValued || directory.owningSeveral === 0 };
}

/** How many candidates the list has without indexes, where that is known before they are read. */
async function candidatesWithout<T>({ plan: { candidates } }: Asked<T>, memberLists: MemberLists): Promise<number> {
  if (candidates.kind !== "members") return Number.POSITIVE_INFINITY;
  return (await memberLists(candidates.equality))?.count ?? 0;
}

/** The member lists of a source, each of which is found once. */
function memberListsOf<T>(source: Source<T>): MemberLists {
  const found = new Map<string | Compare, Promise<MemberList | undefined>>();
  return (equality) => {
    const key = equalityKey(equality);
    const known = found.get(key) ?? source.memberList?.(equality) ?? Promise.resolve(undefined);
    found.set(key, known);
    return known;
  };
}

/**
 * The tree of a filter. An index of which many values are searched is opened again with eventual consistency, which
 * costs half, as searches of names do.
 */
async function treeFor<T>(
  source: Source<T>,
  filter: BoundFilter | undefined,
  indexes: Indexes,
): Promise<Pick<Reading<T>, "tree" | "indexes">> {
  const tree = treeOf(filter, source, indexes);
  const searched = pairsIn(tree)
    .filter(({ pairs, index }) => !isCounted(pairs) && index.directory.total > CANDIDATES_MAX)
    .map(({ index }) => index.attribute);
  if (searched.length === 0) return { tree, indexes };
  const again = await Promise.all(
    [...new Set(searched)].map(async (attribute): Promise<readonly [string, OpenIndex][]> => {
      const directory = await source.indexes?.open(attribute.name, { consistent: false });
      return directory ? [[attribute.name, openIndex(attribute, directory)]] : [];
    }),
  );
  const opened = new Map([...indexes, ...again.flat()]);
  return { tree: treeOf(filter, source, opened), indexes: opened };
}

/** The index whose order is that of the list. */
function sortIndexOf<T>({ query: { order }, indexes }: Reading<T>): OpenIndex | undefined {
  const index = order && indexes.get(order.attribute);
  return index?.isSingle ? index : undefined;
}

/** The pairs that alone decide a list and its order. */
function aloneIn<T>(read: Reading<T>, { order, anyOrder }: Query): PairsNode | undefined {
  const { tree } = read;
  if (!order) return anyOrder && tree.kind === "pairs" && tree.index.isSingle ? tree : undefined;
  const index = sortIndexOf(read);
  if (index && tree.kind === "all") return allOf(index);
  return index && tree.kind === "pairs" && tree.index === index ? tree : undefined;
}

function allOf(index: OpenIndex): PairsNode {
  return { kind: "pairs", index, pairs: everyPair, filter: always };
}

/** One index alone: its order, or few candidates. */
async function wayAlone<T>(read: Reading<T>, sets: Sets, node: PairsNode): Promise<Way | undefined> {
  const { mode, isCount } = read;
  const descending = read.query.order?.descending ?? false;
  const found = await sectionsOf(sets, node, descending);
  if (!found) return undefined;
  const { sections } = found;
  const total = totalOf(sections);
  const isRead = mode === undefined ? total <= FEW && !isCount : mode === "resources";
  if (!isRead) return { kind: "sequence", sequence: byIndex(sections, descending) };
  if (total > CANDIDATES_MAX) return undefined;
  const { entries, more } = await byIndex(sections, descending).first(CANDIDATES_MAX);
  return more ? undefined : foundPlan(entries.map(({ id }) => id));
}

/** The parts of a list in the order of an index. */
interface Sections {
  readonly sections: readonly Section[];
  /** What they have of a set. */
  keptFor(set: IdSet): Promise<readonly Section[]>;
}

/**
 * Those with a value and those without one, who come last in ascending and first in descending order. `undefined` where
 * the index leaves a pair open.
 */
async function sectionsOf(sets: Sets, node: PairsNode, descending: boolean): Promise<Sections | undefined> {
  const pairs = both(node.pairs, isMissing);
  const [all, without] = await Promise.all([
    sets.count(node),
    // Every resource has its times.
    pairs.possible.length > 0 && node.index.attribute.kind !== "time" ? sets.count({ ...node, pairs }) : undefined,
  ]);
  if (all.isOpen) return undefined;
  const inOrder = (matches: MatchPages, markers: MatchPages | undefined): readonly Section[] => {
    if (!markers) return [{ matches, hasValues: true }];
    const sections = [valuesIn(matches, markers.total), { matches: markers, hasValues: false }];
    return descending ? sections.reverse() : sections;
  };
  return {
    sections: inOrder(all.matches, without?.matches),
    async keptFor(set) {
      const kept = await Promise.all([all.matches.keptFor(set), without?.matches.keptFor(set)]);
      return inOrder(...kept);
    },
  };
}

function totalOf(sections: readonly Section[]): number {
  return sections.reduce((sum, { matches }) => sum + matches.total, 0);
}

/** A set: in the order of ids, sorted in memory, or as a part of what has the order. */
async function wayOfSet<T>(read: Reading<T>, sets: Sets, set: IdSet): Promise<Way | undefined> {
  const { query, mode, isCount } = read;
  const isAnyOrder = query.anyOrder && !query.order;
  if (mode === "ids" || isCount) return { kind: "sequence", sequence: byIdsOf(set) };
  const readMax = isAnyOrder && mode === undefined ? FEW : CANDIDATES_MAX;
  if (mode !== "pairs" && set.size <= readMax) return foundPlan(set.slice(0, set.size));
  if (isAnyOrder) return mode === undefined ? { kind: "sequence", sequence: byIdsOf(set) } : undefined;
  const list = query.order ? mode !== "resources" && (await sortedList(read, sets)) : await namedList(read, sets);
  return list ? { kind: "sequence", sequence: keptOf(list, set, () => withoutNames(read)) } : undefined;
}

/** All resources, or those that terms of the same attribute leave, in the order of an index. */
async function sortedList<T>(read: Reading<T>, sets: Sets): Promise<LongerList | undefined> {
  const { tree, query } = read;
  const index = sortIndexOf(read);
  if (!index) return undefined;
  const descending = query.order?.descending ?? false;
  const terms = tree.kind === "and" ? tree.parts : [];
  const node = terms.find((part) => part.kind === "pairs" && part.index === index);
  const found = await sectionsOf(sets, node?.kind === "pairs" ? node : allOf(index), descending);
  if (!found) return undefined;
  const { sections } = found;
  return {
    forwards: byIndex(sections, descending),
    backwards: byIndex(sections.toReversed(), !descending),
    total: totalOf(sections),
    counted: async (set) => byIndex(await found.keptFor(set), descending),
  };
}

/** All names. They are compared with a set by their index of values, and where there are fewer, by their entries. */
async function namedList<T>({ source, query, indexes }: Reading<T>, sets: Sets): Promise<LongerList> {
  const plan: Plan = { candidates: { kind: "names", prefix: "" }, residual: undefined };
  const [forwards, backwards, total] = await Promise.all([
    sequenceOf(source, plan, query),
    sequenceOf(source, plan, { ...query, backwards: !query.backwards }),
    source.index.total(),
  ]);
  const list = { forwards, backwards, total };
  const index = indexes.get(source.nameAttribute);
  if (!index && total > NAMES_READ_MAX) return list;
  return {
    ...list,
    isWalked: true,
    async counted(set) {
      if (index) {
        const found = await sectionsOf(sets, allOf(index), query.backwards);
        if (found) return byNameIndex(await found.keptFor(set), query.backwards);
      }
      const entries = await source.index.all("", 2 * NAMES_READ_MAX, { consistent: false });
      if (!entries) throw tooMany(source);
      return inMemory(
        entries.filter(({ id }) => set.has(id)),
        query.backwards,
      );
    },
  };
}

/** The fault for a page in the middle of the order of more names than are read. */
function withoutNames<T>({ source, query }: Reading<T>): Fault {
  if (query.order) return tooMany(source);
  return tooMany(
    source,
    `A page this far from both ends, in the order of ${source.nameAttribute}, needs an index of ${source.nameAttribute} ([[scim2.index]]). Page with cursor.`,
  );
}

function foundPlan(ids: readonly string[], residual?: BoundFilter): Way {
  return { kind: "plan", plan: { candidates: { kind: "found", ids }, residual } };
}
