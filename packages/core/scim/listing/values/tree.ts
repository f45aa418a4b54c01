/**
 * A filter as sets of owners: what indexes of attributes decide, what names decide, and what is open until the resource
 * is read. A tree has exactly the matches of its filter.
 */

import type { ValueDirectory } from "../../../database/table/value-index/model.ts";
import { type BoundFilter, type Compare, combined, negated } from "../../protocol/filter/bound.ts";
import type { IndexedAttribute } from "../../protocol/indexed.ts";
import { isSameSet, present } from "./intervals.ts";
import { both, either, inverse, isCounted, isMissing, isPresent, type PairFilter } from "./pairs.ts";

/** The index of an attribute, as one list reads it. */
export interface OpenIndex {
  readonly attribute: IndexedAttribute;
  readonly directory: ValueDirectory;
  /** Each owner has one pair: one filter of pairs decides any and, or and not of terms of the attribute. */
  readonly isSingle: boolean;
}

/** The owners of the pairs that match. */
export interface PairsNode {
  readonly kind: "pairs";
  readonly index: OpenIndex;
  readonly pairs: PairFilter;
  /** The same as a filter of resources. */
  readonly filter: BoundFilter;
}

/** Names decide. */
export interface NamesNode {
  readonly kind: "names";
  readonly filter: BoundFilter;
}

/** The members of a group. */
export interface MembersNode {
  readonly kind: "members";
  readonly equality: Compare;
}

export type Tree =
  | { readonly kind: "all" | "none" }
  | { readonly kind: "open" }
  | PairsNode
  | NamesNode
  | MembersNode
  | { readonly kind: "and" | "or"; readonly parts: readonly Tree[] }
  /** Of pairs only where owners may have several. */
  | { readonly kind: "not"; readonly part: PairsNode | MembersNode };

export const all: Tree = { kind: "all" };
export const none: Tree = { kind: "none" };
export const open: Tree = { kind: "open" };

/** The owners that a tree does not have. */
export function opposite(tree: Tree): Tree {
  switch (tree.kind) {
    case "all":
      return none;
    case "none":
      return all;
    case "open":
      return open;
    case "names":
      return { kind: "names", filter: negated(tree.filter) };
    case "not":
      return tree.part;
    case "members":
      return { kind: "not", part: tree };
    case "pairs":
      return otherPairs(tree);
    default:
      return joined(tree.kind === "and" ? "or" : "and", tree.parts.map(opposite));
  }
}

/** Joins trees. Terms of one attribute become one, where one pair decides them. */
export function joined(kind: "and" | "or", given: readonly Tree[]): Tree {
  const [neutral, absorbing] = kind === "and" ? (["all", "none"] as const) : (["none", "all"] as const);
  const flat = given.flatMap((tree) => (tree.kind === kind ? tree.parts : [tree]));
  if (flat.some((tree) => tree.kind === absorbing)) return { kind: absorbing };
  const parts: Tree[] = [];
  for (const tree of flat) {
    if (tree.kind === neutral) continue;
    const at = parts.findIndex((other) => canMerge(kind, other, tree));
    const other = parts[at];
    if (other) parts[at] = merged(kind, other, tree);
    else parts.push(tree);
  }
  const [first, second] = parts;
  return first && !second ? first : first ? { kind, parts } : { kind: neutral };
}

/** What a tree reads from indexes. */
export function pairsIn(tree: Tree): readonly PairsNode[] {
  if (tree.kind === "pairs") return [tree];
  if ("parts" in tree) return tree.parts.flatMap(pairsIn);
  return tree.kind === "not" ? pairsIn(tree.part) : [];
}

/** What a tree reads from the names. */
export function namesOf(tree: Tree): readonly NamesNode[] {
  if (tree.kind === "names") return [tree];
  return "parts" in tree ? tree.parts.flatMap(namesOf) : [];
}

/** The groups of which a tree reads the members. */
export function groupsOf(tree: Tree): readonly MembersNode[] {
  if (tree.kind === "members") return [tree];
  if ("parts" in tree) return tree.parts.flatMap(groupsOf);
  return tree.kind === "not" ? groupsOf(tree.part) : [];
}

function canMerge(kind: "and" | "or", a: Tree, b: Tree): boolean {
  if (a.kind === "pairs" && b.kind === "pairs") {
    // A pair for one term or for the other is a pair for either, but one for each need not be the same.
    return a.index === b.index && (a.index.isSingle || kind === "or");
  }
  return a.kind === b.kind && (a.kind === "names" || a.kind === "open");
}

function merged(kind: "and" | "or", a: Tree, b: Tree): Tree {
  if (a.kind === "open" || !("filter" in a && "filter" in b)) return open;
  const filter = combined(kind, [a.filter, b.filter]);
  if (a.kind === "names" || b.kind === "names") return { kind: "names", filter };
  return { ...a, filter, pairs: (kind === "and" ? both : either)(a.pairs, b.pairs) };
}

function otherPairs(tree: PairsNode): Tree {
  const { index, pairs } = tree;
  const filter = negated(tree.filter);
  if (index.isSingle) return { ...tree, filter, pairs: inverse(pairs) };
  // Who has no value has the marker, and nothing else.
  if (isCounted(pairs) && isSameSet(pairs.sure, present)) return { ...tree, filter, pairs: isMissing };
  if (isCounted(pairs) && isSameSet(pairs.sure, isMissing.sure)) return { ...tree, filter, pairs: isPresent };
  return { kind: "not", part: tree };
}
